package rendered

import (
	"path"
	"slices"
	"strings"

	"github.com/gpugen/gpugen/schema/diag"
)

// manifests checks the files that kustomize or Argo CD read as manifests.
func (t *tree) manifests() {
	for _, f := range t.sorted() {
		if f.err != nil && t.reads(f) {
			t.add(badManifest.At(f.faultAt(), "", "%s is no YAML: %s", f.path, withoutLine(f.err)))
		}
		for _, key := range f.twice {
			if isManifest(f.path) {
				t.add(badManifest.At(f.position(key), "", "the key %s is there twice", key.Value))
			}
		}
	}
	for _, a := range t.applications {
		for _, s := range a.sources {
			if !s.here || !t.isDir(s.dir) || t.kustomization(s.dir) != "" {
				continue
			}
			size := 0
			for _, f := range t.sorted() {
				if path.Dir(f.path) != s.dir || !isManifest(f.path) {
					continue
				}
				size += len(f.text)
				if strings.Contains(string(f.text), "# +argocd:skip-file-rendering") {
					continue
				}
				for _, d := range f.docs {
					if d.object == nil {
						t.add(badManifest.At(d.at(), "", "%s is no object", f.path))
						continue
					}
					if text(d.object, "apiVersion") == "" || text(d.object, "kind") == "" {
						t.add(noManifest.At(d.at(), "", "%s has no apiVersion or no kind, and %s reads it", f.path, a))
					}
				}
			}
			if size > 10<<20 {
				t.add(noManifest.At(a.at(append(s.path, "path")...), "", "the manifests of %s have %d MB together", s.dir, size>>20)).Fix = "add a kustomization, or split the Application"
			}
		}
	}
}

// reads tells whether an Application, or kustomize, reads a file.
func (t *tree) reads(f *file) bool {
	for _, b := range t.built {
		if b.closure[f.path] {
			return true
		}
	}
	for _, a := range t.applications {
		for _, s := range a.sources {
			if s.here && path.Dir(f.path) == s.dir && t.kustomization(s.dir) == "" {
				return true
			}
		}
	}
	// Without Applications, all of it is somebody's manifests.
	return len(t.applications) == 0 || slices.Contains(kustomizationNames, path.Base(f.path))
}

// place of an object in an Application.
type place struct {
	application *application
	resource    *resource
}

// owners checks that each object of a cluster is there once.
func (t *tree) owners() {
	seen := map[string]place{}
	for _, a := range t.applications {
		for _, r := range a.resources {
			if r.name() == "" {
				continue
			}
			ns := r.text("metadata", "namespace")
			if namespaced, known := t.scope(r); !known || namespaced {
				if ns == "" {
					ns = a.target
				}
				if ns == "" && known {
					x := t.add(noNamespace.At(r.at("metadata", "name"), "", "%s of %s has no namespace", r, a))
					if a.kind != "" {
						x.Why, x.Fix = "Flux answers \"namespace not specified\", and applies nothing of the Kustomization.", "set metadata.namespace, or spec.targetNamespace of "+a.String()
					}
				}
			} else {
				ns = ""
			}
			key := strings.Join([]string{a.destination(), r.gk().String(), ns, r.name()}, "|")
			other, ok := seen[key]
			if !ok {
				seen[key] = place{a, r}
				continue
			}
			// A hook that is skipped takes the place of a chart's on purpose.
			x := t.add(ownedTwice.At(r.at("metadata", "name"), "", "%s belongs to %s and to %s", r, other.application, a))
			x.Also = also("the other one", other.resource.at("metadata", "name"))
		}
	}
}

// live checks that nothing is committed that belongs to the object on the cluster.
func (t *tree) live() {
	for _, a := range t.applications {
		for _, r := range a.resources {
			m, _ := value(r.object, "metadata").(map[string]any)
			for _, field := range t.known.argocd.ServerSet {
				if v, ok := m[field]; ok && v != nil {
					t.add(liveState.At(r.at("metadata", field), "", "%s has metadata.%s", r, field))
				}
			}
			for _, key := range t.known.argocd.ServerSetAnnotations {
				if r.annotation(key) != "" {
					t.add(liveState.At(r.at("metadata", "annotations", key), "", "%s has the annotation %s", r, key))
				}
			}
			if status, ok := r.object["status"].(map[string]any); ok && len(status) > 0 {
				t.add(liveState.At(r.at("status"), "", "%s has a status", r))
			}
		}
	}
}

// excludedKinds finds what Argo CD leaves out.
func (t *tree) excludedKinds() {
	for _, a := range t.applications {
		for _, r := range a.resources {
			gk := r.gk()
			for _, excluded := range t.known.argocd.Excluded {
				group, kind, _ := strings.Cut(excluded, "/")
				if group == "core" {
					group = ""
				}
				if matches(group, gk.group, "") && matches(kind, gk.kind, "") {
					t.add(excludedKind.At(r.at("kind"), "", "%s of %s is excluded", r, a))
					break
				}
			}
		}
	}
}

// empty finds Applications that apply nothing.
func (t *tree) empty() {
	for _, a := range t.applications {
		if len(a.resources) > 0 || a.open || len(a.sources) == 0 {
			continue
		}
		broken := false
		for _, s := range a.sources {
			b := t.built[s.dir]
			broken = broken || s.here && (!t.isDir(s.dir) || b != nil && b.refused)
		}
		if !broken {
			at := a.at("spec", "source")
			if len(a.sources) > 0 {
				at = a.at(append(a.sources[0].path, "path")...)
			}
			t.add(emptyApplication.At(at, "", "%s applies nothing", a))
		}
	}
}

// syncOptions checks the names and values of options, of Applications and objects.
func (t *tree) syncOptions() {
	check := func(option string, at diag.Position) {
		name, v, ok := strings.Cut(strings.TrimSpace(option), "=")
		values, known := t.known.argocd.SyncOptions[name]
		switch {
		case !known || !ok:
			x := t.add(unknownOption.At(at, "", "the sync option %q", strings.TrimSpace(option)))
			for _, other := range sortedKeys(t.known.argocd.SyncOptions) {
				if strings.EqualFold(other, strings.TrimSpace(strings.Split(name, ":")[0])) {
					x.Fix = "write " + other + "=" + t.known.argocd.SyncOptions[other][0]
				}
			}
		case !slices.Contains(values, v):
			t.add(unknownOption.At(at, "", "the sync option %s has the value %q", name, v)).Fix = "write one of " + strings.Join(values, ", ")
		}
	}
	for _, a := range t.applications {
		for i, entry := range list(a.object, "spec", "syncPolicy", "syncOptions") {
			option, _ := entry.(string)
			check(option, a.at("spec", "syncPolicy", "syncOptions", i))
		}
		for _, r := range a.resources {
			const key = "argocd.argoproj.io/sync-options"
			if set := r.annotation(key); set != "" {
				for option := range strings.SplitSeq(set, ",") {
					check(option, r.at("metadata", "annotations", key))
				}
			}
		}
	}
}
