package source

import (
	"fmt"
	"strconv"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/token"

	"github.com/gpugen/gpugen/schema/syntax"
)

// PathString renders a path of labels (string) and list positions (int) in CUE's
// own form, such as tenants."team-a".quota or waivers[0].at.
func PathString(path []any) string {
	var b strings.Builder
	for _, e := range path {
		if i, ok := asIndex(e); ok {
			b.WriteString("[" + strconv.Itoa(i) + "]")
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(LabelString(fmt.Sprint(e)))
	}
	return b.String()
}

// LabelString renders one label in CUE's own form.
func LabelString(name string) string {
	if token.Lookup(name).IsKeyword() {
		return syntax.Quote(name)
	}
	return cue.Str(name).String()
}

// CUEPath turns a path into CUE's type.
func CUEPath(path []any) cue.Path {
	selectors := make([]cue.Selector, 0, len(path))
	for _, e := range path {
		if i, ok := asIndex(e); ok {
			selectors = append(selectors, cue.Index(max(i, 0)))
		} else {
			selectors = append(selectors, cue.Str(fmt.Sprint(e)))
		}
	}
	return cue.MakePath(selectors...)
}

// Join returns path with one more element, never sharing memory with another.
func Join(path []any, e any) []any {
	out := make([]any, len(path)+1)
	copy(out, path)
	out[len(path)] = e
	return out
}

// FieldText names a field in a message; its place says the rest.
func FieldText(path []any) string {
	for i := len(path) - 1; i >= 0; i-- {
		if _, ok := path[i].(string); ok {
			return PathString(path[i:])
		}
	}
	return "the spec"
}

// Below tells whether a path is at, or something in it, both in CUE's form.
func Below(at, path string) bool {
	rest, ok := strings.CutPrefix(path, at)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// Message is what an error of CUE's says, without its place.
func Message(err errors.Error) string {
	format, args := err.Msg()
	return fmt.Sprintf(format, args...)
}
