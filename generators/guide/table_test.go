package guide

import (
	"strings"
	"testing"

	"github.com/gpugen/gpugen/generators/plan"
	"github.com/gpugen/gpugen/schema"
)

// readmeTable is the table in a section of the README of a spec's tree; nil if there is no
// such section.
func readmeTable(t *testing.T, spec, title string) [][]string {
	t.Helper()
	cluster, findings := schema.Evaluate(schema.Input{Path: "-", Format: "cue", Stdin: strings.NewReader(spec)})
	if cluster == nil || findings.HasErrors() {
		t.Fatal(findings)
	}
	var pages map[string]plan.Page
	if err := cluster.Decode("guide", &pages); err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	for _, section := range pages["README.md"].Sections {
		for _, block := range section.Blocks {
			if section.Title == title && block.Table != nil {
				rows = block.Table.Rows
			}
		}
	}
	return rows
}
