package rendered

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/gpugen/gpugen/generators/worktree"
	"github.com/gpugen/gpugen/schema/chartindex"
	"github.com/gpugen/gpugen/schema/diag"
)

// repository is a URL as Argo CD compares it.
func repository(url string) string { return worktree.Repository(url) }

// projectOf is the AppProject of an Application; nil if the tree has none of that name.
func (t *tree) projectOf(a *application) *document {
	for _, p := range t.projects {
		if text(p.object, "metadata", "name") == a.project {
			return p
		}
	}
	return nil
}

// project checks what each Application does with what its AppProject allows.
func (t *tree) project() {
	for _, a := range t.applications {
		p := t.projectOf(a)
		switch {
		case p == nil && (a.project == "default" || slices.Contains(t.options.Projects, a.project)):
			continue
		case p == nil && len(t.projects) == 0:
			t.add(projectNotSeen.At(a.at("spec", "project"), "", "%s is of project %s, which is not in the tree", a, a.project))
			continue
		case p == nil:
			t.add(noProject.At(a.at("spec", "project"), "", "%s is of project %s, which is not in the tree", a, a.project))
			continue
		}
		if a.parent == nil && len(t.applications) > 1 && t.applies(a, p) {
			x := t.add(noProject.At(a.at("spec", "project"), "", "%s is of project %s, which it makes itself", a, a.project))
			x.Why, x.Fix = "Argo CD refuses an Application of a project that is not there yet, and so never makes it.", "let the Application that a person applies be of project default, or of one that exists"
		}
		for _, s := range a.sources {
			if s.repoURL != "" && !permitted(list(p.object, "spec", "sourceRepos"), s.repoURL, repository, "/") {
				x := t.add(repoForbidden.At(a.at(append(s.path, "repoURL")...), "", "project %s does not allow %s", a.project, s.repoURL))
				x.Also = also("what it allows", p.at("spec", "sourceRepos"))
			}
		}
		namespaces := map[string]diag.Position{}
		if a.target != "" {
			namespaces[a.target] = a.at("spec", "destination")
		}
		kinds := map[groupKind]diag.Position{}
		for _, r := range a.resources {
			namespaced, known := t.scope(r)
			if known && !namespaced {
				if !allowedKind(list(p.object, "spec", "clusterResourceWhitelist"), r.gk()) || listed(p, "clusterResourceBlacklist", r.gk()) {
					if _, said := kinds[r.gk()]; !said {
						x := t.add(clusterKindForbidden.At(r.at("kind"), "", "project %s does not allow %s, which %s applies", a.project, r.gk(), a))
						x.Also = also("the project", p.at("spec", "clusterResourceWhitelist"))
					}
					kinds[r.gk()] = r.at("kind")
				}
				continue
			}
			if ns := r.text("metadata", "namespace"); ns != "" {
				if _, ok := namespaces[ns]; !ok {
					namespaces[ns] = r.at("metadata", "namespace")
				}
			}
			whitelist, isSet := value(p.object, "spec", "namespaceResourceWhitelist").([]any)
			if known && (isSet && !allowedKind(whitelist, r.gk()) || listed(p, "namespaceResourceBlacklist", r.gk())) {
				if _, said := kinds[r.gk()]; !said {
					x := t.add(kindForbidden.At(r.at("kind"), "", "project %s does not allow %s, which %s applies", a.project, r.gk(), a))
					x.Also = also("the project", p.at("spec", "namespaceResourceWhitelist"))
				}
				kinds[r.gk()] = r.at("kind")
			}
		}
		t.chartKinds(a, p)
		for ns, at := range namespaces {
			if (a.server != "" || a.cluster != "") && !reaches(p, a, ns) {
				x := t.add(destinationForbidden.At(at, "", "project %s does not allow namespace %s of %s", a.project, ns, strings.TrimSpace(a.destination())))
				x.Also = also("what it allows", p.at("spec", "destinations"))
			}
		}
	}
}

// applies tells whether an Application applies a document.
func (t *tree) applies(a *application, d *document) bool {
	return slices.ContainsFunc(a.resources, func(r *resource) bool { return r.doc == d })
}

// chartKinds checks the cluster-scoped kinds of charts whose index is known.
func (t *tree) chartKinds(a *application, p *document) {
	for _, s := range a.sources {
		chart := text(s.object, "chart")
		if chart == "" || t.known.index == nil {
			continue
		}
		index := t.known.index(s.repoURL, chart, text(s.object, "targetRevision"))
		if index == nil {
			continue
		}
		for _, gk := range index.Project().Cluster {
			kind := groupKind{gk.Group, gk.Kind}
			if kind.kind != "*" && !allowedKind(list(p.object, "spec", "clusterResourceWhitelist"), kind) {
				t.add(clusterKindForbidden.At(a.at(append(s.path, "chart")...), "", "project %s does not allow %s, which chart %s renders", a.project, kind, chart)).Also = also("the project", p.at("spec", "clusterResourceWhitelist"))
			}
		}
	}
}

// indexOf is the index of a source's chart, if it has one that is known.
func (t *tree) indexOf(s *appSource) *chartindex.Index {
	if chart := text(s.object, "chart"); chart != "" && t.known.index != nil {
		return t.known.index(s.repoURL, chart, text(s.object, "targetRevision"))
	}
	return nil
}

// permitted goes through patterns as Argo CD does: one must match, and none that
// begins with an exclamation mark. separator is what * does not match.
func permitted(patterns []any, text string, normal func(string) string, separator string) bool {
	found := false
	for _, entry := range patterns {
		pattern, _ := entry.(string)
		deny := strings.HasPrefix(pattern, "!")
		if !matches(normal(strings.TrimPrefix(pattern, "!")), normal(text), separator) {
			continue
		}
		if deny {
			return false
		}
		found = true
	}
	return found
}

// matches is Argo CD's glob.
func matches(pattern, text, separator string) bool {
	if pattern == "*" {
		return true
	}
	if separator == "" {
		// The library's * ends at a slash; a character that is in no name stands in for it.
		pattern, text = strings.ReplaceAll(pattern, "/", "\x00"), strings.ReplaceAll(text, "/", "\x00")
	}
	ok, err := doublestar.Match(pattern, text)
	return err == nil && ok
}

// reaches tells whether a project allows a namespace on the Application's cluster.
func reaches(p *document, a *application, namespace string) bool {
	found := false
	for _, entry := range list(p.object, "spec", "destinations") {
		d, _ := entry.(map[string]any)
		deny := strings.HasPrefix(text(d, "server"), "!") || strings.HasPrefix(text(d, "name"), "!") || strings.HasPrefix(text(d, "namespace"), "!")
		plain := func(field string) string { return strings.TrimPrefix(text(d, field), "!") }
		cluster := a.server != "" && plain("server") != "" && matches(plain("server"), a.server, "") ||
			a.cluster != "" && plain("name") != "" && matches(plain("name"), a.cluster, "") ||
			// Which server a name stands for is not in the tree.
			plain("server") == "*" || plain("name") == "*"
		if !cluster || !matches(plain("namespace"), namespace, "") {
			continue
		}
		if deny {
			return false
		}
		found = true
	}
	return found
}

// allowedKind tells whether a list of groups and kinds has one.
func allowedKind(entries []any, gk groupKind) bool {
	for _, entry := range entries {
		e, _ := entry.(map[string]any)
		if matches(text(e, "group"), gk.group, "") && matches(text(e, "kind"), gk.kind, "") {
			return true
		}
	}
	return false
}

func listed(p *document, field string, gk groupKind) bool {
	return allowedKind(list(p.object, "spec", field), gk)
}

// projectsThemselves checks what Argo CD refuses of an AppProject.
func (t *tree) projectsThemselves() {
	seen := map[string]*document{}
	for _, p := range t.projects {
		name := text(p.object, "metadata", "name")
		if other, ok := seen[name]; ok {
			t.add(badProject.At(p.at("metadata", "name"), "", "two AppProjects are called %s", name)).Also = also("the other one", other.at("metadata", "name"))
		}
		seen[name] = p
		for field, key := range map[string]func(any) string{
			"sourceRepos": func(v any) string { s, _ := v.(string); return s },
			"destinations": func(v any) string {
				d, _ := v.(map[string]any)
				return text(d, "server") + " " + text(d, "name") + " " + text(d, "namespace")
			},
		} {
			had := map[string]bool{}
			for i, entry := range list(p.object, "spec", field) {
				k := key(entry)
				switch {
				case had[k]:
					t.add(badProject.At(p.at("spec", field, i), "", "%s lists one entry twice", field)).Fix = "remove one of them"
				case slices.Contains(strings.Fields(k), "!*"):
					t.add(badProject.At(p.at("spec", field, i), "", "%s forbids everything with !*", field)).Fix = "remove the entry; what is not listed is not allowed"
				}
				had[k] = true
			}
		}
		t.roles(p, name)
		for _, a := range t.applications {
			from := list(p.object, "spec", "sourceNamespaces")
			if ns := text(p.object, "metadata", "namespace"); a.project == name && ns != "" && a.namespace != "" && ns != a.namespace && !permitted(from, a.namespace, func(s string) string { return s }, "") {
				x := t.add(badProject.At(p.at("metadata", "namespace"), "", "AppProject %s is in namespace %s, %s in %s", name, ns, a, a.namespace))
				x.Why, x.Fix = "Argo CD looks for projects in its own namespace; Applications elsewhere need sourceNamespaces.", "put both into Argo CD's namespace, or list the Application's in sourceNamespaces"
				x.Also = also("the Application", a.at("metadata", "namespace"))
			}
		}
	}
}

// roles checks policies, of which Argo CD wants six parts in its own words.
func (t *tree) roles(p *document, project string) {
	for i, entry := range list(p.object, "spec", "roles") {
		role, _ := entry.(map[string]any)
		name := text(role, "name")
		for k, line := range list(role, "policies") {
			policy, _ := line.(string)
			parts := strings.Split(policy, ",")
			for n := range parts {
				parts[n] = strings.TrimSpace(parts[n])
			}
			wrong := ""
			switch {
			case len(parts) != 6 || parts[0] != "p":
				wrong = "a policy is p, subject, resource, action, object, effect"
			case parts[1] != fmt.Sprintf("proj:%s:%s", project, name):
				wrong = fmt.Sprintf("the subject of this role is proj:%s:%s", project, name)
			case !strings.HasPrefix(parts[4], project+"/") && parts[4] != project:
				wrong = "the object begins with " + project + "/"
			case parts[5] != "allow" && parts[5] != "deny":
				wrong = "the effect is allow or deny"
			}
			if wrong != "" {
				t.add(badProject.At(p.at("spec", "roles", i, "policies", k), "", "policy %q: %s", policy, wrong)).Fix = "correct the policy"
			}
		}
	}
}
