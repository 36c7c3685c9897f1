package charts

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// controlPlane is the taint of the nodes that are left for a controller where every
// other node carries a taint of its pool's.
var controlPlane = corev1.Taint{Key: "node-role.kubernetes.io/control-plane", Effect: corev1.TaintEffectNoSchedule}

// schedule looks for controllers that no node takes where all pools are tainted.
// DaemonSets are for the pools' own nodes.
func (r *Report) schedule(pieces []piece) {
	skipped := map[string]bool{}
	for _, piece := range pieces {
		if piece.skipped() {
			skipped[nameOf(piece.object)] = true
		}
	}
	for _, piece := range pieces {
		if piece.release == nil || skipped[nameOf(piece.object)] || !slices.Contains([]string{"Deployment", "StatefulSet", "Job"}, piece.object.GetKind()) {
			continue
		}
		var template corev1.PodTemplateSpec
		content, _, _ := unstructured.NestedMap(piece.object.Object, "spec", "template")
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(content, &template); err != nil {
			continue // validate reports it
		}
		if !slices.ContainsFunc(template.Spec.Tolerations, tolerates) {
			r.problem("%v: does not tolerate %s: no node is left for it where all pools are tainted", piece, controlPlane.ToString())
		}
	}
}

// tolerates follows https://kubernetes.io/docs/concepts/scheduling-eviction/taint-and-toleration/ (read 2026-11).
func tolerates(t corev1.Toleration) bool {
	return (t.Key == controlPlane.Key || t.Key == "" && t.Operator == corev1.TolerationOpExists) &&
		(t.Effect == controlPlane.Effect || t.Effect == "") &&
		(t.Operator == corev1.TolerationOpExists || t.Value == controlPlane.Value)
}

func nameOf(o *unstructured.Unstructured) string {
	return o.GetKind() + " " + o.GetNamespace() + "/" + o.GetName()
}
