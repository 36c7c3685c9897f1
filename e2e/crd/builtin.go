package crd

import (
	"context"
	"fmt"
	"maps"
	"reflect"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdvalidation "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	apiextensionsclient "k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/kubernetes"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	apiregistrationv1 "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	aggregatorclient "k8s.io/kube-aggregator/pkg/client/clientset_generated/clientset"
)

// The Kubernetes minor release that the libraries of this module belong to.
const releaseMajor, releaseMinor = 1, 36

// builtinKinds are the kinds that every API server has without a CRD.
type builtinKinds struct {
	decoder    runtime.Decoder
	namespaced map[schema.GroupKind]bool
	// definitions converts and defaults CustomResourceDefinitions; the client's
	// scheme cannot.
	definitions *runtime.Scheme
}

func newBuiltinKinds() (*builtinKinds, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, apiextensionsv1.AddToScheme, apiregistrationv1.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	b := &builtinKinds{
		decoder:     serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer(),
		namespaced:  map[schema.GroupKind]bool{},
		definitions: runtime.NewScheme(),
	}
	install.Install(b.definitions)
	maps.Copy(b.namespaced, scopes[kubernetes.Interface](scheme))
	maps.Copy(b.namespaced, scopes[apiextensionsclient.Interface](scheme))
	maps.Copy(b.namespaced, scopes[aggregatorclient.Interface](scheme))
	return b, nil
}

// scopes reads the scope of every kind off the shape of a typed client: the
// method that gives access to a namespaced kind takes a namespace, that of a
// cluster-scoped kind takes nothing. So the table is Kubernetes' own.
func scopes[Client any](scheme *runtime.Scheme) map[schema.GroupKind]bool {
	out := map[schema.GroupKind]bool{}
	client := reflect.TypeFor[Client]()
	for i := range client.NumMethod() {
		if client.Method(i).Type.NumOut() != 1 || client.Method(i).Type.Out(0).Kind() != reflect.Interface {
			continue
		}
		group := client.Method(i).Type.Out(0)
		for j := range group.NumMethod() {
			access := group.Method(j).Type
			if access.NumIn() > 1 || access.NumOut() != 1 || access.Out(0).Kind() != reflect.Interface {
				continue
			}
			create, ok := access.Out(0).MethodByName("Create")
			if !ok || create.Type.NumIn() < 2 || create.Type.In(1).Kind() != reflect.Pointer {
				continue
			}
			object, ok := reflect.New(create.Type.In(1).Elem()).Interface().(runtime.Object)
			if !ok {
				continue
			}
			kinds, _, err := scheme.ObjectKinds(object)
			if err != nil {
				continue
			}
			for _, kind := range kinds {
				out[kind.GroupKind()] = access.NumIn() == 1
			}
		}
	}
	return out
}

// validate decodes the object into its Go type, where a field that the type does
// not have is an error, and refuses versions that the release no longer serves.
func (b *builtinKinds) validate(u *unstructured.Unstructured, namespaced bool) []error {
	typed, err := b.decode(u)
	if err != nil {
		return []error{err}
	}
	if removed, ok := typed.(interface{ APILifecycleRemoved() (int, int) }); ok {
		if major, minor := removed.APILifecycleRemoved(); major < releaseMajor || major == releaseMajor && minor <= releaseMinor {
			return []error{fmt.Errorf("%s %s is not served since Kubernetes %d.%d", u.GetAPIVersion(), u.GetKind(), major, minor)}
		}
	}
	errs := validateMeta(u, namespaced)
	if crd, ok := typed.(*apiextensionsv1.CustomResourceDefinition); ok {
		errs = append(errs, b.validateDefinition(crd)...)
	}
	return errs
}

func (b *builtinKinds) decode(u *unstructured.Unstructured) (runtime.Object, error) {
	data, err := u.MarshalJSON()
	if err != nil {
		return nil, err
	}
	typed, _, err := b.decoder.Decode(data, nil, nil)
	if runtime.IsNotRegisteredError(err) {
		return nil, fmt.Errorf("%w: %s %s", ErrUnknownKind, u.GetAPIVersion(), u.GetKind())
	}
	return typed, err
}

// definition reads a CustomResourceDefinition. It does not judge it: a CRD that
// some chart ships may be refused by the server and still say what objects look
// like. Validate judges it.
func (b *builtinKinds) definition(source string, object map[string]any) (*definition, error) {
	typed, err := b.decode(&unstructured.Unstructured{Object: object})
	if err != nil {
		return nil, err
	}
	crd, ok := typed.(*apiextensionsv1.CustomResourceDefinition)
	if !ok {
		return nil, fmt.Errorf("is a %s, not a CustomResourceDefinition", typed.GetObjectKind().GroupVersionKind().Kind)
	}
	b.definitions.Default(crd)
	return &definition{source: source, spec: crd.Spec, crd: crd, served: map[string]*servedVersion{}}, nil
}

// validateDefinition applies the server's rules for CRDs themselves: structural
// schema, defaults that fit it, CEL rules that compile within their cost.
func (b *builtinKinds) validateDefinition(crd *apiextensionsv1.CustomResourceDefinition) []error {
	crd = crd.DeepCopy()
	b.definitions.Default(crd)
	internal := &apiextensions.CustomResourceDefinition{}
	if err := b.definitions.Convert(crd, internal, nil); err != nil {
		return []error{err}
	}
	// A create request starts without status, except for what is stored.
	internal.Status = apiextensions.CustomResourceDefinitionStatus{}
	for _, version := range internal.Spec.Versions {
		if version.Storage {
			internal.Status.StoredVersions = append(internal.Status.StoredVersions, version.Name)
		}
	}
	return asErrors(crdvalidation.ValidateCustomResourceDefinition(context.Background(), internal))
}
