package examples

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/build"
	"cuelang.org/go/cue/cuecontext"
	cueerrors "cuelang.org/go/cue/errors"
	"cuelang.org/go/cue/parser"
)

// The sections of an expect.cue.
const (
	SectionTree   = "tree"
	SectionCharts = "charts"
)

// language is unified with every expect.cue.
const language = `package expect

tree?: [string]:   #Expectation
charts?: [string]: #Expectation

// all holds every object by key.
all: _

#Expectation: {
	// source is where it is said: URL and date, or repository path at a tag.
	source: string & !=""
	// objects must exist and hold what the pattern names; the key may be a glob.
	objects?: [string]: {...}
	// absent are globs that no object may match.
	absent?: [...string]
	// count is the number of objects that a glob matches.
	count?: [string]: int
	// holds are free expressions over all.
	holds?: [...bool]
}
`

// Failure is one way in which the objects are not as expected.
type Failure struct {
	// Expectation is the name in expect.cue, Source what it rests on.
	Expectation, Source string
	// Key is the object or the glob; empty for an expression.
	Key string
	// Path is the field in the object; empty for the object as a whole.
	Path string
	// Wanted and Got are short texts.
	Wanted, Got string
}

func (f Failure) String() string {
	place := strings.TrimSpace(f.Key + " " + f.Path)
	return fmt.Sprintf("%s: %s: wanted %s, got %s (%s)", f.Expectation, place, f.Wanted, f.Got, f.Source)
}

// Check holds a section of an expect.cue against the objects and returns what
// fails, in the order of the file. An error means that the file cannot be judged:
// it is no CUE, an expectation has an unknown field or no source, states nothing,
// or an expression has no value (such as one over an object that is not there).
// A section that the file does not have has no failures.
func Check(expectFile, section string, objects map[string]any) ([]Failure, error) {
	expectations, err := load(expectFile, section, objects)
	if err != nil {
		return nil, err
	}
	var failures []Failure
	var errs []error
	for _, e := range expectations {
		found, err := e.check(objects)
		failures = append(failures, found...)
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %s: %w", expectFile, e.name, err))
		}
	}
	return failures, errors.Join(errs...)
}

// Statements returns what a section of an expect.cue says: the content of each
// expectation without its source, in one normal form, by name.
func Statements(expectFile, section string) (map[string]string, error) {
	expectations, err := load(expectFile, section, nil)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, e := range expectations {
		content, err := e.content()
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", expectFile, e.name, err)
		}
		out[e.name] = content
	}
	return out, nil
}

func load(file, section string, objects map[string]any) ([]expectation, error) {
	if section != SectionTree && section != SectionCharts {
		return nil, fmt.Errorf("no section %q in an expect.cue", section)
	}
	value, err := compile(file, objects)
	if err != nil {
		return nil, err
	}
	entries := value.LookupPath(cue.MakePath(cue.Str(section)))
	if !entries.Exists() {
		return nil, nil
	}
	fields, err := entries.Fields()
	if err != nil {
		return nil, describe(file, err)
	}
	var out []expectation
	for fields.Next() {
		e := expectation{name: fields.Selector().Unquoted(), value: fields.Value()}
		if e.source, err = e.field("source").String(); err != nil {
			return nil, describe(file, err)
		}
		out = append(out, e)
	}
	return out, nil
}

// compile unifies the file, and those that it is judged with, with the language and the objects.
func compile(file string, objects map[string]any) (cue.Value, error) {
	syntax, err := parse(file)
	if err != nil {
		return cue.Value{}, err
	}
	files := []*ast.File{syntax}
	for _, name := range sharedWith(syntax) {
		shared, err := parse(filepath.Join(filepath.Dir(file), "..", name+".expect.cue"))
		if err != nil {
			return cue.Value{}, err
		}
		files = append(files, shared)
	}
	grammar, err := parser.ParseFile("language.cue", language)
	if err != nil {
		return cue.Value{}, err
	}
	instance := build.NewContext().NewInstance("", nil)
	for _, f := range append(files, grammar) {
		if err := instance.AddSyntax(f); err != nil {
			return cue.Value{}, describe(file, err)
		}
	}
	value := cuecontext.New().BuildInstance(instance)
	// Encoding the objects of real charts takes seconds: only where they are used.
	if objects != nil && slices.ContainsFunc(files, func(f *ast.File) bool { return mentions(f, "all") }) {
		value = value.FillPath(cue.MakePath(cue.Str("all")), objects)
	}
	if err := value.Validate(); err != nil {
		return cue.Value{}, describe(file, err)
	}
	return value, nil
}

func parse(file string) (*ast.File, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	syntax, err := parser.ParseFile(file, data, parser.ParseComments)
	if err != nil {
		return nil, describe(file, err)
	}
	if err := checkTopLevel(syntax); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return syntax, nil
}

// sharedWith are the names in the file's attribute @with.
func sharedWith(file *ast.File) []string {
	for _, declaration := range file.Decls {
		if attribute, ok := declaration.(*ast.Attribute); ok {
			if key, body := attribute.Split(); key == "with" {
				return strings.Split(body, ",")
			}
		}
	}
	return nil
}

// checkTopLevel refuses fields that nobody would read, such as a misspelt section.
func checkTopLevel(file *ast.File) error {
	if file.PackageName() != "expect" {
		return fmt.Errorf("package is %q, not expect", file.PackageName())
	}
	allowed := []string{SectionTree, SectionCharts, "all"}
	for _, declaration := range file.Decls {
		field, ok := declaration.(*ast.Field)
		if !ok {
			continue
		}
		name, _, err := ast.LabelName(field.Label)
		hidden := strings.HasPrefix(name, "_") || strings.HasPrefix(name, "#")
		if err == nil && !hidden && !slices.Contains(allowed, name) {
			return fmt.Errorf("unknown section %q: it is one of %s", name, strings.Join(allowed[:2], ", "))
		}
	}
	return nil
}

func mentions(file *ast.File, name string) bool {
	found := false
	ast.Walk(file, func(node ast.Node) bool {
		if identifier, ok := node.(*ast.Ident); ok && identifier.Name == name {
			found = true
		}
		return !found
	}, nil)
	return found
}

func describe(file string, err error) error {
	return fmt.Errorf("%s: %s", file, strings.TrimSpace(cueerrors.Details(err, nil)))
}
