package rendered_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gpugen/gpugen/generators/rendered"
)

func TestAMatrixOfMatricesIsNotMade(t *testing.T) {
	var elements []string
	for i := range 100 {
		elements = append(elements, fmt.Sprintf("{n: a%d}", i))
	}
	side := "{list: {elements: [" + strings.Join(elements, ", ") + "]}}"
	for range 3 {
		side = "{matrix: {generators: [" + side + ", " + side + "]}}"
	}
	findings, err := rendered.Check(fstest.MapFS{"set.yaml": {Data: []byte(`apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: many, namespace: argocd}
spec:
  goTemplate: true
  goTemplateOptions: ["missingkey=error"]
  generators: [` + side + `]
  template:
    metadata: {name: "{{.n}}"}
    spec:
      project: default
      source: {repoURL: "https://git.example.com/x.git", path: a, targetRevision: main}
      destination: {server: "https://kubernetes.default.svc", namespace: a}
`)}}, known(t), rendered.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range findings {
		if f.ID == "TREE-132" && strings.Contains(f.Message, "makes 10000 Applications of a matrix") {
			return
		}
	}
	t.Errorf("findings are %+v", findings)
}
