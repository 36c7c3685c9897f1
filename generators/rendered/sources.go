package rendered

import (
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// elsewhere finds sources that name what the tree has where the tree is not.
func (t *tree) elsewhere() {
	for _, a := range slices.Concat(t.applications, t.flux) {
		for _, s := range a.sources {
			if s.missed {
				x := t.add(noPath.At(a.at(append(s.path, "path")...), "", "%s reads %s, and the tree is at %s", a, text(s.object, "path"), t.path))
				x.Why, x.Fix = "What is read there is another tree, an older one, or nothing.", "render with the path that the tree has, or move the tree"
			}
		}
	}
}

// destinations checks that each Application names one cluster.
func (t *tree) destinations() {
	for _, a := range t.applications {
		switch {
		case a.server == "" && a.cluster == "":
			t.add(badDestination.At(a.at("spec", "destination"), "", "%s names no cluster", a))
		case a.server != "" && a.cluster != "":
			t.add(badDestination.At(a.at("spec", "destination"), "", "%s names server and name", a))
		}
	}
}

// pinned is a chart version; a range, a wildcard or a moving name is none.
var pinned = regexp.MustCompile(`^v?[0-9]+\.[0-9]+\.[0-9]+([-+][0-9A-Za-z.+-]+)?$`)

// sources checks where each Application takes its manifests from.
func (t *tree) sources() {
	for _, a := range t.applications {
		if len(a.sources) == 0 {
			t.add(noPath.At(a.at("spec"), "", "%s has no source", a)).Fix = "add spec.source or spec.sources"
		}
		for _, s := range a.sources {
			if p, ok := inRepository(s); ok {
				at := a.at(append(s.path, "path")...)
				mine := repository(s.repoURL) == repository(t.repoURL)
				there := within(p, t.path) && t.isDir(under(p, t.path))
				switch {
				case mine && within(p, t.path) && !there:
					t.add(noPath.At(at, "", "%s reads %s, which is not there", a, p))
				case !mine && there && p != ".":
					t.add(otherRepo.At(a.at(append(s.path, "repoURL")...), "", "%s reads %s of %s, but the tree is in %s", a, p, s.repoURL, t.repoURL))
				case strings.HasPrefix(p, "../") || path.IsAbs(p):
					t.add(escaping.At(at, "", "%s reads %s, which is outside of the repository", a, p))
				}
			}
			if text(s.object, "chart") != "" {
				revision := text(s.object, "targetRevision")
				switch {
				case revision == "":
					t.add(openRevision.At(a.at(append(s.path, "chart")...), "", "%s takes any version of chart %s", a, text(s.object, "chart")))
				case !pinned.MatchString(revision):
					t.add(openRevision.At(a.at(append(s.path, "targetRevision")...), "", "%s takes chart %s at %s", a, text(s.object, "chart"), revision))
				}
			}
		}
	}
	// What Argo CD merges into a source, and nobody sees in the Application.
	for _, f := range t.sorted() {
		if base := path.Base(f.path); strings.HasPrefix(base, ".argocd-source") && path.Ext(base) == ".yaml" {
			x := t.add(escaping.At(f.start(), "", "%s changes what Argo CD reads", f.path))
			x.Why, x.Fix = "Argo CD merges the file into the source of the Application, without a word; one that excludes everything makes it empty.", "write what it says into the Application, and remove the file"
		}
	}
}

// tools of a source; Argo CD takes one.
var tools = []string{"helm", "kustomize", "directory", "plugin"}

// values checks references to values files, and that each source has one tool.
func (t *tree) values() {
	for _, a := range t.applications {
		refs := map[string]*appSource{}
		for _, s := range a.sources {
			if ref := text(s.object, "ref"); ref != "" {
				refs[ref] = s
				if text(s.object, "chart") != "" {
					t.add(badValuesRef.At(a.at(append(s.path, "ref")...), "", "%s: a source with a chart has the ref %s", a, ref)).Fix = "give the ref to a source of a git repository"
				}
			}
			var used []string
			for _, tool := range tools {
				if _, ok := s.object[tool]; ok {
					used = append(used, tool)
				}
			}
			if len(used) > 1 {
				t.add(badValuesRef.At(a.at(append(s.path, used[1])...), "", "%s: a source has %s", a, strings.Join(used, " and "))).Fix = "keep one of them"
			}
		}
		for _, s := range a.sources {
			for i, entry := range list(s.object, "helm", "valueFiles") {
				file, _ := entry.(string)
				at := a.at(append(s.path, "helm", "valueFiles", i)...)
				ref, rest, ok := strings.Cut(strings.TrimPrefix(file, "$"), "/")
				switch target := refs[ref]; {
				case !strings.HasPrefix(file, "$"):
					if strings.Contains(file, "$") {
						t.add(badValuesRef.At(at, "", "%s: a reference stands at the beginning, as in $%s", a, "values/values.yaml")).Fix = "begin with the $ of the reference"
					}
				case !ok || target == nil:
					t.add(badValuesRef.At(at, "", "%s: no source has the ref %s", a, ref)).Fix = "add ref: " + ref + " to the source of the repository that holds the file"
				case repository(target.repoURL) == repository(t.repoURL) && within(path.Clean(rest), t.path):
					if _, there := t.files[under(path.Clean(rest), t.path)]; !there && !truth(s.object, "helm", "ignoreMissingValueFiles") {
						t.add(badValuesRef.At(at, "", "%s: %s is not there", a, rest)).Fix = "correct the path, which begins at the root of the repository"
					}
				}
			}
		}
	}
}

const generatePathsKey = "argocd.argoproj.io/manifest-generate-paths"

// generatePaths checks that the annotation names all directories that are read.
func (t *tree) generatePaths() {
	for _, a := range t.applications {
		set := text(a.object, "metadata", "annotations", generatePathsKey)
		if set == "" {
			continue
		}
		for _, s := range a.sources {
			b := t.built[s.dir]
			if !s.here || b == nil {
				continue
			}
			for _, read := range slices.Sorted(maps.Keys(b.closure)) {
				covered := false
				for _, p := range strings.Split(set, ";") {
					p = strings.TrimSpace(p)
					dir := path.Join(s.dir, p)
					if path.IsAbs(p) {
						dir = under(strings.TrimPrefix(path.Clean(p), "/"), t.path)
					}
					covered = covered || dir == "." || within(read, dir)
				}
				if !covered {
					t.add(staleCache.At(a.at("metadata", "annotations", generatePathsKey), "", "%s reads %s, which %q leaves out", a, read, set))
					break
				}
			}
		}
	}
}
