package verify

import (
	"slices"
	"strings"

	"github.com/itchyny/gojq"

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
		if seen[c.Of] {
			continue
		}
		seen[c.Of] = true
		for i, entry := range list {
			ignored, _ := entry.(map[string]any)
			path := []any{"components", c.Of, "argocd", "ignoreDifferences", i}
			findings = append(findings, unreadable(s, path, ignored)...)
			if what := ineffective(c, ignored); what != "" {
				findings.Add(at(s, path, unmatchedDifference, "%s", what))
			}
		}
	}
	return findings
}

// unreadable looks for jq expressions that Argo CD cannot compile, as it does it.
func unreadable(s *schema.Spec, path []any, ignored map[string]any) diag.List {
	var findings diag.List
	list, _ := ignored["jqPathExpressions"].([]any)
	for i, entry := range list {
		expression, _ := entry.(string)
		query, err := gojq.Parse("del(" + expression + ")")
		if err == nil {
			_, err = gojq.Compile(query)
		}
		if err != nil {
			findings.Add(at(s, append(slices.Clone(path), "jqPathExpressions", i), unreadableDifference, "%q: %v", expression, err))
		}
	}
	return findings
}

// ineffective says why an entry changes nothing, or nothing if it does.
func ineffective(c plan.Component, ignored map[string]any) string {
	named := 0
	for _, key := range []string{"jsonPointers", "jqPathExpressions", "managedFieldsManagers"} {
		list, _ := ignored[key].([]any)
		named += len(list)
	}
	if named == 0 {
		return "nothing is named that is to be ignored"
	}
	group, _ := ignored["group"].(string)
	kind, _ := ignored["kind"].(string)
	// Of a chart of the user's nobody knows what it renders.
	if c.Chart != nil && c.Index == nil || strings.ContainsAny(group+kind, "*?[]{}") || renders(c, ignored, group, kind) {
		return ""
	}
	out := c.Of + " renders no " + kind
	if group != "" {
		out += " of " + group
	}
	for _, key := range []string{"namespace", "name"} {
		if value, _ := ignored[key].(string); value != "" {
			out += " with " + key + " " + value
		}
	}
	return out
}

// renders tells whether a component has objects of a kind, or may have. Names are known
// of those only that gpugen renders.
func renders(c plan.Component, ignored map[string]any, group, kind string) bool {
	for _, o := range c.Final() {
		apiVersion, _ := o["apiVersion"].(string)
		if o["kind"] == kind && groupOf(apiVersion) == group && called(o, ignored) {
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

// called tells whether an object has the name and the namespace that are asked for, if any are.
func called(o, ignored map[string]any) bool {
	metadata, _ := o["metadata"].(map[string]any)
	for _, key := range []string{"name", "namespace"} {
		if want, _ := ignored[key].(string); want != "" && metadata[key] != want {
			return false
		}
	}
	return true
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
