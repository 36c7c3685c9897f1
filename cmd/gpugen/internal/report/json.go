package report

import (
	"io"

	"github.com/gpugen/gpugen/schema/diag"
)

// document is the JSON form. Within a format version it only grows.
type document struct {
	FormatVersion int       `json:"formatVersion"`
	Version       string    `json:"version"`
	Errors        int       `json:"errors"`
	Warnings      int       `json:"warnings"`
	Findings      diag.List `json:"findings"`
}

func writeJSON(w io.Writer, version string, findings diag.List) error {
	doc := document{FormatVersion: 1, Version: version, Findings: findings}
	if doc.Findings == nil {
		doc.Findings = diag.List{}
	}
	doc.Errors, doc.Warnings = findings.Count()
	return JSON(w, doc)
}
