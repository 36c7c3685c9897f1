package source

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"hash"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"
)

// Digest tells an input from any other without evaluating it: by each file that
// loading it reads, the site's knowledge included, with its name and its place in the module, and by the day of
// Input. Standard input, and what cannot be loaded, has none.
//
// The packages of own may be empty: nothing of them is read.
func Digest(in Input, own Own) (seen *Seen, ok bool) {
	if in.Path == "-" {
		return nil, false
	}
	// A parser that panics is a finding of the load.
	defer func() {
		if recover() != nil {
			seen, ok = nil, false
		}
	}()
	files := NewFiles(in.Path)
	text, found := Read(in, files, own)
	if text == nil {
		return nil, false
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
		return nil, false
	}
	site, more := ReadSite(in)
	if more.HasErrors() {
		return nil, false
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
			return nil, false
		}
		add(h, f.Name)
		add(h, place)
		add(h, strconv.FormatBool(f.used))
		add(h, string(f.Data))
	}
	said, err := json.Marshal(found)
	if err != nil {
		return nil, false
	}
	add(h, string(said))
	seen = &Seen{Digest: hex.EncodeToString(h.Sum(nil)), in: in, site: site, files: files, dirs: map[string]time.Time{}}
	for path := range files.byPath {
		dir := filepath.Dir(path)
		seen.dirs[dir] = changed(dir)
	}
	return seen, true
}

// Seen is an input as Digest saw it.
type Seen struct {
	Digest string
	in     Input
	site   *Site
	files  *Files
	// dirs are when the directories of its files got or lost one.
	dirs map[string]time.Time
}

// Unchanged tells whether the input is still that which was seen. Nothing is parsed.
func (s *Seen) Unchanged() bool {
	for path, f := range s.files.byPath {
		data, err := os.ReadFile(path)
		if err != nil || !bytes.Equal(data, f.Data) {
			return false
		}
	}
	for dir, then := range s.dirs {
		if !changed(dir).Equal(then) {
			return false
		}
	}
	now, found := ReadSite(s.in)
	if found.HasErrors() || (now == nil) != (s.site == nil) {
		return false
	}
	return now == nil || slices.EqualFunc(now.Files, s.site.Files, func(a, b SiteFile) bool {
		return a.Place == b.Place && bytes.Equal(a.Data, b.Data)
	})
}

func changed(dir string) time.Time {
	info, err := os.Stat(dir)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// add hashes a text with its length, so that no two lists of texts are the same.
func add(h hash.Hash, text string) {
	h.Write(strconv.AppendInt(nil, int64(len(text)), 10))
	h.Write([]byte{0})
	h.Write([]byte(text))
}
