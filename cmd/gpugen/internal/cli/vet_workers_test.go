package cli

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/schema/diag"
)

// goneCommand is a worker that ends before it has judged anything, and says goneWords.
const (
	goneCommand = "gpugen-gone"
	goneWords   = "runtime: stack exceeds the limit\nfatal error: \x1b[31mstack overflow\n\nruntime stack:\nruntime.throw()\n"
)

func TestAWorkerThatEndsIsAFindingAboutItsSpec(t *testing.T) {
	self := os.Args[0]
	defer func() { os.Args[0] = self }()
	os.Args[0] = goneCommand
	const want = `the process that judged the spec ended: exit status 3: runtime: stack exceeds the limit; fatal error: \x1b[31mstack overflow`
	specs := []string{"a.yaml", "b.yaml", "c.yaml", "d.yaml", "e.yaml"}
	found, err := vetApart(t.Context(), streams{}, nil, specs)
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != len(specs) {
		t.Fatalf("%d findings about %d specs", len(found), len(specs))
	}
	for i, f := range found {
		if f.ID != "SPEC-038" || f.Position != (diag.Position{File: specs[i]}) || f.Message != want {
			t.Errorf("%s: %s: %s", f.Position.File, f.ID, f.Message)
		}
	}
}

func TestLastWordsAreFewAndCanBePrinted(t *testing.T) {
	for said, want := range map[string]string{
		"":               "",
		"a\nb\n\nc\nd\n": "b; c; d",
		"panic: x\n\ngoroutine 1 [running]:\nmain()\n": "panic: x",
		strings.Repeat("long ", 5000) + "\nthe end":    strings.Repeat("long ", 32) + "…; the end",
		"\x00\xff\u202e":                    `\x00\xff\u202e`,
		"key AKIAIOSFODNN7EXAMPLK is wrong": "(a line with a secret)",
	} {
		var w lastWords
		for chunk := range slices.Chunk([]byte(said), 7) {
			_, _ = w.Write(chunk)
		}
		if got := w.String(); got != want {
			t.Errorf("of %.60q is kept %q, want %q", said, got, want)
		}
	}
}
