package load

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/gpugen/gpugen/schema/source"
	"github.com/gpugen/gpugen/schema/spectest"
)

// TestScripts loads each archive of testdata/load: the first line of its comment
// is what to load, its file "want" holds the findings as "file:line:column ID",
// and after " | " text that the message, or that of another place, must hold.
func TestScripts(t *testing.T) {
	archives, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil || len(archives) == 0 {
		t.Fatal("no scripts", err)
	}
	e := loaderForTest(t)
	for _, name := range archives {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			files := map[string]string{}
			var want []string
			for _, f := range archive.Files {
				if f.Name == "want" {
					want = strings.Split(strings.TrimSpace(string(f.Data)), "\n")
					continue
				}
				files[f.Name] = strings.NewReplacer("{TAB}", "\t", "{CR}", "\r", "{BOM}", "\uFEFF", "{BAD}", "\xff").Replace(string(f.Data))
			}
			want = slices.DeleteFunc(want, func(s string) bool { return s == "" })
			line, _, _ := strings.Cut(string(archive.Comment), "\n")
			spectest.WriteFiles(t, files)
			in := source.Input{Path: line}
			if format, ok := strings.CutPrefix(line, "- "); ok {
				stdin, err := os.Open("stdin")
				if err != nil {
					t.Fatal(err)
				}
				defer stdin.Close()
				in = source.Input{Path: "-", Format: format, Stdin: stdin}
				files[source.StdinName] = files["stdin"]
			}
			_, found := e.load(in)
			spectest.CheckFindings(t, found, files)
			got := spectest.Brief(found)
			for i, w := range want {
				place, text, _ := strings.Cut(w, " | ")
				want[i] = place
				if i < len(found) && got[i] == place {
					said := found[i].Message + " " + found[i].Fix
					for _, a := range found[i].Also {
						said += " " + a.Note + " " + strings.Join(spectest.Brief(nil), "") + a.Position.File
					}
					if !strings.Contains(said, text) {
						t.Errorf("%s says %q, want %q", place, said, text)
					}
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("found\n%s\nwant\n%s\n%+v", strings.Join(got, "\n"), strings.Join(want, "\n"), found)
			}
		})
	}
}
