package judge

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/gpugen/gpugen/e2e/apiserver/server"
)

// template is what a controller makes objects of.
type template struct {
	// path is where it stands.
	path   string
	object *unstructured.Unstructured
}

// templates finds what is within an object: Jobs of a CronJob, claims of a
// ResourceClaimTemplate, and Pods of anything that has a field template (or
// podTemplate) with containers, custom resources included.
func templates(owner *unstructured.Unstructured) []template {
	var out []template
	add := func(path, apiVersion, kind string, from map[string]any) {
		object := newObject(apiVersion, kind, owner.GetNamespace(), strings.ToLower(kind)+"-of-template")
		for _, field := range []string{"labels", "annotations"} {
			if value, ok, _ := unstructured.NestedMap(from, "metadata", field); ok {
				_ = unstructured.SetNestedMap(object.Object, value, "metadata", field)
			}
		}
		object.Object["spec"] = from["spec"]
		out = append(out, template{path, object})
	}
	spec, _, _ := unstructured.NestedMap(owner.Object, "spec")
	switch owner.GroupVersionKind().GroupKind().String() {
	case "CronJob.batch":
		job, _, _ := unstructured.NestedMap(spec, "jobTemplate")
		add("spec.jobTemplate", "batch/v1", "Job", job)
	case "ResourceClaimTemplate.resource.k8s.io":
		add("spec", owner.GetAPIVersion(), "ResourceClaim", spec)
	}
	findPods(spec, "spec", func(path string, from map[string]any) { add(path, "v1", "Pod", from) })
	return out
}

func findPods(value any, path string, found func(path string, template map[string]any)) {
	switch value := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			fields, _ := value[key].(map[string]any)
			_, hasContainers, _ := unstructured.NestedSlice(fields, "spec", "containers")
			if hasContainers && strings.HasSuffix(strings.ToLower(key), "template") {
				found(path+"."+key, fields)
				continue
			}
			findPods(value[key], path+"."+key, found)
		}
	case []any:
		for i, item := range value {
			findPods(item, fmt.Sprintf("%s[%d]", path, i), found)
		}
	}
}

// admitTemplates asks the server whether it would take what controllers make of
// an object's templates.
func (s *Session) admitTemplates(ctx context.Context, d *Document, live *unstructured.Unstructured, r *Report) error {
	for _, one := range templates(live) {
		if err := s.bringRuntimeClass(ctx, one.object, r); err != nil {
			return err
		}
		data, err := one.object.MarshalJSON()
		if err != nil {
			return err
		}
		answer := s.client.Create(ctx, one.object, data, server.DryRun)
		r.warn(d, one.path, answer.Warnings)
		if answer.Err != nil {
			r.add(d, beneath(one.path, refusals(answer.Err)))
			continue
		}
		r.Admitted++
	}
	return nil
}

// bringRuntimeClass makes the RuntimeClass that a pod names: the GPU Operator or
// the distribution has it, no file of a tree.
func (s *Session) bringRuntimeClass(ctx context.Context, pod *unstructured.Unstructured, r *Report) error {
	name, _, _ := unstructured.NestedString(pod.Object, "spec", "runtimeClassName")
	if name == "" || pod.GetKind() != "Pod" {
		return nil
	}
	class := newObject("node.k8s.io/v1", "RuntimeClass", "", name)
	class.Object["handler"] = name
	if answer := s.client.Get(ctx, class); answer.Err == nil || !apierrors.IsNotFound(answer.Err) {
		return answer.Err
	}
	return s.standIn(ctx, class, r)
}
