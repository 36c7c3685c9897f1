package override

import (
	"maps"
	"slices"
	"strings"

	"github.com/gpugen/gpugen/schema/chartindex"
	"github.com/gpugen/gpugen/schema/diag"
	"github.com/gpugen/gpugen/schema/source"
)

// podAPI is where Kubernetes says what such elements are.
const podAPI = "https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/ (2026-11)"

// elementTypes are the types that Kubernetes itself gives to fields of what lists of
// such a name hold, in whatever chart: Helm prints what it is given, and the API
// server refuses a number where it wants a string.
var elementTypes = map[string]map[string]chartindex.Type{
	"env": {"name": chartindex.TypeString, "value": chartindex.TypeString},
	"tolerations": {
		"key": chartindex.TypeString, "operator": chartindex.TypeString, "value": chartindex.TypeString,
		"effect": chartindex.TypeString, "tolerationSeconds": chartindex.TypeInteger,
	},
}

// typesOf are the types of the elements of a list by its name.
func typesOf(key string) map[string]chartindex.Type {
	lower := strings.ToLower(key)
	for _, name := range []string{"env", "tolerations"} {
		if strings.HasSuffix(lower, name) {
			return elementTypes[name]
		}
	}
	return nil
}

// checkElements looks for such fields of another type in all values of the spec,
// those of charts included that gpugen does not know.
func (r *resolver) checkElements() diag.List {
	var findings diag.List
	components, _ := r.spec.Data["components"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(components)) {
		c, _ := components[name].(map[string]any)
		findings = append(findings, r.elementsBelow([]any{"components", name, "values"}, "", c["values"])...)
		pools, _ := c["pools"].(map[string]any)
		for _, pool := range slices.Sorted(maps.Keys(pools)) {
			p, _ := pools[pool].(map[string]any)
			findings = append(findings, r.elementsBelow([]any{"components", name, "pools", pool, "values"}, "", p["values"])...)
		}
	}
	return findings
}

func (r *resolver) elementsBelow(at []any, key string, value any) diag.List {
	var findings diag.List
	switch v := value.(type) {
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			findings = append(findings, r.elementsBelow(source.Join(at, k), k, v[k])...)
		}
	case []any:
		want := typesOf(key)
		for i, element := range v {
			fields, isMap := element.(map[string]any)
			if named := want["name"] != ""; named && isMap && fields["name"] == nil && !bringsChart(r.spec, at[1].(string)) {
				f := r.at(wrongType, source.Join(at, i), "%s[%d] has no name", key, i)
				f.Source, f.Fix = podAPI, "give the entry its name"
				findings.Add(f)
			}
			for _, k := range slices.Sorted(maps.Keys(fields)) {
				t, ok := want[k]
				got := chartindex.TypeOf(fields[k])
				if !ok || got == t || got == chartindex.TypeUnknown {
					continue
				}
				path := source.Join(source.Join(at, i), k)
				f := r.at(wrongType, path, "%s of %s[%d]: want %s, got %s", k, key, i, t, got)
				f.Source = podAPI
				if t == chartindex.TypeString {
					f.Fix = "write the value in quotes"
				}
				findings.Add(f)
			}
		}
	}
	return findings
}
