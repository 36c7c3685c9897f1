package rendered

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/gpugen/gpugen/generators/kustomize"
	files "github.com/gpugen/gpugen/generators/tree"
	"github.com/gpugen/gpugen/schema/diag"
)

// kustomizationNames are the files that kustomize looks for.
var kustomizationNames = []string{"kustomization.yaml", "kustomization.yml", "Kustomization"}

// kustomization is the path of a directory's kustomization; "" if it has none.
func (t *tree) kustomization(dir string) string {
	for _, name := range kustomizationNames {
		if _, ok := t.files[path.Join(dir, name)]; ok {
			return path.Join(dir, name)
		}
	}
	return ""
}

// kustomized is what kustomize makes of a directory.
type kustomized struct {
	resources []*resource
	// closure is every file that it reads.
	closure map[string]bool
	// refused tells that it was not built, and that a finding says why.
	refused bool
}

// build runs kustomize in memory on what the directory holds. What would be fetched
// is a finding, and such a directory is not built.
func (t *tree) build(dir, name string) *kustomized {
	if b, ok := t.built[dir]; ok {
		return b
	}
	b := &kustomized{closure: map[string]bool{}}
	t.built[dir] = b
	before := len(t.findings)
	t.follow(name, b.closure, 0)
	for p := range b.closure {
		// What stands twice is a finding of its own.
		b.refused = b.refused || t.files[p].err != nil || len(t.files[p].twice) > 0
	}
	if b.refused = b.refused || len(t.findings) > before; b.refused {
		return b
	}
	memory := &files.Tree{}
	for p := range b.closure {
		memory.Add(p, t.files[p].text)
	}
	out, err := kustomize.Build(memory, dir)
	if err != nil {
		b.refused = true
		t.add(unbuildable.At(t.files[name].start(), "", "kustomize does not build %s: %s", dir, reason(err, dir)))
		return b
	}
	result := newFile(name, out)
	result.parse()
	for _, d := range result.docs {
		b.resources = append(b.resources, t.origin(d, b, name))
	}
	return b
}

// reason is what kustomize says, without our own words around it.
func reason(err error, dir string) string {
	return strings.Join(strings.Fields(strings.TrimPrefix(err.Error(), "kustomize build "+dir+": ")), " ")
}

// origin finds the file that an object was made of, by its kind and name.
func (t *tree) origin(d *document, b *kustomized, kustomization string) *resource {
	r := &resource{object: d.object, where: t.files[kustomization].start()}
	for p := range b.closure {
		for _, other := range t.files[p].docs {
			if groupKindOf(other.object) == groupKindOf(d.object) && text(other.object, "metadata", "name") == r.name() &&
				(text(other.object, "metadata", "namespace") == "" || text(other.object, "metadata", "namespace") == r.text("metadata", "namespace")) {
				r.doc = other
			}
		}
	}
	return r
}

// pathFields are the fields of a kustomization that name files or directories. What
// is no list of texts has the field that names one.
var pathFields = []struct {
	field, inner string
	dirs         bool
}{
	{"resources", "", true}, {"bases", "", true}, {"components", "", true},
	{"crds", "", false}, {"configurations", "", false},
	{"patchesStrategicMerge", "", false}, {"patches", "path", false}, {"patchesJson6902", "path", false},
	{"replacements", "path", false},
}

// programs are the fields that run generators, which may fetch, or need a flag that
// Argo CD does not pass.
var programs = []string{"generators", "transformers", "validators", "helmCharts", "helmChartInflationGenerator", "helmGlobals", "openapi"}

// follow collects the files that a kustomization reads, and tells of what lies
// elsewhere.
func (t *tree) follow(name string, closure map[string]bool, depth int) {
	if closure[name] {
		return
	}
	closure[name] = true
	f := t.files[name]
	f.parse()
	if f.err != nil || len(f.docs) != 1 || f.docs[0].object == nil {
		t.add(unbuildable.At(f.start(), "", "%s is not one mapping", name))
		return
	}
	d, dir := f.docs[0], path.Dir(name)
	t.exactFields(d)
	for _, field := range programs {
		if _, ok := d.object[field]; ok {
			x := t.add(escaping.At(d.at(field), "", "%s uses %s", name, field))
			x.Why = "Argo CD runs kustomize without the flags that it needs, or it runs what is not in the tree."
			x.Fix = "list what it makes under resources"
		}
	}
	for _, p := range pathFields {
		for i, entry := range list(d.object, p.field) {
			at, ref := []any{p.field, i}, ""
			switch entry := entry.(type) {
			case string:
				ref = entry
			case map[string]any:
				ref, at = text(entry, p.inner), append(at, p.inner)
			}
			if ref == "" || p.field == "patchesStrategicMerge" && isMapping(ref) {
				continue
			}
			t.refer(d.at(at...), ref, dir, p.dirs, closure, depth)
		}
	}
	for _, generator := range []string{"configMapGenerator", "secretGenerator"} {
		for i, entry := range list(d.object, generator) {
			one, _ := entry.(map[string]any)
			for _, field := range []string{"files", "envs"} {
				for k, item := range list(one, field) {
					ref, _ := item.(string)
					if _, after, ok := strings.Cut(ref, "="); ok && field == "files" {
						ref = after
					}
					t.refer(d.at(generator, i, field, k), ref, dir, false, closure, depth)
				}
			}
			if ref := text(one, "env"); ref != "" {
				t.refer(d.at(generator, i, "env"), ref, dir, false, closure, depth)
			}
		}
	}
}

// exactFields tells of fields that kustomize would read, though their case is another
// one: what follows here goes by the exact names.
func (t *tree) exactFields(d *document) {
	exact := append([]string{"configMapGenerator", "secretGenerator", "files", "envs", "env", "path"}, programs...)
	for _, p := range pathFields {
		exact = append(exact, p.field)
	}
	var walk func(n *yaml.Node)
	walk = func(n *yaml.Node) {
		for i, c := range n.Content {
			for _, name := range exact {
				if n.Kind == yaml.MappingNode && i%2 == 0 && strings.EqualFold(c.Value, name) && c.Value != name {
					x := t.add(unbuildable.At(d.file.position(c), "", "the field %s", c.Value))
					x.Fix = "write " + name
				}
			}
			walk(c)
		}
	}
	walk(d.node)
}

// isMapping tells whether a text is YAML of a mapping, as a patch in place is.
func isMapping(text string) bool {
	var out map[string]any
	return yaml.Unmarshal([]byte(text), &out) == nil && len(out) > 0
}

// refer follows a reference to a file or directory.
func (t *tree) refer(at diag.Position, ref, from string, dirs bool, closure map[string]bool, depth int) {
	target := path.Join(from, ref)
	switch f, isFile := t.files[target]; {
	case isFile && !path.IsAbs(ref):
		f.parse()
		closure[target] = true
	case dirs && !path.IsAbs(ref) && t.isDir(target) && t.kustomization(target) != "" && depth < 50:
		t.follow(t.kustomization(target), closure, depth+1)
	case strings.Contains(ref, "://") || strings.Contains(ref, "?ref=") || slices.Contains([]string{"github.com", "gitlab.com", "bitbucket.org"}, strings.Split(ref, "/")[0]) || strings.HasPrefix(ref, "git@"):
		t.add(escaping.At(at, "", "%s is fetched from elsewhere", ref))
	case path.IsAbs(ref) || target == ".." || strings.HasPrefix(target, "../"):
		t.add(escaping.At(at, "", "%s lies outside of the directory", ref))
	default:
		x := t.add(unbuildable.At(at, "", "%s is not there", ref))
		x.Fix = fmt.Sprintf("add %s, or take it out of the list", target)
	}
}
