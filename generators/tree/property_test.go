package tree

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/internal/sample"
)

// someFiles draws paths from so few names that trees meet each other often; no
// file lies below another one.
func someFiles(r *rand.Rand, most int, avoid ...files) files {
	f := files{}
	for range r.IntN(most + 1) {
		var parts []string
		for range 1 + r.IntN(3) {
			parts = append(parts, string(rune('a'+r.IntN(3))))
		}
		p := strings.Join(parts, "/")
		free := !clashes(p, f)
		for _, other := range avoid {
			_, taken := other[p]
			free = free && !taken && !clashes(p, other)
		}
		if free {
			f[p] = fmt.Sprint(r.IntN(3))
		}
	}
	return f
}

// clashes reports whether p would lie below a file of f, or a file of f below p.
func clashes(p string, f files) bool {
	for q := range f {
		if strings.HasPrefix(p, q+"/") || strings.HasPrefix(q, p+"/") {
			return true
		}
	}
	return false
}

func TestAfterAWriteThereAreTheNewTreeAndTheUntouchedFilesOfOthers(t *testing.T) {
	rounds := sample.Times(300, 30)
	written, refusedWrites, failed := 0, 0, 0
	for seed := range uint64(rounds) {
		r := rand.New(rand.NewPCG(seed, 1))
		dir := filepath.Join(t.TempDir(), "tree")
		before := someFiles(r, 8)
		mustWrite(t, dir, before)
		theirs := someFiles(r, 4, before)
		for p, data := range theirs {
			put(t, dir, p, data)
		}
		editedFiles := files{}
		for p := range before {
			if r.IntN(8) == 0 {
				editedFiles[p] = fmt.Sprint(r.IntN(4))
				put(t, dir, p, editedFiles[p])
			}
		}
		next := someFiles(r, 8)

		// What must be refused: files of others at, above or below a new one, and
		// changed files that would be replaced by something else or removed.
		refuse := false
		for p, data := range theirs {
			if n, ok := next[p]; ok && n != data || clashes(p, next) {
				refuse = true
			}
		}
		for p, data := range editedFiles {
			if n, ok := next[p]; data != before[p] && (!ok || n != data) {
				refuse = true
			}
		}
		want := maps.Clone(next)
		for p, data := range theirs {
			want[p] = data
		}
		whole := everything(t, dir)

		steps, last := 0, ""
		stop := -1
		if seed%3 == 0 {
			stop = r.IntN(12)
		}
		w := writer{step: failAt(stop, errors.New("stop"), &steps, &last)}
		_, found := w.write(context.Background(), dir, next.tree(), meta, Options{})
		switch {
		case refuse:
			refusedWrites++
			if len(found) == 0 {
				t.Errorf("seed %d: nothing was refused", seed)
			}
			wantSame(t, fmt.Sprintf("seed %d: refused", seed), everything(t, dir), whole)
		case stop >= 0 && stop < steps && last != "committed":
			failed++
			if len(found) == 0 {
				t.Errorf("seed %d: the error was not reported", seed)
			}
			wantSame(t, fmt.Sprintf("seed %d: failed", seed), everything(t, dir), whole)
		default:
			written++
			if last != "committed" && len(found) > 0 {
				t.Errorf("seed %d: %q", seed, texts(found))
			}
			wantSame(t, fmt.Sprintf("seed %d: written", seed), withoutTraces(contents(t, dir)), want)
		}
		if t.Failed() {
			t.Fatalf("old %v, theirs %v, edited %v, new %v", before, theirs, editedFiles, next)
		}
		_ = os.RemoveAll(dir)
	}
	if written < rounds/6 || refusedWrites < rounds/6 || failed < rounds/60 {
		t.Errorf("the draw is poor: %d written, %d refused, %d failed", written, refusedWrites, failed)
	}
}
