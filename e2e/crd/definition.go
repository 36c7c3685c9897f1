package crd

import (
	"context"
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresource"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// definition is one CustomResourceDefinition, ready to judge objects.
type definition struct {
	source string
	spec   apiextensionsv1.CustomResourceDefinitionSpec
	crd    *apiextensionsv1.CustomResourceDefinition
	served map[string]*servedVersion
}

// servedVersion is what the API server builds for one version of a CRD.
type servedVersion struct {
	structural *structuralschema.Structural
	strategy   createStrategy
}

// createStrategy is the part of the server's strategy for custom resources that
// a create request goes through.
type createStrategy interface {
	PrepareForCreate(ctx context.Context, obj runtime.Object)
	Validate(ctx context.Context, obj runtime.Object) field.ErrorList
}

func (d *definition) namespaced() bool { return d.spec.Scope == apiextensionsv1.NamespaceScoped }

func (d *definition) equal(other *definition) bool {
	return equality.Semantic.DeepEqual(d.spec, other.spec)
}

// version builds the judge of a version on first use: compiling the CEL rules of
// versions that no object uses would cost more than all the rest.
func (d *definition) version(name string) (*servedVersion, error) {
	if v, ok := d.served[name]; ok {
		return v, nil
	}
	if !apihelpers.HasServedCRDVersion(d.crd, name) {
		return nil, fmt.Errorf("%s is not served in version %q", d.crd.Name, name)
	}
	internal := &apiextensions.CustomResourceValidation{}
	external, err := apihelpers.GetSchemaForVersion(d.crd, name)
	if err != nil {
		return nil, err
	}
	if err := apiextensionsv1.Convert_v1_CustomResourceValidation_To_apiextensions_CustomResourceValidation(external, internal, nil); err != nil {
		return nil, err
	}
	structural, err := structuralschema.NewStructural(internal.OpenAPIV3Schema)
	if err != nil {
		return nil, fmt.Errorf("schema of %s is not structural: %w", d.crd.Name, err)
	}
	// PruneDefaults writes into values that the conversion shares.
	structural = structural.DeepCopy()
	if err := defaulting.PruneDefaults(structural); err != nil {
		return nil, err
	}
	validator, _, err := validation.NewSchemaValidator(internal.OpenAPIV3Schema)
	if err != nil {
		return nil, err
	}
	subresources, err := d.subresources(name)
	if err != nil {
		return nil, err
	}
	kind := schema.GroupVersionKind{Group: d.spec.Group, Version: name, Kind: d.spec.Names.Kind}
	v := &servedVersion{
		structural: structural,
		strategy: customresource.NewStrategy(nil, d.namespaced(), kind, validator, nil, structural,
			subresources.Status, subresources.Scale, nil),
	}
	d.served[name] = v
	return v, nil
}

func (d *definition) subresources(version string) (*apiextensions.CustomResourceSubresources, error) {
	internal := &apiextensions.CustomResourceSubresources{}
	external, err := apihelpers.GetSubresourcesForVersion(d.crd, version)
	if err != nil || external == nil {
		return internal, err
	}
	err = apiextensionsv1.Convert_v1_CustomResourceSubresources_To_apiextensions_CustomResourceSubresources(external, internal, nil)
	return internal, err
}

// validate follows a create request in the server's order: defaults, unknown
// fields, nulls, then the checks. It changes the object.
func (d *definition) validate(ctx context.Context, u *unstructured.Unstructured) []error {
	version, err := d.version(u.GroupVersionKind().Version)
	if err != nil {
		return []error{err}
	}
	defaulting.Default(u.Object, version.structural)
	unknown, err := dropUnknown(u, version.structural)
	if err != nil {
		return []error{err}
	}
	var errs []error
	for _, path := range unknown {
		errs = append(errs, fmt.Errorf("unknown field %q", path))
	}
	version.strategy.PrepareForCreate(ctx, u)
	return append(errs, asErrors(version.strategy.Validate(ctx, u))...)
}

// dropUnknown does what the server's decoder does after defaulting and returns
// the paths of the fields that the schema does not have. Type and metadata are
// kept apart, since CRD schemas need not describe them.
func dropUnknown(u *unstructured.Unstructured, structural *structuralschema.Structural) ([]string, error) {
	kind, apiVersion := u.GetKind(), u.GetAPIVersion()
	meta, found, unknown, err := objectmeta.GetObjectMetaWithOptions(u.Object, objectmeta.ObjectMetaOptions{ReturnUnknownFieldPaths: true})
	if err != nil {
		return nil, err
	}
	unknown = append(unknown, pruning.PruneWithOptions(u.Object, structural, true, structuralschema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})...)
	defaulting.PruneNonNullableNullsWithoutDefaults(u.Object, structural)
	fieldErr, embedded := objectmeta.CoerceWithOptions(nil, u.Object, structural, false, objectmeta.CoerceOptions{ReturnUnknownFieldPaths: true})
	if fieldErr != nil {
		return nil, fieldErr
	}
	u.SetKind(kind)
	u.SetAPIVersion(apiVersion)
	if found {
		if err := objectmeta.SetObjectMeta(u.Object, meta); err != nil {
			return nil, err
		}
	}
	return append(unknown, embedded...), nil
}
