package judge

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Problem is one thing that is wrong with a tree on a server.
type Problem struct {
	// File is a path in the tree, or where a CRD comes from.
	File string
	// Object is Kind/namespace/name, empty if the file as a whole is meant.
	Object string
	// Field is a path in the object, empty if the object as a whole is meant.
	Field string
	// Message is what the server said, or what it should have said.
	Message string
}

// String is one line.
func (p Problem) String() string {
	return strings.Join(strings.Fields(fmt.Sprintf("%s:%s:%s %s", p.File, p.Object, p.Field, p.Message)), " ")
}

// slip is a problem within one object.
type slip struct{ field, message string }

var (
	// "unknown field "spec.foo"", one for each field of a strict create request.
	strictField = regexp.MustCompile(`(?:unknown|duplicate) field "([^"]+)"`)
	// ".spec.foo: field not declared in schema", the first one of a server-side apply.
	undeclaredField = regexp.MustCompile(`\.(\S+): (field not declared in schema)`)
	// "Go struct field ConfigMap.data of type string", of kinds of Kubernetes' own.
	wrongType = regexp.MustCompile(`^(.*Go struct field [^.\s]+\.)(\S+)( of type .*)$`)
	// "spec.template.spec.nodeSelector[a]: deprecated since ...", as warnings begin.
	leadingPath = regexp.MustCompile(`^((?:spec|metadata|data|status)[^\s:]*): (.*)$`)
)

// refusals takes a refusal apart: one slip for each field that the server names.
func refusals(err error) []slip {
	var status apierrors.APIStatus
	if errors.As(err, &status) && status.Status().Details != nil {
		var out []slip
		for _, cause := range status.Status().Details.Causes {
			if cause.Message == "" || strings.Contains(cause.Message, "some validation rules were not checked") {
				continue
			}
			// The object itself has no path.
			out = append(out, slip{strings.TrimPrefix(cause.Field, "<nil>"), cause.Message})
		}
		if len(out) > 0 {
			return out
		}
	}
	return fromText(err.Error())
}

func fromText(text string) []slip {
	if found := strictField.FindAllStringSubmatch(text, -1); found != nil {
		var out []slip
		for _, match := range found {
			out = append(out, slip{match[1], match[0]})
		}
		return out
	}
	if match := undeclaredField.FindStringSubmatch(text); match != nil {
		return []slip{{match[1], match[2]}}
	}
	if match := wrongType.FindStringSubmatch(text); match != nil {
		return []slip{{match[2], text}}
	}
	if match := leadingPath.FindStringSubmatch(text); match != nil {
		return []slip{{match[1], match[2]}}
	}
	return []slip{{"", text}}
}

// beneath prefixes the fields with the path of what was taken out of an object.
func beneath(path string, slips []slip) []slip {
	var out []slip
	for _, s := range slips {
		field := path
		if s.field != "" {
			field += "." + s.field
		}
		out = append(out, slip{field, s.message})
	}
	return out
}

func nameOf(object *unstructured.Unstructured) string {
	return object.GetKind() + "/" + object.GetNamespace() + "/" + object.GetName()
}
