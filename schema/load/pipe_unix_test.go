//go:build unix

package load

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/gpugen/gpugen/schema/source"
	"github.com/gpugen/gpugen/schema/spectest"
)

// A pipe waits for ever, and a link to a device has no end: wherever CUE would look for a
// file, one that is no regular file is a finding, and nobody opens it.
func TestNoPipeIsOpened(t *testing.T) {
	module := map[string]string{"cue.mod/module.cue": testModule}
	importing := strings.Replace(goodCUE, "package cluster\n", "package cluster\nimport \"example.com/m/shared\"\nname: shared.name\n", 1)
	for _, c := range []struct {
		pipe  string
		files map[string]string
		path  string
		want  []string
	}{
		{"c/b.cue", map[string]string{"c/a.cue": goodCUE}, "c", []string{"c/b.cue:1:1 SPEC-001"}},
		{"b.cue", map[string]string{"c/a.cue": goodCUE}, "c", []string{"b.cue:1:1 SPEC-001"}},
		{"c/a_test.cue", map[string]string{"c/a.cue": goodCUE}, "c", nil},
		{"c/_b.cue", map[string]string{"c/a.cue": goodCUE}, "c", nil},
		{"c/.b.cue", map[string]string{"c/a.cue": goodCUE}, "c", nil},
		{"c/b.yaml", map[string]string{"c/a.cue": goodCUE}, "c", nil},
		{"_b.json", map[string]string{"c/a.cue": goodCUE}, "c", nil},
		{"shared/b.toml", map[string]string{"c/a.cue": importing, "shared/a.cue": "package shared\nname: \"research\"\n"}, "c", nil},
		{"c/b.json", map[string]string{"c/a.cue": "@extern(embed)\n" + goodCUE + "components: \"gpu-operator\": values: _ @embed(file=\"b.json\")\n"}, "c", []string{"c/a.cue:7:39 SPEC-001"}},
		{"c/b.cue", map[string]string{"c/a.cue": goodCUE}, "c/a.cue", nil},
		{"shared/b.cue", map[string]string{"c/a.cue": importing, "shared/a.cue": "package shared\nname: \"research\"\n"}, "c", []string{"c/a.cue:2:8 SPEC-001"}},
		{"shared/b.cue", map[string]string{"c/a.cue": importing, "shared/a.cue": "package shared\nname: \"research\"\n"}, "c/a.cue", []string{"c/a.cue:2:8 SPEC-001"}},
		{"shared/b.cue", map[string]string{"c/a.cue": goodCUE, "shared/a.cue": "package shared\n"}, "c", nil},
		{
			"deep/b.cue",
			map[string]string{"c/a.cue": importing, "shared/a.cue": "package shared\nimport \"example.com/m/deep\"\nname: deep.name\n", "deep/a.cue": "package deep\nname: \"research\"\n"},
			"c", []string{"shared/a.cue:2:8 SPEC-001"},
		},
		{
			"cue.mod/usr/example.com/m2/b.cue",
			map[string]string{"c/a.cue": strings.ReplaceAll(importing, "example.com/m/shared", "example.com/m2:shared"), "cue.mod/pkg/example.com/m2/a.cue": "package shared\nname: \"research\"\n"},
			"c", []string{"cue.mod/usr/example.com/m2/b.cue:1:1 SPEC-001"},
		},
	} {
		t.Run(c.path+" "+c.pipe, func(t *testing.T) {
			dir := spectest.WriteFiles(t, module)
			for name, text := range c.files {
				write(t, filepath.Join(dir, name), text)
			}
			pipe := filepath.Join(dir, c.pipe)
			if err := os.MkdirAll(filepath.Dir(pipe), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Mkfifo(pipe, 0o644); err != nil {
				t.Skip(err)
			}
			var ended atomic.Bool
			readers, done := 0, make(chan bool)
			go func() {
				defer close(done)
				for {
					// It opens once somebody reads.
					w, err := os.OpenFile(pipe, os.O_WRONLY, 0)
					if err != nil || ended.Load() {
						return
					}
					readers++
					w.Close()
				}
			}()
			_, found := loaderForTest(t).load(source.Input{Path: c.path})
			ended.Store(true)
			r, err := os.OpenFile(pipe, os.O_RDONLY|syscall.O_NONBLOCK, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			<-done
			if got := spectest.Brief(found); readers > 0 || !slices.Equal(got, c.want) {
				t.Errorf("opened %d times; found %v, want %v", readers, got, c.want)
			}
		})
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
