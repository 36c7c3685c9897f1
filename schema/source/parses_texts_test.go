package source

import (
	"os"
	"path/filepath"
	"testing"

	"cuelang.org/go/cue/build"
)

// Whether a spec parses texts, its own files say, and what they import; not a file of
// another package that lies beside them: the spec would be judged twice for it.
func TestOnlyFilesOfTheSpecSayThatItParsesTexts(t *testing.T) {
	const parses = "import \"encoding/json\"\n\nx: json.Unmarshal(\"1\")\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  bool
	}{
		"no file":                       {map[string]string{"cluster.cue": "package cluster\n\nname: \"a\"\n"}, false},
		"the spec":                      {map[string]string{"cluster.cue": "package cluster\n\n" + parses}, true},
		"another file of the spec":      {map[string]string{"cluster.cue": "package cluster\n\nname: \"a\"\n", "more.cue": "package cluster\n\n" + parses}, true},
		"a file of another package":     {map[string]string{"cluster.cue": "package cluster\n\nname: \"a\"\n", "expect.cue": "package expect\n\n" + parses}, false},
		"a package that it imports":     {map[string]string{"cluster.cue": "package cluster\n\nimport \"example.com/m/base\"\n\ny: base.x\n", "base/base.cue": "package base\n\n" + parses}, true},
		"a package that nobody imports": {map[string]string{"cluster.cue": "package cluster\n\nname: \"a\"\n", "base/base.cue": "package base\n\n" + parses}, false},
	} {
		dir := t.TempDir()
		c.files["cue.mod/module.cue"] = "module: \"example.com/m\"\nlanguage: version: \"v0.17.0\"\n"
		for file, text := range c.files {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, file)), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		in := Input{Path: dir}
		files := NewFiles(in.Path)
		text, found := Read(in, files, Own{Packages: map[string]*build.Instance{}})
		if text == nil || text.Package == nil || found.HasErrors() {
			t.Fatal(name, found)
		}
		if _, found = text.Package.Instance(); found.HasErrors() {
			t.Fatal(name, found)
		}
		if at, got := files.ParsesTexts(); got != c.want {
			t.Errorf("%s: %t at %v, want %t", name, got, at, c.want)
		}
	}
}
