package chartindex

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Path is a values path, one element a key. As JSON it is a pointer (RFC 6901),
// since keys may contain dots and slashes.
type Path []string

var (
	escapePointer   = strings.NewReplacer("~", "~0", "/", "~1")
	unescapePointer = strings.NewReplacer("~1", "/", "~0", "~")
)

// Pointer returns the path as a JSON pointer; the empty path is "".
func (p Path) Pointer() string {
	var b strings.Builder
	for _, key := range p {
		b.WriteByte('/')
		b.WriteString(escapePointer.Replace(key))
	}
	return b.String()
}

// ParsePointer returns the path that a JSON pointer stands for, or an error if
// it neither is empty nor starts with a slash.
func ParsePointer(pointer string) (Path, error) {
	if pointer == "" {
		return Path{}, nil
	}
	rest, ok := strings.CutPrefix(pointer, "/")
	if !ok {
		return nil, fmt.Errorf("%q is not a JSON pointer: it does not start with /", pointer)
	}
	keys := strings.Split(rest, "/")
	for i, key := range keys {
		keys[i] = unescapePointer.Replace(key)
	}
	return keys, nil
}

// MarshalJSON writes the path as a JSON pointer.
func (p Path) MarshalJSON() ([]byte, error) { return json.Marshal(p.Pointer()) }

// UnmarshalJSON reads a JSON pointer.
func (p *Path) UnmarshalJSON(data []byte) error {
	var pointer string
	if err := json.Unmarshal(data, &pointer); err != nil {
		return err
	}
	parsed, err := ParsePointer(pointer)
	if err != nil {
		return err
	}
	*p = parsed
	return nil
}
