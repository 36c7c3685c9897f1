package crd_test

import (
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/cel/environment"
	"sigs.k8s.io/yaml"
)

// admissionRequest is what somebody asks of the API server: to create an object, or,
// where there is an old one, to change it. Objects are YAML, and Pods unless they
// say otherwise.
type admissionRequest struct {
	user        string
	object, old string
	// labels of the namespace.
	labels map[string]string
}

// admissionDecision compiles a policy as the API server does, and gives back what
// it says of a request: the messages of the validations that fail.
func admissionDecision(t *testing.T, policy admissionv1.ValidatingAdmissionPolicy) func(admissionRequest) []string {
	t.Helper()
	compiler, err := cel.NewCompositedCompiler(environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()))
	if err != nil {
		t.Fatal(err)
	}
	declared := cel.OptionalVariableDeclarations{HasAuthorizer: true}
	var variables []cel.NamedExpressionAccessor
	for _, v := range policy.Spec.Variables {
		variables = append(variables, &validating.Variable{Name: v.Name, Expression: v.Expression})
	}
	compiler.CompileAndStoreVariables(variables, declared, environment.StoredExpressions)
	var conditions []cel.ExpressionAccessor
	for _, v := range policy.Spec.Validations {
		condition := &validating.ValidationCondition{Expression: v.Expression, Message: v.Message}
		if compiled := compiler.CompileCELExpression(condition, declared, environment.StoredExpressions); compiled.Error != nil {
			t.Fatalf("%s: %v", v.Expression, compiled.Error)
		}
		conditions = append(conditions, condition)
	}
	evaluator := compiler.CompileCondition(conditions, declared, environment.StoredExpressions)
	return func(r admissionRequest) []string {
		t.Helper()
		object, old, operation := asObject(t, r.object), runtime.Object(nil), admission.Create
		versioned := &admission.VersionedAttributes{VersionedKind: object.GroupVersionKind(), VersionedObject: object}
		if r.old != "" {
			old, operation = asObject(t, r.old), admission.Update
			versioned.VersionedOldObject = old
		}
		kind := object.GroupVersionKind()
		resource := schema.GroupVersionResource{Group: kind.Group, Version: kind.Version}
		versioned.Attributes = admission.NewAttributesRecord(object, old, kind, "team", "a", resource, "", operation, nil, false, &user.DefaultInfo{Name: r.user})
		request := cel.CreateAdmissionRequest(versioned.Attributes, metav1.GroupVersionResource(resource), metav1.GroupVersionKind(kind))
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "team", Labels: r.labels}}
		results, _, err := evaluator.ForInput(t.Context(), versioned, request, cel.OptionalVariableBindings{}, namespace, celconfig.RuntimeCELCostBudget)
		if err != nil {
			t.Fatal(err)
		}
		var messages []string
		for i, result := range results {
			if result.Error != nil {
				t.Errorf("%s: %v", r.object, result.Error)
			} else if result.EvalResult.Value() != true {
				messages = append(messages, policy.Spec.Validations[i].Message)
			}
		}
		return messages
	}
}

func asObject(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	object := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &object.Object); err != nil {
		t.Fatal(err)
	}
	if object.GetKind() == "" {
		object.SetGroupVersionKind(schema.GroupVersionKind{Version: "v1", Kind: "Pod"})
	}
	object.SetName("a")
	return object
}
