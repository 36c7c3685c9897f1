package rendered_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/fstest"

	"github.com/gpugen/gpugen/generators/rendered"
)

const inRepo = `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: %[1]s, namespace: argocd}
spec:
  project: default
  destination: {server: https://kubernetes.default.svc, namespace: default}
  source:
    repoURL: https://git.example.com/a.git
    targetRevision: main
    path: %[2]s
`

const one = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: %s, namespace: default}\n"

// Where the tree is, its caller says; else its Applications, as far as they agree on
// one directory below which they find something; else git.
func TestWhereATreeIs(t *testing.T) {
	text := func(format string, arguments ...any) *fstest.MapFile {
		return &fstest.MapFile{Data: fmt.Appendf(nil, format, arguments...)}
	}
	tree := fstest.MapFS{
		"apps/one.yaml": text(inRepo, "one", "clusters/a/one"), "apps/two.yaml": text(inRepo, "two", "clusters/a/two"),
		"one/one.yaml": text(one, "one"), "two/two.yaml": text(one, "two"),
	}
	// One of them is not there, and the Applications alone are.
	less := fstest.MapFS{"apps/one.yaml": tree["apps/one.yaml"], "apps/two.yaml": tree["apps/two.yaml"], "one/one.yaml": tree["one/one.yaml"]}
	// An Application that read its own directory would fail on this.
	none := text("no: manifest\n")
	alone := fstest.MapFS{"one.yaml": tree["apps/one.yaml"], "two.yaml": tree["apps/two.yaml"], "none.yaml": none}
	single := fstest.MapFS{"one.yaml": tree["apps/one.yaml"], "none.yaml": none}
	flux := fstest.MapFS{"flux.yaml": text(`apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: one, namespace: flux-system}
spec: {interval: 10m, prune: true, path: ./clusters/a/one, sourceRef: {kind: GitRepository, name: flux-system}}
`), "one/one.yaml": text(one, "one")}
	for _, c := range []struct {
		name    string
		tree    fstest.MapFS
		options rendered.Options
		want    []string
	}{
		{"nobody says", tree, rendered.Options{}, nil},
		{"git says so too", tree, rendered.Options{Guess: "clusters/a"}, nil},
		{"a copy", tree, rendered.Options{Guess: "golden/a"}, nil},
		{"a copy that lacks something", less, rendered.Options{Guess: "golden/a"}, []string{"Application two reads clusters/a/two, which is not there"}},
		{"stated", tree, rendered.Options{Path: "clusters/a", Guess: "golden/a"}, nil},
		{"stated, and Applications name another", tree, rendered.Options{Path: "clusters/b"}, []string{
			"Application one reads clusters/a/one, and the tree is at clusters/b", "Application two reads clusters/a/two, and the tree is at clusters/b",
		}},
		{"stated, and Flux reads another", flux, rendered.Options{Path: "clusters/b"}, []string{"Kustomization one reads ./clusters/a/one, and the tree is at clusters/b"}},
		{"Applications of other directories", alone, rendered.Options{Guess: "clusters/a/apps"}, nil},
		{"the same, outside of git", alone, rendered.Options{}, nil},
		{"one Application of its own directory", single, rendered.Options{}, []string{"none.yaml has no apiVersion or no kind, and Application one reads it"}},
		{"one Application of another directory", single, rendered.Options{Guess: "clusters/a/apps"}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			findings, err := rendered.Check(c.tree, known(t), c.options)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range findings.Sorted() {
				// It cannot be seen here what the project allows.
				if f.ID != "TREE-138" {
					got = append(got, f.Message)
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
