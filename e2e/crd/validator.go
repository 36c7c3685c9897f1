// Package crd judges Kubernetes objects as the API server of one Kubernetes
// release would on a create request: custom resources with the server's own
// library (defaulting, pruning, OpenAPI schema, CEL rules), Kubernetes' own
// kinds by strict decoding into their Go types. It owns no knowledge of any
// chart and must not reach for a cluster or a network. What the server adds
// beyond that (validation of built-in kinds, admission, webhooks) is not judged
// here.
package crd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	metav1validation "k8s.io/apimachinery/pkg/api/validation"
	pathvalidation "k8s.io/apimachinery/pkg/api/validation/path"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/gpugen/gpugen/examples"
)

// ErrNamespaceIgnored marks a cluster-scoped object that names a namespace. The
// API server drops the namespace in silence.
var ErrNamespaceIgnored = errors.New("a cluster-scoped object names a namespace")

// ErrUnknownKind marks an object whose kind is neither Kubernetes' own nor known
// from a CustomResourceDefinition.
var ErrUnknownKind = errors.New("unknown kind")

// Validator knows Kubernetes' own kinds and those of the CRDs it was given. It is
// not safe for concurrent use.
type Validator struct {
	builtin *builtinKinds
	// custom holds every definition of a kind. Two charts may ship the same CRD at
	// different versions; an object must then please each of them.
	custom map[schema.GroupKind][]*definition
}

// New returns a validator for Kubernetes' own kinds and the CRDs in the YAML
// files. It fails on a file that cannot be read, or whose CRD the API server
// could not serve. Documents of other kinds are an error too.
func New(crdFiles ...string) (*Validator, error) {
	builtin, err := newBuiltinKinds()
	if err != nil {
		return nil, err
	}
	v := &Validator{builtin: builtin, custom: map[schema.GroupKind][]*definition{}}
	for _, file := range crdFiles {
		data, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		objects, err := examples.Documents(data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		for _, object := range objects {
			if err := v.Add(file, object); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}

// Add makes the kind of a CustomResourceDefinition known. The source says where
// the definition comes from and appears in messages. Adding an equal definition
// again changes nothing.
func (v *Validator) Add(source string, object map[string]any) error {
	d, err := v.builtin.definition(source, object)
	if err != nil {
		return fmt.Errorf("%s: %w", source, err)
	}
	kind := schema.GroupKind{Group: d.spec.Group, Kind: d.spec.Names.Kind}
	if !slices.ContainsFunc(v.custom[kind], d.equal) {
		v.custom[kind] = append(v.custom[kind], d)
	}
	return nil
}

// Namespaced reports whether objects of the kind live in a namespace. The error
// is ErrUnknownKind if nothing is known about the kind.
func (v *Validator) Namespaced(kind schema.GroupKind) (bool, error) {
	if definitions := v.custom[kind]; len(definitions) > 0 {
		return definitions[0].namespaced(), nil
	}
	if namespaced, ok := v.builtin.namespaced[kind]; ok {
		return namespaced, nil
	}
	return false, fmt.Errorf("%w: %s", ErrUnknownKind, kind)
}

// Validate returns everything that the API server would refuse or silently
// change in a create request with strict field validation. The object itself is
// not changed. A namespaced object without a namespace is judged as if in
// "default": who applies it chooses the namespace.
func (v *Validator) Validate(obj map[string]any) []error {
	u := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(obj)}
	gvk := u.GroupVersionKind()
	if gvk.Kind == "" || gvk.Version == "" {
		return []error{fmt.Errorf("not a Kubernetes object: apiVersion %q, kind %q", u.GetAPIVersion(), u.GetKind())}
	}
	namespaced, err := v.Namespaced(gvk.GroupKind())
	if err != nil {
		return []error{err}
	}
	var errs []error
	switch {
	case namespaced && u.GetNamespace() == "":
		u.SetNamespace("default")
	case !namespaced && u.GetNamespace() != "":
		errs = append(errs, fmt.Errorf("%w: %s", ErrNamespaceIgnored, u.GetNamespace()))
		u.SetNamespace("")
	}
	// Charts leave the name to the server at times; a made-up one stands for it.
	if u.GetName() == "" && u.GetGenerateName() != "" {
		u.SetName(u.GetGenerateName() + "x")
	}
	definitions := v.custom[gvk.GroupKind()]
	if len(definitions) == 0 {
		return append(errs, v.builtin.validate(u, namespaced)...)
	}
	for _, d := range definitions {
		for _, err := range d.validate(context.Background(), u.DeepCopy()) {
			errs = append(errs, fmt.Errorf("%w (%s)", err, d.source))
		}
	}
	return errs
}

// validateMeta holds the metadata rules that all kinds share.
func validateMeta(u *unstructured.Unstructured, namespaced bool) []error {
	return asErrors(metav1validation.ValidateObjectMetaAccessor(u, namespaced, pathvalidation.ValidatePathSegmentName, field.NewPath("metadata")))
}

func asErrors(list field.ErrorList) []error {
	errs := make([]error, 0, len(list))
	for _, err := range list {
		errs = append(errs, err)
	}
	return errs
}
