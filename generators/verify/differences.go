package verify

import (
	"strings"

	"github.com/gpugen/gpugen/generators/plan"
	"github.com/gpugen/gpugen/schema"
	"github.com/gpugen/gpugen/schema/chartindex"
	"github.com/gpugen/gpugen/schema/diag"
)

// differences checks that what users have Argo CD ignore is something that the
// component renders: Argo CD compares no other objects of an Application.
func differences(p *plan.Plan, s *schema.Spec) diag.List {
	var findings diag.List
	components, _ := s.Data["components"].(map[string]any)
	seen := map[string]bool{}
	for _, c := range p.Components {
		written, _ := components[c.Of].(map[string]any)
		argocd, _ := written["argocd"].(map[string]any)
		list, _ := argocd["ignoreDifferences"].([]any)
		if seen[c.Of] || c.Chart != nil && c.Index == nil {
			// Nobody knows what a chart of the user's renders.
			continue
		}
		seen[c.Of] = true
		for i, entry := range list {
			ignored, _ := entry.(map[string]any)
			group, _ := ignored["group"].(string)
			kind, _ := ignored["kind"].(string)
			if strings.Contains(group+kind, "*") || renders(c, group, kind) {
				continue
			}
			name := kind
			if group != "" {
				name += " of " + group
			}
			findings.Add(at(s, []any{"components", c.Of, "argocd", "ignoreDifferences", i}, unmatchedDifference, "%s renders no %s", c.Of, name))
		}
	}
	return findings
}

// renders tells whether a component has objects of a kind, or may have.
func renders(c plan.Component, group, kind string) bool {
	for _, o := range c.Final() {
		apiVersion, _ := o["apiVersion"].(string)
		if o["kind"] == kind && groupOf(apiVersion) == group {
			return true
		}
	}
	if c.Index == nil {
		return false
	}
	for _, o := range c.Index.Objects {
		if (o.Kind == kind || o.Kind == "*") && (o.APIVersion == "*" || groupOf(o.APIVersion) == group) {
			return true
		}
	}
	for _, d := range c.Index.Dynamic {
		if isSet(c.Values, d.Path) {
			return true
		}
	}
	return kind == "CustomResourceDefinition" && group == "apiextensions.k8s.io" && len(c.Index.CRDs) > 0
}

// isSet tells whether values say something at a path; of an empty path nobody knows.
func isSet(values map[string]any, path chartindex.Path) bool {
	var v any = values
	for _, key := range path {
		m, _ := v.(map[string]any)
		if v = m[key]; v == nil {
			return false
		}
	}
	return true
}

func groupOf(apiVersion string) string {
	group, _, ok := strings.Cut(apiVersion, "/")
	if !ok {
		return ""
	}
	return group
}
