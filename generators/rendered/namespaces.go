package rendered

import (
	"slices"
	"strings"

	"github.com/gpugen/gpugen/schema/diag"
)

var namespaceKind = groupKind{"", "Namespace"}

// rendered is the Namespace of a name on an Application's cluster.
func (t *tree) namespace(a *application, name string) *resource {
	for _, b := range t.applications {
		for _, r := range b.resources {
			if r.gk() == namespaceKind && r.name() == name && b.destination() == a.destination() {
				return r
			}
		}
	}
	return nil
}

// created tells whether the sync of some Application creates a namespace.
func (t *tree) created(a *application, name string) bool {
	return slices.ContainsFunc(t.applications, func(b *application) bool {
		return b.destination() == a.destination() && b.target == name && b.has("CreateNamespace=true")
	})
}

// argoCD tells whether a namespace is one that Argo CD has its own objects in, which
// somebody has made before.
func (t *tree) argoCD(ns string) bool {
	return slices.ContainsFunc(t.applications, func(a *application) bool { return a.namespace == ns }) ||
		slices.ContainsFunc(t.projects, func(p *document) bool { return text(p.object, "metadata", "namespace") == ns })
}

// namespaces checks that each namespace that is used is there.
func (t *tree) namespaces() {
	said := map[string]bool{}
	for _, a := range t.applications {
		used := map[string]diag.Position{}
		for _, r := range a.resources {
			if namespaced, known := t.scope(r); known && !namespaced {
				continue
			}
			if ns := r.text("metadata", "namespace"); ns != "" {
				if _, ok := used[ns]; !ok {
					used[ns] = r.at("metadata", "namespace")
				}
			}
		}
		if a.target != "" && (a.open || len(a.resources) > 0 && len(used) == 0) {
			used[a.target] = a.at("spec", "destination", "namespace")
		}
		for _, ns := range sortedKeys(used) {
			ours := t.argoCD(ns)
			if slices.Contains(t.known.kubernetes.Namespaces, ns) || ours || said[a.destination()+ns] || t.namespace(a, ns) != nil || t.created(a, ns) || slices.Contains(t.options.Namespaces, ns) {
				continue
			}
			said[a.destination()+ns] = true
			creates := map[string]string{"": "set CreateNamespace=true, ", fluxRelease: "set spec.install.createNamespace: true, "}[a.kind]
			t.add(namespaceOfNobody.At(used[ns], "", "nothing in the tree creates namespace %s, which %s uses", ns, a)).Fix = "render the Namespace, " + creates + "or say that it exists with --namespace " + ns
		}
	}
}

const enforce = "pod-security.kubernetes.io/enforce"

// podSecurity checks that a Namespace with a level admits the Pods that are rendered
// into it.
func (t *tree) podSecurity() {
	for _, a := range t.applications {
		for _, r := range a.resources {
			why := privileged(podSpec(r.object))
			ns := r.text("metadata", "namespace")
			if ns == "" {
				ns = a.target
			}
			if why == "" || ns == "" {
				continue
			}
			n := t.namespace(a, ns)
			if n == nil {
				continue
			}
			level := n.text("metadata", "labels", enforce)
			if level == "privileged" {
				continue
			}
			x := t.add(namespaceOfNobody.At(n.at("metadata", "name"), "", "Namespace %s does not admit the Pods of %s, which want %s", ns, r, why))
			if level == "" {
				x.Message = "Namespace " + ns + " has no level of Pod Security, and " + r.String() + " wants " + why
			}
			x.Why = "A cluster that enforces a level by default, as its administrator may set it, refuses these Pods."
			x.Fix = "label the Namespace " + enforce + ": privileged"
			x.Also = also("what it wants", r.at("spec"))
		}
	}
}

// podSpec is the spec of the Pods that an object makes; nil if it makes none.
func podSpec(o map[string]any) map[string]any {
	for _, path := range [][]string{{"spec", "template", "spec"}, {"spec", "jobTemplate", "spec", "template", "spec"}} {
		if spec, ok := value(o, path...).(map[string]any); ok && spec["containers"] != nil {
			return spec
		}
	}
	if text(o, "kind") == "Pod" {
		spec, _ := value(o, "spec").(map[string]any)
		return spec
	}
	return nil
}

// privileged says what in a Pod only the level privileged admits; "" if nothing.
func privileged(spec map[string]any) string {
	for _, field := range []string{"hostPID", "hostIPC", "hostNetwork"} {
		if truth(spec, field) {
			return field
		}
	}
	for _, v := range list(spec, "volumes") {
		if volume, _ := v.(map[string]any); volume["hostPath"] != nil {
			return "hostPath"
		}
	}
	for _, containers := range []string{"initContainers", "containers"} {
		for _, c := range list(spec, containers) {
			if container, _ := c.(map[string]any); truth(container, "securityContext", "privileged") {
				return "a privileged container"
			}
		}
	}
	return ""
}

// managedNamespaces checks managedNamespaceMetadata.
func (t *tree) managedNamespaces() {
	for _, a := range t.applications {
		if value(a.object, "spec", "syncPolicy", "managedNamespaceMetadata") == nil {
			continue
		}
		at := a.at("spec", "syncPolicy", "managedNamespaceMetadata")
		if !a.has("CreateNamespace=true") {
			t.add(managedMetadata.At(at, "", "%s has managedNamespaceMetadata without CreateNamespace=true", a)).Fix = "add CreateNamespace=true, or render the Namespace with its labels"
		}
		if n := t.namespace(a, a.target); n != nil && strings.TrimSpace(a.target) != "" {
			t.add(managedMetadata.At(at, "", "Namespace %s is in the tree, and %s has managedNamespaceMetadata", a.target, a)).Also = also("the Namespace", n.at("metadata", "name"))
		}
	}
}
