package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/generators"
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
	verdicts, err := vetApart(t.Context(), streams{}, nil, justVet, specs)
	if err != nil {
		t.Fatal(err)
	}
	if len(verdicts) != len(specs) {
		t.Fatalf("%d verdicts about %d specs", len(verdicts), len(specs))
	}
	for i, v := range verdicts {
		if len(v.Findings) != 1 || v.Rendered != nil {
			t.Fatalf("the verdict is %+v", v)
		}
		f := v.Findings[0]
		if f.ID != "SPEC-038" || f.Position != (diag.Position{File: specs[i]}) || f.Message != want {
			t.Errorf("%s: %s: %s", f.Position.File, f.ID, f.Message)
		}
	}
}

func TestWhoeverInterruptsAnEvaluationNeedNotWaitForItsEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	never := make(chan struct{})
	t.Cleanup(func() { close(never) })
	if _, _, err := evaluateUntilInterrupted(ctx, func() (*generators.Result, diag.List) { <-never; return nil, nil }); err == nil {
		t.Error("it is not interrupted")
	}
	tree := filepath.Join(t.TempDir(), "tree")
	for _, args := range [][]string{{"vet", "testdata/specs/good"}, {"render", "testdata/specs/good"}, {"render", "testdata/specs/good", "-o", tree}} {
		var out, errOut strings.Builder
		root := newRoot(streams{in: strings.NewReader(""), out: &out, err: &errOut})
		root.SetArgs(args)
		if err := root.ExecuteContext(ctx); !errors.Is(err, errInterrupted) || out.Len() > 0 {
			t.Errorf("%v: %v, and on standard output %q", args, err, out.String())
		}
	}
	if _, err := os.Lstat(tree); err == nil {
		t.Error("there is a tree")
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
