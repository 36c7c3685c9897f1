package cli

import (
	"bytes"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"

	"github.com/gpugen/gpugen/generators/remembered"
)

// buildIDReach is how far into a program Go's tools look for the build ID.
const buildIDReach = 64 << 10

// theStore is where this program remembers what it rendered; false where there is no
// place for it, or the program cannot be told from other builds of it.
func theStore() (remembered.Store, bool) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return remembered.Store{}, false
	}
	self, err := os.Executable()
	if err != nil {
		return remembered.Store{}, false
	}
	f, err := os.Open(self)
	if err != nil {
		return remembered.Store{}, false
	}
	defer f.Close()
	start, err := io.ReadAll(io.LimitReader(f, buildIDReach))
	if err != nil {
		return remembered.Store{}, false
	}
	id := buildID(start)
	return remembered.Store{Dir: filepath.Join(dir, "gpugen", "renders"), Build: id}, id != ""
}

// buildID is the ID that Go's linker writes into the beginning of a program, which
// depends on all that the program is made of; "" if there is none.
func buildID(program []byte) string {
	// ELF has a note: the sizes of name and text, the type, the name.
	note := binary.NativeEndian.AppendUint32(nil, 4)
	note = append(note, "Go\x00\x00"...)
	for at := bytes.Index(program, note); at >= 8; {
		header := program[at-8 : at]
		if binary.NativeEndian.Uint32(header) == 4 {
			text := program[at+len(note):]
			if size := binary.NativeEndian.Uint32(header[4:]); uint64(size) <= uint64(len(text)) {
				return string(text[:size])
			}
		}
		next := bytes.Index(program[at+1:], note)
		if next < 0 {
			break
		}
		at += 1 + next
	}
	// Elsewhere it stands before the code.
	_, rest, ok := bytes.Cut(program, []byte("\xff Go build ID: \""))
	id, _, ends := bytes.Cut(rest, []byte("\"\n \xff"))
	if !ok || !ends {
		return ""
	}
	return string(id)
}
