package generators_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/gpugen/gpugen/generators"
	"github.com/gpugen/gpugen/schema"
)

// kustomize fetches resources that look like URLs or repositories.
func TestNothingThatASpecSaysIsFetched(t *testing.T) {
	var hits atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		hits.Add(1)
		_, _ = w.Write([]byte("{apiVersion: v1, kind: ConfigMap, metadata: {name: fetched}}"))
	}))
	defer server.Close()
	for _, object := range []string{
		`{apiVersion: v1, kind: "` + server.URL + `/x", metadata: {name: a}}`,
		`{apiVersion: v1, kind: ConfigMap, metadata: {name: "` + server.URL + `/x"}}`,
		`{apiVersion: v1, kind: "git::` + server.URL + `/x", metadata: {name: a}}`,
		`{apiVersion: v1, kind: ConfigMap, metadata: {name: "../../x", namespace: a}}`,
		`{apiVersion: v1, kind: "../../x", metadata: {name: a}}`,
	} {
		spec := "components: {mine: {objects: {a: " + object + "}}}"
		result, findings := generators.Render(schema.Input{Path: "-", Stdin: strings.NewReader(laidOver(t, spec))})
		if result != nil {
			t.Errorf("rendered: %s", object)
			_, _ = generators.Stream(result)
		}
		for _, f := range findings {
			if f.ID != "SPEC-025" || !strings.HasPrefix(f.Path, "components.mine.objects.a.") {
				t.Errorf("%s: %s at %s: %s", object, f.ID, f.Path, f.Message)
			}
		}
	}
	if hits.Load() > 0 {
		t.Errorf("%d requests were made", hits.Load())
	}
}

func TestObjectsThatShareANameHaveFilesOfTheirOwn(t *testing.T) {
	objects := rendered(t, `components: {mine: {objects: {
		a: {apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: "a:b"}},
		b: {apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: "a-b"}},
		c: {apiVersion: v1, kind: Service, metadata: {name: s, namespace: one}},
		d: {apiVersion: v1, kind: Service, metadata: {name: s, namespace: two}},
		e: {apiVersion: serving.knative.dev/v1, kind: Service, metadata: {name: s, namespace: one}}}}}`)
	for _, name := range []string{"ClusterRole/a:b", "ClusterRole/a-b", "one/Service/s", "two/Service/s"} {
		if objects[name] == nil {
			t.Errorf("no %s", name)
		}
	}
}

func TestIntegersStayWhatTheyAre(t *testing.T) {
	const most = "9007199254740993" // 2^53+1
	text := laidOver(t, `components: {gpu-operator: {values: {operator: {priorityClassName: x}}, objects: {a: {apiVersion: example.com/v1, kind: Thing, metadata: {name: a, namespace: gpu-operator}, spec: {amount: 4711}}}}}`)
	for _, format := range []string{"yaml", "cue"} {
		spec := strings.Replace(text, "4711", most, 1)
		if format == "cue" {
			data, err := yaml.YAMLToJSON([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			spec = strings.Replace(string(data), "4711", most, 1)
		}
		result, findings := generators.Render(schema.Input{Path: "-", Format: format, Stdin: strings.NewReader(spec)})
		if result == nil {
			t.Fatalf("%s: %+v", format, findings)
		}
		file, _ := result.Tree.Get("gpu-operator/thing-a.yaml")
		if !strings.Contains(string(file), "amount: "+most+"\n") {
			t.Errorf("%s:\n%s", format, file)
		}
		parts, err := generators.Stream(result)
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, part := range parts {
			found = found || strings.Contains(string(part.Data), "amount: "+most+"\n")
		}
		if !found {
			t.Errorf("%s: the stream has another number", format)
		}
	}
}
