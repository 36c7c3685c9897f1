package judge

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/gpugen/gpugen/e2e/apiserver/server"
)

const (
	levelLabel = "pod-security.kubernetes.io/enforce"
	levelField = "metadata.labels[" + levelLabel + "]"
)

// levels from lax to strict, each with a pod that it admits and the next does not.
var levels = []struct {
	name string
	spec map[string]any
}{
	{"privileged", podSpec(map[string]any{"privileged": true})},
	{"baseline", podSpec(map[string]any{})},
	{"restricted", podSpec(map[string]any{
		"allowPrivilegeEscalation": false,
		"runAsNonRoot":             true,
		"capabilities":             map[string]any{"drop": []any{"ALL"}},
		"seccompProfile":           map[string]any{"type": "RuntimeDefault"},
	})},
}

func podSpec(securityContext map[string]any) map[string]any {
	return map[string]any{"containers": []any{map[string]any{
		"name": "try", "image": "registry.example.com/try:1", "securityContext": securityContext,
	}}}
}

// levelSlips reports a namespace that leaves its level to the cluster: drivers and
// device plugins run at one level only.
func levelSlips(namespace *unstructured.Unstructured) []slip {
	if namespace.GetLabels()[levelLabel] == "" {
		return []slip{{levelField, "is missing: which pods the namespace admits would depend on the cluster's default"}}
	}
	return nil
}

// tryLevel sees whether the server enforces a namespace's level: the pod of each
// level that is laxer must be refused, the others admitted.
func (s *Session) tryLevel(ctx context.Context, d *Document, r *Report) error {
	level := d.Object.GetLabels()[levelLabel]
	if level == "" {
		return nil
	}
	admits := false
	for _, one := range levels {
		admits = admits || one.name == level
		pod := newObject("v1", "Pod", d.Object.GetName(), "try-"+one.name)
		pod.Object["spec"] = one.spec
		data, err := pod.MarshalJSON()
		if err != nil {
			return err
		}
		answer := s.client.Create(ctx, pod, data, server.DryRun)
		refused := refusesFor(answer.Err, "violates PodSecurity")
		if refused == admits {
			r.add(d, []slip{{levelField, fmt.Sprintf("the level is %s, but a %s pod is %s", level, one.name, answerText(answer))}})
		}
	}
	return nil
}

func answerText(answer server.Answer) string {
	if answer.Err == nil {
		return "admitted"
	}
	return "refused: " + strings.TrimSpace(answer.Err.Error())
}
