package charts

import (
	"fmt"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// project is what an Argo CD AppProject permits, as Argo CD 3.5 reads it
// (pkg/apis/application/v1alpha1/types.go at v3.5.1): no list of cluster-scoped
// kinds permits none, no list of namespaced kinds permits all.
type project struct {
	name                                string
	clusterAllowed, clusterDenied       []any
	namespacedAllowed, namespacedDenied []any
	namespacedListed                    bool
	destinations, repositories          []any
}

func newProject(object map[string]any) project {
	spec, _ := object["spec"].(map[string]any)
	metadata, _ := object["metadata"].(map[string]any)
	list := func(field string) []any {
		out, _ := spec[field].([]any)
		return out
	}
	_, listed := spec["namespaceResourceWhitelist"]
	return project{
		name:              field(metadata, "name"),
		clusterAllowed:    list("clusterResourceWhitelist"),
		clusterDenied:     list("clusterResourceBlacklist"),
		namespacedAllowed: list("namespaceResourceWhitelist"),
		namespacedDenied:  list("namespaceResourceBlacklist"),
		namespacedListed:  listed,
		destinations:      list("destinations"),
		repositories:      list("sourceRepos"),
	}
}

// refusal says why the project keeps the object from the server; empty if it does
// not.
func (p project) refusal(server string, object *unstructured.Unstructured, namespaced bool) string {
	kind, name, namespace := object.GroupVersionKind().GroupKind(), object.GetName(), object.GetNamespace()
	if !namespaced {
		if !lists(p.clusterAllowed, kind, name) || lists(p.clusterDenied, kind, name) {
			return fmt.Sprintf("project %s does not permit the cluster-scoped kind %s", p.name, kind)
		}
		return ""
	}
	if p.namespacedListed && !lists(p.namespacedAllowed, kind, name) || lists(p.namespacedDenied, kind, name) {
		return fmt.Sprintf("project %s does not permit the kind %s", p.name, kind)
	}
	if !p.permitsDestination(server, namespace) {
		return fmt.Sprintf("project %s has no destination %s, namespace %s", p.name, server, namespace)
	}
	return ""
}

// permitsRepository reports whether Applications of the project may use it.
func (p project) permitsRepository(url string) bool {
	permitted := false
	for _, entry := range p.repositories {
		pattern, _ := entry.(string)
		if denied, ok := strings.CutPrefix(pattern, "!"); ok {
			if glob(denied, url) {
				return false
			}
			continue
		}
		permitted = permitted || glob(strings.TrimSuffix(pattern, "/"), strings.TrimSuffix(url, "/"))
	}
	return permitted
}

func (p project) permitsDestination(server, namespace string) bool {
	permitted := false
	for _, entry := range p.destinations {
		destination, _ := entry.(map[string]any)
		wanted := field(destination, "namespace")
		if denied, ok := strings.CutPrefix(wanted, "!"); ok {
			if toServer(destination, server) && glob(denied, namespace) {
				return false
			}
			continue
		}
		permitted = permitted || toServer(destination, server) && glob(wanted, namespace)
	}
	return permitted
}

// toServer compares with the server's address or its name, whichever the
// Application gives.
func toServer(destination map[string]any, server string) bool {
	for _, name := range []string{"server", "name"} {
		if wanted := field(destination, name); wanted != "" && glob(wanted, server) {
			return true
		}
	}
	return false
}

// lists reports whether an entry covers the kind, and the name if it has one.
func lists(entries []any, kind schema.GroupKind, name string) bool {
	for _, entry := range entries {
		item, _ := entry.(map[string]any)
		named := field(item, "name")
		if glob(field(item, "group"), kind.Group) && glob(field(item, "kind"), kind.Kind) && (named == "" || glob(named, name)) {
			return true
		}
	}
	return false
}

func field(object map[string]any, name string) string {
	value, _ := object[name].(string)
	return value
}

// glob matches with * for any run of characters, slashes too.
func glob(pattern, value string) bool {
	quoted := strings.ReplaceAll(regexp.QuoteMeta(pattern), `\*`, ".*")
	return regexp.MustCompile("^" + quoted + "$").MatchString(value)
}
