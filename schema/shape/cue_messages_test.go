package shape

import (
	"testing"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/errors"

	"github.com/gpugen/gpugen/schema/source"
)

// What kind an error is can only be read out of CUE's messages. If this test fails
// after an upgrade of CUE, look at what the new messages are before you change the
// table: cue_messages.go must tell the same kinds from them.
func TestCUESaysItInTheWordsThatGpugenReads(t *testing.T) {
	const (
		disagreement = 1 << iota
		cycle
	)
	for text, want := range map[string]struct {
		message string
		kind    int
	}{
		"x: 1, x: 2":                             {"conflicting values 2 and 1", disagreement},
		`x: 1, x: "a"`:                           {`conflicting values 1 and "a" (mismatched types int and string)`, disagreement},
		"x: {a: 1}, x: 2":                        {"conflicting values {a:1} and 2 (mismatched types struct and int)", disagreement},
		"x: [1], x: {}":                          {"conflicting values [1] and {} (mismatched types list and struct)", disagreement},
		"x: 5, x: <3":                            {"invalid value 5 (out of bound <3)", disagreement},
		`x: "a", x: =~"^b"`:                      {`invalid value "a" (out of bound =~"^b")`, disagreement},
		"x: [1, 2], x: [1]":                      {"incompatible list lengths (1 and 2)", disagreement},
		"x: y + 1, y: x + 1":                     {"cycle with field: x", cycle},
		"y: {}, x: y.a":                          {"undefined field: a", 0},
		`x: "a" + 1`:                             {`invalid operands "a" and 1 to '+' (type string and int)`, 0},
		"x: 1 / 0":                               {"failed arithmetic: division by zero", 0},
		"x: [1][3]":                              {"index out of range [3] with length 1", 0},
		`import "strconv", x: strconv.Atoi("a")`: {"error in call to strconv.Atoi", 0},
	} {
		v := cuecontext.New().CompileString(text)
		x := v.LookupPath(cue.ParsePath("x"))
		errs := errors.Errors(x.Err())
		if len(errs) == 0 {
			errs = errors.Errors(x.Validate(cue.Concrete(true)))
		}
		if len(errs) == 0 {
			errs = errors.Errors(v.Err())
		}
		if len(errs) == 0 {
			t.Errorf("%s: no error", text)
			continue
		}
		message := source.Message(errs[0])
		kind := 0
		if isDisagreement(message) {
			kind |= disagreement
		}
		if isCycle(message) {
			kind |= cycle
		}
		if message != want.message || kind != want.kind {
			t.Errorf("%s\n got %q, kind %d\nwant %q, kind %d", text, message, kind, want.message, want.kind)
		}
	}
}
