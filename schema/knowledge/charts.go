package knowledge

import (
	"encoding/json"
	"fmt"
	"io/fs"

	"cuelang.org/go/cue"

	"github.com/gpugen/gpugen/schema/chartindex"
	"github.com/gpugen/gpugen/schema/facts"
)

// ChartIndex reads the index of a chart version that gpugen carries.
//
// An error means that there is none, or that the embedded file is damaged.
func ChartIndex(name, version string) (*chartindex.Index, error) {
	data, err := fs.ReadFile(facts.Files, "charts/"+name+"-"+version+".json")
	if err != nil {
		return nil, fmt.Errorf("no index of chart %s %s", name, version)
	}
	return chartindex.Parse(data)
}

// IndexOf is the index of a component's chart version, or nil. The chart may
// have another name than the component, and another one in each version.
func (e *Engine) IndexOf(component, version string) *chartindex.Index {
	name, err := e.Charts().LookupPath(cue.MakePath(cue.Str("charts"), cue.Str(component), cue.Str(version), cue.Str("name"))).String()
	if err != nil {
		return nil
	}
	index, err := e.ChartIndex(name, version)
	if err != nil {
		return nil
	}
	return index
}

// ChartIndex reads the index of a chart version that gpugen or the site carries.
//
// An error means that there is none, or that gpugen's file is damaged.
func (e *Engine) ChartIndex(name, version string) (*chartindex.Index, error) {
	if data := e.Base.more.Indexes[name+"-"+version]; data != nil {
		return chartindex.Parse(data)
	}
	return ChartIndex(name, version)
}

// PreferredVersion is the chart version that a component has by default.
func (e *Engine) PreferredVersion(component string) (string, error) {
	return e.Charts().LookupPath(cue.MakePath(cue.Str("preferred"), cue.Str(component))).String()
}

// StandsIn is the chart version whose facts stand in for one that gpugen does not
// carry, or "".
func (e *Engine) StandsIn(component, version string) string {
	nearest := e.Charts().LookupPath(cue.ParsePath("#Nearest"))
	out, _ := nearest.FillPath(cue.ParsePath("component"), component).FillPath(cue.ParsePath("version"), version).LookupPath(cue.ParsePath("out")).String()
	return out
}

// Suggested is what a spec most likely says in fields that the value at a path lacks, by
// the names of #Suggested in package charts; nil if that cannot be told.
func (e *Engine) Suggested(spec map[string]any, at []any) map[string]any {
	v := e.Charts().LookupPath(cue.ParsePath("#Suggested")).FillPath(cue.ParsePath("spec"), spec).FillPath(cue.ParsePath("at"), at)
	out := map[string]any{}
	fields, err := v.Fields()
	if err != nil {
		return nil
	}
	for fields.Next() {
		var value any
		// What the rest of the spec leaves open is left out.
		if data, err := fields.Value().MarshalJSON(); err == nil && json.Unmarshal(data, &value) == nil {
			out[fields.Selector().Unquoted()] = value
		}
	}
	return out
}
