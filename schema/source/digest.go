package source

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"hash"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
)

// Digest tells an input from any other without evaluating it: by each file that
// loading it reads, the site's knowledge included, with its name and its place in the module, and by the day of
// Input. Standard input, and what cannot be loaded, has none.
//
// The packages of own may be empty: nothing of them is read.
func Digest(in Input, own Own) (digest string, ok bool) {
	if in.Path == "-" {
		return "", false
	}
	// A parser that panics is a finding of the load.
	defer func() {
		if recover() != nil {
			digest, ok = "", false
		}
	}()
	files := NewFiles(in.Path)
	text, found := Read(in, files, own)
	if text == nil {
		return "", false
	}
	if p := text.Package; p != nil {
		_, more := p.Instance()
		found = append(found, more...)
		if rules := p.Spec().rules; rules != nil {
			// Rules of the site may import what nothing else does.
			_, more = rules.Package().Instance()
			found = append(found, more...)
		}
	}
	if found.HasErrors() {
		return "", false
	}
	site, more := ReadSite(in)
	if more.HasErrors() {
		return "", false
	}
	h := sha256.New()
	if site != nil {
		for _, f := range site.Files {
			add(h, f.Name)
			add(h, f.Place)
			add(h, string(f.Data))
		}
	}
	add(h, in.AsOf)
	add(h, in.Path)
	for _, path := range slices.Sorted(maps.Keys(files.byPath)) {
		f := files.byPath[path]
		place, err := filepath.Rel(files.root, path)
		if err != nil {
			return "", false
		}
		add(h, f.Name)
		add(h, place)
		add(h, strconv.FormatBool(f.used))
		add(h, string(f.Data))
	}
	said, err := json.Marshal(found)
	if err != nil {
		return "", false
	}
	add(h, string(said))
	return hex.EncodeToString(h.Sum(nil)), true
}

// add hashes a text with its length, so that no two lists of texts are the same.
func add(h hash.Hash, text string) {
	h.Write(strconv.AppendInt(nil, int64(len(text)), 10))
	h.Write([]byte{0})
	h.Write([]byte(text))
}
