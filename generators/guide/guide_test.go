package guide

import (
	"bytes"
	"encoding/json"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/generators/plan"
	"github.com/gpugen/gpugen/internal/sample"
	"github.com/gpugen/gpugen/schema"
)

// A word that templates misspell would be left out in silence.
func TestPagesOfExamplesHaveNothingThatIsNotPrinted(t *testing.T) {
	entries, err := os.ReadDir("../../examples")
	if err != nil {
		t.Fatal(err)
	}
	pages := 0
	for _, entry := range entries {
		if !entry.IsDir() || !sample.Some("pages "+entry.Name(), 5) {
			continue
		}
		cluster, findings := schema.Evaluate(schema.Input{Path: "../../examples/" + entry.Name()})
		if cluster == nil {
			t.Fatalf("%s: %+v", entry.Name(), findings)
		}
		var data json.RawMessage
		if err := cluster.Decode("guide", &data); err != nil {
			t.Fatal(err)
		}
		var guide map[string]plan.Page
		decoder := json.NewDecoder(bytes.NewReader(data))
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(&guide); err != nil {
			t.Errorf("%s: %v", entry.Name(), err)
		}
		for file, page := range guide {
			pages++
			checkBlocks(t, entry.Name()+" "+file, page.Intro)
			for _, section := range page.Sections {
				if section.Title == "" || len(section.Blocks) == 0 {
					t.Errorf("%s %s: an empty section %q", entry.Name(), file, section.Title)
				}
				checkBlocks(t, entry.Name()+" "+file+" "+section.Title, section.Blocks)
			}
		}
	}
	if pages == 0 {
		t.Error("no pages")
	}
}

func checkBlocks(t *testing.T, where string, blocks []plan.Block) {
	t.Helper()
	for _, b := range blocks {
		set, v := 0, reflect.ValueOf(b)
		for i := range v.NumField() {
			if !v.Field(i).IsZero() {
				set++
			}
		}
		if set != 1 {
			t.Errorf("%s: a block of %d kinds: %+v", where, set, b)
		}
		if b.Table == nil {
			continue
		}
		for _, row := range b.Table.Rows {
			if len(row) != len(b.Table.Columns) {
				t.Errorf("%s: %d cells in a table of %d columns: %q", where, len(row), len(b.Table.Columns), row)
			}
		}
	}
}

func TestTextIsPlainButForCode(t *testing.T) {
	for in, want := range map[string]string{
		"a `b*_<c>` d":                   "a `b*_<c>` d",
		"4 * 2 < 9 [x](y)":               `4 \* 2 \< 9 \[x\](y)`,
		"_emphasis_ but not snake_case":  `\_emphasis\_ but not snake_case`,
		"two\nlines   and\ttabs":         "two lines and tabs",
		"`an open span is text, as * is": "\\`an open span is text, as \\* is",
		"``` <img src=x> ` is no code":   "\\`\\`\\` \\<img src=x> \\` is no code",
		"`` a ` <b> `` <i> `c`":          "`` a ` <b> `` \\<i> `c`",
		"`a``b` ``c`":                    "`a``b` \\`\\`c\\`",
	} {
		if got := text(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func printed(t *testing.T, blocks ...plan.Block) string {
	t.Helper()
	w := writer{tree: func(name string) (plan.Block, error) { return plan.Block{Paragraph: "the " + name}, nil }}
	if err := w.page(plan.Page{Title: "T", Sections: []plan.Section{{Title: "S", Blocks: blocks}}}); err != nil {
		t.Fatal(err)
	}
	text, ok := strings.CutPrefix(w.String(), "# T\n\n## S\n\n")
	if !ok {
		t.Fatalf("the page is %q", w.String())
	}
	return text
}

func TestBlocks(t *testing.T) {
	for want, block := range map[string]plan.Block{
		"p\n":                                    {Paragraph: "p"},
		"* a\n* b\n":                             {Bullets: []string{"a", "b"}},
		"1. a\n2. b\n":                           {Steps: []string{"a", "b"}},
		"| A | B |\n|---|---|\n| x \\| y |  |\n": {Table: &plan.Table{Columns: []string{"A", "B"}, Rows: [][]string{{"x | y", ""}}}},
		"```yaml\na: 1\n---\nb: 2\n```\n":        {YAML: []map[string]any{{"a": 1}, {"b": 2}}},
		"````sh\necho '```'\n````\n":             {Code: &plan.Code{Language: "sh", Text: "echo '```'"}},
		"the order\n":                            {Tree: "order"},
	} {
		if got := printed(t, block); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	var w writer
	if err := w.block(plan.Block{}); err == nil {
		t.Error("a block of no kind is printed")
	}
}
