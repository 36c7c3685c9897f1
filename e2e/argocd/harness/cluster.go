//go:build linux

package harness

import (
	"bytes"
	"context"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/yaml"

	"github.com/gpugen/gpugen/e2e/apiserver/server"
)

// Cluster is an API server and its clients.
type Cluster struct {
	*server.Server
	dynamic dynamic.Interface
	client  kubernetes.Interface
}

func startCluster(ctx context.Context, program, minor string) (*Cluster, error) {
	c := &Cluster{}
	var err error
	if c.Server, err = server.Start(ctx, program, minor); err != nil {
		return nil, err
	}
	if c.client, err = kubernetes.NewForConfig(c.Access.Config()); err != nil {
		c.Stop()
		return nil, err
	}
	if c.dynamic, err = dynamic.NewForConfig(c.Access.Config()); err != nil {
		c.Stop()
		return nil, err
	}
	return c, nil
}

// EnsureNamespace makes a namespace unless it is there.
func (c *Cluster) EnsureNamespace(ctx context.Context, name string) error {
	return c.ApplyAll(ctx, fmt.Appendf(nil, "apiVersion: v1\nkind: Namespace\nmetadata: {name: %s}\n", name), "")
}

// ApplyAll applies YAML documents, CRDs first; what names no namespace and needs
// one is put into the given one.
func (c *Cluster) ApplyAll(ctx context.Context, text []byte, namespace string) error {
	var definitions, rest []*unstructured.Unstructured
	for document := range bytes.SplitSeq(text, []byte("\n---")) {
		var object unstructured.Unstructured
		if err := yaml.Unmarshal(document, &object.Object); err != nil {
			return err
		}
		switch {
		case len(object.Object) == 0:
		case object.GetKind() == "CustomResourceDefinition":
			definitions = append(definitions, &object)
		default:
			rest = append(rest, &object)
		}
	}
	for _, object := range definitions {
		if err := c.apply(ctx, object, ""); err != nil {
			return err
		}
	}
	if len(definitions) > 0 {
		if err := c.established(ctx, definitions); err != nil {
			return err
		}
	}
	for _, object := range rest {
		if err := c.apply(ctx, object, namespace); err != nil {
			return err
		}
	}
	return nil
}

func (c *Cluster) apply(ctx context.Context, object *unstructured.Unstructured, namespace string) error {
	namespaced, err := c.Namespaced(object.GroupVersionKind())
	if err != nil {
		return err
	}
	if namespaced && object.GetNamespace() == "" {
		object.SetNamespace(namespace)
	}
	document, err := object.MarshalJSON()
	if err != nil {
		return err
	}
	if answer := c.Apply(ctx, object, document); answer.Err != nil {
		return fmt.Errorf("%s %s: %w", object.GetKind(), object.GetName(), answer.Err)
	}
	return nil
}

func (c *Cluster) established(ctx context.Context, definitions []*unstructured.Unstructured) error {
	return wait.PollUntilContextTimeout(ctx, pollEvery, startLimit, true, func(ctx context.Context) (bool, error) {
		for _, object := range definitions {
			live := c.Get(ctx, object)
			if live.Err != nil {
				return false, live.Err
			}
			conditions, _, _ := unstructured.NestedSlice(live.Object.Object, "status", "conditions")
			ok := false
			for _, one := range conditions {
				condition, _ := one.(map[string]any)
				ok = ok || condition["type"] == "Established" && condition["status"] == "True"
			}
			if !ok {
				return false, nil
			}
		}
		if err := c.Discover(ctx); err != nil {
			return false, err
		}
		// Discovery learns of it later.
		for _, object := range definitions {
			group, _, _ := unstructured.NestedString(object.Object, "spec", "group")
			kind, _, _ := unstructured.NestedString(object.Object, "spec", "names", "kind")
			version, _, _ := unstructured.NestedSlice(object.Object, "spec", "versions")
			for _, one := range version {
				name, _ := one.(map[string]any)["name"].(string)
				served, _ := one.(map[string]any)["served"].(bool)
				if _, err := c.Mapping(schema.GroupVersionKind{Group: group, Version: name, Kind: kind}); served && err != nil {
					return false, nil
				}
			}
		}
		return true, nil
	})
}
