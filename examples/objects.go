package examples

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Collection gathers Kubernetes objects and refuses the same object twice. The
// zero value is empty and ready.
type Collection struct {
	origin  map[identity]string
	objects map[identity]map[string]any
}

type identity struct{ group, kind, namespace, name string }

func (i identity) String() string {
	return i.kind + "." + i.group + "/" + i.namespace + "/" + i.name
}

// Add puts an object into the collection; the origin appears in messages. It
// fails on a mapping that is no Kubernetes object, and on an object that is there
// already.
func (c *Collection) Add(origin string, object map[string]any) error {
	id, err := identify(object)
	if err != nil {
		return fmt.Errorf("%s: %w", origin, err)
	}
	if first, ok := c.origin[id]; ok {
		return fmt.Errorf("%s: %s is already in %s", origin, id, first)
	}
	if c.objects == nil {
		c.origin, c.objects = map[identity]string{}, map[identity]map[string]any{}
	}
	c.origin[id], c.objects[id] = origin, object
	return nil
}

// Keyed returns the objects by their keys.
func (c *Collection) Keyed() map[string]any {
	groups := map[string]int{}
	for id := range c.objects {
		groups[key(id.kind, id)]++
	}
	out := map[string]any{}
	for id, object := range c.objects {
		plain := key(id.kind, id)
		if groups[plain] > 1 && id.group != "" {
			plain = key(id.kind+"."+id.group, id)
		}
		out[plain] = object
	}
	return out
}

func key(kind string, id identity) string { return kind + "/" + id.namespace + "/" + id.name }

func identify(object map[string]any) (identity, error) {
	metadata, _ := object["metadata"].(map[string]any)
	apiVersion, _ := object["apiVersion"].(string)
	id := identity{
		kind:      text(object["kind"]),
		namespace: text(metadata["namespace"]),
		name:      text(metadata["name"]),
	}
	if group, _, ok := strings.Cut(apiVersion, "/"); ok {
		id.group = group
	}
	if apiVersion == "" || id.kind == "" || id.name == "" {
		fields := slices.Sorted(maps.Keys(object))
		return id, fmt.Errorf("not a Kubernetes object: apiVersion %q, kind %q, name %q (fields %s)", apiVersion, id.kind, id.name, strings.Join(fields, ", "))
	}
	return id, nil
}

func text(value any) string {
	s, _ := value.(string)
	return s
}

// at walks a value down a path of field names; nil if there is nothing.
func at(value any, path ...string) any {
	for _, field := range path {
		fields, _ := value.(map[string]any)
		value = fields[field]
	}
	return value
}
