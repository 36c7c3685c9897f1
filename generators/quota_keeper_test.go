package generators_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"
)

// What a tenant can never have is closed by Kubernetes itself, whoever keeps the
// quotas; what it may have is not, since a Pod that waits would count there.
func TestPoolsWithoutAQuotaAreClosedByKubernetes(t *testing.T) {
	const tenants = `tenants: {a: {namespaces: [team-a], quota: {p: {gpus: 8}}}, b: {namespaces: [team-b], quota: {q: {mig-1g.10gb: 8}}}}`
	slices := pool("q", `sharing: {strategy: mig, mode: mixed, profiles: {1g.10gb: 7}}`)
	for keeper, scheduling := range map[string]string{"Kueue": `scheduling: {queue: kueue}`, "Volcano": `scheduling: {gang: volcano}`, "KAI": `scheduling: {gang: kai}`} {
		objects := rendered(t, scheduling, slices, tenants)
		for namespace, want := range map[string]map[string]any{
			"team-a": {"requests.nvidia.com/mig-1g.10gb": "0"},
			"team-b": {"requests.nvidia.com/gpu": "0"},
		} {
			if got, _ := at(objects[namespace+"/ResourceQuota/gpus"], "spec", "hard").(map[string]any); !maps.Equal(got, want) {
				t.Errorf("%s: in %s the ResourceQuota is %v, want %v", keeper, namespace, got, want)
			}
		}
	}
	claimed := rendered(t, `scheduling: {queue: kueue}`, pool("q", `allocation: dra`), tenants[:strings.Index(tenants, ", b:")]+"}")
	if got := at(claimed["team-a/ResourceQuota/gpus"], "spec", "hard", wholeByDRA); got != "0" {
		t.Errorf("of claims for GPUs a tenant of another pool may have %v", got)
	}
}

// A policy holds in all namespaces of tenants, those without a quota too, and in no other.
func TestPoliciesHoldWhereTenantsAre(t *testing.T) {
	objects := rendered(t, `scheduling: {gang: kai}`, `tenants: {a: {namespaces: [team-a, team-a-dev], quota: {p: {gpus: 8}}}, b: {namespaces: [team-b]}}`)
	for _, name := range []string{"gpugen-gpu-pods", "gpugen-gpu-queues"} {
		binding := objects["ValidatingAdmissionPolicyBinding/"+name]
		if at(binding, "spec", "policyName") != at(objects["ValidatingAdmissionPolicy/"+name], "metadata", "name") {
			t.Errorf("%s is bound to %v", name, at(binding, "spec", "policyName"))
		}
		selector := at(binding, "spec", "matchResources", "namespaceSelector", "matchExpressions", 0)
		if got := fmt.Sprint(at(selector, "key"), at(selector, "operator"), at(selector, "values")); got != "kubernetes.io/metadata.nameIn[team-a team-a-dev team-b]" {
			t.Errorf("%s holds in %s", name, got)
		}
	}
	if without := rendered(t, `tenants: {a: {namespaces: [team-a]}}`); len(kindsOf(without, "ValidatingAdmissionPolicy")) > 0 {
		t.Error("there is a policy, but no quota")
	}
}

// What USAGE.md tells a tenant to write is what the keeper of its quota looks at.
func TestTheExampleOfATenantIsHeldToItsQuota(t *testing.T) {
	for scheduling, marks := range map[string][]string{
		`scheduling: {queue: kueue}`:                {"kueue.x-k8s.io/queue-name: a\n"},
		`scheduling: {gang: kai}`:                   {"schedulerName: kai-scheduler\n", "  labels:\n    kai.scheduler/queue: a\n  name: example\n", "      labels:\n        kai.scheduler/queue: a\n    spec:\n"},
		`scheduling: {gang: volcano}`:               {"schedulerName: volcano\n", "      annotations:\n        scheduling.volcano.sh/queue-name: a\n    spec:\n"},
		`scheduling: {gang: volcano, queue: kueue}`: {"kueue.x-k8s.io/queue-name: a\n"},
	} {
		objects := rendered(t, scheduling, `tenants: {a: {namespaces: [team-a], quota: {p: {gpus: 8}}}}`)
		text := at(objects["USAGE.md"], "text").(string)
		_, text, _ = strings.Cut(text, "## Tenant a")
		_, example, _ := strings.Cut(text, "```yaml\n")
		example, _, _ = strings.Cut(example, "```")
		for _, mark := range marks {
			if !strings.Contains(example, mark) {
				t.Errorf("%s: the example lacks %q:\n%s", scheduling, mark, example)
			}
		}
	}
}

// A tenant with a quota of none may run on what others leave, if it may borrow; one
// whose quota names no pool's GPUs may not.
func TestKAITenantsBorrowFromTheirPools(t *testing.T) {
	objects := rendered(t, `scheduling: {gang: kai}`, `tenants:
  none: {namespaces: [team-a], borrow: true, quota: {p: {gpus: 0}}}
  alone: {namespaces: [team-b], quota: {p: {gpus: 0}}}
  closed: {namespaces: [team-c], borrow: true, quota: {p: {cpu: "8", memory: 8Gi}}}
  some: {namespaces: [team-d], borrow: true, quota: {p: {gpus: 8}}}`)
	for name, want := range map[string]float64{"none": -1, "alone": 0, "closed": 0, "some": -1} {
		if got := at(objects["Queue/"+name], "spec", "resources", "gpu", "limit"); got != want {
			t.Errorf("the GPUs of tenant %s have the limit %v, want %v", name, got, want)
		}
	}
}

// A Kueue that has been told something else is believed.
func TestUsageSaysWhatKueueManagesInEffect(t *testing.T) {
	const tenant = `tenants: {a: {namespaces: [team-a], quota: {p: {gpus: 8}}}}`
	says := func(overlays ...string) string {
		t.Helper()
		return at(rendered(t, append(overlays, `scheduling: {queue: kueue}`, tenant, `waivers: [{rule: KUEUE-015, at: scheduling, reason: Jobs alone}]`)...)["USAGE.md"], "text").(string)
	}
	if got := says(`scheduling: {frameworks: [batch/job, jobset.x-k8s.io/jobset]}`); !strings.Contains(got, "GPUs are for batch/job, jobset.x-k8s.io/jobset alone") {
		t.Errorf("USAGE.md of scheduling.frameworks:\n%s", got)
	}
	objects := rendered(t, `scheduling: {queue: kueue}`, tenant, `components: {kueue: {values: {managerConfig: {controllerManagerConfigYaml: "{apiVersion: config.kueue.x-k8s.io/v1beta2, kind: Configuration, managedJobsNamespaceSelector: {matchExpressions: [{key: gpugen.github.io/tenant, operator: Exists}]}, integrations: {frameworks: [batch/job, pod, ray.io/rayjob]}, resources: {excludeResourcePrefixes: [cpu, memory]}}"}}}}`)
	if got := at(objects["README.md"], "text").(string); !strings.Contains(got, "Kueue (batch/job, pod, ray.io/rayjob)") {
		t.Errorf("README.md of a text:\n%s", got)
	}
	if got := fmt.Sprint(at(objects["ValidatingAdmissionPolicy/gpugen-gpu-pods"], "spec", "validations", 0, "expression")); !strings.Contains(got, "'RayCluster'") {
		t.Errorf("the policy of a text is %s", got)
	}
}
