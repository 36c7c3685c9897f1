package judge

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/gpugen/gpugen/e2e/apiserver/server"
)

// systemNamespaces are the server's own and cannot be removed.
var systemNamespaces = []string{"default", "kube-system", "kube-public", "kube-node-lease"}

func (d *Document) isDefinition() bool { return d.Object.GetKind() == definitionKind }

// blocks tells of documents that are tried but not stored: kinds that make the
// server ask somebody who does not run here, so that it would refuse or forget
// what comes after, and hooks, which Argo CD skips, or makes anew for each sync and
// never compares.
func (d *Document) blocks() bool {
	if _, isHook := d.Object.GetAnnotations()["argocd.argoproj.io/hook"]; isHook {
		return true
	}
	return slices.Contains([]string{"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration", "APIService"}, d.Object.GetKind())
}

// apply sends a document and remembers to remove what came of it.
func (s *Session) apply(ctx context.Context, d *Document) server.Answer {
	if d.blocks() {
		return s.client.Apply(ctx, d.Object, d.Data, server.DryRun)
	}
	answer := s.client.Apply(ctx, d.Object, d.Data)
	if answer.Err == nil {
		s.remember(answer.Object)
	}
	return answer
}

// store creates an object that the judge needs.
func (s *Session) store(ctx context.Context, object *unstructured.Unstructured) error {
	data, err := object.MarshalJSON()
	if err != nil {
		return err
	}
	answer := s.client.Apply(ctx, object, data)
	if answer.Err != nil {
		return fmt.Errorf("%s: %w", nameOf(object), answer.Err)
	}
	s.remember(answer.Object)
	return nil
}

func (s *Session) remember(object *unstructured.Unstructured) {
	same := func(other *unstructured.Unstructured) bool { return other.GetUID() == object.GetUID() }
	if !slices.ContainsFunc(s.made, same) {
		s.made = append(s.made, object)
	}
}

// prepare makes what is there before the tree: namespaces that its objects are in
// and that it does not bring.
func (s *Session) prepare(ctx context.Context, documents []*Document, r *Report) error {
	own := map[string]bool{}
	for _, d := range documents {
		if d.Object.GetKind() == "Namespace" {
			own[d.Object.GetName()] = true
		}
	}
	for _, d := range documents {
		namespace := d.Object.GetNamespace()
		if namespace == "" || own[namespace] {
			continue
		}
		own[namespace] = true
		object := newObject("v1", "Namespace", "", namespace)
		if !slices.Contains(systemNamespaces, namespace) {
			if err := s.standIn(ctx, object, r); err != nil {
				return err
			}
		}
		if err := s.playControllers(ctx, object); err != nil {
			return err
		}
	}
	return nil
}

// standIn stores an object that a chart, a controller or a person would have made.
func (s *Session) standIn(ctx context.Context, object *unstructured.Unstructured, r *Report) error {
	if name := nameOf(object); !slices.Contains(r.StandIns, name) {
		r.StandIns = append(r.StandIns, name)
	}
	return s.store(ctx, object)
}

// playControllers does what a controller manager would do and pods depend on: the
// service account of a namespace, the usage of a quota.
func (s *Session) playControllers(ctx context.Context, live *unstructured.Unstructured) error {
	switch live.GroupVersionKind().GroupKind() {
	case schema.GroupKind{Kind: "Namespace"}:
		return s.bringServiceAccount(ctx, live.GetName())
	case schema.GroupKind{Kind: "ResourceQuota"}:
		hard, _, err := unstructured.NestedStringMap(live.Object, "spec", "hard")
		if err != nil {
			return err
		}
		used := map[string]any{}
		for resource := range hard {
			used[resource] = "0"
		}
		quota := live.DeepCopy()
		quota.Object["status"] = map[string]any{"hard": asMap(hard), "used": used}
		return s.client.ReplaceSubresource(ctx, quota, "status").Err
	}
	return nil
}

// bringServiceAccount also waits until admission has forgotten a namespace of that
// name which was there for the tree before.
func (s *Session) bringServiceAccount(ctx context.Context, namespace string) error {
	return wait.PollUntilContextTimeout(ctx, pollEvery, patience, true, func(ctx context.Context) (bool, error) {
		err := s.store(ctx, newObject("v1", "ServiceAccount", namespace, "default"))
		if apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
			return false, nil
		}
		return true, err
	})
}

// clean removes what was stored for a tree, in reverse order.
func (s *Session) clean(ctx context.Context) error {
	for _, object := range slices.Backward(s.made) {
		remove := s.client.Delete
		if object.GetKind() == "Namespace" {
			if slices.Contains(systemNamespaces, object.GetName()) {
				continue
			}
			remove = s.client.DeleteNamespace
		}
		if err := remove(ctx, object); err != nil {
			return fmt.Errorf("remove %s: %w", nameOf(object), err)
		}
	}
	s.made = nil
	return nil
}

func newObject(apiVersion, kind, namespace, name string) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": apiVersion, "kind": kind}}
	object.SetName(name)
	object.SetNamespace(namespace)
	return object
}

func asMap(from map[string]string) map[string]any {
	out := map[string]any{}
	for key, value := range from {
		out[key] = value
	}
	return out
}

// refusesFor tells whether a refusal is for the given reason.
func refusesFor(err error, reason string) bool {
	return err != nil && strings.Contains(err.Error(), reason)
}
