package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/schema/diag"
)

func TestWhatIsOverTheMostIsCounted(t *testing.T) {
	var findings diag.List
	for i := range most + 7 {
		findings.Add(diag.Finding{ID: "SPEC-020", Message: fmt.Sprint("no. ", i)})
	}
	var text, data bytes.Buffer
	if err := Write(&text, "text", "v0", findings); err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(text.String(), "error SPEC-020"); got != most {
		t.Errorf("%d findings are shown, want %d", got, most)
	}
	for _, want := range []string{"\n7 more findings not shown\n", fmt.Sprintf("\n%d errors, 0 warnings\n", most+7)} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is missing", want)
		}
	}
	if err := Write(&data, "json", "v0", findings); err != nil {
		t.Fatal(err)
	}
	var doc document
	if err := json.Unmarshal(data.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Errors != most+7 || doc.NotShown != 7 || len(doc.Findings) != most {
		t.Errorf("JSON counts %d errors, %d of them not shown, and has %d", doc.Errors, doc.NotShown, len(doc.Findings))
	}
}

// The mark stays below what it marks, wherever that is in a long line.
func TestLongLinesAreCutAroundTheMark(t *testing.T) {
	line := strings.Repeat("a", 1000) + "MARK" + strings.Repeat("b", 1000)
	for name, at := range map[string]int{"middle": 1000, "begin": 0, "end": 2000} {
		text := []rune(strings.Replace(line, "MARK", "aaaa", 1))
		copy(text[at:], []rune("MARK"))
		cut, begin, end := window(text, at, at+4)
		if len(cut) > widest+8 || string(cut[begin:end]) != "MARK" {
			t.Errorf("%s: %d characters, marked %q", name, len(cut), string(cut[begin:end]))
		}
	}
	short := []rune("MARK")
	if cut, begin, end := window(short, 0, 4); string(cut) != "MARK" || begin != 0 || end != 4 {
		t.Errorf("a short line is cut to %q", string(cut))
	}
}
