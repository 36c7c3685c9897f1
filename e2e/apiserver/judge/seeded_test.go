package judge_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gpugen/gpugen/e2e/apiserver/judge"
)

// fault is an edit to a copy of a golden tree, and where the judge must see it.
type fault struct {
	name string
	// file gets old replaced by new; old "" appends new.
	file, old, new string
	// listed is a kustomization that gets the file as one more resource.
	listed string
	// want is file:object:field and the beginning of the message.
	want string
}

const (
	nodeLabels = "gpu-operator/nodefeaturerule-gpugen-node-pools.yaml"
	namespace  = "gpu-operator/namespace-gpu-operator.yaml"
	component  = "gpu-operator/kustomization.yaml"
	rule       = ":NodeFeatureRule//gpugen-node-pools:"
	more       = "gpu-operator/more.yaml"
)

var faults = []fault{
	{name: "wrong field", file: nodeLabels, old: "  - labels:", new: "  - label: {}\n    labels:",
		want: nodeLabels + rule + `spec.rules[0].label unknown field`},
	{name: "two wrong fields", file: nodeLabels, old: "spec:", new: "spec:\n  first: 1\n  second: 2",
		want: nodeLabels + rule + `spec.second unknown field`},
	{name: "wrong field in metadata", file: nodeLabels, old: "  name: gpugen", new: "  label: {}\n  name: gpugen",
		want: nodeLabels + rule + `metadata.label unknown field`},
	{name: "removed required field", file: nodeLabels, old: "    name: pool notebooks\n", new: "",
		want: nodeLabels + rule + `spec.rules[0].name Required value`},
	{name: "wrong type", file: nodeLabels, old: "op: InRegexp", new: "op: [InRegexp]",
		want: nodeLabels + rule + `spec.rules[0].matchFeatures[0].matchExpressions.nodename.op Invalid value`},
	{name: "wrong API version", file: nodeLabels, old: "v1alpha1", new: "v1beta9",
		want: nodeLabels + rule + `apiVersion the server does not serve`},
	{name: "kind that no chart brings", file: nodeLabels, old: "nfd.k8s-sigs.io/v1alpha1", new: "example.com/v1",
		want: nodeLabels + rule + `apiVersion the server does not serve`},
	{name: "no API version", file: nodeLabels, old: "apiVersion: nfd.k8s-sigs.io/v1alpha1\n", new: "",
		want: nodeLabels + rule + `apiVersion is missing`},
	{name: "namespace without its level", file: namespace, old: "    pod-security.kubernetes.io/enforce: privileged\n", new: "",
		want: namespace + ":Namespace//gpu-operator:metadata.labels[pod-security.kubernetes.io/enforce] is missing"},
	{name: "level that does not exist", file: namespace, old: "enforce: privileged", new: "enforce: lax",
		want: namespace + ":Namespace//gpu-operator:metadata.labels[pod-security.kubernetes.io/enforce]"},
	{name: "label value that is none", file: namespace, old: "enforce: privileged", new: "enforce: privileged\n    example.com/a: b c",
		want: namespace + ":Namespace//gpu-operator:metadata.labels"},
	{name: "namespace on a cluster-scoped object", file: nodeLabels, old: "  name: gpugen", new: "  namespace: gpu-operator\n  name: gpugen",
		want: nodeLabels + ":NodeFeatureRule/gpu-operator/gpugen-node-pools:metadata.namespace the kind is cluster-scoped"},
	{name: "duplicate object", file: more, new: "apiVersion: v1\nkind: Namespace\nmetadata: {name: gpu-operator, labels: {pod-security.kubernetes.io/enforce: privileged}}", listed: component,
		want: namespace + ":Namespace//gpu-operator:metadata.name the same object is also in " + more},
	{name: "file that nothing lists", file: more, new: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}",
		want: more + ":: no kustomization lists this file"},
	{name: "listed file that is not there", file: component, old: "resources:", new: "resources:\n- other.yaml",
		want: "gpu-operator/other.yaml:: is listed and cannot be read"},
	{name: "not YAML", file: nodeLabels, old: "spec:", new: "spec: [",
		want: nodeLabels + ":: not a YAML mapping"},
	{name: "key twice", file: more, new: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  a: b\n  a: c", listed: component,
		want: more + ":ConfigMap/gpu-operator/a:"},
	{name: "number where text must be", file: more, new: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {a: 1}", listed: component,
		want: more + ":ConfigMap/gpu-operator/a:data ConfigMap in version"},
	{name: "name too long", file: more, new: "apiVersion: v1\nkind: Service\nmetadata: {name: " + strings.Repeat("a", 64) + "}\nspec: {ports: [{port: 80}]}", listed: component,
		want: more + ":Service/gpu-operator/" + strings.Repeat("a", 64) + ":metadata.name"},
	{name: "value that the server rewrites", file: more, new: "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: a}\nspec: {hard: {cpu: 2000m}}", listed: component,
		want: more + `:ResourceQuota/gpu-operator/a:spec.hard.cpu is rendered as "2000m" and the server makes it "2"`},
	{name: "deprecated field", file: more, new: cronJob("nodeSelector: {beta.kubernetes.io/os: linux}"), listed: component,
		want: more + `:CronJob/gpu-operator/a:spec.jobTemplate.spec.template.spec.nodeSelector[beta.kubernetes.io/os] warning: deprecated`},
	{name: "pod that is invalid only as a pod", file: more, new: cronJob("priorityClassName: nobody-has-it"), listed: component,
		want: more + `:CronJob/gpu-operator/a:spec.jobTemplate.spec.template pods "pod-of-template" is forbidden: no PriorityClass with name nobody-has-it`},
	{name: "pod beyond the quota", listed: component, file: more,
		new: "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: a}\nspec: {hard: {requests.nvidia.com/gpu: \"1\"}}\n---\n" +
			strings.Replace(cronJob("priority: 0"), "{name: a, image", "{name: a, resources: {limits: {nvidia.com/gpu: 2}}, image", 1),
		want: more + `:CronJob/gpu-operator/a:spec.jobTemplate.spec.template pods "pod-of-template" is forbidden: exceeded quota: a`},
	{name: "webhook that is none", file: more, new: "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingWebhookConfiguration\nmetadata: {name: a}\nwebhooks: [{name: a.example.com, clientConfig: {url: 'https://a.example.com'}, sideEffects: None}]", listed: component,
		want: more + ":ValidatingWebhookConfiguration//a:webhooks[0].admissionReviewVersions Required value"},
	{name: "state that depends on the order", listed: component, file: more,
		new: "apiVersion: v1\nkind: LimitRange\nmetadata: {name: a}\nspec: {limits: [{type: Container, default: {cpu: 1}}]}\n---\n" +
			"apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: a, image: registry.example.com/a:1}]}",
		want: more + ":Pod/gpu-operator/a: in reverse order it ends as"},
	{name: "wrong field by a patch of the kustomization", file: component, old: "resources:", new: "patches:\n- target: {kind: NodeFeatureRule}\n  patch: '[{\"op\": \"add\", \"path\": \"/spec/other\", \"value\": 1}]'\nresources:",
		want: nodeLabels + rule + `spec.other unknown field`},
	{name: "kustomization that does not build", file: component, old: "resources:", new: "patches: [{path: gone.yaml}]\nresources:",
		want: component + ":: does not build"},
	{name: "folder without an Application", file: "argocd/gpu-operator.yaml", old: "tree/gpu-operator\n", new: "tree/elsewhere\n",
		want: nodeLabels + rule + " no Application of the tree applies the folder gpu-operator"},
}

func cronJob(podField string) string {
	return "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: a}\nspec: {schedule: '@daily', jobTemplate: {spec: {template: {spec: {restartPolicy: Never, " +
		podField + ", containers: [{name: a, image: registry.example.com/a:1}]}}}}}"
}

// seededFaults: what is wrong in a tree is reported with file, object and field.
func (k *kubernetes) seededFaults(t *testing.T) {
	if k.minor != newest {
		return
	}
	for _, fault := range faults {
		t.Run(fault.name, func(t *testing.T) {
			files := gpuOperatorOf(t, "onprem-h100")
			fault.sow(t, files)
			var orders []judge.Order
			if strings.Contains(fault.want, "reverse order") {
				orders = append(orders, judge.Reverse())
			}
			problems := k.judge(t, load(t, files), orders...).Problems
			if !slices.ContainsFunc(problems, func(p judge.Problem) bool { return strings.HasPrefix(p.String(), fault.want) }) {
				t.Errorf("want %s\ngot %s", fault.want, lines(problems))
			}
		})
	}
}

// gpuOperatorOf copies what a golden tree says of one component, to be quick.
func gpuOperatorOf(t *testing.T, tree string) fstest.MapFS {
	t.Helper()
	files := copyOf(t, filepath.Join(goldenDir, tree))
	for name := range files {
		dir, _, inFolder := strings.Cut(name, "/")
		if inFolder && dir != "gpu-operator" && name != "argocd/project.yaml" && name != "argocd/gpu-operator.yaml" {
			delete(files, name)
		}
	}
	files["kustomization.yaml"].Data = []byte("resources:\n- argocd/project.yaml\n- argocd/gpu-operator.yaml\n")
	return files
}

func (f fault) sow(t *testing.T, files fstest.MapFS) {
	t.Helper()
	if files[f.file] == nil {
		files[f.file] = &fstest.MapFile{}
	}
	text := string(files[f.file].Data)
	if !strings.Contains(text, f.old) {
		t.Fatalf("%s has no %q", f.file, f.old)
	}
	files[f.file].Data = []byte(strings.Replace(text, f.old, f.new, 1))
	if f.listed != "" {
		files[f.listed].Data = append(files[f.listed].Data, "- more.yaml\n"...)
	}
}
