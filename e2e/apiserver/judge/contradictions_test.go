package judge_test

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"sigs.k8s.io/yaml"

	"github.com/gpugen/gpugen/e2e/apiserver/judge"
	"github.com/gpugen/gpugen/e2e/crd"
	"github.com/gpugen/gpugen/generators"
	"github.com/gpugen/gpugen/generators/plan"
	"github.com/gpugen/gpugen/schema"
)

// baseFile is the good spec that rules' examples are laid over.
const baseFile = "../../../schema/testdata/rules/base.yaml"

// contradictions: what a rule calls a contradiction, the server refuses.
func (k *kubernetes) contradictions(t *testing.T) {
	t.Run("rendered", k.renderedContradictions)
	t.Run("by hand", k.writtenContradictions)
}

// rendered is a spec that a rule calls bad, rendered as if there were no such rule.
type rendered struct {
	rule string
	// state is what is bad, where a rule has several cases.
	state string
	// minor is the Kubernetes that refuses it, empty for the newest.
	minor string
	// bad is laid over the base, and so is good; empty for the rule's own. more is laid
	// over either first, so that there is an object to see it by.
	bad, good, more string
	// nodes says that the labels which the tree asks nodes to have are looked at.
	nodes bool
	// want is part of what the server says.
	want string
}

// renderedContradictions renders what a rule calls bad. The rule must find the only
// errors, so that without the rule it would be rendered. What it calls good the
// server takes.
func (k *kubernetes) renderedContradictions(t *testing.T) {
	rules := catalogue(t)
	for _, one := range renderedCases {
		if cmp.Or(one.minor, newest) != k.minor {
			continue
		}
		t.Run(one.rule+" "+one.state, func(t *testing.T) {
			rule := rules[one.rule]
			base := laidOver(fromYAML(t, readFile(t, baseFile)), fromYAML(t, []byte(one.more)))
			bad, good := rule.Bad, rule.Good
			if one.bad != "" {
				bad, good = fromYAML(t, []byte(one.bad)), fromYAML(t, []byte(one.good))
			}
			files, beside := renderWithout(t, one, laidOver(base, bad))
			problems := k.judge(t, load(t, files, beside...)).Problems
			if !strings.Contains(lines(problems), one.want) {
				t.Errorf("want %s\ngot %s", one.want, lines(problems))
			}
			if one.minor != "" {
				// Its good is for another Kubernetes, where all goods are tested.
				return
			}
			result, findings := generators.Render(fromJSON(t, laidOver(base, good)))
			if result == nil {
				t.Fatal(findings)
			}
			files = asFiles(result.Tree)
			if one.nodes {
				files = nodesOf(result.Plan)
			}
			k.accepts(t, load(t, files, external(t, result.Plan)...))
		})
	}
}

// renderWithout renders a spec in which the rule finds the only errors.
func renderWithout(t *testing.T, one rendered, spec map[string]any) (fstest.MapFS, []crd.ChartVersion) {
	t.Helper()
	cluster, findings := schema.Evaluate(fromJSON(t, spec))
	if strings.HasPrefix(one.rule, "TREE-") {
		// Found in what is rendered.
		_, findings = generators.Render(fromJSON(t, spec))
	}
	found := false
	for _, finding := range findings {
		found = found || finding.ID == one.rule && finding.Severity == "error"
		if finding.ID != one.rule && finding.Severity == "error" {
			t.Errorf("not only %s finds something: %s: %s", one.rule, finding.ID, finding.Message)
		}
	}
	if !found || cluster == nil {
		t.Fatalf("%s finds nothing in its bad: %v", one.rule, findings)
	}
	p, err := plan.New(cluster)
	if err != nil {
		t.Fatal(err)
	}
	if one.nodes {
		return nodesOf(p), nil
	}
	tree, err := generators.Generate(p)
	if err != nil {
		t.Fatal(err)
	}
	return asFiles(tree), external(t, p)
}

// nodesOf is a tree of nodes with the labels that a plan asks nodes to have.
func nodesOf(p *plan.Plan) fstest.MapFS {
	files := treeFor("")
	for i, label := range p.Labels {
		add(files, fmt.Sprintf("node-%d.yaml", i+1), fmt.Sprintf("apiVersion: v1\nkind: Node\nmetadata: {name: node-%d, labels: {%s: %s}}\n", i+1, label.Key, label.Value))
	}
	return files
}

// written is an object that some override or hand would make of a good one.
type written struct {
	// rule is the ID, and what the bad state is.
	rule, state string
	// minor is the Kubernetes that refuses it, empty for the newest.
	minor string
	// good is what the server takes (of the next minor, if old is empty: then it is
	// the minor that is bad). Replacing old by new makes it bad.
	good, old, new string
	// want is the field and the beginning of the message.
	want string
}

// writtenContradictions applies all good objects as one tree, all bad ones as
// another, each in a file of its own.
func (k *kubernetes) writtenContradictions(t *testing.T) {
	var texts strings.Builder
	for _, one := range writtenCases {
		if one.minor == k.minor || one.minor == "" && k.minor == newest {
			texts.WriteString(one.good)
		}
	}
	good, bad := treeFor(texts.String()), treeFor(texts.String())
	cases := map[string]written{}
	for i, one := range writtenCases {
		if one.minor == "" {
			one.minor = newest
		}
		if one.minor != k.minor {
			continue
		}
		file := strings.ToLower(one.rule) + "-" + string(rune('a'+i)) + ".yaml"
		cases[file] = one
		text := one.good
		if one.old != "" {
			add(good, file, one.good)
			text = strings.ReplaceAll(one.good, one.old, one.new)
		}
		if text == one.good && one.old != "" {
			t.Errorf("%s: nothing is bad about %s", one.rule, one.good)
		}
		add(bad, file, text)
	}
	if len(cases) == 0 {
		return
	}
	k.accepts(t, load(t, good))
	problems := k.judge(t, load(t, bad)).Problems
	for _, file := range slices.Sorted(maps.Keys(cases)) {
		t.Run(cases[file].rule+" "+cases[file].state, func(t *testing.T) {
			of := slices.DeleteFunc(slices.Clone(problems), func(p judge.Problem) bool { return p.File != "objects/"+file })
			if !slices.ContainsFunc(of, func(p judge.Problem) bool { return strings.HasPrefix(p.Field+" "+p.Message, cases[file].want) }) {
				t.Errorf("want %s\ngot %s", cases[file].want, lines(of))
			}
		})
	}
}

// treeFor is a tree without objects that installs the charts whose kinds the text
// uses.
func treeFor(text string) fstest.MapFS {
	const application = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: NAME, namespace: argocd, annotations: {argocd.argoproj.io/compare-options: ServerSideDiff=true}}\n" +
		"spec: {project: default, destination: {name: in-cluster, namespace: objects}, source: {repoURL: https://charts.example.com, SOURCE}}\n"
	files := fstest.MapFS{
		"root.yaml":                  {Data: []byte(strings.NewReplacer("NAME", "root", "SOURCE", "path: tree").Replace(application))},
		"kustomization.yaml":         {Data: []byte("resources:\n- argocd/objects.yaml\n")},
		"argocd/objects.yaml":        {Data: []byte(strings.NewReplacer("NAME", "objects", "SOURCE", "path: tree/objects").Replace(application))},
		"objects/kustomization.yaml": {Data: []byte("resources:\n- namespace.yaml\n")},
		"objects/namespace.yaml":     {Data: []byte("apiVersion: v1\nkind: Namespace\nmetadata: {name: objects, labels: {pod-security.kubernetes.io/enforce: privileged}}\n")},
	}
	for group, chart := range map[string]string{"apiVersion: nvidia.com/": "gpu-operator v26.7.0", "apiVersion: kueue.x-k8s.io/": "kueue 0.19.2"} {
		if !strings.Contains(text, group) {
			continue
		}
		name, version, _ := strings.Cut(chart, " ")
		file := "argocd/" + name + ".yaml"
		files[file] = &fstest.MapFile{Data: []byte(strings.NewReplacer("NAME", name, "SOURCE", "chart: "+name+", targetRevision: "+version+", helm: {releaseName: "+name+"}").Replace(application))}
		files["kustomization.yaml"].Data = append(files["kustomization.yaml"].Data, "- "+file+"\n"...)
	}
	return files
}

func add(files fstest.MapFS, name, text string) {
	list := files["objects/kustomization.yaml"]
	list.Data = append(list.Data, "- "+name+"\n"...)
	files["objects/"+name] = &fstest.MapFile{Data: []byte(text)}
}

func catalogue(t *testing.T) map[string]schema.Rule {
	t.Helper()
	all, err := schema.Catalogue()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]schema.Rule{}
	for _, rule := range all {
		out[rule.ID] = rule
	}
	return out
}

// laidOver merges maps; every other value of the upper replaces the lower.
func laidOver(lower, upper map[string]any) map[string]any {
	out := maps.Clone(lower)
	if out == nil {
		out = map[string]any{}
	}
	for key, value := range upper {
		above, isMap := value.(map[string]any)
		below, wasMap := out[key].(map[string]any)
		if isMap && wasMap {
			value = laidOver(below, above)
		}
		out[key] = value
	}
	return out
}

func fromYAML(t *testing.T, data []byte) map[string]any {
	t.Helper()
	var out map[string]any
	if err := yaml.Unmarshal(bytes.TrimSpace(data), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func toYAML(t *testing.T, value any) string {
	t.Helper()
	data, err := yaml.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func readFile(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
