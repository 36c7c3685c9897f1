// Package schema owns the judgement of a spec as a whole: it is loaded, resolved and
// checked, in this order. The packages below do the work; this one puts it together
// for those who render. It must not write files or render manifests.
package schema

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"cuelang.org/go/cue"

	"github.com/gpugen/gpugen/schema/chartindex"
	"github.com/gpugen/gpugen/schema/check"
	"github.com/gpugen/gpugen/schema/diag"
	"github.com/gpugen/gpugen/schema/knowledge"
	"github.com/gpugen/gpugen/schema/load"
	"github.com/gpugen/gpugen/schema/override"
	"github.com/gpugen/gpugen/schema/shape"
	"github.com/gpugen/gpugen/schema/site"
	"github.com/gpugen/gpugen/schema/source"
	"github.com/gpugen/gpugen/schema/watchdog"
)

// What callers need of the packages below.
type (
	// Input says where a spec comes from.
	Input = source.Input
	// Limits bound what it may take.
	Limits = source.Limits
	// Spec is one cluster as the user wrote it.
	Spec = source.Spec
	// Seen is a spec as Digest saw it.
	Seen = source.Seen
	// Patched are the objects that patches change, as they leave them.
	Patched = knowledge.Patched
	// PatchedObject is one of them.
	PatchedObject = knowledge.PatchedObject
)

// What a spec may take if its input has no limits: its size and memory in bytes, and
// how long its evaluation may compute. A thousand tenants under Kueue take 2 GiB.
const (
	DefaultSize   = source.DefaultSize
	DefaultTime   = ofWhole * watchdog.DefaultTime
	DefaultMemory = heapOfWhole * watchdog.DefaultHeap
)

// Module is the path of gpugen's CUE module; DefaultModule is the module file of a
// directory without one.
const (
	Module        = knowledge.Module
	DefaultModule = source.DefaultModule
)

// PathString renders a path in a spec in CUE's own form.
func PathString(path []any) string { return source.PathString(path) }

// IsFleet tells whether an argument stands for all specs below a directory, and Fleet
// finds them.
func IsFleet(arg string) bool                { return source.IsFleet(arg) }
func Fleet(arg string) ([]string, diag.List) { return source.Fleet(arg) }

// Cluster is one spec, resolved and checked.
type Cluster struct {
	// Spec is what the user wrote.
	Spec *Spec
	// Site is what the site knows besides gpugen; nil if nothing.
	Site *site.Knowledge
	// root is package rules with the spec filled in.
	root cue.Value
	// in is what it was read from.
	in Input
	// loaded is what was found before anything was resolved.
	loaded    diag.List
	evaluator *evaluator
}

// Decode reads part of the resolved cluster: spec, components, states, pools,
// nodeLabels or platform, or anything below, into a Go value as JSON would; a
// number without a type is a json.Number.
//
// An error is a defect of the knowledge base.
func (c *Cluster) Decode(path string, into any) error {
	v := c.root.LookupPath(cue.ParsePath(path))
	if err := v.Err(); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	data, err := v.MarshalJSON()
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	// As float64, integers beyond 2^53 would become others.
	numbers := json.NewDecoder(bytes.NewReader(data))
	numbers.UseNumber()
	return numbers.Decode(into)
}

// Digest tells a spec, with all that it imports and embeds, from any other, and
// evaluates nothing; false where that cannot be told.
func Digest(in Input) (*Seen, bool) { return load.Digest(in) }

// SiteHash tells what the site knows besides gpugen from any other such knowledge; ""
// if it is nothing.
func (c *Cluster) SiteHash() string {
	if c.Site == nil {
		return ""
	}
	return c.Site.Hash
}

// ChartIndex reads the index of a chart version that gpugen or the site carries.
//
// An error means that there is none, or that gpugen's file is damaged.
func (c *Cluster) ChartIndex(name, version string) (*chartindex.Index, error) {
	return c.evaluator.engine.ChartIndex(name, version)
}

// Evaluate loads a spec, resolves it and checks it. All that can be found is
// found; the cluster is nil if nothing could be resolved.
//
// It runs CUE under a watchdog: if the input never finishes evaluating, the
// goroutine is left behind and the only sound thing is to exit.
func Evaluate(in Input) (*Cluster, diag.List) {
	return guarded(in, func() (*Cluster, diag.List) {
		theirs, e, found := engine(in)
		if e == nil {
			return nil, found
		}
		cluster, found := newEvaluator(e).evaluate(in)
		if cluster != nil {
			cluster.Site = theirs
		}
		return cluster, found
	})
}

// engine is the knowledge by which an input is judged: gpugen's, and that of its site, if any.
func engine(in Input) (*site.Knowledge, *knowledge.Engine, diag.List) {
	theirs, found := site.Read(in, limitsOf(in))
	if found.HasErrors() {
		return nil, nil, found
	}
	e, err := knowledge.New()
	if theirs != nil {
		e, err = theirs.Base.Compile()
	}
	if err != nil {
		return nil, nil, diag.List{knowledge.Defect("the knowledge base does not evaluate: %v", err)}
	}
	return theirs, e, nil
}

// limitsOf bounds the evaluation of what a user wrote.
func limitsOf(in Input) watchdog.Limits {
	return watchdog.Limits{Time: in.Limits.Time / ofWhole, Heap: in.Limits.Memory / heapOfWhole}
}

// JudgePatched checks a cluster without errors once more, its objects being as
// patches leave them: the findings are instead of those of Evaluate. It costs as
// much as that, so only a spec with patches pays for it.
func (c *Cluster) JudgePatched(patched Patched) diag.List {
	_, found := guarded(c.in, func() (*Cluster, diag.List) {
		root, findings := override.Resolve(c.evaluator.engine, c.evaluator.schema, c.Spec, patched)
		if !root.Exists() {
			return c, findings
		}
		return c, check.Run(c.evaluator.engine, c.Spec, root, slices.Concat(c.loaded, findings))
	})
	return found
}

// Waive drops warnings about the rendered tree that the spec accepts with a reason. A
// waiver of one of the IDs looked for that nothing needs is a finding itself.
func (c *Cluster) Waive(findings diag.List, lookedFor ...string) diag.List {
	return check.Waive(c.Spec, c.root, findings, lookedFor...)
}

// What a user wrote may take this part of what a spec may take in all: 1/6 of the
// time, a third of the memory.
const ofWhole, heapOfWhole = 6, 3

// guarded runs the knowledge base under a watchdog. Loading and site rules have
// watchdogs of their own, which know the place.
func guarded(in Input, evaluate func() (*Cluster, diag.List)) (*Cluster, diag.List) {
	var (
		cluster  *Cluster
		findings diag.List
	)
	limits := watchdog.Limits{
		Time: cmp.Or(in.Limits.Time, DefaultTime), Heap: cmp.Or(in.Limits.Memory, DefaultMemory),
	}
	hung, tripped := watchdog.Run(limits, "the spec", func() { cluster, findings = evaluate() })
	if tripped {
		if hung.Position.File = in.Path; in.Path == "-" {
			hung.Position.File = source.StdinName
		}
		return nil, diag.List{hung}
	}
	return cluster, findings
}

// evaluator evaluates specs, one after the other, by one engine.
type evaluator struct {
	engine *knowledge.Engine
	schema *shape.Schema
}

func newEvaluator(e *knowledge.Engine) *evaluator {
	return &evaluator{engine: e, schema: shape.New(e)}
}

func (e *evaluator) evaluate(in Input) (*Cluster, diag.List) {
	e.engine.AsOf = in.AsOf
	limits := limitsOf(in)
	e.engine.Limits.Time = cmp.Or(limits.Time, e.engine.Limits.Time)
	e.engine.Limits.Heap = cmp.Or(limits.Heap, e.engine.Limits.Heap)
	spec, loaded := load.Load(e.engine, e.schema, in)
	if spec == nil {
		return nil, loaded
	}
	root, conflicts := override.Resolve(e.engine, e.schema, spec, nil)
	findings := slices.Concat(loaded, conflicts)
	if !root.Exists() {
		return nil, findings
	}
	return &Cluster{Spec: spec, root: root, in: in, loaded: loaded, evaluator: e}, check.Run(e.engine, spec, root, findings)
}
