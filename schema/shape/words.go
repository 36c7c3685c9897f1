package shape

import (
	"fmt"
	"slices"
	"strings"

	"cuelang.org/go/cue"

	"github.com/gpugen/gpugen/schema/syntax"
)

// enumText lists the values of a closed set in one line.
func (w *walker) enumText(s *shape) string {
	names := make([]string, len(s.scalar().enum))
	for i, n := range s.scalar().enum {
		names[i] = syntax.Quote(n)
		if s.notYet != nil && slices.Contains(s.notYet.values, n) {
			names[i] += " (not supported yet)"
		}
	}
	return strings.Join(names, ", ")
}

// wanted says what the schema wants at a place, for "want ...".
func (w *walker) wanted(s *shape) string {
	switch {
	case s.isStruct():
		if set := s.set(); len(set.order) > 0 {
			return "fields (" + strings.Join(set.order, ", ") + ")"
		}
		return "fields"
	case s.isList():
		if e := s.element(); e.v.Exists() {
			return "a list of " + w.plural(e)
		}
		return "a list"
	}
	l := s.scalar()
	if len(l.enum) > 0 && s.alias == "" {
		return "one of " + w.enumText(s)
	}
	if l.want != "" {
		return l.want
	}
	return kindText(s.kind)
}

func (w *walker) plural(s *shape) string {
	switch {
	case s.isStruct():
		return "structs"
	case s.isList():
		return "lists"
	case s.kind == cue.StringKind:
		return "strings"
	case s.kind&cue.NumberKind != 0 && s.kind&^cue.NumberKind == 0:
		return "numbers"
	}
	return "values"
}

func kindText(k cue.Kind) string {
	switch {
	case k == cue.BoolKind:
		return "true or false"
	case k == cue.IntKind:
		return "a whole number"
	case k&^cue.NumberKind == 0:
		return "a number"
	case k == cue.StringKind:
		return "a string"
	}
	return "another type of value"
}

// valueText names a user's value by type and text.
func valueText(v cue.Value, kind form) string {
	switch kind {
	case formStruct:
		return "a struct"
	case formList:
		return "a list"
	}
	data, err := plainScalar(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	switch v.Kind() {
	case cue.StringKind:
		return "the string " + literalText(data)
	case cue.BytesKind:
		return "bytes"
	case cue.BoolKind:
		return literalText(data)
	}
	return "the number " + literalText(data)
}

func literalText(data any) string {
	if s, ok := data.(string); ok {
		if r := []rune(s); len(r) > 100 {
			s = string(r[:100]) + "…"
		}
		return syntax.Quote(s)
	}
	return fmt.Sprint(data)
}

func orText(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
