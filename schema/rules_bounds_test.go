package schema

import (
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/format"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"
	"go.yaml.in/yaml/v3"

	"github.com/gpugen/gpugen/internal/sample"
	"github.com/gpugen/gpugen/schema/knowledge"
)

// bound holds values on both sides of a number that a rule compares with.
type bound struct {
	// With is laid over the base.
	With map[string]any
	// At is the path that the values are written at, or "--as-of" for the day.
	At string
	// Good are values in which the rule finds nothing, Bad those in which it does.
	Good, Bad []any
	// Besides are IDs of other rules that the values may break.
	Besides []string
}

// bounds are those in testdata/rules/bounds, by rule.
var bounds = sync.OnceValue(func() map[string][]bound {
	out := map[string][]bound{}
	files, err := filepath.Glob("testdata/rules/bounds/*.yaml")
	if err != nil || len(files) == 0 {
		panic(fmt.Sprint("no bounds: ", err))
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			panic(err)
		}
		var ofArea map[string][]bound
		if err := yaml.Unmarshal(data, &ofArea); err != nil {
			panic(file + ": " + err.Error())
		}
		for id, list := range ofArea {
			if out[id] != nil {
				panic(file + ": " + id + " has bounds in another file")
			}
			out[id] = list
		}
	}
	out["KUEUE-004"] = []bound{queueSizes()}
	return out
})

// queueSizes are ClusterQueues as large as Kueue takes them, and larger.
func queueSizes() bound {
	queue := func(groups, flavors, resources int) any {
		var list []any
		objects := map[string]any{}
		for g := range groups {
			var covered, of []any
			for r := range resources {
				covered = append(covered, fmt.Sprintf("example.com/device-%d-%d", g, r))
			}
			for f := range flavors {
				name := fmt.Sprintf("flavor-%d-%d", g, f)
				objects[name] = map[string]any{"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ResourceFlavor", "metadata": map[string]any{"name": name}}
				var quotas []any
				for _, r := range covered {
					quotas = append(quotas, map[string]any{"name": r, "nominalQuota": 8})
				}
				of = append(of, map[string]any{"name": name, "resources": quotas})
			}
			list = append(list, map[string]any{"coveredResources": covered, "flavors": of})
		}
		objects["queue"] = map[string]any{"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ClusterQueue", "metadata": map[string]any{"name": "research"}, "spec": map[string]any{"resourceGroups": list}}
		return objects
	}
	return bound{
		With: map[string]any{"scheduling": map[string]any{"queue": "kueue"}},
		At:   "components.mine.objects",
		Good: []any{queue(16, 1, 1), queue(1, 64, 1), queue(1, 1, 64), queue(1, 32, 16), queue(4, 64, 1)},
		Bad:  []any{queue(17, 1, 1), queue(1, 65, 1), queue(1, 1, 65), queue(1, 27, 19), queue(5, 52, 1)},
	}
}

// holdsItsBounds checks that the number that a rule compares with is itself on the
// right side, and its neighbours too.
func holdsItsBounds(t *testing.T, id string) {
	for i, b := range bounds()[id] {
		for bad, values := range map[bool][]any{false: b.Good, true: b.Bad} {
			for _, value := range values {
				name := fmt.Sprintf("%s %d %v %v", id, i, bad, value)
				if !sample.Draws("bound "+name, 24) {
					continue
				}
				spec := laidOver(baseSpec(), b.With)
				in := Input{Path: "-", Format: "yaml"}
				if b.At == "--as-of" {
					in.AsOf = value.(string)
				} else {
					set(spec, cuePathElements(b.At), value)
				}
				in.Stdin = strings.NewReader(single("yaml", spec).files[0].Text.String())
				_, found := judge(t, in)
				ids := slices.DeleteFunc(idsOf(found), func(found string) bool { return slices.Contains(b.Besides, found) })
				switch {
				case bad && !slices.Equal(ids, []string{id}):
					t.Errorf("%s: %.200v is bad, but found is %v", b.At, value, described(found))
				case !bad && len(ids) > 0:
					t.Errorf("%s: %.200v is good, but found is %v", b.At, value, described(found))
				}
			}
		}
	}
}

// set writes a value at a path of a spec, and what is above it if it is not there.
func set(spec map[string]any, at []any, value any) {
	key := at[0].(string)
	if len(at) == 1 {
		spec[key] = value
		return
	}
	inner, ok := spec[key].(map[string]any)
	if !ok {
		inner = map[string]any{}
		spec[key] = inner
	}
	set(inner, at[1:], value)
}

// compares tells whether an expression holds a comparison with a bound. How many
// there are of something, none or several, is no bound, nor is the order of two
// elements of a list.
func compares(t *testing.T, n ast.Node) (comparison string) {
	text := func(x ast.Expr) string {
		data, err := format.Node(x)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	index := func(x ast.Expr) bool {
		name := strings.TrimSuffix(strings.TrimPrefix(text(x), "strconv.Atoi("), ")")
		return len(name) == 1
	}
	ast.Walk(n, func(n ast.Node) bool {
		b, ok := n.(*ast.BinaryExpr)
		if !ok || !slices.Contains([]token.Token{token.LSS, token.LEQ, token.GTR, token.GEQ}, b.Op) {
			return true
		}
		few := slices.Contains([]string{"0", "1"}, text(b.Y)) && (strings.HasPrefix(text(b.X), "len(") || index(b.X))
		if !few && !(index(b.X) && index(b.Y)) {
			comparison = text(b)
		}
		return true
	}, nil)
	return comparison
}

// withoutBounds are rules that compare, but not to find something, with the reason.
var withoutBounds = map[string]string{
	"PIN-008":  "the day decides only which versions its fix names",
	"RDMA-004": "the kernel decides only which way its fix names: testdata/rules/cases",
}

// Each rule that compares has cases at its bounds. What other files of the package
// define, and what facts do, compares for the rules that refer to it.
func TestEachRuleThatComparesHasBounds(t *testing.T) {
	shared := map[string]string{"#Older": "facts.#Older"}
	for _, src := range knowledge.Sources() {
		if path.Dir(src.Path) != "schema/rules" {
			continue
		}
		f, err := parser.ParseFile(src.Path, src.Data)
		if err != nil {
			t.Fatal(err)
		}
		if id, _ := ruleField(f); id != "" {
			continue
		}
		for _, d := range f.Decls {
			if field, ok := d.(*ast.Field); ok {
				if name, _, _ := ast.LabelName(field.Label); compares(t, field) != "" || refers(field, maps.Keys(shared)) {
					shared[name] = compares(t, field)
				}
			}
		}
	}
	wanted := map[string]bool{}
	for name, f := range ruleFiles(t) {
		id, body := ruleField(f)
		comparison := compares(t, body)
		if comparison == "" && !refers(body, maps.Keys(shared)) {
			continue
		}
		wanted[id] = true
		if len(bounds()[id]) == 0 && withoutBounds[id] == "" {
			t.Errorf("%s compares (%s): testdata/rules/bounds has no values for %s at its bounds", name, comparison, id)
		}
	}
	for id, list := range bounds() {
		if !slices.ContainsFunc(catalogueRules(), func(r Rule) bool { return r.ID == id }) {
			t.Errorf("testdata/rules/bounds names %s, which is no rule", id)
		}
		for _, b := range list {
			if len(b.Good) == 0 || b.At == "" {
				t.Errorf("%s: bounds without a place or good values", id)
			}
		}
	}
	if len(wanted) < 20 {
		t.Errorf("only %v are seen to compare", wanted)
	}
}

// refers tells whether a node refers to any of some names.
func refers(n ast.Node, names func(func(string) bool)) (found bool) {
	all := slices.Collect(names)
	ast.Walk(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			found = found || slices.Contains(all, n.Name)
		case *ast.SelectorExpr:
			if name, _, _ := ast.LabelName(n.Sel); slices.Contains(all, name) {
				found = true
			}
		}
		return true
	}, nil)
	return found
}
