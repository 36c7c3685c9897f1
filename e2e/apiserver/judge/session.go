// Package judge applies rendered trees to an API server and reports everything
// that the server refuses, warns of, or makes into something else. It owns what a
// tree promises to a server, and must not know a component or change a tree.
package judge

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/gpugen/gpugen/e2e/apiserver/server"
)

// Session judges one tree after the other on one server. It is not safe for
// concurrent use.
type Session struct {
	client  *server.Client
	sources Sources
	// installed are the CRDs that the server has now.
	installed map[string]*definition
	// made is what the session has stored for the tree at hand, in that order.
	made []*unstructured.Unstructured
}

// NewSession returns a session on a fresh server.
func NewSession(client *server.Client, sources Sources) *Session {
	return &Session{client: client, sources: sources, installed: map[string]*definition{}}
}

// Report is what a server made of a tree.
type Report struct {
	// Objects were applied. Definitions are the CRDs for them. Admitted are the Jobs,
	// Pods and claims that were made of their templates.
	Objects, Definitions, Admitted int
	// Problems are all that is wrong, Warnings how many of them were warnings of the
	// server.
	Problems []Problem
	Warnings int
	// Defaulted are the fields that the tree leaves to the server or to a CRD.
	Defaulted []Default
	// StandIns are objects that the cluster is taken to have, since no chart or
	// controller runs here.
	StandIns []string
	Duration time.Duration
}

// Judge applies a tree in its own order and then in each of the other orders, and
// leaves the server as it was but for CRDs. An error means that the tree could
// not be judged.
func (s *Session) Judge(ctx context.Context, t *Tree, orders ...Order) (*Report, error) {
	began := time.Now()
	r := &Report{Problems: slices.Clone(t.Problems)}
	definitions, err := s.sources.definitions(t)
	if err != nil {
		return nil, err
	}
	defer func() { r.Duration = time.Since(began) }()
	problems, err := s.install(ctx, definitions)
	if err != nil {
		return nil, err
	}
	r.Definitions = len(definitions)
	r.Problems = append(r.Problems, problems...)
	documents := s.resolve(t, definitions, r)
	if err := s.inOwnOrder(ctx, t, documents, r); err != nil {
		return nil, err
	}
	for _, order := range orders {
		if err := s.inOrder(ctx, documents, definitions, order, r); err != nil {
			return nil, err
		}
	}
	return r, s.clean(ctx)
}

// While applies a tree in its own order, does something with the server, and leaves
// the server as it was but for CRDs. It does not judge the tree: what the server
// refuses is not there.
func (s *Session) While(ctx context.Context, t *Tree, do func(*server.Client)) error {
	r := &Report{}
	definitions, err := s.sources.definitions(t)
	if err != nil {
		return err
	}
	if _, err := s.install(ctx, definitions); err != nil {
		return err
	}
	documents := s.resolve(t, definitions, r)
	if err := s.prepare(ctx, documents, r); err != nil {
		return err
	}
	for _, d := range documents {
		if answer := s.apply(ctx, d); answer.Err == nil && !d.blocks() {
			if err := s.playControllers(ctx, answer.Object); err != nil {
				return fmt.Errorf("%s: %w", nameOf(d.Object), err)
			}
		}
	}
	do(s.client)
	return s.clean(ctx)
}

// resolve returns copies of the documents that can be sent: with the namespace
// that Argo CD fills in, each object once, only kinds that the cluster would serve.
func (s *Session) resolve(t *Tree, definitions []*definition, r *Report) []*Document {
	var out []*Document
	brought := map[schema.GroupKind]bool{}
	for _, d := range definitions {
		brought[d.groupKind()] = true
	}
	first := map[string]string{}
	for _, document := range t.Documents {
		d := *document
		d.Object = document.Object.DeepCopy()
		kind := d.Object.GroupVersionKind()
		namespaced, err := s.client.Namespaced(kind)
		if custom := s.installs(kind.GroupKind()); err != nil || custom && !brought[kind.GroupKind()] {
			r.add(&d, []slip{{"apiVersion", "the server does not serve this kind in this version: neither Kubernetes nor a CRD of the tree's charts brings it"}})
			continue
		}
		if namespaced && d.Object.GetNamespace() == "" {
			d.Object.SetNamespace(t.defaultNamespace(d.Component))
		}
		if !namespaced && d.Object.GetNamespace() != "" {
			r.add(&d, []slip{{"metadata.namespace", "the kind is cluster-scoped: the server drops the namespace in silence"}})
			d.Object.SetNamespace("")
		}
		identity := kind.Group + "/" + nameOf(d.Object)
		if other, ok := first[identity]; ok && d.Object.GetName() != "" {
			r.add(&d, []slip{{"metadata.name", "the same object is also in " + other + ": one would overwrite the other"}})
			continue
		}
		first[identity] = d.File
		if kind.GroupKind().String() == "Namespace" {
			r.add(&d, levelSlips(d.Object))
		}
		r.Objects++
		if !d.isDefinition() {
			out = append(out, &d)
		}
	}
	return out
}

// installs tells whether the server has a kind from a CRD.
func (s *Session) installs(kind schema.GroupKind) bool {
	for _, d := range s.installed {
		if d.groupKind() == kind {
			return true
		}
	}
	return false
}

// inOwnOrder applies the documents as the tree promises, and looks at the result.
func (s *Session) inOwnOrder(ctx context.Context, t *Tree, documents []*Document, r *Report) error {
	if err := s.prepare(ctx, documents, r); err != nil {
		return err
	}
	var stored []*Document
	for _, d := range documents {
		answer := s.apply(ctx, d)
		r.warn(d, "", answer.Warnings)
		if answer.Err != nil {
			r.add(d, s.why(ctx, d, answer.Err))
			continue
		}
		if !d.blocks() {
			stored = append(stored, d)
		}
		if err := s.playControllers(ctx, answer.Object); err != nil {
			return fmt.Errorf("%s: %w", nameOf(d.Object), err)
		}
	}
	for _, d := range stored {
		if err := s.inspect(ctx, t, d, r); err != nil {
			return fmt.Errorf("%s: %w", nameOf(d.Object), err)
		}
	}
	return nil
}

// inspect looks at one object after all of the tree is there.
func (s *Session) inspect(ctx context.Context, t *Tree, d *Document, r *Report) error {
	live := s.client.Get(ctx, d.Object)
	if live.Err != nil {
		return live.Err
	}
	custom := s.installs(d.Object.GroupVersionKind().GroupKind())
	r.add(d, changed(d.Object.Object, live.Object.Object, custom))
	again := s.client.Apply(ctx, d.Object, d.Data)
	switch {
	case again.Err != nil:
		r.add(d, []slip{{"", "cannot be applied a second time: " + again.Err.Error()}})
	case again.Object.GetResourceVersion() != live.Object.GetResourceVersion():
		r.add(d, []slip{{"", "a second apply changes the object, so every sync would"}})
	}
	r.addDefaults(d, t.applications[d.Component], defaulted(d.Object.Object, live.Object.Object), custom)
	if d.Object.GetKind() == "Namespace" {
		return s.tryLevel(ctx, d, r)
	}
	return s.admitTemplates(ctx, d, live.Object, r)
}

// why returns the problems behind a refusal. Server-side apply answers a slip of
// schema by an internal error that names the first one only; a strict create
// request names all.
func (s *Session) why(ctx context.Context, d *Document, err error) []slip {
	var status apierrors.APIStatus
	if errors.As(err, &status) && status.Status().Code == http.StatusInternalServerError {
		if second := s.client.Create(ctx, d.Object, d.Data, server.DryRun).Err; second != nil && !apierrors.IsAlreadyExists(second) {
			err = second
		}
	}
	return refusals(err)
}

func (r *Report) add(d *Document, slips []slip) {
	for _, one := range slips {
		r.Problems = append(r.Problems, Problem{d.File, nameOf(d.Object), one.field, one.message})
	}
}

func (r *Report) warn(d *Document, path string, warnings []string) {
	for _, warning := range warnings {
		slips := fromText(warning)
		if path != "" {
			slips = beneath(path, slips)
		}
		for i := range slips {
			slips[i].message = "warning: " + slips[i].message
		}
		r.Warnings++
		r.add(d, slips)
	}
}
