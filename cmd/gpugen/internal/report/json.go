package report

import (
	"io"

	"github.com/gpugen/gpugen/schema/diag"
)

// document is the JSON form. Within a format version it only grows.
type document struct {
	FormatVersion int    `json:"formatVersion"`
	Version       string `json:"version"`
	Errors        int    `json:"errors"`
	Warnings      int    `json:"warnings"`
	// NotShown is how many of them Findings leaves out.
	NotShown int       `json:"notShown,omitempty"`
	Findings diag.List `json:"findings"`
}

func writeJSON(w io.Writer, version string, findings diag.List) error {
	doc := document{FormatVersion: 1, Version: version, Findings: findings[:min(most, len(findings))]}
	doc.NotShown = len(findings) - len(doc.Findings)
	if doc.Findings == nil {
		doc.Findings = diag.List{}
	}
	doc.Errors, doc.Warnings = findings.Count()
	return JSON(w, doc)
}
