package diag_test

import (
	"reflect"
	"testing"

	"github.com/gpugen/gpugen/schema/diag"
)

func TestAKindMakesFindings(t *testing.T) {
	at := diag.Position{File: "cluster.cue", Line: 3, Column: 2}
	kind := diag.Kind{ID: "OUT-002", Title: "the directory cannot be written", Severity: diag.Warning, Fatal: true, Why: "why", Fix: "fix"}
	want := diag.Finding{
		ID: "OUT-002", Severity: diag.Warning, Fatal: true, Why: "why", Fix: "fix",
		Message: `"out" is full`, Position: at, Path: `tenants."team-a"`,
	}
	if got := kind.At(at, `tenants."team-a"`, "%q is full", "out"); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestAKindWithoutASeverityIsAnError(t *testing.T) {
	if f := (diag.Kind{ID: "OUT-001"}).At(diag.Position{}, "", "busy"); f.Severity != diag.Error {
		t.Errorf("severity %q", f.Severity)
	}
}
