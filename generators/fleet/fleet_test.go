package fleet

import (
	"testing"

	"github.com/gpugen/gpugen/generators/plan"
)

func TestClustersInEachOthersPlace(t *testing.T) {
	member := func(spec, name, repo, revision, path string) Member {
		return Member{Spec: spec, Name: name, GitOps: plan.GitOps{RepoURL: repo, Revision: revision, Path: path}}
	}
	a := member("x/a", "a", "r", "main", "clusters/a")
	for name, c := range map[string]struct {
		other Member
		want  string
	}{
		"nothing in common":  {member("x/b", "b", "r", "main", "clusters/b"), ""},
		"one place":          {member("x/b", "b", "r", "main", "clusters/./a"), "FLEET-001 the trees of x/a and x/b would both lie at clusters/./a"},
		"one place and name": {member("x/b", "a", "r", "main", "clusters/a"), "FLEET-001 the trees of x/a and x/b would both lie at clusters/a"},
		"one name":           {member("x/b", "a", "r", "main", "clusters/b"), "FLEET-002 x/a and x/b are both called a"},
		"another repository": {member("x/b", "b", "s", "main", "clusters/a"), ""},
		"another branch":     {member("x/b", "b", "r", "next", "clusters/a"), ""},
		"a place below":      {member("x/b", "b", "r", "main", "clusters/a/b"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			for _, f := range Check([]Member{a, c.other}) {
				got += f.ID + " " + f.Message
			}
			if got != c.want {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
}
