package cli

import (
	"bytes"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/gpugen/gpugen/generators"
)

// Man pages are committed like the other documents; a release puts them into its archives.
func TestManPagesAreWhatTheCodeSays(t *testing.T) {
	want := map[string][]byte{}
	var add func(*cobra.Command)
	add = func(c *cobra.Command) {
		if !c.IsAvailableCommand() && c.HasParent() {
			return
		}
		c.DisableAutoGenTag = true
		c.InitDefaultHelpFlag()
		day := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC) // the same at each run
		var page bytes.Buffer
		header := &doc.GenManHeader{Section: "1", Source: "gpugen " + generators.Version, Manual: "gpugen", Date: &day}
		if err := doc.GenMan(c, header, &page); err != nil {
			t.Fatal(err)
		}
		want[strings.ReplaceAll(c.CommandPath(), " ", "-")+".1"] = page.Bytes()
		for _, child := range c.Commands() {
			add(child)
		}
	}
	add(newRoot(streams{in: strings.NewReader(""), out: io.Discard, err: io.Discard}))

	dir := filepath.Join(root, "docs", "man")
	if os.Getenv(updateVariable) != "" {
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		for name, page := range want {
			if err := os.WriteFile(filepath.Join(dir, name), page, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		return
	}
	have := map[string][]byte{}
	pages, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		if have[filepath.Base(page)], err = os.ReadFile(page); err != nil {
			t.Fatal(err)
		}
	}
	if !maps.EqualFunc(have, want, bytes.Equal) {
		t.Errorf("docs/man is not what the code says (%q): run `make golden`", slices.Sorted(maps.Keys(want)))
	}
}
