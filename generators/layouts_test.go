package generators_test

import (
	"reflect"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/gpugen/gpugen/examples"
)

// hostileTexts are what a template engine, YAML or a merge might take for its own.
const hostileTexts = `
components:
  my-thing:
    chart: {repository: "https://charts.example.com", name: thing, version: 1.2.3}
    values:
      text: "{{ .Values.x }} {{ fail \"no\" }} <&> 'a' \"b\" \\ $values"
      gone: null
      large: 12345678
      list: [{a: null}, 0.5, "", true]
    argocd:
      syncOptions: ["SkipDryRunOnMissingResource=true"]
      annotations: {notifications.argoproj.io/subscribe.on-sync-failed.slack: "{{.component}}: \"gpus\" # <x>"}
      ignoreDifferences: [{group: apps, kind: Deployment, jqPathExpressions: ['.spec | select(.a == "{{.x}}")']}]
`

// TestBothLayoutsMakeTheSameApplications compares what the ApplicationSet makes with what
// app-of-apps writes out.
func TestBothLayoutsMakeTheSameApplications(t *testing.T) {
	for name, overlay := range map[string]string{
		"values in files": `{}`,
		"values inline":   `{gitops: {values: inline}}`,
		"a plugin":        `{gitops: {values: inline, plugin: {path: clusters/mine}}}`,
		"another cluster": `{gitops: {argocd: {destination: {name: spoke}}}}`,
		"an odd cluster":  `{components: {my-thing: {state: "off"}}, gitops: {argocd: {destination: {name: "a{{.b}}c"}}}}`,
		"deletion":        `{gitops: {argocd: {deletion: cascade}}}`,
		"no pruning":      `{gitops: {argocd: {sync: {prune: false}}}}`,
		"one by hand":     `{components: {my-thing: {argocd: {automated: false, name: mine, labels: {a: b}}}}, gitops: {argocd: {applications: {labels: {a: x, c: d}, annotations: {note: "{{.x}}"}}}}}`,
		"by hand":         `{gitops: {argocd: {sync: {automated: false}}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			apart := renderedDespiteWarnings(t, hostileTexts, overlay)
			together := renderedDespiteWarnings(t, hostileTexts, overlay, `{gitops: {argocd: {layout: applicationset}}}`)
			set, _ := together["ApplicationSet/research"].(map[string]any)
			if set == nil {
				t.Fatal("no ApplicationSet")
			}
			made, err := examples.Applications(set)
			if err != nil {
				t.Fatal(err)
			}
			want := 0
			for key := range apart {
				if strings.HasPrefix(key, "Application/") && key != "Application/research" {
					want++
				}
			}
			if len(made) != want || want == 0 {
				t.Errorf("%d Applications, want %d", len(made), want)
			}
			for _, got := range made {
				name := at(got, "metadata", "name").(string)
				if together["Application/"+name] != nil {
					t.Errorf("%s is written out as well", name)
				}
				want, _ := apart["Application/"+name].(map[string]any)
				if want == nil {
					t.Fatalf("%s is none of app-of-apps", name)
				}
				want, got := alike(t, want), alike(t, got)
				if !reflect.DeepEqual(got, want) {
					t.Errorf("%s: got\n%v\nwant\n%v", name, got, want)
				}
			}
		})
	}
}

// alike takes out of an Application what the layouts are meant to differ in.
func alike(t *testing.T, app map[string]any) map[string]any {
	t.Helper()
	annotations := at(app, "metadata", "annotations").(map[string]any)
	labels := at(app, "metadata", "labels").(map[string]any)
	if wave, ok := annotations["argocd.argoproj.io/sync-wave"]; ok {
		labels["gpugen.github.io/step"] = wave
	}
	delete(annotations, "argocd.argoproj.io/sync-wave")
	policy := at(app, "spec", "syncPolicy").(map[string]any)
	// What a set makes is not tried without end; sets.expect.cue says how often.
	delete(at(policy, "retry").(map[string]any), "limit")
	labels["gpugen.github.io/step"] = strings.TrimPrefix(labels["gpugen.github.io/step"].(string), "by-person-")
	if automated, ok := policy["automated"].(map[string]any); ok {
		if automated["enabled"] == false {
			automated["prune"] = false
		}
		// The set's controller reads this one alone.
		policy["automated"] = automated["prune"]
		if automated["prune"] == false {
			delete(policy, "automated")
		}
	}
	for _, source := range at(app, "spec", "sources").([]any) {
		helm, _ := source.(map[string]any)["helm"].(map[string]any)
		if text, ok := helm["values"].(string); ok {
			var values any
			if err := yaml.Unmarshal([]byte(text), &values); err != nil {
				t.Fatal(err)
			}
			helm["valuesObject"] = values
			delete(helm, "values")
		}
	}
	return app
}

// TestStepsOfAnApplicationSet are in the order of needs; where nobody syncs by machine,
// no step does.
func TestStepsOfAnApplicationSet(t *testing.T) {
	for overlay, want := range map[string]string{
		`{gitops: {argocd: {layout: applicationset}}}`: "0 10 ",
		// 0 holds a step until a person syncs.
		`{gitops: {argocd: {layout: applicationset, sync: {automated: false}}}}`: "by-person-0:0 by-person-10:0 ",
	} {
		set := rendered(t, `{scheduling: {queue: kueue}}`, overlay)["ApplicationSet/research"]
		got := ""
		for _, step := range at(set, "spec", "strategy", "rollingSync", "steps").([]any) {
			expression := at(step, "matchExpressions").([]any)[0]
			got += at(expression, "values").([]any)[0].(string)
			if most, ok := at(step, "maxUpdate").(float64); ok {
				got += ":" + map[bool]string{true: "0", false: "?"}[most == 0]
			}
			got += " "
		}
		if got != want {
			t.Errorf("%s: steps %q, want %q", overlay, got, want)
		}
		if at(set, "spec", "strategy", "deletionOrder") != "Reverse" {
			t.Errorf("%s: the order of deletion is not reversed", overlay)
		}
	}
}

// TestRootOfASetGoesInTheBackground has the set's own controller delete its Applications,
// in the reverse order; in the foreground the garbage collector deletes them all at once.
func TestRootOfASetGoesInTheBackground(t *testing.T) {
	for layout, want := range map[string]string{"app-of-apps": "foreground", "applicationset": "background"} {
		root := rendered(t, `{gitops: {argocd: {deletion: cascade, layout: `+layout+`}}}`)["Application/research"]
		got := at(root, "metadata", "finalizers").([]any)
		if len(got) != 1 || got[0] != "resources-finalizer.argocd.argoproj.io/"+want {
			t.Errorf("%s: finalizers %v", layout, got)
		}
	}
}
