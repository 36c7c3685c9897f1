package schema

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/internal/sample"
	"github.com/gpugen/gpugen/schema/diag"
	"github.com/gpugen/gpugen/schema/source"
)

// example is a rule's bad laid over the base, with what is found in it.
type example struct {
	rule Rule
	// overlay is what the rule says; spec is the base with it.
	overlay, spec map[string]any
	// paths are the places of the findings in spec.
	paths []string
}

// guilty is the pool that the rule complains about, or "".
func (x example) guilty() string {
	for _, path := range x.paths {
		if at := cuePathElements(path); at[0] == "nodePools" && len(at) > 1 {
			return at[1].(string)
		}
	}
	return ""
}

func (x example) pools() []string { return slices.Sorted(maps.Keys(poolsOf(x.spec))) }

func poolsOf(spec map[string]any) map[string]any { return spec["nodePools"].(map[string]any) }

// outcome is a variant of an example: an input, and what must be found in it.
type outcome struct {
	documents
	paths []string
	// also are IDs of findings that have nothing to do with the rule.
	also []string
	// anywhere says that a place may be another one of those where a label is written.
	anywhere bool
}

// variant rewrites an example into one that means the same to the rule, or
// returns false where it cannot.
type variant struct {
	name  string
	apply func(x example) (outcome, bool)
}

var variants = []variant{
	{"CUE", func(x example) (outcome, bool) {
		return outcome{documents: single("cue", x.spec), paths: x.paths}, true
	}},
	{"JSON", func(x example) (outcome, bool) {
		return outcome{documents: single("json", x.spec), paths: x.paths}, true
	}},
	{"pool with hyphens and digits", func(x example) (outcome, bool) { return x.renamed("gpu-h100-80", ""), true }},
	{"pool called default", func(x example) (outcome, bool) { return x.renamed("default", ""), true }},
	{"pool whose name begins another's", func(x example) (outcome, bool) { return x.renamed("train", "train-a"), true }},
	{"pool whose name begins with another's", func(x example) (outcome, bool) { return x.renamed("train-a", "train"), true }},
	{"innocent pool before", func(x example) (outcome, bool) { return x.renamed("p", "a"), true }},
	{"innocent pool after", func(x example) (outcome, bool) { return x.renamed("p", "z"), true }},
	{"two guilty pools", example.twice},
	{"two files of a package", example.split},
	{"by reference", example.byReference},
	{"by comprehension", example.byComprehension},
	{"by a default of an imported package", example.imported},
	{"beside an unknown field of another pool", example.misspelt},
	{"waived", example.waived},
}

// lonely rules are about a pool that is alone. Beside another it needs a
// nodeSelector, which mends the bad of DRA-027; and an external GPU Operator that
// hands out another pool's GPUs hands out its own as well, which is DRA-005. Other
// pools are selected by the same labels, of which POOL-025 then speaks as well.
var lonely = []string{"DRA-004", "DRA-027", "POOL-025"}

// withOthers are the variants that put another pool beside it.
var withOthers = []string{
	"pool whose name begins another's", "pool whose name begins with another's", "innocent pool before",
	"innocent pool after", "two guilty pools", "beside an unknown field of another pool",
}

// findsVariants checks that what a rule says of its bad does not depend on how the
// bad is written, what its pools are called, or what else is in the spec.
func findsVariants(t *testing.T, x example) {
	applicable := 0
	for _, v := range variants {
		want, ok := v.apply(x)
		if !ok || slices.Contains(lonely, x.rule.ID) && slices.Contains(withOthers, v.name) {
			continue
		}
		applicable++
		if sample.Draws(x.rule.ID+" bad "+v.name, 480) {
			_, found := want.judge(t)
			want.check(t, v.name, x.rule.ID, found)
		}
	}
	if applicable < 8 {
		t.Errorf("only %d variants", applicable)
	}
}

// forGoods are the variants that could turn a good into a bad.
var forGoods = []string{"pool whose name begins another's", "innocent pool before", "two files of a package", "by a default of an imported package", "beside an unknown field of another pool"}

// findsNoVariants checks that a good stays good beside other pools, under other
// names and however it is written.
func findsNoVariants(t *testing.T, r Rule) {
	x := example{rule: r, overlay: r.Good, spec: laidOver(baseSpec(), r.Good)}
	for _, v := range variants {
		if !slices.Contains(forGoods, v.name) || slices.Contains(lonely, r.ID) && slices.Contains(withOthers, v.name) {
			continue
		}
		if !sample.Draws(r.ID+" good "+v.name, 480) {
			continue
		}
		if want, ok := v.apply(x); ok {
			_, found := want.judge(t)
			want.check(t, v.name, r.ID, found)
		}
	}
}

func (want outcome) check(t *testing.T, name, id string, found diag.List) {
	t.Helper()
	var paths, others []string
	for _, f := range found {
		if f.ID != id {
			others = append(others, f.ID)
			if !slices.Contains(want.also, f.ID) {
				t.Errorf("%s: %s is found as well", name, describe1(f))
			}
		} else {
			paths = append(paths, f.Path)
		}
		if want.anywhere {
			checkSomePlace(t, want.documents, f)
		} else {
			checkPlaces(t, want.documents, f)
		}
	}
	slices.Sort(paths)
	expected := slices.Sorted(slices.Values(want.paths))
	if !slices.Equal(paths, expected) {
		t.Errorf("%s: found at %v, want %v\n%v\n%v", name, paths, expected, described(found), want.documents)
	}
	slices.Sort(others)
	if !slices.Equal(others, want.also) {
		t.Errorf("%s: found %v besides, want %v", name, others, want.also)
	}
}

// checkSomePlace checks that a finding points at a place where the user wrote
// something of its path: the value of a reference, default or comprehension may
// stand in several places.
func checkSomePlace(t testing.TB, d documents, f diag.Finding) {
	t.Helper()
	at := placed(f.Position)
	for _, file := range d.files {
		for path, place := range file.Places {
			if at != fmt.Sprintf("%s:%d:%d", baseName(file.name), place[0], place[1]) {
				continue
			}
			label := cuePathElements(path)
			if slices.Contains(cuePathElements(f.Path), label[len(label)-1]) {
				return
			}
		}
	}
	if strings.HasPrefix(string([]rune(f.Position.Text)[f.Position.Column-1:]), "(poolName)") {
		// The label that a comprehension makes.
		return
	}
	if want, exact := d.places(cuePathElements(f.Path)); strings.HasSuffix(f.Path, "]") && !exact && inElement(diag.Place{Position: f.Position}, want[0]) {
		return
	}
	t.Errorf("%s at %s is said to be at %s\n%v", f.ID, f.Path, at, d)
}

// renamed calls the pools after name, in their order, and adds an innocent one.
func (x example) renamed(name, innocent string) outcome {
	names := map[string]string{}
	for i, old := range x.pools() {
		names[old] = name
		if i > 0 {
			names[old] = fmt.Sprintf("%s-%d", name, i+1)
		}
	}
	spec := withPoolsRenamed(x.spec, names)
	if innocent != "" {
		x.addInnocent(spec, innocent)
	}
	var paths []string
	for _, path := range x.paths {
		at := cuePathElements(path)
		for i := range at {
			if i > 0 && slices.Contains([]any{"nodePools", "pools", "quota"}, at[i-1]) && names[fmt.Sprint(at[i])] != "" {
				at[i] = names[fmt.Sprint(at[i])]
			}
		}
		paths = append(paths, PathString(at))
	}
	return outcome{documents: single("yaml", spec), paths: paths}
}

// withPoolsRenamed renames pools wherever a spec names them.
func withPoolsRenamed(spec map[string]any, names map[string]string) map[string]any {
	out := source.Clone(spec)
	rename := func(pools map[string]any) map[string]any {
		renamed := map[string]any{}
		for name, pool := range pools {
			if other, ok := names[name]; ok {
				name = other
			}
			renamed[name] = pool
		}
		return renamed
	}
	out["nodePools"] = rename(poolsOf(out))
	components, _ := out["components"].(map[string]any)
	for _, c := range components {
		component := c.(map[string]any)
		if pools, ok := component["pools"].(map[string]any); ok {
			component["pools"] = rename(pools)
		}
	}
	tenants, _ := out["tenants"].(map[string]any)
	for _, t := range tenants {
		tenant := t.(map[string]any)
		if quota, ok := tenant["quota"].(map[string]any); ok {
			tenant["quota"] = rename(quota)
		}
	}
	if scheduling, ok := out["scheduling"].(map[string]any); ok {
		if order, ok := scheduling["order"].([]any); ok {
			renamed := slices.Clone(order)
			for i, name := range renamed {
				if other, ok := names[name.(string)]; ok {
					renamed[i] = other
				}
			}
			scheduling["order"] = renamed
		}
	}
	return out
}

// addInnocent adds a pool that no rule objects to, and that shares no node with
// the others.
func (x example) addInnocent(spec map[string]any, name string) {
	pools := poolsOf(spec)
	if len(pools) == 1 {
		for other, pool := range pools {
			pool := pool.(map[string]any)
			if pool["nodeSelector"] == nil {
				pool["nodeSelector"] = map[string]any{"pool": other}
			}
		}
	}
	selector := map[string]any{"pool": "innocent"}
	for _, pool := range pools {
		labels, _ := pool.(map[string]any)["nodeSelector"].(map[string]any)
		for key := range labels {
			selector[key] = "innocent"
		}
	}
	if selector["nvidia.com/gpu.product"] != nil {
		// Its nodes must have the label that GFD gives them.
		selector["nvidia.com/gpu.product"] = "NVIDIA-L40S"
	}
	pool := map[string]any{
		"nodeSelector": selector,
		"gpu":          map[string]any{"model": "l40s", "count": 4},
		"os":           map[string]any{"name": "ubuntu", "version": "24.04"},
		"host":         map[string]any{"driver": "580.95.05", "toolkit": true, "devicePlugin": false},
		"driver":       map[string]any{"source": "host"},
	}
	if kubernetes, ok := spec["kubernetes"].(map[string]any); ok && kubernetes["distribution"] == "openshift" {
		pool["os"] = map[string]any{"name": "rhcos", "version": "4.20"} // others are K8S-005
	}
	if x.rule.ID == "POOL-007" || x.rule.ID == "PSA-004" {
		// Where nobody runs a device plugin, a pool that wants one is not innocent.
		pool["allocation"] = "external"
	}
	if operator, ok := spec["components"].(map[string]any); ok {
		if operator, ok := operator["gpu-operator"].(map[string]any); ok && operator["resource"] == "GPUCluster" {
			// It hands out all GPUs by DRA, and nobody sets GFD's labels.
			pool["allocation"] = "dra"
			delete(selector, "nvidia.com/gpu.product")
		}
	}
	pools[name] = pool
}

// twice adds a pool that is guilty of the same.
func (x example) twice() (outcome, bool) {
	guilty := x.guilty()
	if guilty == "" {
		return outcome{}, false
	}
	spec := source.Clone(x.spec)
	pools := poolsOf(spec)
	second := guilty + "-b"
	if first := pools[guilty].(map[string]any); len(pools) == 1 {
		// What tells it from the second.
		labels, ok := first["nodeSelector"].(map[string]any)
		if !ok {
			labels = map[string]any{}
			first["nodeSelector"] = labels
		}
		if labels["pool"] == nil {
			labels["pool"] = guilty
		}
	}
	pool := source.Clone(pools[guilty].(map[string]any))
	if labels, ok := pool["nodeSelector"].(map[string]any); ok && labels["pool"] != nil {
		labels["pool"] = second
	}
	pools[second] = pool
	tenants, _ := spec["tenants"].(map[string]any)
	for _, t := range tenants {
		if quota, ok := t.(map[string]any)["quota"].(map[string]any); ok && quota[guilty] != nil {
			quota[second] = quota[guilty]
		}
	}
	paths := slices.Clone(x.paths)
	for _, path := range x.paths {
		at := cuePathElements(path)
		if at[0] != "nodePools" {
			return outcome{}, false
		}
		at[1] = second
		paths = append(paths, PathString(at))
	}
	return outcome{documents: single("yaml", spec), paths: paths}, true
}

// split writes the base into one file of a package and the rule's part into another.
func (x example) split() (outcome, bool) {
	return outcome{documents: documents{dir: ".", files: []document{
		{"a.cue", write("cue", inOrder(notIn(x.overlay, baseSpec())).(tree))},
		{"b.cue", write("cue", inOrder(x.overlay).(tree))},
	}}, paths: x.paths}, true
}

// byReference writes the rule's part into a hidden field that others refer to.
func (x example) byReference() (outcome, bool) {
	text := tree{{"_site", inOrder(x.overlay)}}
	for _, field := range slices.Sorted(maps.Keys(x.overlay)) {
		text = append(text, branch{field, raw("_site." + field)})
	}
	w := write("cue", text)
	hidden(w, "_site")
	return outcome{documents: documents{dir: ".", files: []document{
		{"a.cue", write("cue", inOrder(notIn(x.overlay, baseSpec())).(tree))},
		{"b.cue", w},
	}}, paths: x.paths, anywhere: true}, true
}

// byComprehension makes the pools by a comprehension over a hidden field.
func (x example) byComprehension() (outcome, bool) {
	rest := source.Clone(x.spec)
	delete(rest, "nodePools")
	w := write("cue", append(inOrder(rest).(tree),
		branch{"_kinds", inOrder(x.spec["nodePools"])},
		branch{"nodePools", raw("{for poolName, kind in _kinds {(poolName): kind}}")},
	))
	hidden(w, "_kinds")
	return outcome{documents: documents{dir: ".", files: []document{{"a.cue", w}}}, paths: x.paths, anywhere: true}, true
}

// hidden takes the quotes off a label, without which it is an ordinary field.
func hidden(w *written, label string) {
	text := strings.Replace(w.Text.String(), `"`+label+`":`, label+":", 1)
	w.Text.Reset()
	w.Text.WriteString(text)
}

// imported takes the rule's part from the defaults of a package of the user's own.
func (x example) imported() (outcome, bool) {
	defaults := write("cue", tree{{"bad", asDefaults(x.overlay)}})
	withPackage(defaults, "package cluster\n", "package defaults\n")
	cluster := write("cue", inOrder(notIn(x.overlay, baseSpec())).(tree))
	const header = "package cluster\n"
	withPackage(cluster, header, header+"import \"site.example/gpu/defaults\"\ndefaults.bad\n")
	module := &written{}
	module.Text.WriteString("module: \"site.example/gpu@v0\"\nlanguage: version: \"v0.14.0\"\n")
	return outcome{documents: documents{dir: "research", files: []document{
		{"cue.mod/module.cue", module},
		{"defaults/defaults.cue", defaults},
		{"research/cluster.cue", cluster},
	}}, paths: x.paths, anywhere: true}, true
}

// withPackage replaces the head of a file, and moves its places accordingly.
func withPackage(w *written, old, head string) {
	text := head + strings.TrimPrefix(w.Text.String(), old)
	for path, at := range w.Places {
		at[0] += strings.Count(head, "\n") - strings.Count(old, "\n")
		w.Places[path] = at
	}
	w.Text.Reset()
	w.Text.WriteString(text)
}

// asDefaults is a spec whose leaves are defaults that the importer could change.
func asDefaults(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := tree{}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			out = append(out, branch{key, asDefaults(v[key])})
		}
		return out
	}
	w := &written{Format: "cue", Places: map[string][2]int{}}
	w.Value(nil, inOrder(v), 0)
	return raw("*" + strings.TrimSpace(w.Text.String()) + " | _")
}

// misspelt adds a fault of shape in another pool; both it and the rule's finding are wanted.
func (x example) misspelt() (outcome, bool) {
	spec := source.Clone(x.spec)
	x.addInnocent(spec, "zz")
	poolsOf(spec)["zz"].(map[string]any)["colour"] = "green"
	return outcome{documents: single("yaml", spec), paths: x.paths, also: []string{idUnknownField}}, true
}

// waived accepts each finding of a rule that warns.
func (x example) waived() (outcome, bool) {
	if x.rule.Severity != diag.Warning {
		return outcome{}, false
	}
	spec := source.Clone(x.spec)
	waivers, _ := spec["waivers"].([]any)
	waivers = slices.Clone(waivers)
	for _, path := range x.paths {
		waivers = append(waivers, map[string]any{"rule": x.rule.ID, "at": path, "reason": "known"})
	}
	spec["waivers"] = waivers
	return outcome{documents: single("yaml", spec)}, true
}
