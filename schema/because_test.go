package schema

import (
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/parser"

	"github.com/gpugen/gpugen/internal/sample"
	"github.com/gpugen/gpugen/schema/knowledge"
	"github.com/gpugen/gpugen/schema/load"
	"github.com/gpugen/gpugen/schema/syntax"
)

// derivation is a cluster as the templates alone make it, and why.
type derivation struct {
	root cue.Value
	why  knowledge.Reasons
	// reasons as they are, by component and path of the value.
	reasons map[string]map[string]knowledge.Reason
}

// derive leaves the user's values out.
func derive(t testing.TB, e *evaluator, in Input) derivation {
	t.Helper()
	s, findings := load.Load(e.engine, e.schema, in)
	if s == nil {
		t.Fatal(findings)
	}
	components, _ := s.Data["components"].(map[string]any)
	for _, c := range components {
		delete(c.(map[string]any), "values")
	}
	spec, lists := e.schema.Complete(s.Data), map[string]any{}
	root, err := e.engine.Fill(spec, lists, nil)
	if err != nil {
		t.Fatal(err)
	}
	why, err := e.engine.Reasons(spec, lists)
	if err != nil {
		t.Fatal(err)
	}
	reasons, err := why.All()
	if err != nil {
		t.Fatal(err)
	}
	return derivation{root, why, reasons}
}

// releases calls with the component and the values of each release of a chart that gpugen carries.
func (d derivation) releases(t testing.TB, each func(component string, values cue.Value)) {
	t.Helper()
	it, err := d.root.LookupPath(cue.ParsePath("components")).Fields()
	if err != nil {
		t.Fatal(err)
	}
	for it.Next() {
		component, err := it.Value().LookupPath(cue.ParsePath("of")).String()
		if err != nil {
			t.Fatal(err)
		}
		each(component, it.Value().LookupPath(cue.ParsePath("values")))
	}
}

func exampleInputs(t testing.TB) []Input {
	t.Helper()
	entries, err := os.ReadDir("../examples")
	if err != nil {
		t.Fatal(err)
	}
	var out []Input
	for _, entry := range entries {
		if entry.IsDir() {
			out = append(out, Input{Path: "../examples/" + entry.Name()})
		}
	}
	if len(out) < 5 {
		t.Fatal("few examples", out)
	}
	return out
}

// A value that is no default can contradict a user's, who is then told why it is so.
func TestEachValueThatFollowsFromTheSpecHasAReason(t *testing.T) {
	e := privateEngine(t, nil)
	seen := 0
	for _, in := range exampleInputs(t) {
		if !sample.Draws("why each value of "+in.Path, 5) {
			continue
		}
		d := derive(t, e, in)
		d.releases(t, func(component string, values cue.Value) {
			for _, at := range hardLeaves(t, values, nil) {
				seen++
				if _, ok := d.why.Of(component, at); !ok {
					t.Errorf("%s: %s: because of %q says nothing about %s", in.Path, component, component, strings.Join(at, "."))
				}
			}
		})
	}
	if seen < sample.Times(100, 10) {
		t.Errorf("only %d values seen", seen)
	}
}

// hardLeaves are the paths of values without a default.
func hardLeaves(t testing.TB, v cue.Value, at []string) [][]string {
	t.Helper()
	if v.IncompleteKind() == cue.StructKind {
		it, err := v.Fields(cue.Optional(true))
		if err != nil {
			t.Fatal(strings.Join(at, "."), err)
		}
		var out [][]string
		for it.Next() {
			out = append(out, hardLeaves(t, it.Value(), append(slices.Clone(at), it.Selector().Unquoted()))...)
		}
		return out
	}
	if _, isDefault := v.Default(); isDefault {
		return nil
	}
	return [][]string{at}
}

// beyondTheExamples are specs, laid over the base, with the values that no example has.
var beyondTheExamples = []string{
	// An exporter and a device plugin of their own.
	`nodePools: {p: {host: {driver: 580.95.05, toolkit: true}, driver: {source: host}, sharing: {strategy: time-slicing, replicas: 2, rename: true}}}
components: {gpu-operator: {state: "off"}, node-feature-discovery: {state: external}, prometheus-operator: {state: external}}
monitoring: {alerts: true, dcgm: {metrics: profiling}}`,
	// Nobody who labels nodes.
	`nodePools: {p: {host: {driver: 580.95.05, toolkit: true}, driver: {source: host}}}
components: {gpu-operator: {state: "off"}, node-feature-discovery: {state: "off"}}`,
	// DRA without an operator, and with one that replaces drivers.
	`nodePools: {p: {allocation: dra, host: {driver: 580.95.05, toolkit: true}, driver: {source: host}}}
components: {gpu-operator: {state: "off"}}`,
	`nodePools: {p: {allocation: dra}}`,
	// A device plugin beside DRA, which an operator that knows GPUClusters stops by a label of its own.
	`components: {gpu-operator: {version: v26.7.0}}
nodePools: {p: {nodeSelector: {pool: p}}, q: {allocation: dra, nodeSelector: {pool: q}, gpu: {model: h100-sxm-80gb, count: 8}, os: {name: ubuntu, version: "24.04"}, driver: {source: operator}}}`,
	// An operator that knows GPUClusters, and a driver in an unusual place of a node image with a toolkit.
	`components: {gpu-operator: {version: v26.7.0}}`,
	`kubernetes: {distribution: aks}
nodePools: {p: {host: {driver: 580.95.05, toolkit: true, driverRoot: /opt/driver}, driver: {source: host}}}`,
	// A GPUCluster, and drivers that it does not have.
	`kubernetes: {runtimeVersion: "2.1"}
components: {gpu-operator: {version: v26.7.0, resource: GPUCluster}}
nodePools: {p: {allocation: dra, driver: {version: 580.126.20}}}`,
	// Slices on virtual machines; a device plugin beside DRA where modules come with the driver.
	`kubernetes: {distribution: aks}
nodePools: {p: {host: {driver: none}, driver: {source: operator}, sharing: {strategy: mig, profiles: {1g.10gb: 7}}}}`,
	`nodePools: {p: {nodeSelector: {pool: p}, gpuDirect: {storage: true, gdrcopy: true}}, q: {allocation: dra, nodeSelector: {pool: q}, gpu: {model: h100-sxm-80gb, count: 8}, os: {name: ubuntu, version: "24.04"}, driver: {source: operator}}}`,
	// A distribution that keeps things elsewhere.
	`kubernetes: {distribution: k3s}
network: {fabric: roce, ofed: {source: operator}}`,
	`kubernetes: {distribution: k3s}
network: {fabric: roce, rdmaResources: {vf: {plugin: sriov-operator, name: vf, sriov: {numVfs: 8}}}}
nodePools: {p: {rdma: [vf]}}`,
	// Drivers of a mirror, and guests' drivers, for all pools alike.
	`network: {proxy: {https: "http://proxy.example.com:3128"}}
nodePools: {p: {driver: {version: 580.126.20, image: {repository: registry.example.com/mirror, name: driver, pullSecrets: [mirror]}, packages: {repositories: repo-config, certificates: cert-config}}}}`,
	`nodePools: {p: {driver: {version: 580.95.05, image: {repository: registry.example.com/vgpu}, vgpu: {licence: licensing-config}}}}`,
	// Kata Containers by an operator that brings their runtime.
	`components: {gpu-operator: {version: v25.10.1}}
nodePools: {p: {workload: kata, host: {iommu: true}, driver: {source: none}}}`,
}

// A reason is of a value that some spec has, names fields that specs have, and rules that there are.
func TestReasonsAreOfValuesFieldsAndRulesThatThereAre(t *testing.T) {
	e := privateEngine(t, nil)
	open := map[string]bool{}
	judged := map[string]bool{}
	consider := func(in Input) {
		d := derive(t, e, in)
		for component, entries := range d.reasons {
			for value, why := range entries {
				if name := component + " " + value; !judged[name] {
					judged[name], open[name] = true, true
					checkFields(t, e, name, why.From)
				}
			}
		}
		d.releases(t, func(component string, values cue.Value) {
			for name := range open {
				of, at, _ := strings.Cut(name, " ")
				if of == component && hasValue(values, strings.Split(at, ".")) {
					delete(open, name)
				}
			}
		})
	}
	for _, in := range exampleInputs(t) {
		if sample.Draws("reasons "+in.Path, 4) {
			consider(in)
		}
	}
	for _, lines := range beyondTheExamples {
		if !sample.Draws("reasons "+lines, 4) {
			continue
		}
		d := single("yaml", overlaidLines(t, lines))
		consider(Input{Path: "-", Format: "yaml", Stdin: strings.NewReader(d.files[0].Text.String())})
	}
	for name := range open {
		if !sample.All() {
			// Of the specs with such a value none may have been drawn.
			break
		}
		t.Errorf("because of %s: no spec has such a value", name)
	}
	for id := range reasonRules(t) {
		if !slices.ContainsFunc(catalogueRules(), func(r Rule) bool { return r.ID == id }) {
			t.Errorf("a reason names %s, which is no rule", id)
		}
	}
}

// hasValue tells whether there is a value at a reason's path. A label of the path may
// have dots itself, as the names of node labels do.
func hasValue(values cue.Value, at []string) bool {
	for n := 1; n <= len(at); n++ {
		v := values.LookupPath(cue.MakePath(cue.Str(strings.Join(at[:n], ".")).Optional()))
		if v.Exists() && (n == len(at) || hasValue(v, at[n:])) {
			return true
		}
	}
	return false
}

func checkFields(t testing.TB, e *evaluator, name string, from []string) {
	t.Helper()
	for _, field := range from {
		var at []any
		for _, label := range strings.Split(field, ".") {
			if label == "*" {
				label = "some-name"
			}
			at = append(at, label)
		}
		if !inSchema(e.engine.Spec, at) {
			t.Errorf("because of %s: %s is no field of a spec", name, field)
		}
	}
}

// reasonRules are the rules that reasons name, whatever they depend on.
func reasonRules(t testing.TB) map[string]bool {
	t.Helper()
	out := map[string]bool{}
	for _, src := range knowledge.Sources() {
		if path.Dir(src.Path) != "templates" {
			continue
		}
		f, err := parser.ParseFile(src.Path, src.Data)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range f.Decls {
			if syntax.LabelOf(decl) == "because" {
				rulesIn(decl, false, out)
			}
		}
	}
	return out
}

// rulesIn collects what is like a rule's ID within fields called rule.
func rulesIn(n ast.Node, within bool, into map[string]bool) {
	ast.Walk(n, func(inner ast.Node) bool {
		switch x := inner.(type) {
		case *ast.Field:
			rulesIn(x.Value, within || syntax.LabelOf(x) == "rule", into)
			return false
		case *ast.BasicLit:
			if id, err := literal.Unquote(x.Value); err == nil && within {
				into[id] = true
			}
		}
		return true
	}, nil)
}

// Who has no conflict pays nothing for reasons.
func TestReasonsAreNoPartOfWhatIsEvaluated(t *testing.T) {
	e := privateEngine(t, nil)
	for _, f := range e.engine.Base.Packages[Module+"/templates"].Files {
		for _, decl := range f.Decls {
			if syntax.LabelOf(decl) == "because" {
				t.Errorf("%s has a because", path.Base(f.Filename))
			}
		}
	}
}
