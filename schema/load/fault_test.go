package load

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/schema/source"
	"github.com/gpugen/gpugen/schema/spectest"
)

// fault is one mistake, the same in every format.
type fault struct {
	name  string
	path  []any
	value any
	// remove leaves the field out instead.
	remove bool
	id     string
	// at is where the finding points, if not at path; empty is the start.
	at []any
	// says must be in the message or the fix.
	says string
}

var pool = []any{"nodePools", "train"}

func p(elements ...any) []any { return elements }

func inPool(elements ...any) []any { return append(slices.Clone(pool), elements...) }

var faults = []fault{
	{name: "unknown field", path: inPool("nodez"), value: 3, id: "SPEC-020", says: `did you mean "nodes"?`},
	{name: "unknown field at the top", path: p("nodePool"), value: spectest.Tree{}, id: "SPEC-020", says: `"nodePools"`},
	{name: "field of another place", path: inPool("gpu", "replicas"), value: 3, id: "SPEC-020", says: "nodePools.<pool>.sharing.replicas"},
	{name: "field without a like", path: p("zzzzzzzz"), value: 3, id: "SPEC-020", says: "allowed here: components, "},
	{name: "unknown component", path: p("components", "gpu-operater"), value: spectest.Tree{{"state", "off"}}, id: "SPEC-021", says: `"gpu-operator"`},
	{name: "misspelt field of an own component", path: p("components", "extras", "objekts"), value: spectest.Tree{}, id: "SPEC-020", says: `did you mean "objects"?`},
	{name: "string not in the set", path: p("kubernetes", "distribution"), value: "kubeadmm", id: "SPEC-024", says: `did you mean "kubeadm"?`},
	{name: "set marks what is unsupported", path: p("gitops", "charts"), value: "renderd", id: "SPEC-024", says: `"rendered" (not supported yet)`},
	{name: "in a list", path: inPool("taints", 0, "effect"), value: "NoSchedul", id: "SPEC-024", says: `"NoSchedule"`},
	{name: "product label for a model", path: inPool("gpu", "model"), value: "NVIDIA H100 80GB HBM3", id: "SPEC-032", says: `is a product label; write "h100-sxm-80gb"`},
	{name: "model without its variant", path: inPool("gpu", "model"), value: "H200", id: "SPEC-032", says: `did you mean "h200-nvl-141gb" or "h200-sxm-141gb"?`},
	{name: "model with another number", path: inPool("gpu", "model"), value: "h300-sxm-80gb", id: "SPEC-032", says: "which `gpugen components` lists"},
	{name: "unknown model", path: inPool("gpu", "model"), value: "tpu-v5", id: "SPEC-032", says: "known: a10, "},
	{name: "string for a number", path: inPool("gpu", "count"), value: "8", id: "SPEC-023", says: "write it without quotes: 8"},
	{name: "number for a string", path: inPool("os", "version"), value: spectest.Raw("24.10"), id: "SPEC-023", says: `write it in quotes: "24.10"`},
	{name: "number for a version in full", path: p("kubernetes", "version"), value: spectest.Raw("1.35"), id: "SPEC-023", says: `write a full version such as "1.35.8", in quotes`},
	{name: "version with a letter", path: p("kubernetes", "version"), value: "v1.35.8", id: "SPEC-025", says: `write "1.35.8"`},
	{name: "name in capitals", path: p("name"), value: "My_Cluster", id: "SPEC-025", says: `write "my-cluster"`},
	{name: "model of a known family", path: inPool("gpu", "model"), value: "rtx-4090-ti", id: "SPEC-032", says: "of that family it knows rtx-4090, rtx-4090-d"},
	{name: "text for a struct", path: inPool("os"), value: "rhel 9.5", id: "SPEC-023", says: `such as os: {name: "ubuntu", version: "24.04"}`},
	{name: "text for a list of structs", path: inPool("taints"), value: "nvidia.com/gpu=present:NoSchedule", id: "SPEC-023", says: `taints: [{key: "nvidia.com/gpu", effect: "NoSchedule"}]`},
	{name: "text for labels", path: inPool("nodeSelector"), value: "pool=gpu", id: "SPEC-023", says: `nodeSelector: {pool: "gpu"}`},
	{name: "text for a list", path: inPool("rdma"), value: "ib", id: "SPEC-023", says: `write it as a list: ["ib"]`},
	{name: "string for a boolean", path: p("gitops", "argocd", "sync", "prune"), value: "yes", id: "SPEC-023", says: "write true"},
	{name: "fraction for a whole number", path: inPool("nodes"), value: 1.5, id: "SPEC-023"},
	{name: "scalar for a struct", path: inPool("host"), value: "none", id: "SPEC-023", says: "fields (driver,"},
	{name: "struct for a scalar", path: inPool("arch"), value: spectest.Tree{{"a", 1}}, id: "SPEC-023"},
	{name: "struct for a list", path: inPool("taints"), value: spectest.Tree{{"key", "a"}}, id: "SPEC-023", says: "a list of structs"},
	{name: "list for a struct", path: inPool("gpu"), value: []any{1}, id: "SPEC-023"},
	{name: "list for a scalar", path: p("name"), value: []any{"a"}, id: "SPEC-023"},
	{name: "wrong format", path: p("kubernetes", "version"), value: "1.34", id: "SPEC-025", says: `write a full version such as "1.35.8"`},
	{name: "empty string", path: inPool("os", "version"), value: "", id: "SPEC-025"},
	{name: "out of bounds", path: inPool("gpu", "count"), value: 17, id: "SPEC-026", says: "from 1 to 16"},
	{name: "too large for a number", path: inPool("nodes"), value: spectest.Raw("99999999999999999999"), id: "SPEC-026"},
	{name: "pool name", path: p("nodePools", "Train_1"), value: spectest.Tree{}, id: "SPEC-027", says: `rename it to "train-1"`},
	{name: "label name", path: inPool("nodeSelector", "a b"), value: "x", id: "SPEC-027"},
	{name: "no value", path: inPool("sharing"), value: nil, id: "SPEC-030"},
	{name: "missing scalar", path: p("name"), remove: true, id: "SPEC-022", at: []any{}, says: `add name: "cluster"`},
	{name: "missing in a struct", path: inPool("os", "version"), remove: true, id: "SPEC-022", at: inPool("os"), says: "VERSION_ID"},
	{name: "missing struct", path: inPool("gpu"), remove: true, id: "SPEC-022", at: pool, says: "add gpu: {model: "},
	{name: "misspelt required field", path: inPool("drivr"), value: spectest.Tree{{"source", "operator"}}, id: "SPEC-020"},
	{name: "unsupported value", path: p("gitops", "charts"), value: "rendered", id: "SPEC-031", says: `charts: "rendered"`},
	{name: "unsupported value beside others", path: p("gitops", "charts"), value: "rendered", id: "SPEC-031", says: `write "reference"`},
	{name: "near an unsupported value only", path: p("gitops", "charts"), value: "renderd", id: "SPEC-024", says: `write "reference"`},
	{name: "unsupported boolean", path: inPool("host", "cdi"), value: true, id: "SPEC-031", says: "write false, or"},
	{name: "unsupported field", path: p("registry", "mirror"), value: "registry.example.com", id: "SPEC-031"},
	{name: "unsupported struct", path: p("workloads", "trainer"), value: spectest.Tree{{"replicas", 2}}, id: "SPEC-031"},
	{name: "unsupported by being named", path: p("workloads", "kuberay"), value: spectest.Tree{}, id: "SPEC-031", says: "components: kuberay: chart"},
	{name: "unsupported state", path: p("components", "cert-manager", "state"), value: "managed", id: "SPEC-031", says: `write "external"`},
}

// harmless changes say nothing that this release cannot act on.
var harmless = []fault{
	{name: "default of an unsupported field", path: inPool("host", "cdi"), value: false},
	{name: "empty list", path: inPool("rdma"), value: []any{}},
	{name: "empty struct", path: p("network", "secondaryNetworks"), value: spectest.Tree{}},
	{name: "default value", path: inPool("workload"), value: "container"},
	{name: "another state", path: p("components", "cert-manager", "state"), value: "off"},
	{name: "values are free", path: p("components", "gpu-operator", "values", "any", "thing"), value: []any{nil, 1, spectest.Tree{{"x", true}}}},
	{name: "values of one pool", path: p("components", "nvidia-device-plugin", "pools", "train", "values", "x"), value: 1},
}

func TestEveryFaultIsFoundOnceAtItsLabelInEveryFormat(t *testing.T) {
	e := loaderForTest(t)
	for _, format := range []string{"cue", "yaml", "json"} {
		for _, f := range faults {
			t.Run(format+"/"+f.name, func(t *testing.T) {
				spec := spectest.Good().Set(f.path, f.value)
				if f.remove {
					spec = spectest.Good().Without(f.path)
				}
				if f.name == "misspelt required field" {
					spec = spec.Without(inPool("driver"))
				}
				if f.name == "too large for a number" && format == "yaml" {
					t.Skip("YAML reads it as a float, which is another fault")
				}
				out := spectest.Write(format, spec)
				file := "cluster." + format
				spectest.WriteFiles(t, map[string]string{file: out.Text.String()})
				loaded, found := e.load(source.Input{Path: file})
				spectest.CheckFindings(t, found, map[string]string{file: out.Text.String()})
				at := f.path
				if f.at != nil {
					at = f.at
				}
				place, ok := out.Places[source.PathString(at)]
				if len(at) == 0 {
					place, ok = [2]int{1, 1}, true
				}
				if !ok {
					t.Fatalf("%s is not written", source.PathString(at))
				}
				want := []string{fmt.Sprintf("%s:%d:%d %s", file, place[0], place[1], f.id)}
				if got := spectest.Brief(found); !slices.Equal(got, want) {
					t.Fatalf("found %v, want %v\n%+v\n%s", got, want, found, out.Text.String())
				}
				if !strings.Contains(found[0].Message+"\n"+found[0].Fix, f.says) {
					t.Errorf("says %q, fix %q; want %q", found[0].Message, found[0].Fix, f.says)
				}
				if !loaded.Tainted(f.path) {
					t.Errorf("%s is not tainted", source.PathString(f.path))
				}
				if v := e.engine.Spec.Unify(e.engine.Ctx.Encode(loaded.Data)); v.Validate() != nil {
					t.Errorf("the repaired spec is not valid: %v", v.Validate())
				}
			})
		}
	}
}

func TestWhatDiffersFromNoDefaultIsNotReported(t *testing.T) {
	e := loaderForTest(t)
	for _, f := range harmless {
		t.Run(f.name, func(t *testing.T) {
			out := spectest.Write("cue", spectest.Good().Set(f.path, f.value))
			spectest.WriteFiles(t, map[string]string{"cluster.cue": out.Text.String()})
			if _, found := e.load(source.Input{Path: "cluster.cue"}); len(found) > 0 {
				t.Errorf("found %+v", found)
			}
		})
	}
}

func TestAllFaultsOfAFileAreReportedAtOnce(t *testing.T) {
	e := loaderForTest(t)
	// One fault for each path, none inside another, or they would be one.
	var chosen []fault
	for _, f := range faults {
		if f.remove && len(f.at) > 0 || f.name == "misspelt required field" || f.name == "too large for a number" || f.name == "list for a scalar" {
			continue
		}
		if slices.ContainsFunc(chosen, func(c fault) bool {
			n := min(len(c.path), len(f.path))
			return reflect.DeepEqual(c.path[:n], f.path[:n])
		}) {
			continue
		}
		chosen = append(chosen, f)
	}
	if len(chosen) < 20 {
		t.Fatalf("only %d faults in one file", len(chosen))
	}
	for _, format := range []string{"cue", "yaml", "json"} {
		spec := spectest.Good()
		for _, f := range chosen {
			if f.remove {
				spec = spec.Without(f.path)
			} else {
				spec = spec.Set(f.path, f.value)
			}
		}
		out := spectest.Write(format, spec)
		file := "cluster." + format
		spectest.WriteFiles(t, map[string]string{file: out.Text.String()})
		var want []string
		for _, f := range chosen {
			place := out.Places[source.PathString(f.path)]
			if f.remove {
				place = [2]int{1, 1}
			}
			want = append(want, fmt.Sprintf("%s:%d:%d %s", file, place[0], place[1], f.id))
		}
		_, found := e.load(source.Input{Path: file})
		got := spectest.Brief(found)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s: found\n%s\nwant\n%s", format, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

func TestAGoodSpecIsTheSameDataInEveryFormat(t *testing.T) {
	e := loaderForTest(t)
	first := plainTree(spectest.Good())
	for _, format := range []string{"cue", "yaml", "json"} {
		out := spectest.Write(format, spectest.Good())
		file := "cluster." + format
		spectest.WriteFiles(t, map[string]string{file: out.Text.String()})
		spec, found := e.load(source.Input{Path: file})
		if len(found) > 0 {
			t.Fatalf("%s: %+v", format, found)
		}
		if !reflect.DeepEqual(any(spec.Data), first) {
			t.Errorf("%s gives %v, want %v", format, spec.Data, first)
		}
		for path, place := range out.Places {
			// Every label can be found again.
			var elements []any
			elements = append(elements, spectest.Elements(path)...)
			at := spec.Locate(elements)
			if at.Line != place[0] || at.Column != place[1] {
				t.Errorf("%s: %s is at %d:%d, want %d:%d", format, path, at.Line, at.Column, place[0], place[1])
			}
		}
	}
}

// plainTree is a tree as the data that a load gives.
func plainTree(v any) any {
	switch v := v.(type) {
	case spectest.Tree:
		out := map[string]any{}
		for _, b := range v {
			out[b.Key] = plainTree(b.Value)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = plainTree(e)
		}
		return out
	case int:
		return int64(v)
	}
	return v
}
