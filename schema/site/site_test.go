package site_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gpugen/gpugen/schema/site"
	"github.com/gpugen/gpugen/schema/source"
	"github.com/gpugen/gpugen/schema/watchdog"
)

// read writes one file of facts of a site and reads its knowledge.
func read(t *testing.T, place, text string) *site.Knowledge {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, source.SiteDir, filepath.FromSlash(place))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	known, found := site.Read(source.Input{Path: dir}, watchdog.Limits{})
	if len(found) > 0 {
		t.Fatal(found)
	}
	return known
}

const image = `images: mine: {repository: "registry.example.com/mine", tag: "1", digest: "sha256:4a44dc15364204a80fe80e9039455cc1608281820fe2b24f1e5233ade6af1dd5", arch: ["amd64"], minimum: {computeCapability: "7.0", driver: "525"}, sources: ["https://wiki.example.com (2026-11)"]}`

func TestTheHashOfAFileGoesByWhatItMeans(t *testing.T) {
	plain := read(t, "schema/facts/images.cue", "package facts\n\n"+image+"\n")
	commented := read(t, "schema/facts/images.cue", "// Ours.\npackage facts\n\n"+image+" // mine\n")
	other := read(t, "schema/facts/others.cue", "package facts\n\n"+image+"\n")
	if plain.Hash != commented.Hash {
		t.Error("a comment changes the hash")
	}
	if plain.Hash == other.Hash {
		t.Error("another file has the same hash")
	}
}

func TestEntriesAreWhatAFileSays(t *testing.T) {
	known := read(t, "schema/facts/images.cue", "package facts\n\n"+image+"\n_mine: x: 1\n")
	want := site.Entry{Of: "images", Name: "mine", File: "gpugen/schema/facts/images.cue"}
	if len(known.Entries) != 1 || known.Entries[0] != want {
		t.Errorf("entries are %v, want %v", known.Entries, want)
	}
}

func TestWithoutTheFolderNothingIsKnown(t *testing.T) {
	if known, found := site.Read(source.Input{Path: t.TempDir()}, watchdog.Limits{}); known != nil || len(found) > 0 {
		t.Errorf("read %v, %v", known, found)
	}
}
