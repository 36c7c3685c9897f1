package chartindex

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strings"
)

// TypeError says that a value has a type which the chart does not expect.
type TypeError struct {
	// Path is the path of the value in the index; Element is the index of the
	// offending element of an array, or -1.
	Path    Path
	Element int
	Want    []Type
	Got     Type
}

func (e *TypeError) Error() string {
	want := make([]string, len(e.Want))
	for i, t := range e.Want {
		want[i] = string(t)
	}
	at := strings.Join(e.Path, ".")
	if e.Element >= 0 {
		at = fmt.Sprintf("%s[%d]", at, e.Element)
	}
	return fmt.Sprintf("%s: want %s, got %s", at, strings.Join(want, " or "), e.Got)
}

// Check compares a value, as encoding/json decodes one, with what the chart
// expects at this path, and returns nil or a *TypeError. Helm itself checks
// nothing and templates print most things, so Check is exact on purpose: "1" is
// no number and 1 no string, whatever would still render. But an integer is a
// number, a number without a fraction is an integer, anything passes where the
// type is unknown, and null always passes: to Helm it means to drop the default.
// Of an array, the elements are compared as well if the default shows their
// type. The values of an object are not looked at; they have paths of their own.
func (v *Value) Check(x any) error {
	want := v.Accepts
	if len(want) == 0 {
		want = []Type{v.Type}
	}
	if got := TypeOf(x); !admits(want, got) {
		return &TypeError{Path: v.Path, Element: -1, Want: want, Got: got}
	}
	if v.Elements == "" {
		return nil
	}
	list := reflect.ValueOf(x)
	if list.Kind() != reflect.Slice {
		return nil
	}
	for i := range list.Len() {
		element := list.Index(i).Interface()
		if got := TypeOf(element); !admits([]Type{v.Elements}, got) {
			return &TypeError{Path: v.Path, Element: i, Want: []Type{v.Elements}, Got: got}
		}
	}
	return nil
}

// admits reports whether a type is one of those wanted; that of null is
// TypeUnknown.
func admits(want []Type, got Type) bool {
	return got == TypeUnknown || slices.Contains(want, got) || slices.Contains(want, TypeUnknown) ||
		got == TypeInteger && slices.Contains(want, TypeNumber)
}

// TypeOf returns the type of a value as encoding/json decodes it, with or
// without UseNumber, or of the like in Go's own numbers, slices and maps. It is
// TypeUnknown for null.
func TypeOf(x any) Type {
	switch n := x.(type) {
	case nil:
		return TypeUnknown
	case json.Number:
		if f, ok := new(big.Float).SetString(n.String()); ok && f.IsInt() {
			return TypeInteger
		}
		return TypeNumber
	case *big.Int:
		return TypeInteger
	case *big.Float:
		if n.IsInt() {
			return TypeInteger
		}
		return TypeNumber
	}
	v := reflect.ValueOf(x)
	switch v.Kind() {
	case reflect.Bool:
		return TypeBoolean
	case reflect.String:
		return TypeString
	case reflect.Slice, reflect.Array:
		return TypeArray
	case reflect.Map:
		return TypeObject
	case reflect.Float32, reflect.Float64:
		if v.Float() == math.Trunc(v.Float()) {
			return TypeInteger
		}
		return TypeNumber
	}
	if v.CanInt() || v.CanUint() {
		return TypeInteger
	}
	return TypeUnknown
}
