//go:build linux

package harness

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"
)

const (
	trackingID = "argocd.argoproj.io/tracking-id"
	// argoManager is the field manager that Argo CD applies as.
	argoManager = "argocd-controller"
	// person is the field manager of somebody with kubectl.
	person = "kubectl-edit"
	// syncLimit is for one sync.
	syncLimit = 10 * time.Minute
)

// Object is what is known of an object that Argo CD tracks.
type Object struct {
	// Application is the one that brought it.
	Application string
	UID         types.UID
	// Version is the resource version.
	Version string
	// Applied is when Argo CD last changed something about it.
	Applied string
	// Managers are those who applied or wrote some field.
	Managers []string
	// Deleting says that it waits for its end.
	Deleting bool
}

// Tracked are all objects that Argo CD tracks but Applications, by kind, namespace
// and name.
func (h *Harness) Tracked(ctx context.Context) (map[string]Object, error) {
	out, err := h.tracked(ctx)
	if err != nil || h.Hub == h.Cluster {
		return out, err
	}
	more, err := h.Hub.tracked(ctx)
	for key, o := range more {
		out["hub's "+key] = o
	}
	return out, err
}

func (c *Cluster) tracked(ctx context.Context) (map[string]Object, error) {
	return c.objects(ctx, func(annotations map[string]string) string {
		application, _, _ := strings.Cut(annotations[trackingID], ":")
		return application
	})
}

// Released are all objects of a Helm release but the CRDs of crds/, likewise.
func (c *Cluster) Released(ctx context.Context, release string) (map[string]Object, error) {
	return c.objects(ctx, func(annotations map[string]string) string {
		if annotations["meta.helm.sh/release-name"] != release {
			return ""
		}
		return release
	})
}

// objects are those that belong to something by their annotations.
func (c *Cluster) objects(ctx context.Context, owner func(map[string]string) string) (map[string]Object, error) {
	names, err := metadata.NewForConfig(c.Access.Config())
	if err != nil {
		return nil, err
	}
	lists, err := discovery.NewDiscoveryClientForConfigOrDie(c.Access.Config()).ServerPreferredResources()
	if err != nil {
		return nil, err
	}
	out := map[string]Object{}
	for _, list := range lists {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			return nil, err
		}
		for _, resource := range list.APIResources {
			if !slices.Contains(resource.Verbs, "list") || !slices.Contains(resource.Verbs, "delete") || resource.Kind == "Application" || resource.Kind == "Event" {
				continue
			}
			found, err := names.Resource(version.WithResource(resource.Name)).List(ctx, metav1.ListOptions{ResourceVersion: "0"})
			if apierrors.IsNotFound(err) {
				continue
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", resource.Name, err)
			}
			for i := range found.Items {
				one := &found.Items[i]
				// A controller copies annotations to what it makes.
				if application := owner(one.Annotations); application != "" && metav1.GetControllerOf(one) == nil {
					key := resource.Kind + "." + version.Group + " " + one.Namespace + "/" + one.Name
					out[key] = Object{application, one.UID, one.ResourceVersion, applied(one), managers(one), one.DeletionTimestamp != nil}
				}
			}
		}
	}
	return out, nil
}

func managers(object *metav1.PartialObjectMetadata) []string {
	var out []string
	for _, entry := range object.ManagedFields {
		out = append(out, entry.Manager)
	}
	return out
}

// applied is when the server last changed the object because of what Argo CD applied.
func applied(object *metav1.PartialObjectMetadata) string {
	for _, entry := range object.ManagedFields {
		if entry.Manager == argoManager && entry.Operation == metav1.ManagedFieldsOperationApply && entry.Time != nil {
			return entry.Time.String()
		}
	}
	return ""
}

// Moved says what differs between two looks at the cluster.
func Moved(before, after map[string]Object) []string {
	var out []string
	for _, key := range slices.Sorted(maps.Keys(before)) {
		switch now, ok := after[key]; {
		case !ok:
			out = append(out, "gone: "+key)
		case now.UID != before[key].UID:
			out = append(out, "made anew: "+key)
		case now.Version != before[key].Version:
			out = append(out, "changed: "+key)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(after)) {
		if _, ok := before[key]; !ok {
			out = append(out, "new: "+key)
		}
	}
	return out
}

// Edit is a change that a person made to a value that Argo CD applied.
type Edit struct {
	// Where is the object and the path of the value.
	Where    string
	resource dynamicResource
	name     string
	path     []string
	was      any
}

type dynamicResource interface {
	Get(context.Context, string, metav1.GetOptions, ...string) (*unstructured.Unstructured, error)
	Patch(context.Context, string, types.PatchType, []byte, metav1.PatchOptions, ...string) (*unstructured.Unstructured, error)
}

// EditOne changes one value of one of the Application's objects, as `kubectl edit`
// would. It returns nil if the server lets no value be changed.
func (h *Harness) EditOne(ctx context.Context, application Application) (*Edit, error) {
	c := h.Cluster
	if application.Spec.Destination.Hub() {
		c = h.Hub
	}
	if err := c.Discover(ctx); err != nil {
		return nil, err
	}
	for _, one := range application.Status.Resources {
		if one.Kind == "CustomResourceDefinition" || one.Kind == "Application" {
			continue
		}
		kind := schema.GroupVersionKind{Group: one.Group, Version: one.Version, Kind: one.Kind}
		mapping, err := c.Mapping(kind)
		if err != nil {
			return nil, err
		}
		resource := dynamicResource(c.dynamic.Resource(mapping.Resource))
		if mapping.Scope.Name() == "namespace" {
			resource = c.dynamic.Resource(mapping.Resource).Namespace(one.Namespace)
		}
		live, err := resource.Get(ctx, one.Name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			continue // a hook
		}
		if err != nil {
			return nil, err
		}
		for _, path := range owned(live) {
			was, found, err := unstructured.NestedFieldNoCopy(live.Object, path...)
			if err != nil || !found {
				continue
			}
			to := other(was)
			if to == nil {
				continue
			}
			patch := to
			for _, step := range slices.Backward(path) {
				patch = map[string]any{step: patch}
			}
			text, err := json.Marshal(patch)
			if err != nil {
				return nil, err
			}
			changed, err := resource.Patch(ctx, one.Name, types.MergePatchType, text, metav1.PatchOptions{FieldManager: person})
			if err != nil {
				continue // the field cannot change, or not to this
			}
			if now, _, err := unstructured.NestedFieldNoCopy(changed.Object, path...); err != nil || now != to {
				continue // somebody holds it to what it was
			}
			where := fmt.Sprintf("%s %s/%s %s", one.Kind, one.Namespace, one.Name, strings.Join(path, "."))
			return &Edit{where, resource, one.Name, path, was}, nil
		}
	}
	return nil, nil
}

// Reverted tells whether the value is what it was.
func (e *Edit) Reverted(ctx context.Context) (bool, error) {
	live, err := e.resource.Get(ctx, e.name, metav1.GetOptions{})
	if err != nil {
		return false, err
	}
	now, _, err := unstructured.NestedFieldNoCopy(live.Object, e.path...)
	return err == nil && now == e.was, err
}

// owned are the paths of values that Argo CD applied, outside of lists, but for
// those of the metadata.
func owned(object *unstructured.Unstructured) [][]string {
	var out [][]string
	for _, entry := range object.GetManagedFields() {
		var fields map[string]any
		if entry.Manager != argoManager || entry.FieldsV1 == nil || json.Unmarshal(entry.FieldsV1.Raw, &fields) != nil {
			continue
		}
		out = append(out, leaves(fields, nil)...)
	}
	slices.SortFunc(out, slices.Compare)
	return out
}

func leaves(fields map[string]any, path []string) [][]string {
	var out [][]string
	for key, value := range fields {
		name, ok := strings.CutPrefix(key, "f:")
		if !ok || len(path) == 0 && slices.Contains([]string{"metadata", "apiVersion", "kind"}, name) {
			continue
		}
		below := append(slices.Clone(path), name)
		if inner, _ := value.(map[string]any); len(inner) > 0 {
			out = append(out, leaves(inner, below)...)
		} else {
			out = append(out, below)
		}
	}
	return out
}

// other is another value of the same type.
func other(value any) any {
	switch value := value.(type) {
	case bool:
		return !value
	case int64:
		return value + 1
	case string:
		return value + "x"
	}
	return nil
}

// argoObject reads and writes objects of a kind of Argo CD's.
func (h *Harness) argoObject(kind string) dynamic.ResourceInterface {
	resource := map[string]schema.GroupVersionResource{
		"Application": applications, "ApplicationSet": applicationSets, "AppProject": applications.GroupVersion().WithResource("appprojects"),
	}[kind]
	return h.Hub.dynamic.Resource(resource).Namespace(h.options.Namespace)
}

// Named is an object of Argo CD's.
func (h *Harness) Named(ctx context.Context, kind, name string) (*unstructured.Unstructured, error) {
	return h.argoObject(kind).Get(ctx, name, metav1.GetOptions{})
}

// PatchObject changes an object of Argo CD's as `kubectl patch --type merge` would.
func (h *Harness) PatchObject(ctx context.Context, kind, name string, patch []byte) error {
	_, err := h.argoObject(kind).Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: person})
	return err
}

// CreateAs makes an object of Argo CD's as another field manager.
func (h *Harness) CreateAs(ctx context.Context, manager, kind, name string, finalizers []string, spec map[string]any) error {
	text, err := json.Marshal(map[string]any{
		"apiVersion": applications.GroupVersion().String(), "kind": kind,
		"metadata": map[string]any{"name": name, "finalizers": finalizers}, "spec": spec,
	})
	if err != nil {
		return err
	}
	object := &unstructured.Unstructured{}
	if err := object.UnmarshalJSON(text); err != nil {
		return err
	}
	_, err = h.argoObject(kind).Create(ctx, object, metav1.CreateOptions{FieldManager: manager})
	return err
}

// DeleteApplication deletes one, as `kubectl delete application` would.
func (h *Harness) DeleteApplication(ctx context.Context, name string) error {
	return h.Hub.dynamic.Resource(applications).Namespace(h.options.Namespace).Delete(ctx, name, metav1.DeleteOptions{})
}

// DeleteApplicationSet deletes one likewise.
func (h *Harness) DeleteApplicationSet(ctx context.Context, name string) error {
	return h.Hub.dynamic.Resource(applicationSets).Namespace(h.options.Namespace).Delete(ctx, name, metav1.DeleteOptions{})
}

// Pods are those of a namespace, by name, once there is one for each that its
// controllers want.
func (c *Cluster) Pods(ctx context.Context, namespace string) (map[string]Object, error) {
	out := map[string]Object{}
	err := wait.PollUntilContextTimeout(ctx, pollEvery, startLimit, true, func(ctx context.Context) (bool, error) {
		clear(out)
		list, err := c.client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		for i := range list.Items {
			out[list.Items[i].Name] = Object{UID: list.Items[i].UID}
		}
		want := 0
		deployments, err := c.client.AppsV1().Deployments(namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		for _, one := range deployments.Items {
			want += int(*one.Spec.Replicas)
		}
		sets, err := c.client.AppsV1().DaemonSets(namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		for _, one := range sets.Items {
			if one.Status.ObservedGeneration != one.Generation {
				return false, nil
			}
			want += int(one.Status.DesiredNumberScheduled)
		}
		return len(out) == want, nil
	})
	return out, err
}

// DeleteSecrets deletes those with labels, as `kubectl delete secret -l` would.
func (c *Cluster) DeleteSecrets(ctx context.Context, namespace, labels string) error {
	return c.client.CoreV1().Secrets(namespace).DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: labels})
}

// Sync syncs an Application once, as `argocd app sync` would, and waits until that
// ended. It returns how: an empty text if it succeeded.
func (h *Harness) Sync(ctx context.Context, name string) (string, error) {
	client := h.Hub.dynamic.Resource(applications).Namespace(h.options.Namespace)
	app, err := client.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	options, _, _ := unstructured.NestedStringSlice(app.Object, "spec", "syncPolicy", "syncOptions")
	patch, err := json.Marshal(map[string]any{"operation": map[string]any{
		"initiatedBy": map[string]any{"username": person},
		"sync":        map[string]any{"syncStrategy": map[string]any{"hook": map[string]any{}}, "syncOptions": options},
	}})
	if err != nil {
		return "", err
	}
	before, _, _ := unstructured.NestedFieldNoCopy(app.Object, "status", "operationState", "finishedAt")
	if _, err := client.Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: person}); err != nil {
		return "", err
	}
	said := ""
	err = wait.PollUntilContextTimeout(ctx, pollEvery, syncLimit, false, func(ctx context.Context) (bool, error) {
		if app, err = client.Get(ctx, name, metav1.GetOptions{}); err != nil {
			return false, err
		}
		state, _, _ := unstructured.NestedMap(app.Object, "status", "operationState")
		if app.Object["operation"] != nil || state["finishedAt"] == nil || state["finishedAt"] == before {
			return false, nil
		}
		if state["phase"] != "Succeeded" {
			said = fmt.Sprintf("%v: %v", state["phase"], state["message"])
		}
		return true, nil
	})
	return said, err
}

// EndSync ends the sync of an Application that is under way, as `argocd app
// terminate-op` would.
func (h *Harness) EndSync(ctx context.Context, name string) error {
	patch := []byte(`{"status": {"operationState": {"phase": "Terminating"}}}`)
	_, err := h.Hub.dynamic.Resource(applications).Namespace(h.options.Namespace).Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: person})
	return err
}

// Annotate sets an annotation of an Application.
func (h *Harness) Annotate(ctx context.Context, name, key, value string) error {
	patch, err := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": map[string]any{key: value}}})
	if err != nil {
		return err
	}
	_, err = h.Hub.dynamic.Resource(applications).Namespace(h.options.Namespace).Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{FieldManager: person})
	return err
}
