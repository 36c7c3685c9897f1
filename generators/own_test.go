package generators_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/gpugen/gpugen/generators"
	"github.com/gpugen/gpugen/internal/sample"
	"github.com/gpugen/gpugen/schema"
)

const ownChart = `components: {my-thing: {
	chart: {repository: "oci://registry.example.com/charts", name: thing, version: 1.2.3},
	values: {deeply: {nested: [1]}},
	needs: [kueue],
	objects: {settings: {apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: my-thing}, data: {a: b}}}}}`

const accepted = `waivers: [{rule: EXT-004, at: components, reason: "it is ours"}]`

func TestAComponentOfTheUsersIsAComponent(t *testing.T) {
	objects := rendered(t, ownChart, accepted, `scheduling: {queue: kueue}`)
	app := objects["Application/research-my-thing"]
	if at(app, "spec", "sources", 0, "repoURL") != "registry.example.com/charts" || at(app, "spec", "sources", 0, "chart") != "thing" || at(app, "spec", "sources", 0, "targetRevision") != "1.2.3" || at(app, "spec", "sources", 0, "helm", "releaseName") != "my-thing" {
		t.Errorf("the chart is %v", at(app, "spec", "sources", 0))
	}
	if at(app, "spec", "destination", "namespace") != "my-thing" || at(objects["Namespace/my-thing"], "metadata", "labels", "pod-security.kubernetes.io/enforce") != "baseline" {
		t.Error("it has no Namespace of its own")
	}
	if at(objects["my-thing/values.yaml"], "deeply", "nested", 0) != float64(1) {
		t.Errorf("its values are %v", objects["my-thing/values.yaml"])
	}
	if at(objects["my-thing/ConfigMap/settings"], "data", "a") != "b" {
		t.Error("its object is not there")
	}
	wave := func(name string) any {
		return at(objects["Application/research-"+name], "metadata", "annotations", "argocd.argoproj.io/sync-wave")
	}
	if wave("kueue") != "0" || wave("my-thing") != "10" {
		t.Errorf("kueue is in wave %v, what needs it in %v", wave("kueue"), wave("my-thing"))
	}
	project := objects["AppProject/gpu-research"]
	if !slices.Contains(at(project, "spec", "sourceRepos").([]any), "registry.example.com/charts") {
		t.Errorf("the project trusts %v", at(project, "spec", "sourceRepos"))
	}
	if at(project, "spec", "clusterResourceWhitelist", 0, "kind") != "*" {
		t.Error("the project does not allow what an unknown chart may render")
	}
}

func TestObjectsOfTheUsersNeedNoChart(t *testing.T) {
	objects := rendered(t, `components: {
		extras: {namespace: team-x, objects: {namespace: {apiVersion: v1, kind: Namespace, metadata: {name: team-x, annotations: {argocd.argoproj.io/sync-options: Prune=confirm}}}, class: {apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: urgent}, value: 5}}},
		gpu-operator: {needs: [extras], objects: {settings: {apiVersion: v1, kind: ConfigMap, metadata: {name: mine, namespace: gpu-operator}}}}}`)
	app := objects["Application/research-extras"]
	if len(at(app, "spec", "sources").([]any)) != 1 || at(app, "spec", "sources", 0, "chart") != nil {
		t.Errorf("the sources are %v", at(app, "spec", "sources"))
	}
	if at(objects["PriorityClass/urgent"], "value") != float64(5) || objects["gpu-operator/ConfigMap/mine"] == nil {
		t.Error("an object is not there")
	}
	if at(objects["Namespace/team-x"], "metadata", "labels") != nil {
		t.Error("the user's Namespace is not left alone")
	}
	if at(objects["Application/research-gpu-operator"], "metadata", "annotations", "argocd.argoproj.io/sync-wave") != "10" {
		t.Error("the need does not order")
	}
	kinds := fmt.Sprint(at(objects["AppProject/gpu-research"], "spec", "clusterResourceWhitelist"))
	if !strings.Contains(kinds, "PriorityClass") || strings.Contains(kinds, "*") {
		t.Errorf("the project allows %s", kinds)
	}
}

const patched = `components: {gpu-operator: {
	patches: [{target: {kind: Namespace}, patch: "- {op: add, path: /metadata/labels/team, value: gpus}"}, {patch: "{apiVersion: v1, kind: Namespace, metadata: {name: gpu-operator, annotations: {owner: us}}}"}],
	argocd: {syncOptions: [ApplyOutOfSyncOnly=true], ignoreDifferences: [{group: apps, kind: Deployment, jsonPointers: [/spec/replicas]}], annotations: {notifications.argoproj.io/subscribe.slack: gpus, argocd.argoproj.io/compare-options: IncludeMutationWebhook=true}}}}`

func TestPatchesAndWhatGoesIntoAnApplicationAreTheUsers(t *testing.T) {
	objects := rendered(t, patched)
	kustomization := objects["gpu-operator/kustomization.yaml"]
	if at(kustomization, "patches", 0, "target", "kind") != "Namespace" || at(kustomization, "patches", 1, "patch") == nil {
		t.Errorf("the kustomization is %v", kustomization)
	}
	app := objects["Application/research-gpu-operator"]
	if !slices.Contains(at(app, "spec", "syncPolicy", "syncOptions").([]any), "ApplyOutOfSyncOnly=true") {
		t.Error("the sync option is not there")
	}
	if !strings.Contains(fmt.Sprint(at(app, "spec", "ignoreDifferences")), "/spec/replicas") || !strings.Contains(fmt.Sprint(at(app, "spec", "ignoreDifferences")), "/spec/cdi/default") {
		t.Errorf("what is ignored is %v", at(app, "spec", "ignoreDifferences"))
	}
	if at(app, "metadata", "annotations", "notifications.argoproj.io/subscribe.slack") != "gpus" || at(app, "metadata", "annotations", "argocd.argoproj.io/compare-options") != "ServerSideDiff=true,IncludeMutationWebhook=true" {
		t.Errorf("the annotations are %v", at(app, "metadata", "annotations"))
	}
}

func TestWhatUsersBringIsRefusedAtItsPlace(t *testing.T) {
	for _, c := range []struct{ overlay, id, path string }{
		{`components: {gpu-operator: {objects: {a: {apiVersion: v1, kind: Namespace, metadata: {name: gpu-operator}}}}}`, "TREE-004", `components."gpu-operator".objects.a`},
		{`components: {mine: {objects: {a: {apiVersion: v1, kind: Namespace, metadata: {name: gpu-operator}}}}}`, "TREE-004", `components.mine.objects.a`},
		{`components: {mine: {objects: {a: {apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: ns}}, b: {apiVersion: v1, kind: ConfigMap, metadata: {name: c, namespace: ns}}}}}`, "TREE-004", `components.mine.objects.b`},
		{`components: {mine: {needs: [kueue], objects: {a: {apiVersion: v1, kind: Namespace, metadata: {name: a}}}}}`, "SPEC-033", `components.mine.needs[0]`},
		{`components: {mine: {needs: [yours], objects: {a: {apiVersion: v1, kind: Namespace, metadata: {name: a}}}}, yours: {needs: [mine], objects: {b: {apiVersion: v1, kind: Namespace, metadata: {name: b}}}}}`, "SPEC-033", `components.mine.needs[0]`},
		{`components: {mine: {needs: [mine], objects: {a: {apiVersion: v1, kind: Namespace, metadata: {name: a}}}}}`, "SPEC-033", `components.mine.needs[0]`},
		{`components: {kueue: {objects: {a: {apiVersion: v1, kind: Namespace, metadata: {name: a}}}}}`, "SPEC-034", `components.kueue.objects`},
		{`components: {mine: {values: {a: 1}, objects: {a: {apiVersion: v1, kind: Namespace, metadata: {name: a}}}}}`, "VALUES-004", `components.mine.values`},
		{`components: {gpu-operator: {patches: [{target: {kind: Namespace}, patch: "- {op: remove, path: /spec/nothing}"}]}}`, "TREE-006", `components."gpu-operator".patches[0]`},
		{`components: {gpu-operator: {patches: [{target: {kind: DaemonSet}, patch: "- {op: add, path: /metadata/labels, value: {a: b}}"}]}}`, "TREE-006", `components."gpu-operator".patches[0]`},
		{`components: {gpu-operator: {patches: [{patch: "{apiVersion: v1, kind: Namespace, metadata: {name: other}}"}]}}`, "TREE-006", `components."gpu-operator".patches[0]`},
		{`components: {gpu-operator: {patches: [{patch: "{apiVersion: v1, kind: Namespace, metadata: {name: gpu-operator}, $patch: delete}"}]}}`, "TREE-006", `components."gpu-operator".patches[0]`},
		{`components: {gpu-operator: {objects: {mine: {apiVersion: v1, kind: ConfigMap, metadata: {name: mine, namespace: gpu-operator}}}, patches: [{target: {kind: ConfigMap}, patch: "- {op: add, path: /data, value: {a: b}}"}]}}`, "TREE-006", `components."gpu-operator".patches[0]`},
		{`components: {gpu-operator: {patches: [{target: {kind: Namespace}, patch: "- {op: replace, path: /metadata/name, value: other}"}]}}`, "TREE-006", `components."gpu-operator".patches[0]`},
		{`components: {gpu-operator: {patches: [{target: {kind: Namespace}, patch: "- {op: replace, path: /apiVersion, value: 1}"}]}}`, "TREE-006", `components."gpu-operator".patches[0]`},
		{`components: {gpu-operator: {patches: [{target: {kind: Namespace}, patch: "- {op: add, path: /metadata/labels/team, value: a b}"}]}}`, "EXT-006", `components."gpu-operator".patches[0]`},
		{`components: {gpu-operator: {patches: [{target: {kind: Namespace}, patch: "- {op: add, path: /metadata/labels/a b, value: a}"}]}}`, "EXT-006", `components."gpu-operator".patches[0]`},
		{`components: {gpu-operator: {patches: [{target: {kind: Namespace}, patch: "- {op: replace, path: /metadata/labels, value: [a]}"}]}}`, "EXT-006", `components."gpu-operator".patches[0]`},
		{`components: {kueue: {patches: [{patch: "{}"}]}}`, "SPEC-034", `components.kueue.patches`},
		{`components: {kueue: {argocd: {syncOptions: [ApplyOutOfSyncOnly=true]}}}`, "SPEC-034", `components.kueue.argocd`},
		{`components: {gpu-operator: {argocd: {syncOptions: [FailOnSharedResource=false]}}}`, "ARGO-025", `components."gpu-operator".argocd.syncOptions[0]`},
		{`components: {mine: {values: {a: 1}}}`, "SPEC-021", `components.mine`},
		{`components: {gpu-operater: {values: {a: 1}}}`, "SPEC-021", `components."gpu-operater"`},
		{`components: {kueue: {chart: {repository: "https://charts.example.com", name: kueue, version: 0.19.2}}}`, "SPEC-020", `components.kueue.chart`},
		{`components: {mine: {chart: {repository: "https://charts.example.com", name: thing, version: "1.x"}}}`, "SPEC-025", `components.mine.chart.version`},
	} {
		if !sample.Draws("brought "+c.overlay, 3) {
			continue
		}
		t.Run(c.overlay, func(t *testing.T) {
			var spec, upper map[string]any
			for text, into := range map[string]*map[string]any{withTenants: &spec, c.overlay: &upper} {
				if err := yaml.Unmarshal([]byte(text), into); err != nil {
					t.Fatal(err)
				}
			}
			layOver(spec, upper)
			text, err := yaml.Marshal(spec)
			if err != nil {
				t.Fatal(err)
			}
			_, findings := generators.Render(schema.Input{Path: "-", Stdin: strings.NewReader(string(text))})
			for _, f := range findings {
				if f.ID == c.id && f.Path == c.path {
					return
				}
			}
			t.Errorf("%+v, want %s at %s", findings, c.id, c.path)
		})
	}
}
