package schema

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/internal/sample"
)

// queueObject is what a queue of any of the three systems may have in common with
// what is checked here.
type queueObject struct {
	APIVersion string
	Kind       string
	Metadata   struct{ Name string }
	Spec       struct {
		CohortName     string
		ResourceGroups []struct {
			CoveredResources []string
			Flavors          []struct {
				Name      string
				Resources []struct {
					Name           string
					BorrowingLimit *string
					LendingLimit   *string
				}
			}
		}
		// Volcano's, then KAI's.
		Capability map[string]any
		Resources  map[string]struct{ Limit *float64 }
	}
}

// Whatever quotas a spec gives its tenants, Kueue's webhook takes the queues that
// come of it, and where Kueue counts no scheduler has a limit of its own. A spec
// cannot break this, so it is no rule.
func TestQueuesOfAnyTenantsAreWhatKueueTakes(t *testing.T) {
	workers, specs := sample.Times(4, 1), sample.Times(12, 4)
	for worker := range workers {
		t.Run(fmt.Sprintf("seed %d", worker), func(t *testing.T) {
			t.Parallel()
			random := randomSpec{rand.New(rand.NewSource(int64(worker)))}
			queues := 0
			for range specs {
				spec := random.spec()
				random.addTenants(spec)
				spec["scheduling"].(map[string]any)["queue"] = "kueue"
				d := single("yaml", spec)
				cluster, _ := d.judge(t)
				if cluster == nil {
					continue
				}
				var components map[string]struct{ Objects map[string]queueObject }
				if err := cluster.Decode("components", &components); err != nil {
					// Values of the user that do not fit are found, and have no components.
					continue
				}
				for _, c := range components {
					for _, object := range c.Objects {
						if strings.HasSuffix(object.Kind, "Queue") && object.Kind != "LocalQueue" {
							queues++
						}
						for _, fault := range object.faults() {
							t.Errorf("%s %s: %s\n%v", object.Kind, object.Metadata.Name, fault, d)
						}
					}
				}
			}
			if queues == 0 {
				t.Error("no spec has a queue")
			}
		})
	}
}

// faults of a queue beside, or of, Kueue.
func (o queueObject) faults() (out []string) {
	switch {
	case o.Kind == "ClusterQueue":
		// kueue v0.19.2, pkg/webhooks/clusterqueue_webhook.go (validateResourceGroups) and
		// apis/kueue/v1beta2/clusterqueue_types.go (ClusterQueueSpec).
		var flavors []string
		for _, group := range o.Spec.ResourceGroups {
			for _, flavor := range group.Flavors {
				if slices.Contains(flavors, flavor.Name) {
					out = append(out, "flavor "+flavor.Name+" twice")
				}
				flavors = append(flavors, flavor.Name)
				if len(flavor.Resources) != len(group.CoveredResources) {
					out = append(out, "flavor "+flavor.Name+" does not have each covered resource")
				}
				for _, r := range flavor.Resources {
					if o.Spec.CohortName == "" && (r.BorrowingLimit != nil || r.LendingLimit != nil) {
						out = append(out, "a limit for "+r.Name+", but no cohort")
					}
				}
			}
		}
	case o.Kind == "Queue" && strings.HasPrefix(o.APIVersion, "scheduling.volcano.sh/"):
		if len(o.Spec.Capability) > 0 {
			out = append(out, "capability beside Kueue's quota")
		}
	case o.Kind == "Queue" && strings.HasPrefix(o.APIVersion, "scheduling.run.ai/"):
		for name, r := range o.Spec.Resources {
			if r.Limit != nil && *r.Limit >= 0 {
				out = append(out, "limit of "+name+" beside Kueue's quota")
			}
		}
	}
	return out
}
