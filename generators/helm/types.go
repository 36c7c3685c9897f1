package helm

import (
	"regexp"
	"slices"

	"github.com/gpugen/gpugen/schema/chartindex"
)

// valueType is the type of the default or, without one, what templates show if
// they agree. Of a default of null no more is believed than that it is a map.
func (n *node) valueType() chartindex.Type {
	if t := n.defaultType(); t != chartindex.TypeUnknown {
		return t
	}
	switch {
	case len(n.children) > 0:
		return chartindex.TypeObject
	case n.switches && !n.read:
		return chartindex.TypeBoolean
	case n.origin == "" && len(n.hints) == 1:
		return n.hints[0]
	}
	return chartindex.TypeUnknown
}

// elementType returns the type that all elements of an array have, if there is
// one, and whether there are any.
func elementType(array any) (t chartindex.Type, filled bool) {
	list, _ := array.([]any)
	for _, element := range list {
		got := chartindex.TypeOf(element)
		if t != "" && t != got {
			return "", true
		}
		t = got
	}
	if t == chartindex.TypeUnknown {
		t = ""
	}
	return t, len(list) > 0
}

// tested returns the types that templates test a value for before they use it,
// if they never use it without.
func (n *node) tested() []chartindex.Type {
	if n.unguarded {
		return nil
	}
	return slices.Sorted(slices.Values(n.accepts))
}

var (
	// intOrString are the Kubernetes fields that take a number or a percentage
	// (IntOrString of https://pkg.go.dev/k8s.io/apimachinery/pkg/util/intstr).
	intOrString = []string{"maxSurge", "maxUnavailable", "minAvailable"}
	// quantities are the fields, and the maps of such fields, that take a quantity
	// (https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/).
	quantities    = []string{"cpu", "memory", "storage", "ephemeral-storage"}
	quantityLists = []string{"limits", "requests"}
	percentage    = regexp.MustCompile(`^\d+%$`)
)

// numberOrString returns the types that a scalar takes where Kubernetes takes a
// number as well as a string, and nil elsewhere.
func (n *node) numberOrString(t chartindex.Type) []chartindex.Type {
	if t != chartindex.TypeString && t != chartindex.TypeInteger && t != chartindex.TypeNumber {
		return nil
	}
	standard, _ := n.def.(string)
	switch {
	case slices.Contains(intOrString, n.key) || percentage.MatchString(standard):
		return []chartindex.Type{chartindex.TypeInteger, chartindex.TypeString}
	case slices.Contains(quantities, n.key) || slices.Contains(quantityLists, n.parent.key):
		return []chartindex.Type{chartindex.TypeNumber, chartindex.TypeString}
	}
	return nil
}
