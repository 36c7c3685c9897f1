package charts_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/e2e/charts"
	"github.com/gpugen/gpugen/examples"
	"github.com/gpugen/gpugen/schema/upstreamtest"
)

// judge judges the little tree in testdata after edits: a file's path in the tree,
// what to replace, by what. An empty search text replaces the whole file, and
// nothing by nothing removes it.
func judge(t *testing.T, edits ...[3]string) charts.Report {
	t.Helper()
	found, err := charts.Find(filepath.Join("testdata", "charts"))
	if err != nil {
		t.Fatal(err)
	}
	tree := t.TempDir()
	if err := os.CopyFS(tree, os.DirFS(filepath.Join("testdata", "tree"))); err != nil {
		t.Fatal(err)
	}
	for _, edit := range edits {
		file := filepath.Join(tree, edit[0])
		if edit[1] == "" && edit[2] == "" {
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
			continue
		}
		content := []byte(edit[2])
		if edit[1] != "" {
			before, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(before), edit[1]) {
				t.Fatalf("%s has no %q", edit[0], edit[1])
			}
			content = []byte(strings.ReplaceAll(string(before), edit[1], edit[2]))
		}
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	report, err := charts.Judge(tree, charts.Options{Charts: found, Upstream: upstreamtest.Dir(t), KubeVersion: "1.35.8"})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func TestAGoodTreeHasNoProblems(t *testing.T) {
	report := judge(t)
	if len(report.Problems) > 0 {
		t.Errorf("problems: %q", report.Problems)
	}
	if want := "example-tiny: hook pre-upgrade,pre-install Job/tiny-upgrade"; !slices.Contains(report.Notes, want) {
		t.Errorf("want the note %q, got %q", want, report.Notes)
	}
	for _, section := range []string{examples.SectionTree, examples.SectionCharts} {
		objects := report.Objects
		if section == examples.SectionTree {
			var err error
			if objects, err = examples.LoadTree(filepath.Join("testdata", "tree")); err != nil {
				t.Fatal(err)
			}
		}
		failures, err := examples.Check(filepath.Join("testdata", "expect.cue"), section, objects)
		if err != nil || len(failures) > 0 {
			t.Errorf("%s: %v %v", section, failures, err)
		}
	}
}

func TestExpectationsOverChartsCanFail(t *testing.T) {
	report := judge(t, [3]string{"tiny/values.yaml", "replicas: 3", "replicas: 2"})
	failures, err := examples.Check(filepath.Join("testdata", "expect.cue"), examples.SectionCharts, report.Objects)
	if err != nil || len(failures) != 1 || failures[0].Path != "spec.replicas" {
		t.Errorf("got %v %v", failures, err)
	}
}

func TestTheKubernetesVersionReachesTheTemplates(t *testing.T) {
	const application = "argocd/example-tiny.yaml"
	for want, edits := range map[string][][3]string{
		"v1.35.8": nil,
		"v1.35.0": {{application, "releaseName: tiny", "releaseName: tiny\n        kubeVersion: 1.35.0"}},
	} {
		object, _ := judge(t, edits...).Objects["ConfigMap/tiny/tiny"].(map[string]any)
		data, _ := object["data"].(map[string]any)
		if data["kubernetes"] != want {
			t.Errorf("want %s, got %v", want, data)
		}
	}
}

func TestInlineValuesReachTheTemplates(t *testing.T) {
	report := judge(t,
		[3]string{"argocd/example-tiny.yaml", "valueFiles: [$values/clusters/example/tree/tiny/values.yaml]", "valuesObject: {replicas: 7}"},
		[3]string{"tiny/values.yaml", "", ""})
	object, _ := report.Objects["Deployment/tiny/tiny"].(map[string]any)
	spec, _ := object["spec"].(map[string]any)
	if len(report.Problems) > 0 || spec["replicas"] != int64(7) {
		t.Errorf("replicas %v, problems %q", spec["replicas"], report.Problems)
	}
}

func TestProblems(t *testing.T) {
	const (
		application = "argocd/example-tiny.yaml"
		project     = "argocd/project.yaml"
		values      = "tiny/values.yaml"
	)
	for name, test := range map[string]struct {
		edits [][3]string
		want  string
	}{
		"the chart is not there": {
			[][3]string{{application, "v1.2.0", "v1.3.0"}},
			"chart tiny v1.3.0: is not among the charts"},
		"the values file is not there": {
			[][3]string{{application, "tree/tiny/values.yaml", "tree/tini/values.yaml"}},
			"the tree has no values/tini"},
		"the chart refuses its values": {
			[][3]string{{values, "", "things: 3"}},
			"range can't iterate over 3"},
		"an object of the tree breaks the chart's CRD": {
			[][3]string{{"tiny/thing-a.yaml", "size: 3", "size: 10"}},
			"tree: Thing tiny/a: spec.size: Invalid value"},
		"an object of the chart breaks its CRD": {
			[][3]string{{values, "", "things: {b: {sizes: 3}}"}},
			`example-tiny: Thing tiny/b: unknown field "spec.sizes"`},
		"a built-in kind gets a wrong type": {
			[][3]string{{values, "", "replicas: [1]"}},
			"example-tiny: Deployment tiny/tiny"},
		"a kind that nothing defines": {
			[][3]string{{"tiny/thing-a.yaml", "example.com/v1", "example.org/v1"}},
			"unknown kind: Thing.example.org"},
		"the tree and the chart bring the same object": {
			[][3]string{{values, "", "things: {a: {size: 3}}"}},
			"example-tiny: Thing tiny/a: is also brought by tree"},
		"two Applications bring the same objects": {
			[][3]string{{"argocd/example-other.yaml", "", otherApplication}},
			"Deployment tiny/tiny: is also brought by example-other"},
		"the project does not permit a cluster-scoped kind of the chart": {
			[][3]string{{values, "", "clusterRole: true"}},
			"example-tiny: ClusterRole /tiny: project example does not permit the cluster-scoped kind ClusterRole.rbac.authorization.k8s.io"},
		"the project does not permit a cluster-scoped kind of the tree": {
			[][3]string{{project, `{group: "", kind: Namespace}`, `{group: "", kind: Node}`}},
			"tree: Namespace /tiny: project example does not permit the cluster-scoped kind Namespace"},
		"the project denies a namespaced kind": {
			[][3]string{{project, "clusterResourceWhitelist:", "namespaceResourceBlacklist: [{group: apps, kind: Deploy*}]\n  clusterResourceWhitelist:"}},
			"example-tiny: Deployment tiny/tiny: project example does not permit the kind Deployment.apps"},
		"the project has no such destination namespace": {
			[][3]string{{project, "namespace: tiny", "namespace: tiny-*"}},
			"example-tiny: Deployment tiny/tiny: project example has no destination https://kubernetes.default.svc, namespace tiny"},
		"the project has no such destination server": {
			[][3]string{{project, "server: https://kubernetes.default.svc", "server: https://workload.example.com"}},
			"tree: Thing tiny/a: project example has no destination"},
		"the project denies a destination": {
			[][3]string{{project, "namespace: tiny}", "namespace: '*'}\n    - {server: '*', namespace: '!tiny'}"}},
			"example-tiny: Deployment tiny/tiny: project example has no destination"},
		"no node is left for a controller": {
			[][3]string{{values, "", "tolerations: [{key: nvidia.com/gpu, operator: Exists}]"}},
			"example-tiny: Deployment tiny/tiny: does not tolerate node-role.kubernetes.io/control-plane:NoSchedule"},
		"a controller tolerates another effect": {
			[][3]string{{values, "", "tolerations: [{key: node-role.kubernetes.io/control-plane, operator: Exists, effect: NoExecute}]"}},
			"example-tiny: Deployment tiny/tiny: does not tolerate"},
		"the project does not permit the chart's repository": {
			[][3]string{{project, "https://charts.example.com", "https://other.example.com"}},
			"project example does not permit the repository https://charts.example.com"},
	} {
		t.Run(name, func(t *testing.T) {
			problems := judge(t, test.edits...).Problems
			if !slices.ContainsFunc(problems, func(p string) bool { return strings.Contains(p, test.want) }) {
				t.Errorf("want %q, got %q", test.want, problems)
			}
		})
	}
}

const otherApplication = `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: example-other, namespace: argocd, labels: {gpugen.github.io/cluster: example}}
spec:
  project: example
  destination: {server: https://kubernetes.default.svc, namespace: tiny}
  source:
    repoURL: https://charts.example.com
    chart: tiny
    targetRevision: 1.2.0
    helm: {releaseName: tiny, skipCrds: true, valuesObject: {replicas: 1}}
`

func TestANamespaceOnAClusterScopedObjectOfAChartIsANote(t *testing.T) {
	report := judge(t,
		[3]string{"tiny/values.yaml", "", "clusterRole: true"},
		[3]string{"argocd/project.yaml", "clusterResourceWhitelist:", "clusterResourceWhitelist:\n    - {group: 'rbac.*', kind: '*'}"})
	if len(report.Problems) > 0 {
		t.Errorf("problems: %q", report.Problems)
	}
	if !slices.ContainsFunc(report.Notes, func(n string) bool { return strings.Contains(n, "ClusterRole tiny/tiny") }) {
		t.Errorf("notes: %q", report.Notes)
	}
}

func TestAHookOfTheChartsMayBeSkippedByTheTree(t *testing.T) {
	const job = "size: 3\n---\napiVersion: batch/v1\nkind: Job\nmetadata:\n  name: tiny-upgrade\n  namespace: tiny\n  annotations: {argocd.argoproj.io/hook: %s}\n" +
		"spec:\n  template:\n    spec:\n      restartPolicy: Never\n      containers:\n      - {name: a, image: a}\n"
	report := judge(t, [3]string{"tiny/thing-a.yaml", "size: 3", fmt.Sprintf(job, "Skip")})
	if len(report.Problems) > 0 {
		t.Errorf("problems: %q", report.Problems)
	}
	if want := "example-tiny: Job tiny/tiny-upgrade: skipped, as the tree says"; !slices.Contains(report.Notes, want) {
		t.Errorf("notes: %q", report.Notes)
	}
	report = judge(t, [3]string{"tiny/thing-a.yaml", "size: 3", fmt.Sprintf(job, "Sync")})
	if want := "example-tiny: Job tiny/tiny-upgrade: is also brought by tree"; !slices.Contains(report.Problems, want) {
		t.Errorf("problems: %q", report.Problems)
	}
}

func TestTheSameChartTwiceIsAnError(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b"} {
		if err := os.CopyFS(filepath.Join(dir, name), os.DirFS(filepath.Join("testdata", "charts", "any-folder"))); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := charts.Find(dir); err == nil {
		t.Error("no error")
	}
}

func TestAKindOfAPlatformIsNoProblem(t *testing.T) {
	for kind, unknown := range map[string]bool{"SecurityContextConstraints": false, "SecurityContextConstraint": true} {
		report := judge(t, [3]string{"tiny/values.yaml", "", "constraints: " + kind})
		if problem := strings.Contains(strings.Join(report.Problems, "\n"), "unknown kind: "+kind); problem != unknown {
			t.Errorf("%s: problems %q", kind, report.Problems)
		}
	}
}

func TestAChartThatIsInventedNeedNotBeThere(t *testing.T) {
	for invented, problems := range map[bool]int{true: 0, false: 1} {
		report, err := charts.Judge(filepath.Join("testdata", "tree"), charts.Options{
			Upstream: upstreamtest.Dir(t), KubeVersion: "1.35.8", Invented: invented,
		})
		if err != nil {
			t.Fatal(err)
		}
		got := 0
		for _, p := range report.Problems {
			if strings.Contains(p, "is not among the charts") {
				got++
			}
		}
		if got != problems {
			t.Errorf("invented %v: %q", invented, report.Problems)
		}
	}
}
