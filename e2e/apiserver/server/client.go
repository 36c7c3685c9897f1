package server

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
)

// manager is the field manager that Argo CD applies as.
const manager = "argocd-controller"

// definitionKind has a finalizer that the server itself sees to.
const definitionKind = "CustomResourceDefinition"

// Client makes requests. It knows the kinds that the server had when Discover
// was last called.
type Client struct {
	rest   *rest.RESTClient
	mapper meta.RESTMapper
}

// Answer is what the server says to a request.
type Answer struct {
	// Object is the live object; nil if the request was refused.
	Object *unstructured.Unstructured
	// Warnings are the texts of the warning headers.
	Warnings []string
	// Err is the refusal; nil if there was none.
	Err error
}

func newClient(config *rest.Config) (*Client, error) {
	config.NegotiatedSerializer = scheme.Codecs.WithoutConversion()
	client, err := rest.UnversionedRESTClientFor(config)
	if err != nil {
		return nil, err
	}
	return &Client{rest: client}, nil
}

// Discover asks the server which kinds it has. A group that does not answer is
// an error.
func (c *Client) Discover(ctx context.Context) error {
	groups, err := restmapper.GetAPIGroupResources(discovery.NewDiscoveryClient(c.rest))
	if err != nil {
		return err
	}
	c.mapper = restmapper.NewDiscoveryRESTMapper(groups)
	return ctx.Err()
}

// Mapping returns where the objects of a kind are. meta.IsNoMatchError tells that
// the server does not serve it.
func (c *Client) Mapping(kind schema.GroupVersionKind) (*meta.RESTMapping, error) {
	return c.mapper.RESTMapping(kind.GroupKind(), kind.Version)
}

// Namespaced reports whether objects of the kind live in a namespace.
func (c *Client) Namespaced(kind schema.GroupVersionKind) (bool, error) {
	mapping, err := c.Mapping(kind)
	if err != nil {
		return false, err
	}
	return mapping.Scope.Name() == meta.RESTScopeNameNamespace, nil
}

// Apply sends a YAML or JSON document as it stands as a server-side apply with
// strict field validation, taking over fields that others own. The object
// tells where to send it.
func (c *Client) Apply(ctx context.Context, object *unstructured.Unstructured, document []byte, options ...Option) Answer {
	path, err := c.path(object, object.GetName())
	if err != nil {
		return Answer{Err: err}
	}
	request := c.rest.Patch(types.ApplyYAMLPatchType).AbsPath(path).Body(document).
		Param("fieldManager", manager).Param("force", "true")
	return do(ctx, strict(request, options))
}

// Create sends a YAML or JSON document as it stands as a create request with
// strict field validation.
func (c *Client) Create(ctx context.Context, object *unstructured.Unstructured, document []byte, options ...Option) Answer {
	path, err := c.path(object, "")
	if err != nil {
		return Answer{Err: err}
	}
	request := c.rest.Post().AbsPath(path).Body(document).SetHeader("Content-Type", "application/yaml").Param("fieldManager", manager)
	return do(ctx, strict(request, options))
}

// Patch changes an object by a JSON merge patch.
func (c *Client) Patch(ctx context.Context, object *unstructured.Unstructured, patch []byte, options ...Option) Answer {
	path, err := c.path(object, object.GetName())
	if err != nil {
		return Answer{Err: err}
	}
	return do(ctx, strict(c.rest.Patch(types.MergePatchType).AbsPath(path).Body(patch), options))
}

// ReplaceSubresource writes a subresource, such as a status.
func (c *Client) ReplaceSubresource(ctx context.Context, object *unstructured.Unstructured, subresource string) Answer {
	path, err := c.path(object, object.GetName())
	if err != nil {
		return Answer{Err: err}
	}
	document, err := object.MarshalJSON()
	if err != nil {
		return Answer{Err: err}
	}
	return do(ctx, c.rest.Put().AbsPath(path, subresource).Body(document).SetHeader("Content-Type", "application/json"))
}

// Get returns the live object that has the kind, namespace and name of the given
// one.
func (c *Client) Get(ctx context.Context, object *unstructured.Unstructured) Answer {
	path, err := c.path(object, object.GetName())
	if err != nil {
		return Answer{Err: err}
	}
	return do(ctx, c.rest.Get().AbsPath(path))
}

// Exists tells whether the server has an object, without asking for all of it.
func (c *Client) Exists(ctx context.Context, object *unstructured.Unstructured) (bool, error) {
	path, err := c.path(object, object.GetName())
	if err != nil {
		return false, err
	}
	err = c.rest.Get().AbsPath(path).SetHeader("Accept", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1").Do(ctx).Error()
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	return err == nil, err
}

// List returns the first objects beside the given one, to see that the server
// serves its kind.
func (c *Client) List(ctx context.Context, object *unstructured.Unstructured) error {
	path, err := c.path(object, "")
	if err != nil {
		return err
	}
	return c.rest.Get().AbsPath(path).Param("limit", "1").Do(ctx).Error()
}

// Delete removes an object at once: finalizers are taken off, since nobody runs
// who would see to them. Deleting what is not there is no error.
func (c *Client) Delete(ctx context.Context, object *unstructured.Unstructured) error {
	path, err := c.path(object, object.GetName())
	if err != nil {
		return err
	}
	answer := do(ctx, c.rest.Delete().AbsPath(path).Param("gracePeriodSeconds", "0").Param("propagationPolicy", string(metav1.DeletePropagationBackground)))
	if apierrors.IsNotFound(answer.Err) {
		return nil
	}
	if answer.Err != nil || len(answer.Object.GetFinalizers()) == 0 || answer.Object.GetKind() == definitionKind {
		return answer.Err
	}
	return c.rest.Patch(types.MergePatchType).AbsPath(path).Body([]byte(`{"metadata":{"finalizers":null}}`)).Do(ctx).Error()
}

// DeleteNamespace removes a namespace that is empty already.
func (c *Client) DeleteNamespace(ctx context.Context, object *unstructured.Unstructured) error {
	if err := c.Delete(ctx, object); err != nil {
		return err
	}
	answer := c.Get(ctx, object)
	if answer.Err != nil {
		return answer.Err
	}
	unstructured.RemoveNestedField(answer.Object.Object, "spec", "finalizers")
	return c.ReplaceSubresource(ctx, answer.Object, "finalize").Err
}

func (c *Client) path(object *unstructured.Unstructured, name string) (string, error) {
	mapping, err := c.Mapping(object.GroupVersionKind())
	if err != nil {
		return "", err
	}
	path := "/apis/" + mapping.Resource.Group + "/" + mapping.Resource.Version
	if mapping.Resource.Group == "" {
		path = "/api/" + mapping.Resource.Version
	}
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		if object.GetNamespace() == "" {
			return "", fmt.Errorf("metadata.namespace: a %s lives in a namespace, and none is named", object.GetKind())
		}
		path += "/namespaces/" + object.GetNamespace()
	}
	path += "/" + mapping.Resource.Resource
	if name != "" {
		path += "/" + name
	}
	return path, nil
}

// Option changes a request.
type Option func(*rest.Request)

// DryRun makes the server answer without storing anything.
func DryRun(request *rest.Request) { request.Param("dryRun", metav1.DryRunAll) }

// As makes the request as somebody else, who may do whatever admission lets pass.
func As(user string) Option {
	return func(request *rest.Request) {
		request.SetHeader("Impersonate-User", user).SetHeader("Impersonate-Group", "system:masters")
	}
}

func strict(request *rest.Request, options []Option) *rest.Request {
	request.Param("fieldValidation", metav1.FieldValidationStrict)
	for _, option := range options {
		option(request)
	}
	return request
}

func do(ctx context.Context, request *rest.Request) Answer {
	result := request.Do(ctx)
	var answer Answer
	for _, warning := range result.Warnings() {
		answer.Warnings = append(answer.Warnings, warning.Text)
	}
	if answer.Err = result.Error(); answer.Err != nil {
		return answer
	}
	data, err := result.Raw()
	if err != nil {
		answer.Err = err
		return answer
	}
	answer.Object = &unstructured.Unstructured{}
	if answer.Err = answer.Object.UnmarshalJSON(data); answer.Err != nil {
		answer.Object = nil
	}
	return answer
}
