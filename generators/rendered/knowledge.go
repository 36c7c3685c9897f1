package rendered

import (
	"encoding/json"
	"fmt"
	"slices"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/build"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/parser"
	"sigs.k8s.io/kustomize/kyaml/openapi"
	kyaml "sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/gpugen/gpugen/schema/chartindex"
	"github.com/gpugen/gpugen/schema/facts/manifests"
)

// Knowledge is what has to be known of Argo CD, Kubernetes and charts.
type Knowledge struct {
	argocd struct {
		// SyncOptions are the options that Argo CD reads, with the values that it takes.
		SyncOptions map[string][]string `json:"syncOptions"`
		// Excluded are the kinds, as group/Kind, that Argo CD does not look at.
		Excluded []string `json:"excluded"`
		// Holding are the kinds, as kubectl writes them, that take much with them.
		Holding []string `json:"holding"`
		// ServerSet are fields of metadata that the API server sets.
		ServerSet            []string `json:"serverSet"`
		ServerSetAnnotations []string `json:"serverSetAnnotations"`
		// Customizations are what may follow resource.customizations in a key of argocd-cm.
		Customizations []string `json:"customizations"`
		// Lua is what scripts in there have, and what is read of them.
		Lua struct {
			// Given are the names that each script has.
			Given []string `json:"given"`
			// OpenLibraries are those that it has only if useOpenLibs says so, OfTexts the
			// functions that texts have by them.
			OpenLibraries []string `json:"openLibraries"`
			OfTexts       []string `json:"ofTexts"`
			// OS is what it has of the library os.
			OS []string `json:"os"`
			// Result are the fields that are read of a health check, Statuses the health that it
			// may say.
			Result   []string `json:"result"`
			Statuses []string `json:"statuses"`
		} `json:"lua"`
	}
	kubernetes struct {
		// Groups are those of the API server itself.
		Groups []string `json:"groups"`
		// Namespaces are those that each cluster has.
		Namespaces []string `json:"namespaces"`
		// Cluster and Namespaced are kinds by group, beyond those that the library knows.
		Cluster    map[string][]string `json:"cluster"`
		Namespaced map[string][]string `json:"namespaced"`
	}
	// fields of the kinds of argoproj.io.
	fields map[string]any
	// index of a chart; nil where nobody knows it.
	index func(repository, chart, version string) *chartindex.Index
}

// Known reads the facts. index tells what a chart version renders, and gives nil for one
// that is not known.
//
// An error is a defect of the facts.
func Known(index func(repository, chart, version string) *chartindex.Index) (*Knowledge, error) {
	k := &Knowledge{index: index}
	instance := &build.Instance{}
	for _, name := range []string{"argocd.cue", "kubernetes.cue"} {
		data, err := manifests.Files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(name, data)
		if err != nil {
			return nil, err
		}
		if err := instance.AddSyntax(file); err != nil {
			return nil, err
		}
	}
	v := cuecontext.New().BuildInstance(instance)
	for path, into := range map[string]any{"argocd": &k.argocd, "kubernetes": &k.kubernetes} {
		if err := v.LookupPath(cue.ParsePath(path)).Decode(into); err != nil {
			return nil, fmt.Errorf("facts about %s: %w", path, err)
		}
	}
	data, err := manifests.Files.ReadFile("argocd_fields.json")
	if err != nil {
		return nil, err
	}
	return k, json.Unmarshal(data, &k.fields)
}

// scope is whether objects of a kind live in a namespace; known is false where nobody
// knows.
func (t *tree) scope(r *resource) (namespaced, known bool) {
	gk := r.gk()
	if namespaced, ok := t.scopes[gk]; ok {
		return namespaced, true
	}
	switch {
	case slices.Contains(t.known.kubernetes.Cluster[gk.group], gk.kind):
		return false, true
	case slices.Contains(t.known.kubernetes.Namespaced[gk.group], gk.kind):
		return true, true
	}
	return openapi.IsNamespaceScoped(kyaml.TypeMeta{APIVersion: r.text("apiVersion"), Kind: gk.kind})
}
