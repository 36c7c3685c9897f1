package examples

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/cuecontext"
)

// mismatch is a place where a value is not what a pattern wants.
type mismatch struct {
	at          []cue.Selector
	wanted, got string
}

func (m mismatch) path() string { return cue.MakePath(m.at...).String() }

// match reports where a pattern does not subsume a value: a field that the
// pattern names must be there, and every value must be one that it allows.
func match(pattern cue.Value, got any, at []cue.Selector) []mismatch {
	here := func(wanted string) []mismatch {
		return []mismatch{{at: slices.Clone(at), wanted: wanted, got: shorten(got)}}
	}
	switch operation, operands := pattern.Expr(); {
	case operation == cue.AndOp:
		var out []mismatch
		for _, part := range operands {
			out = append(out, match(part, got, at)...)
		}
		return out
	case operation == cue.OrOp:
		for _, alternative := range operands {
			if len(match(alternative, got, at)) == 0 {
				return nil
			}
		}
		return here(source(pattern))
	case operation == cue.CallOp && len(operands) == 3 && source(operands[0]) == "list.MatchN":
		return matchSome(operands[1], operands[2], got, here)
	}
	switch {
	case pattern.IncompleteKind() == cue.StructKind && isPlainStruct(pattern):
		fields, ok := got.(map[string]any)
		if !ok {
			return here("a struct")
		}
		return matchFields(pattern, fields, at)
	case pattern.IncompleteKind() == cue.ListKind && isPlainList(pattern):
		items, ok := got.([]any)
		if !ok {
			return here("a list")
		}
		out, fits := matchItems(pattern, items, at)
		if !fits {
			return here(fmt.Sprintf("a list of %v", pattern.Len()))
		}
		return out
	}
	if pattern.Unify(cuecontext.New().Encode(got)).Validate(cue.Concrete(true)) != nil {
		return here(source(pattern))
	}
	return nil
}

func matchFields(pattern cue.Value, got map[string]any, at []cue.Selector) []mismatch {
	var out []mismatch
	unnamed := maps.Clone(got)
	for fields, _ := pattern.Fields(); fields.Next(); {
		name := fields.Selector().Unquoted()
		inner := append(slices.Clone(at), cue.Str(name))
		value, ok := got[name]
		if !ok {
			out = append(out, mismatch{at: inner, wanted: source(fields.Value()), got: "nothing"})
			continue
		}
		delete(unnamed, name)
		out = append(out, match(fields.Value(), value, inner)...)
	}
	// What the pattern says of fields without naming them, as [string]: T does.
	if len(out) == 0 && pattern.Unify(cuecontext.New().Encode(unnamed)).Validate() != nil {
		out = append(out, mismatch{at: slices.Clone(at), wanted: source(pattern), got: shorten(got)})
	}
	return out
}

// matchItems compares item by item and says whether the number of items fits.
func matchItems(pattern cue.Value, got []any, at []cue.Selector) ([]mismatch, bool) {
	var wanted []cue.Value
	for list, _ := pattern.List(); list.Next(); {
		wanted = append(wanted, list.Value())
	}
	open := !pattern.Len().IsConcrete()
	if len(got) < len(wanted) || len(got) > len(wanted) && !open {
		return nil, false
	}
	rest := pattern.LookupPath(cue.MakePath(cue.AnyIndex))
	var out []mismatch
	for i, value := range got {
		inner := append(slices.Clone(at), cue.Index(i))
		switch {
		case i < len(wanted):
			out = append(out, match(wanted[i], value, inner)...)
		case rest.Exists():
			out = append(out, match(rest, value, inner)...)
		}
	}
	return out, true
}

// matchSome stands in for list.MatchN, which by itself counts an item that lacks
// a field of the pattern.
func matchSome(number, pattern cue.Value, got any, here func(string) []mismatch) []mismatch {
	items, ok := got.([]any)
	if !ok {
		return here("a list")
	}
	found := 0
	for _, item := range items {
		if len(match(pattern, item, nil)) == 0 {
			found++
		}
	}
	if number.Unify(cuecontext.New().Encode(found)).Validate(cue.Concrete(true)) != nil {
		return here(fmt.Sprintf("%s items like %s", source(number), source(pattern)))
	}
	return nil
}

// isPlainStruct tells {a: 1} from a validator over structs and a disjunction.
func isPlainStruct(pattern cue.Value) bool {
	_, err := pattern.Fields()
	return err == nil
}

// isPlainList tells [1, ...int] from a validator over lists.
func isPlainList(pattern cue.Value) bool {
	_, err := pattern.List()
	return err == nil
}

// checkPattern returns an error if a field of the pattern has no meaning of its
// own, such as a reference into an object that is not there.
func checkPattern(pattern cue.Value) error {
	if err := pattern.Err(); err != nil {
		return err
	}
	switch {
	case pattern.IncompleteKind() == cue.StructKind && isPlainStruct(pattern):
		for fields, _ := pattern.Fields(); fields.Next(); {
			if err := checkPattern(fields.Value()); err != nil {
				return err
			}
		}
	case pattern.IncompleteKind() == cue.ListKind && isPlainList(pattern):
		for list, _ := pattern.List(); list.Next(); {
			if err := checkPattern(list.Value()); err != nil {
				return err
			}
		}
	}
	return nil
}

// source is a pattern in one short line.
func source(pattern cue.Value) string {
	return cut(strings.Join(strings.Fields(fmt.Sprint(pattern)), " "))
}

// shorten is a value in one short line.
func shorten(value any) string {
	data, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprintf("%T", value)
	}
	return cut(string(data))
}

func cut(line string) string {
	const most = 160
	if runes := []rune(line); len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return line
}
