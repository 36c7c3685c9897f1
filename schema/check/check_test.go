package check

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/internal/mutant"
	"github.com/gpugen/gpugen/schema/diag"
	"github.com/gpugen/gpugen/schema/knowledge"
	"github.com/gpugen/gpugen/schema/load"
	"github.com/gpugen/gpugen/schema/override"
	"github.com/gpugen/gpugen/schema/shape"
	"github.com/gpugen/gpugen/schema/source"
)

func TestMain(m *testing.M) {
	mutant.Apply()
	os.Exit(m.Run())
}

const spec = `name: research
kubernetes: {version: "1.35.8", distribution: kubeadm}
gitops: {repoURL: "https://git.example.com/platform/gpu.git", path: clusters/research/tree}
nodePools: {p: {gpu: {model: h100-sxm-80gb, count: 8}, os: {name: ubuntu, version: "24.04"}, driver: {source: operator}}}
`

// checked is what is found in a spec, with more lines of YAML, and after other
// findings, each as "ID path".
func checked(t *testing.T, more string, before ...diag.Finding) []string {
	t.Helper()
	e, err := knowledge.New()
	if err != nil {
		t.Fatal(err)
	}
	schema := shape.New(e)
	s, found := load.Load(e, schema, source.Input{Path: "-", Format: "yaml", Stdin: strings.NewReader(spec + more)})
	if s == nil {
		t.Fatalf("%+v", found)
	}
	root, overrides := override.Resolve(e, schema, s, nil)
	return brief(Run(e, s, root, append(append(found, overrides...), before...)))
}

func brief(findings diag.List) []string {
	var out []string
	for _, f := range findings {
		out = append(out, strings.TrimSpace(f.ID+" "+f.Path))
	}
	slices.Sort(out)
	return out
}

func TestNeeds(t *testing.T) {
	const object = "objects: {a: {apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: a}}}"
	for name, c := range map[string]struct {
		components string
		want       []string
	}{
		"one after the other":       {"a: {needs: [b], " + object + "}, b: {needs: [gpu-operator], chart: {repository: \"oci://registry.example.com\", name: b, version: 1.0.0}}", []string{"EXT-004 components.b.chart"}},
		"what is not rendered":      {"gpu-operator: {needs: [kueue]}", []string{"SPEC-033 components.\"gpu-operator\".needs[0]"}},
		"in a circle":               {"gpu-operator: {needs: [a]}, a: {needs: [gpu-operator], " + object + "}", []string{"SPEC-033 components.\"gpu-operator\".needs[0]", "SPEC-033 components.a.needs[0]"}},
		"itself":                    {"gpu-operator: {needs: [gpu-operator]}", []string{"SPEC-033 components.\"gpu-operator\".needs[0]"}},
		"additions that go nowhere": {"kueue: {needs: [gpu-operator], argocd: {annotations: {a: b}}}", []string{"SPEC-034 components.kueue.argocd", "SPEC-034 components.kueue.needs"}},
		"additions to what is off":  {"volcano: {state: \"off\", needs: [gpu-operator]}", nil},
	} {
		t.Run(name, func(t *testing.T) {
			if got := checked(t, "components: {"+c.components+"}\n"); !slices.Equal(got, c.want) {
				t.Errorf("found %v, want %v", got, c.want)
			}
		})
	}
}

func TestReaches(t *testing.T) {
	needs := map[string][]string{"a": {"b"}, "b": {"c", "a"}, "d": nil}
	for _, c := range []struct {
		from, to string
		want     bool
	}{{"a", "c", true}, {"a", "a", true}, {"c", "a", false}, {"a", "d", false}} {
		if got := reaches(needs, c.from, c.to, nil); got != c.want {
			t.Errorf("%s reaches %s: %v", c.from, c.to, got)
		}
	}
}

func TestAWaiverIsForAWarningAtOrBelowItsPlace(t *testing.T) {
	warning := func(id, path string, severity diag.Severity) diag.Finding {
		return diag.Finding{ID: id, Path: path, Severity: severity}
	}
	const waivers = "waivers: [{rule: SHARE-008, at: nodePools.p, reason: known}]\n"
	for name, c := range map[string]struct {
		found diag.Finding
		want  []string
	}{
		"at the place":    {warning("SHARE-008", "nodePools.p", diag.Warning), nil},
		"below":           {warning("SHARE-008", "nodePools.p.sharing", diag.Warning), nil},
		"above":           {warning("SHARE-008", "nodePools", diag.Warning), []string{"SHARE-008 nodePools", "WAIVER-001 waivers[0]"}},
		"a name beside":   {warning("SHARE-008", "nodePools.pq", diag.Warning), []string{"SHARE-008 nodePools.pq", "WAIVER-001 waivers[0]"}},
		"of another rule": {warning("SHARE-007", "nodePools.p", diag.Warning), []string{"SHARE-007 nodePools.p", "WAIVER-001 waivers[0]"}},
		"an error":        {warning("SHARE-008", "nodePools.p", diag.Error), []string{"SHARE-008 nodePools.p", "WAIVER-002 waivers[0]"}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := checked(t, waivers, c.found); !slices.Equal(got, c.want) {
				t.Errorf("found %v, want %v", got, c.want)
			}
		})
	}
}

// Warnings about the tree come later: until then nobody knows whether a waiver of one is
// needed, and then only of those that were looked for.
func TestAWaiverOfAWarningAboutTheTreeWaitsForTheTree(t *testing.T) {
	id, other := "TREE-005", "TREE-007"
	more := fmt.Sprintf("waivers: [{rule: %s, at: nodePools, reason: known}]\n", id)
	if got := checked(t, more); len(got) > 0 {
		t.Errorf("found %v before there is a tree", got)
	}
	e, err := knowledge.New()
	if err != nil {
		t.Fatal(err)
	}
	s, _ := load.Load(e, shape.New(e), source.Input{Path: "-", Format: "yaml", Stdin: strings.NewReader(spec + more)})
	found := diag.List{{ID: id, Path: "nodePools.p", Severity: diag.Warning}, {ID: other, Path: "nodePools.p", Severity: diag.Warning}}
	if got, want := brief(Waive(s, e.Rules(), found, id)), []string{other + " nodePools.p"}; !slices.Equal(got, want) {
		t.Errorf("left are %v, want %v", got, want)
	}
	if got := brief(Waive(s, e.Rules(), nil, id)); !slices.Equal(got, []string{"WAIVER-001 waivers[0]"}) {
		t.Errorf("found %v where nothing needs the waiver", got)
	}
	if got := Waive(s, e.Rules(), nil, other); len(got) > 0 {
		t.Errorf("found %v where nobody looked", brief(got))
	}
}

// A rule may find something only because of what stands in for a fault.
func TestWhatAFaultCausesIsNotFound(t *testing.T) {
	got := checked(t, "tenants: {t: {namespaces: [t], quota: {q: {gpus: 8}}}}\n")
	if len(got) == 0 {
		t.Fatal("a quota for a pool that is not there is nothing")
	}
	for _, f := range checked(t, "tenants: {t: {namespaces: [t], quota: {p: {gpus: many}}}}\n") {
		if !strings.HasPrefix(f, "SPEC-") && strings.Contains(f, "quota.p") {
			t.Errorf("%s is found, of a number that is none", f)
		}
	}
}

func TestNumbersOfAPathAreIndices(t *testing.T) {
	if got := integers([]any{"waivers", float64(1), "at"}); !slices.Equal(got, []any{"waivers", 1, "at"}) {
		t.Errorf("%#v", got)
	}
}
