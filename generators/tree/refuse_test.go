package tree

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// refused writes f and checks the findings, and that nothing changed.
func refused(t *testing.T, dir string, f files, o Options, want ...string) {
	t.Helper()
	before := everything(t, dir)
	c, found := Write(context.Background(), dir, f.tree(), meta, o)
	wantFindings(t, dir, found, want...)
	if !found.HasErrors() {
		t.Error("no error was found")
	}
	if c.Any() {
		t.Errorf("changes are %+v", c)
	}
	wantSame(t, "directory", everything(t, dir), before)
}

// forced writes f by force and checks what is there then.
func forced(t *testing.T, dir string, f, want files) {
	t.Helper()
	if _, found := Write(context.Background(), dir, f.tree(), meta, Options{Force: true}); len(found) > 0 {
		t.Fatalf("findings: %q", texts(found))
	}
	wantSame(t, "contents", contents(t, dir), want)
}

func TestForeignAndEditedFilesAreRefusedAllAtOnce(t *testing.T) {
	dir := t.TempDir()
	mustWrite(t, dir, files{"edited": "1", "edited-and-dropped": "1", "fine": "1"})
	put(t, dir, "edited", "by hand")
	put(t, dir, "edited-and-dropped", "by hand")
	put(t, dir, "sub/foreign", "theirs")
	put(t, dir, "other", "theirs")
	next := files{"edited": "2", "sub/foreign": "2", "fine": "2"}
	refused(t, dir, next, Options{}, kindEdited.ID+" edited", kindEdited.ID+" edited-and-dropped", kindForeign.ID+" sub/foreign")
	forced(t, dir, next, files{"edited": "2", "sub/foreign": "2", "fine": "2", "other": "theirs"})
}

func TestForeignFileWithTheSameBytesIsAdopted(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "a", "1")
	before := everything(t, dir)["a"]
	mustWrite(t, dir, files{"a": "1"})
	if after := everything(t, dir)["a"]; after != before {
		t.Errorf("a was %s, is %s", before, after)
	}
	mustWrite(t, dir, files{"b": "1"})
	wantSame(t, "contents", contents(t, dir), files{"b": "1"})
}

func TestEditThatTheNewTreeAgreesWithIsAdopted(t *testing.T) {
	dir := t.TempDir()
	mustWrite(t, dir, files{"a": "1"})
	put(t, dir, "a", "2")
	mustWrite(t, dir, files{"a": "2"})
	mustWrite(t, dir, files{"a": "3"})
	wantSame(t, "contents", contents(t, dir), files{"a": "3"})
}

func TestDirectoryInPlaceOfAFileIsRefusedEvenByForce(t *testing.T) {
	for name, below := range map[string]string{"foreign file": "a/theirs", "foreign file deep": "a/b/theirs"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			mustWrite(t, dir, files{"a/ours": "1"})
			put(t, dir, below, "theirs")
			for _, force := range []bool{false, true} {
				refused(t, dir, files{"a": "1"}, Options{Force: force}, kindInTheWay.ID+" a")
			}
		})
	}
	t.Run("empty directory", func(t *testing.T) {
		dir := t.TempDir()
		if err := os.Mkdir(filepath.Join(dir, "a"), 0o755); err != nil {
			t.Fatal(err)
		}
		refused(t, dir, files{"a": "1"}, Options{}, kindInTheWay.ID+" a")
	})
}

func TestFileInPlaceOfADirectoryIsRefusedEvenByForce(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "a", "theirs")
	for _, force := range []bool{false, true} {
		refused(t, dir, files{"a/b": "1"}, Options{Force: force}, kindInTheWay.ID+" a")
	}
}

func TestEditedFileInPlaceOfADirectoryNeedsForce(t *testing.T) {
	dir := t.TempDir()
	mustWrite(t, dir, files{"a": "1"})
	put(t, dir, "a", "by hand")
	refused(t, dir, files{"a/b": "1"}, Options{}, kindEdited.ID+" a", kindInTheWay.ID+" a")
	forced(t, dir, files{"a/b": "1"}, files{"a/b": "1"})
}

func TestOutputThatIsNoDirectoryIsRefused(t *testing.T) {
	top := t.TempDir()
	put(t, top, "file", "theirs")
	if err := os.Symlink("nowhere", filepath.Join(top, "dangling")); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"file": kindInTheWay.ID, "dangling": kindLink.ID} {
		dir := filepath.Join(top, name)
		before := everything(t, top)
		_, found := Write(context.Background(), dir, files{"a": "1"}.tree(), meta, Options{Force: true})
		wantFindings(t, dir, found, want+" .")
		wantSame(t, "parent", everything(t, top), before)
	}
}

func TestLinksAreNeverFollowed(t *testing.T) {
	outside := t.TempDir()
	put(t, outside, "secret", "s")
	for name, test := range map[string]struct {
		old  files
		link string // becomes a link to outside, or to secret in it
		to   string
		next files
		want string
	}{
		"directory":            {link: "sub", to: outside, next: files{"sub/secret": "1"}, want: "sub"},
		"directory, deep":      {link: "a/sub", to: outside, next: files{"a/sub/x/y": "1"}, want: "a/sub"},
		"file":                 {link: "f", to: filepath.Join(outside, "secret"), next: files{"f": "1"}, want: "f"},
		"dangling":             {link: "f", to: filepath.Join(outside, "none"), next: files{"f": "1"}, want: "f"},
		"inside":               {link: "sub", to: "elsewhere", next: files{"sub/f": "1"}, want: "sub"},
		"same bytes":           {link: "f", to: filepath.Join(outside, "secret"), next: files{"f": "s"}, want: "f"},
		"file to remove":       {old: files{"f": "s"}, link: "f", to: filepath.Join(outside, "secret"), next: files{"g": "1"}, want: "f"},
		"directory to empty":   {old: files{"sub/secret": "s"}, link: "sub", to: outside, next: files{"g": "1"}, want: "sub"},
		"gpugen's own":         {link: metaDir, to: outside, next: files{"g": "1"}, want: metaDir},
		"the inventory itself": {link: inventoryPath, to: filepath.Join(outside, "inventory"), next: files{"g": "1"}, want: inventoryPath},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if test.old != nil {
				mustWrite(t, dir, test.old)
			}
			name := filepath.Join(dir, filepath.FromSlash(test.link))
			if err := os.RemoveAll(name); err != nil {
				t.Fatal(err)
			}
			if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(test.to, name); err != nil {
				t.Fatal(err)
			}
			for _, force := range []bool{false, true} {
				refused(t, dir, test.next, Options{Force: force}, kindLink.ID+" "+test.want)
			}
			wantSame(t, "outside", contents(t, outside), files{"secret": "s"})
		})
	}
}

func TestBrokenInventoryStopsUnlessForced(t *testing.T) {
	const first, last = `{"format":2,"gpugen":"1.0.0"}`, `{"end":true}`
	list := func(lines ...string) string { return "[\n" + strings.Join(lines, ",\n") + "\n]\n" }
	file := func(p, hash string) string {
		name, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		return list(first, fmt.Sprintf(`{"file":%s,"hash":%q}`, name, hash), last)
	}
	path := func(p string) string { return file(p, hashOf([]byte("s"))) }
	for name, data := range map[string]string{
		"empty":             "",
		"conflict markers":  "<<<<<<< HEAD\n{}\n",
		"two values":        list(first, "{}{}", last),
		"not an object":     list(first, "1", last),
		"cut short":         list(first),
		"no format":         list(last),
		"says nothing":      list(first, `{"hash":"sha256:00"}`, last),
		"no hash":           file("a", ""),
		"strange hash":      file("a", "md5:00"),
		"parent":            path("../secret"),
		"hidden parent":     path("a/../../secret"),
		"absolute":          path("/etc/passwd"),
		"git":               path(".git/config"),
		"git in upper case": path(".GIT/config"),
		"own folder":        path(".gpugen/journal.json"),
		"backslash":         path(`..\secret`),
	} {
		t.Run(name, func(t *testing.T) {
			top := t.TempDir()
			dir := filepath.Join(top, "tree")
			put(t, top, "secret", "s")
			put(t, dir, ".git/config", "s")
			put(t, dir, "a", "theirs")
			put(t, dir, inventoryPath, data)
			refused(t, dir, files{"b": "1"}, Options{}, kindInventory.ID+" "+inventoryPath)
			forced(t, dir, files{"b": "1"}, files{"a": "theirs", "b": "1", ".git/config": "s"})
			wantSame(t, "outside", files{"secret": contents(t, top)["secret"]}, files{"secret": "s"})
		})
	}
}

func TestPathsThatNoTreeMayHaveAreRefused(t *testing.T) {
	for _, p := range []string{"", ".", "..", "../x", "a/../../x", "/x", "a//b", "a/", "./a", `a\b`, "a/../b", ".git", ".git/hooks/post-checkout",
		"sub/.git/config", ".GIT/x", "git~1/config", ".gpugen", ".gpugen/inventory.json", ".Gpugen/x", "a\x00b", "a\nb", ".g\u200cit/config", "\xff", "a./b", ".git /config", "a "} {
		dir := filepath.Join(t.TempDir(), "p", "tree")
		_, found := Write(context.Background(), dir, files{p: "1", "fine": "1"}.tree(), meta, Options{Force: true})
		wantFindings(t, dir, found, kindPath.ID+" .")
		if _, err := os.Stat(filepath.Dir(dir)); err == nil {
			t.Errorf("%q: something was written", p)
		}
		if _, found := Compare(dir, files{p: "1"}.tree(), meta); !found.HasErrors() {
			t.Errorf("%q: compare finds nothing", p)
		}
	}
}

func TestTreesThatNoFileSystemCanHoldAreRefused(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tree")
	twice := &Tree{}
	twice.Add("a", []byte("1"))
	twice.Add("a", []byte("1"))
	for name, tr := range map[string]*Tree{
		"twice":           twice,
		"only in case":    files{"a/B": "1", "a/b": "2"}.tree(),
		"below a file":    files{"a": "1", "a/b": "2"}.tree(),
		"below, and case": files{"A": "1", "a/b": "2"}.tree(),
	} {
		_, found := Write(context.Background(), dir, tr, meta, Options{})
		if len(found) != 1 || found[0].ID != kindPath.ID {
			t.Errorf("%s: findings are %q", name, texts(found))
		}
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("something was written")
	}
}

// A Namespace that leaves with its component is that component's finding; one that
// leaves alone, or goes to another component, is one of its own.
func TestANamespaceBelongsToItsComponent(t *testing.T) {
	component := func(name string) Guarded { return Guarded{Kind: "Component", Name: name, Prunes: "x"} }
	namespace := func(in string) Guarded { return Guarded{Kind: "Namespace", Name: "ns", In: in, Prunes: "y"} }
	for name, test := range map[string]struct {
		before, after []Guarded
		want          string
	}{
		"both leave":         {[]Guarded{component("a"), namespace("a")}, nil, "component a leaves the tree: x"},
		"the Namespace":      {[]Guarded{component("a"), namespace("a")}, []Guarded{component("a")}, "namespace ns leaves the tree: y"},
		"it goes elsewhere":  {[]Guarded{component("a"), namespace("a")}, []Guarded{component("a"), component("b"), namespace("b")}, "namespace ns goes from component a to b: y"},
		"its component goes": {[]Guarded{component("a"), namespace("a")}, []Guarded{component("b"), namespace("b")}, "component a leaves the tree: x"},
		"an older inventory": {[]Guarded{namespace("")}, []Guarded{component("a"), namespace("a")}, ""},
		"nothing changes":    {[]Guarded{component("a"), namespace("a")}, []Guarded{component("a"), namespace("a")}, ""},
	} {
		dir := t.TempDir()
		m := meta
		m.Guarded = test.before
		if _, found := Write(context.Background(), dir, files{"a": "1"}.tree(), m, Options{}); len(found) > 0 {
			t.Fatal(texts(found))
		}
		m.Guarded = test.after
		_, found := Write(context.Background(), dir, files{"a": "2"}.tree(), m, Options{})
		switch {
		case test.want == "" && len(found) == 0:
		case len(found) != 1 || found[0].ID != kindPrune.ID || found[0].Message != test.want:
			t.Errorf("%s: findings are %q, want %q", name, texts(found), test.want)
		}
	}
}

func TestDroppingWhatArgoCDWouldPruneNeedsPermission(t *testing.T) {
	dir := t.TempDir()
	mustWrite(t, dir, files{"a": "1"})
	before := everything(t, dir)
	renamed := meta
	renamed.Cluster = "other"
	renamed.Guarded = []Guarded{{Kind: "Cluster", Name: "other", Prunes: "x"}}
	write := func(allow ...string) []string {
		_, found := Write(context.Background(), dir, files{"a": "2"}.tree(), renamed, Options{Force: true, AllowPrune: allow})
		for _, f := range found {
			checkForm(t, f)
			if !strings.Contains(f.Message, " leaves the tree: ") || !strings.Contains(f.Fix, "--allow-prune ") {
				t.Errorf("message %q, fix %q", f.Message, f.Fix)
			}
		}
		return ids(found)
	}
	if got := write(); len(got) != 2 || got[0] != kindPrune.ID {
		t.Errorf("nothing allowed: %q", got)
	}
	if got := write("gpu-operator"); len(got) != 1 {
		t.Errorf("one allowed: %q", got)
	}
	wantSame(t, "directory", everything(t, dir), before)
	if got := write("gpu-operator", "research"); len(got) != 0 {
		t.Errorf("both allowed: %q", got)
	}
	wantSame(t, "contents", contents(t, dir), files{"a": "2"})
	if got := write(); len(got) != 0 {
		t.Errorf("once it is gone, no permission is needed: %q", got)
	}
}
