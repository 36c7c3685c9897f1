package judge_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/e2e/apiserver/judge"
	"github.com/gpugen/gpugen/generators"
	"github.com/gpugen/gpugen/internal/anyspec"
	"github.com/gpugen/gpugen/schema/diag"
)

// anySpecs: what any valid spec renders to, the server takes, in any order, and a
// second apply changes nothing. GPUGEN_SPECS and GPUGEN_SEED draw others, and more.
func (k *kubernetes) anySpecs(t *testing.T) {
	source := k.read.anySpecs(t)
	source.Series = slices.Index(minors, k.minor)
	// A spec may say any Kubernetes: here it is taken for one of this server, where it
	// holds there too, and otherwise for what it is.
	var result *generators.Result
	render := func(spec map[string]any) (findings diag.List, err error) {
		result, findings = generators.Render(fromJSON(t, laidOver(spec, map[string]any{"kubernetes": map[string]any{"version": k.minor + ".7"}})))
		if result == nil {
			result, findings = generators.Render(fromJSON(t, spec))
		}
		return findings, nil
	}
	judged, passed, brought := 0, 0, 0
	source.Each(t, 12, 3, render, func(spec map[string]any) error {
		// A component of a user's with an object brings a Namespace and an Application.
		alone, own := result, ofKubernetes()[(judged+passed)%len(ofKubernetes())]
		found, _ := render(laidOver(spec, map[string]any{"components": map[string]any{"of-a-user": map[string]any{"objects": map[string]any{"mine": own}}}}))
		if found.HasErrors() {
			result, own = alone, nil
		} else {
			brought++
		}
		tree, err := judge.Load(asFiles(result.Tree), external(t, result.Plan)...)
		if err != nil {
			return err
		}
		if tree.KubernetesMinor() > k.minor {
			passed++
			return nil
		}
		report, err := k.Judge(context.WithoutCancel(t.Context()), tree, judge.Shuffled(1))
		if errors.Is(err, fs.ErrNotExist) {
			passed++ // a chart version whose CRDs are not at hand
			return nil
		}
		if err != nil {
			return err
		}
		judged++
		k.count(report)
		var words []string
		for _, problem := range report.Problems {
			words = append(words, problem.String())
		}
		for _, one := range undeclared(report.Defaulted) {
			if own == nil || one.Kind != fmt.Sprintf("%v %v", own["apiVersion"], own["kind"]) {
				words = append(words, leftOpen(one))
			}
		}
		if len(words) > 0 {
			return errors.New(strings.Join(words, "\n"))
		}
		return nil
	})
	t.Logf("%d judged, %d with an object of a user's; %d not for this server", judged, brought, passed)
	if judged == 0 {
		t.Error("no spec was judged")
	}
}

// anySpecs is one source for all servers: it holds all that gpugen knows.
func (e *examplesData) anySpecs(t *testing.T) *anyspec.Source {
	t.Helper()
	if e.random == nil {
		var err error
		if e.random, err = anyspec.Repository("../../..", notOfGpugen); err != nil {
			t.Fatal(err)
		}
	}
	return e.random
}

// groupsOfKubernetes are those that the server has without any CRD.
var groupsOfKubernetes = []string{
	"v1", "apps", "batch", "admissionregistration.k8s.io", "apiextensions.k8s.io", "networking.k8s.io",
	"node.k8s.io", "rbac.authorization.k8s.io", "scheduling.k8s.io",
}

// ofKubernetes are objects that users often add, of kinds that the server has itself; but
// for claims of volumes, into which it writes what they are bound to.
func ofKubernetes() (out []map[string]any) {
	for _, object := range anyspec.Usual() {
		group, _, _ := strings.Cut(fmt.Sprint(object["apiVersion"]), "/")
		if !slices.Contains(groupsOfKubernetes, group) || slices.Contains([]any{"List", "PersistentVolumeClaim"}, object["kind"]) {
			continue
		}
		if metadata := object["metadata"].(map[string]any); metadata["namespace"] != nil {
			metadata["namespace"] = "of-a-user"
		}
		out = append(out, object)
	}
	return out
}

// notOfGpugen tells fields of which the server has nothing to say that is about gpugen:
// users' own manifests, and Red Hat's operator for Node Feature Discovery, whose CRD is
// in no chart and in no Go module.
func notOfGpugen(field string) bool {
	return field == "components.*" || field == "components.node-feature-discovery.subscription" ||
		strings.HasSuffix(field, ".objects") || strings.HasSuffix(field, ".patches")
}
