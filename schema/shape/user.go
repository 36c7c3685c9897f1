package shape

import (
	"slices"
	"strconv"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/errors"
)

// form is what kind of value the user wrote.
type form int

const (
	formScalar form = iota
	formStruct
	formList
	formNull
	formError
	formAbstract
)

// classify looks at a user's value; defaults are resolved.
func classify(v cue.Value) (form, cue.Value) {
	if d, ok := v.Default(); ok {
		v = d
	}
	switch v.IncompleteKind() {
	case cue.StructKind:
		if v.Kind() != cue.StructKind && v.Err() == nil {
			return formAbstract, v
		}
		return formStruct, v
	case cue.ListKind:
		return formList, v
	case cue.NullKind:
		return formNull, v
	case cue.BottomKind:
		return classifyError(v), v
	}
	if v.Kind() == cue.BottomKind {
		return formAbstract, v
	}
	return formScalar, v
}

// classifyError tells a value that is wrong itself from one that merely holds a
// wrong value.
func classifyError(v cue.Value) form {
	for _, err := range errors.Errors(v.Err()) {
		if slices.Equal(err.Path(), labels(v.Path())) {
			return formError
		}
	}
	iter, err := v.Fields(cue.All())
	if err != nil {
		return formError
	}
	kind := formError
	for iter.Next() {
		sel := iter.Selector()
		switch {
		case sel.LabelType() == cue.IndexLabel:
			kind = formList
		case sel.LabelType() == cue.StringLabel && sel.ConstraintType() == 0:
			kind = formStruct
		default:
			continue
		}
		if iter.Value().Err() != nil {
			return kind
		}
	}
	return formError
}

// labels are the elements of a path as CUE's errors write them.
func labels(p cue.Path) []string {
	var out []string
	for _, sel := range p.Selectors() {
		if sel.LabelType() == cue.IndexLabel {
			out = append(out, strconv.Itoa(sel.Index()))
		} else {
			out = append(out, sel.String())
		}
	}
	return out
}

// child is one field or element of a user's value.
type child struct {
	name  string
	value cue.Value
}

// fieldsOf returns the regular fields of a user's struct, also below an error.
func fieldsOf(v cue.Value) []child {
	iter, err := v.Fields()
	all := err != nil
	if all {
		if iter, err = v.Fields(cue.All()); err != nil {
			return nil
		}
	}
	var out []child
	for iter.Next() {
		sel := iter.Selector()
		if sel.LabelType() != cue.StringLabel || sel.ConstraintType() != 0 {
			continue
		}
		out = append(out, child{sel.Unquoted(), iter.Value()})
	}
	return out
}

func elementsOf(v cue.Value) []cue.Value {
	var out []cue.Value
	if iter, err := v.List(); err == nil {
		for iter.Next() {
			out = append(out, iter.Value())
		}
		return out
	}
	iter, err := v.Fields(cue.All())
	if err != nil {
		return nil
	}
	for iter.Next() {
		if iter.Selector().LabelType() == cue.IndexLabel {
			out = append(out, iter.Value())
		}
	}
	return out
}
