package tree

import (
	"context"
	"slices"
	"testing"
)

// A project may not lose what Argo CD has yet to delete, unless the spec allows it
// besides or a person says so.
func TestAProjectNarrowsWhenNothingNeedsIt(t *testing.T) {
	monitoring := Needs{Namespaces: []string{"monitoring"}, Kinds: []string{"PrometheusRule.monitoring.coreos.com"}}
	own := Needs{Namespaces: []string{"own"}, Kinds: []string{"ConfigMap", "Namespace"}}
	project := func(cascades bool, also Needs, needs map[string]Needs) *Project {
		return &Project{Name: "gpu", Cascades: cascades, Needs: needs, Also: also}
	}
	brought := Guarded{Kind: "Namespace", Name: "own", In: "a", Prunes: "x"}
	both := map[string]Needs{"a": own, "b": monitoring}
	alone := map[string]Needs{"a": own}
	empty := map[string]Needs{"a": own, "b": {}}
	const lost = "AppProject gpu would no longer allow kind PrometheusRule.monitoring.coreos.com and namespace monitoring"
	for name, test := range map[string]struct {
		before, after *Project
		allow         []string
		want          string
	}{
		"nothing leaves":                      {before: project(true, Needs{}, both), after: project(true, Needs{}, both)},
		"a component, that stays":             {before: project(false, Needs{}, both), after: project(false, Needs{}, alone)},
		"a component, with all it made":       {before: project(true, Needs{}, both), after: project(true, Needs{}, alone), want: lost},
		"objects of a component":              {before: project(false, Needs{}, both), after: project(false, Needs{}, empty), want: lost},
		"a person says so":                    {before: project(true, Needs{}, both), after: project(true, Needs{}, alone), allow: []string{"gpu"}},
		"the spec allows it":                  {before: project(true, Needs{}, both), after: project(true, monitoring, alone)},
		"the spec allows it no more":          {before: project(true, monitoring, alone), after: project(true, Needs{}, alone)},
		"the spec allows all kinds":           {before: project(true, Needs{}, both), after: project(true, Needs{Namespaces: []string{"monitoring"}, Kinds: []string{"*"}}, alone)},
		"the spec allows one of two":          {before: project(true, Needs{}, both), after: project(true, Needs{Kinds: monitoring.Kinds}, alone), want: "AppProject gpu would no longer allow namespace monitoring"},
		"another component needs it":          {before: project(true, Needs{}, both), after: project(true, Needs{}, map[string]Needs{"a": monitoring, "c": own})},
		"a Namespace that the tree brought":   {before: project(true, Needs{}, both), after: project(true, Needs{}, map[string]Needs{"a": {Kinds: own.Kinds}, "b": monitoring}), allow: []string{"own"}},
		"the last Namespace that was brought": {before: project(true, Needs{}, both), after: project(true, Needs{}, map[string]Needs{"a": {}, "b": monitoring}), allow: []string{"own"}, want: "AppProject gpu would no longer allow kinds ConfigMap, Namespace and namespace own"},
		"somebody else's project from now on": {before: project(true, Needs{}, both)},
		"an older inventory":                  {after: project(true, Needs{}, alone)},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			m := meta
			m.Project, m.Guarded = test.before, []Guarded{brought}
			if _, found := Write(context.Background(), dir, files{"a": "1"}.tree(), m, Options{}); len(found) > 0 {
				t.Fatal(texts(found))
			}
			m.Project = test.after
			if slices.Contains(test.allow, "own") {
				m.Guarded = nil
			}
			_, found := Write(context.Background(), dir, files{"a": "2"}.tree(), m, Options{AllowPrune: test.allow})
			switch {
			case test.want == "" && len(found) == 0:
			case len(found) != 1 || found[0].ID != kindNarrow.ID || found[0].Message != test.want:
				t.Errorf("findings are %q, want %q", texts(found), test.want)
			default:
				emitted.Store(found[0].ID, true)
			}
		})
	}
}

func TestAFixSaysWhatASpecSays(t *testing.T) {
	n := Needs{Namespaces: []string{"a", "b"}, Kinds: []string{"ConfigMap"}}
	if got, want := n.literal(), `{namespaces: ["a", "b"], kinds: ["ConfigMap"]}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
