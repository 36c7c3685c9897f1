package rendered

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/gpugen/gpugen/schema/chartindex"
	"github.com/gpugen/gpugen/schema/diag"
)

const argoGroup = "argoproj.io"

// Options say what the directory itself does not.
type Options struct {
	// Path of the directory in its repository; "" if nobody said it.
	Path string
	// Guess stands in for it, unless Applications agree on another one: the directory may
	// be a copy. "" if there is nothing to go by.
	Guess string
	// Projects are AppProjects that exist besides those of the tree.
	Projects []string
	// Namespaces are those that exist besides.
	Namespaces []string
	// RepoURL is the repository that the directory belongs to; "" is the one that the
	// Applications agree on.
	RepoURL string
}

// tree is a directory that was read, with what Argo CD would make of it.
type tree struct {
	options Options
	known   *Knowledge
	// path and repoURL are where the directory is taken to be.
	path, repoURL string

	files map[string]*file
	dirs  map[string]int // how many files are below each
	// built holds what kustomize makes of a directory.
	built map[string]*kustomized

	applications []*application
	// flux are Flux's Kustomizations and HelmReleases, as if they were Applications.
	flux []*application
	// fluxSources are the sources in the tree, by kind, namespace and name.
	fluxSources map[string]*document
	// unmade is of each set the first element of which no Application could be made.
	unmade   map[*document]*diag.Finding
	projects []*document
	sets     []*document
	// scopes of the kinds that CRDs in the tree define; true is namespaced.
	scopes map[groupKind]bool
	crds   map[groupKind]*definition

	findings diag.List
}

func (t *tree) add(f diag.Finding) *diag.Finding {
	t.findings.Add(f)
	return &t.findings[len(t.findings)-1]
}

// groupKind names a kind of object, whatever its version.
type groupKind struct{ group, kind string }

// String is how kubectl writes it.
func (gk groupKind) String() string {
	if gk.group == "" {
		return gk.kind
	}
	return gk.kind + "." + gk.group
}

// resource is an object that an Application would apply.
type resource struct {
	object map[string]any
	// doc is where it is written; nil if kustomize made it.
	doc *document
	// where stands in for doc.
	where diag.Position
}

func (r *resource) at(path ...any) diag.Position {
	if r.doc == nil {
		return r.where
	}
	return r.doc.at(path...)
}

func (r *resource) text(path ...string) string { return text(r.object, path...) }

func (r *resource) gk() groupKind { return groupKindOf(r.object) }

func (r *resource) name() string { return r.text("metadata", "name") }

func (r *resource) annotation(key string) string { return r.text("metadata", "annotations", key) }

// String is how a person calls it.
func (r *resource) String() string { return r.gk().kind + " " + r.name() }

func groupKindOf(o map[string]any) groupKind {
	group, _, ok := strings.Cut(text(o, "apiVersion"), "/")
	if !ok {
		group = ""
	}
	return groupKind{group, text(o, "kind")}
}

// application is an Application with what it would apply.
type application struct {
	*document
	name, namespace string
	project         string
	server, cluster string // of the destination
	target          string // its namespace
	options         []string
	sources         []*appSource
	resources       []*resource
	// open tells that it has sources whose objects are not in the directory.
	open bool
	// kind is Flux's kind; "" for an Application.
	kind string
	// set is the ApplicationSet that makes it; nil where it is written itself.
	set *document
	// parent is the Application that applies this one, or its set.
	parent *application
}

// appSource is a source of an Application.
type appSource struct {
	path    []any // of its field
	object  map[string]any
	repoURL string
	// dir is the directory of the tree that it names; "" where it names none.
	dir  string
	here bool
	// missed tells that it names a directory that the tree has, at another path than
	// that of the tree.
	missed bool
}

func (a *application) String() string { return cmp.Or(a.kind, "Application") + " " + a.name }

// destination is where it goes, as a key.
func (a *application) destination() string { return a.server + " " + a.cluster }

// has tells whether it has a sync option.
func (a *application) has(option string) bool { return slices.Contains(a.options, option) }

// newTree finds the Applications of a directory, and what they would apply.
func newTree(files map[string]*file, findings diag.List, known *Knowledge, options Options) *tree {
	t := &tree{
		options: options, known: known, files: files, dirs: map[string]int{}, findings: findings,
		built: map[string]*kustomized{}, unmade: map[*document]*diag.Finding{}, fluxSources: map[string]*document{}, scopes: map[groupKind]bool{}, crds: map[groupKind]*definition{},
	}
	for name := range files {
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			t.dirs[dir]++
		}
	}
	for _, f := range t.sorted() {
		if isManifest(f.path) {
			f.parse()
		}
		for _, d := range f.docs {
			t.sort(d)
		}
	}
	t.makeApplications(t.ofList)
	t.findFlux()
	t.place()
	// Which directories there are is known now, and what is made of them has its own.
	if before := len(t.applications); len(t.sets) > 0 {
		if t.makeApplications(t.ofTree); len(t.applications) > before {
			t.place()
		}
	}
	t.chartScopes()
	t.fill()
	return t
}

func (t *tree) sorted() []*file {
	return slices.SortedFunc(maps.Values(t.files), func(a, b *file) int { return cmp.Compare(a.path, b.path) })
}

// sort keeps the documents that are about Argo CD and Flux, and definitions of kinds.
func (t *tree) sort(d *document) {
	gk := groupKindOf(d.object)
	if strings.HasSuffix(gk.group, fluxGroup) {
		t.sortFlux(d, gk.kind)
	}
	switch gk {
	case groupKind{argoGroup, "Application"}:
		t.applications = append(t.applications, newApplication(d))
	case groupKind{argoGroup, "AppProject"}:
		t.projects = append(t.projects, d)
	case groupKind{argoGroup, "ApplicationSet"}:
		t.sets = append(t.sets, d)
	case groupKind{"apiextensions.k8s.io", "CustomResourceDefinition"}:
		c := newDefinition(d)
		t.crds[c.gk], t.scopes[c.gk] = c, c.namespaced
	}
}

func newApplication(d *document) *application {
	o := d.object
	a := &application{
		document: d,
		name:     text(o, "metadata", "name"), namespace: text(o, "metadata", "namespace"),
		project: cmp.Or(text(o, "spec", "project"), "default"),
		server:  text(o, "spec", "destination", "server"), cluster: text(o, "spec", "destination", "name"),
		target: text(o, "spec", "destination", "namespace"),
	}
	for _, option := range list(o, "spec", "syncPolicy", "syncOptions") {
		if s, ok := option.(string); ok {
			a.options = append(a.options, s)
		}
	}
	// Where there are sources, Argo CD does not look at source.
	if many := list(o, "spec", "sources"); len(many) > 0 {
		for i := range many {
			one, _ := many[i].(map[string]any)
			a.sources = append(a.sources, &appSource{path: []any{"spec", "sources", i}, object: one, repoURL: text(one, "repoURL")})
		}
	} else if one, ok := value(o, "spec", "source").(map[string]any); ok {
		a.sources = append(a.sources, &appSource{path: []any{"spec", "source"}, object: one, repoURL: text(one, "repoURL")})
	}
	return a
}

// inRepository is the path of a source that is a directory of a git repository.
func inRepository(s *appSource) (string, bool) {
	p := text(s.object, "path")
	return path.Clean(p), p != "" && text(s.object, "chart") == "" && s.object["plugin"] == nil && !strings.HasPrefix(s.repoURL, "oci://")
}

func within(p, prefix string) bool {
	return prefix == "." || p == prefix || strings.HasPrefix(p, prefix+"/")
}

// under is a path, seen from a directory above it.
func under(p, prefix string) string {
	if prefix == "." {
		return p
	}
	return path.Clean(strings.TrimPrefix(strings.TrimPrefix(p, prefix), "/"))
}

// isDir tells whether a path is a directory with files.
func (t *tree) isDir(dir string) bool { return t.filesIn(dir) > 0 }

// filesIn counts the files below a directory.
func (t *tree) filesIn(dir string) int {
	if dir == "." {
		return len(t.files)
	}
	return t.dirs[dir]
}

// chartScopes takes the scopes of kinds from the CRDs of known charts.
func (t *tree) chartScopes() {
	for _, a := range t.applications {
		for _, s := range a.sources {
			index := t.indexOf(s)
			if index == nil {
				continue
			}
			for _, c := range index.CRDs {
				t.scopes[groupKind{c.Group, c.Kind}] = c.Scope == chartindex.ScopeNamespaced
			}
		}
	}
}

// fill finds what each Application would apply.
func (t *tree) fill() {
	for _, a := range slices.Concat(t.applications, t.flux) {
		for _, s := range a.sources {
			switch {
			case s.here && t.isDir(s.dir):
				a.resources = append(a.resources, t.resources(s)...)
			case text(s.object, "ref") != "" && text(s.object, "path") == "":
			default:
				a.open = true
			}
		}
	}
	for _, a := range t.applications {
		for _, r := range a.resources {
			for _, b := range t.applications {
				if r.doc != nil && r.doc == cmp.Or(b.set, b.document) && a != b {
					b.parent = a
				}
			}
		}
	}
}

// resources are the objects of a source in the tree: what kustomize builds, or the
// manifests of the directory.
func (t *tree) resources(s *appSource) []*resource {
	if name := t.kustomization(s.dir); name != "" {
		return t.build(s.dir, name).resources
	}
	var out []*resource
	for _, f := range t.sorted() {
		dir := path.Dir(f.path)
		recurse, _ := value(s.object, "directory", "recurse").(bool)
		if !isManifest(f.path) || dir != s.dir && !(recurse && within(dir, s.dir)) {
			continue
		}
		for _, d := range f.docs {
			out = append(out, each(d)...)
		}
	}
	return out
}

// each is a document, or the items of a list.
func each(d *document) []*resource {
	if !strings.HasSuffix(text(d.object, "kind"), "List") {
		return []*resource{{object: d.object, doc: d}}
	}
	items, ok := d.object["items"].([]any)
	if !ok {
		return []*resource{{object: d.object, doc: d}}
	}
	var out []*resource
	for i, item := range items {
		if o, ok := item.(map[string]any); ok {
			out = append(out, &resource{object: o, where: d.at("items", i)})
		}
	}
	return out
}

// value is what stands at a path of an object.
func value(o map[string]any, path ...string) any {
	var v any = o
	for _, key := range path {
		m, _ := v.(map[string]any)
		v = m[key]
	}
	return v
}

func text(o map[string]any, path ...string) string {
	s, _ := value(o, path...).(string)
	return s
}

func list(o map[string]any, path ...string) []any {
	l, _ := value(o, path...).([]any)
	return l
}

func truth(o map[string]any, path ...string) bool {
	b, _ := value(o, path...).(bool)
	return b
}
