// Package report owns how findings look: one file a format, all made from the
// same value. It must not read files nor change a finding.
package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/gpugen/gpugen/schema/diag"
)

// formats in the order in which they are offered; a new one is a line here.
var formats = []struct {
	name  string
	write func(w io.Writer, version string, findings diag.List) error
}{
	{"text", writeText},
	{"json", writeJSON},
}

// Formats names the formats, for a flag's help.
func Formats() string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.name
	}
	return strings.Join(names, " or ")
}

// Known returns an error that lists the formats if name is none.
func Known(name string) error {
	for _, f := range formats {
		if f.name == name {
			return nil
		}
	}
	return fmt.Errorf("--format is %q, want %s", name, Formats())
}

// most findings that are written; any more are counted only. A generated spec
// may have one fault in each of its lines.
const most = 1000

// Write writes sorted findings, at most 1000 of them, without the secrets that they
// quote. version is gpugen's.
func Write(w io.Writer, format, version string, findings diag.List) error {
	for _, f := range formats {
		if f.name == format {
			return f.write(w, version, findings.Masked())
		}
	}
	return Known(format)
}
