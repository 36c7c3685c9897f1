package prepared

import (
	"math/rand"
	"reflect"
	"testing"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/parser"
)

const sample = `// Package sample is one.
package sample

import (
	"strings"
	l "list"
)

// #D has a comment.
#D: {
	a?: string @note(for readers)
	b!: int & >=1 | *2 // at the end
	[string]: _
	...
}
X=x: {for k, v in #D if k != "b" let w = [v, ...] {"\(k)-x": (w[0])}}
y: [l.Max([1, 2]), strings.ToUpper("é"), -1.5, null, _|_, X.z, "abc"[0:1]]
` + "text: \"\"\"\n\ta\n\tb\n\t\"\"\"\n"

func parsed(t testing.TB) *ast.File {
	t.Helper()
	f, err := parser.ParseFile("dir/sample.cue", sample, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// read reads all files of a prepared form.
func read(data string) ([]*ast.File, error) {
	a, err := Open(data)
	if err != nil {
		return nil, err
	}
	var files []*ast.File
	for i := range a.Names {
		f, err := a.File(i)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

func TestWhatIsReadIsWhatWasWritten(t *testing.T) {
	want := []*ast.File{parsed(t), parsed(t)}
	data, err := Write(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := read(string(data))
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%+v differs", got)
	}
	if p := got[0].Decls[2].Pos().String(); p != "dir/sample.cue:10:1" {
		t.Errorf("#D is at %s", p)
	}
}

func TestSyntaxOutOfTheFileIsRefused(t *testing.T) {
	f, other := parsed(t), parsed(t)
	f.Decls = append(f.Decls, other.Decls[2])
	if _, err := Write([]*ast.File{f}); err == nil {
		t.Error("a declaration of another file is written")
	}
}

// Whatever happened to it, reading ends, and does not panic.
func TestWhatIsDamagedIsReadToItsEnd(t *testing.T) {
	data, err := Write([]*ast.File{parsed(t)})
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewSource(1))
	for range 20000 {
		bad := append([]byte{}, data[:1+random.Intn(len(data))]...)
		for range random.Intn(4) {
			bad[random.Intn(len(bad))] = byte(random.Intn(256))
		}
		_, _ = read(string(bad))
	}
}
