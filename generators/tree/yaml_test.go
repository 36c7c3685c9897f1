package tree_test

import (
	"encoding/json"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"github.com/gpugen/gpugen/generators/tree"
)

// All values are written as sigs.k8s.io/yaml writes them, line by line.
func TestMarshalIsThatOfKubernetesButForTheOrder(t *testing.T) {
	texts := rapid.OneOf(
		rapid.StringMatching(`[ -~]{0,12}`),
		rapid.StringMatching(`[a-zäöü0-9:#\n\t "'-]{0,30}`),
		rapid.SampledFrom([]string{"", "yes", "on", "null", "~", "1e3", "0x1f", "0755", "1:30", "2026-11-22", "1_000", ".inf", "a: b", "-", "\xff", "|", "a\n", "\na"}),
	)
	leaf := rapid.OneOf(
		rapid.Just[any](nil),
		rapid.Map(rapid.Bool(), func(b bool) any { return b }),
		rapid.Map(rapid.Int(), func(n int) any { return n }),
		rapid.Map(rapid.Int64(), func(n int64) any { return n }),
		rapid.Map(rapid.Float64Range(-1e9, 1e9), func(n float64) any { return n }),
		rapid.SampledFrom([]any{
			json.Number("1"), json.Number("-7"), json.Number("1.50"), json.Number("9007199254740993"), json.Number("1e3"),
			json.Number("18446744073709551615"), math.MaxInt64, []string(nil), map[string]any(nil), []any(nil), []any{},
			[]string{"a", "0755"}, map[string]string{"b": "no", "a10": "", "a9": "x"}, struct{ A int }{1}, map[string]string(nil),
			[]map[string]any{{"k": 1}, nil}, []map[string]any(nil),
		}),
		rapid.Map(texts, func(s string) any { return s }),
	)
	var value func(depth int) *rapid.Generator[any]
	value = func(depth int) *rapid.Generator[any] {
		if depth == 0 {
			return leaf
		}
		return rapid.OneOf(leaf,
			rapid.Map(rapid.SliceOfN(value(depth-1), 0, 4), func(l []any) any { return l }),
			rapid.Map(rapid.MapOfN(texts, value(depth-1), 0, 4), func(m map[string]any) any { return m }))
	}
	rapid.Check(t, func(t *rapid.T) {
		v := value(3).Draw(t, "value")
		theirs, err := yaml.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var got, want any
		ours, err := tree.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(yaml.Unmarshal(ours, &got), yaml.Unmarshal(theirs, &want)); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%#v:\n%s\nis\n%s\n%v", v, ours, theirs, err)
		}
		if lines(ours) != lines(theirs) {
			t.Fatalf("%#v:\n%s\nhas other lines than\n%s", v, ours, theirs)
		}
	})
}

// lines are those of a text in an order of their own, without marks: which
// key follows one depends on the order of keys.
func lines(data []byte) string {
	var out []string
	for line := range strings.Lines(string(data)) {
		out = append(out, strings.TrimLeft(line, "?:- "))
	}
	slices.Sort(out)
	return strings.Join(out, "")
}

// The library's own order depends on that of Go's maps, for such keys.
func TestMarshalGivesTheSameBytes(t *testing.T) {
	for range 100 {
		got, err := tree.Marshal(map[string]any{"0755": 1, "0y": map[string]string{"a9": "", "a10": ""}, "1e3": 1.5})
		if want := "\"0755\": 1\n0y:\n  a10: \"\"\n  a9: \"\"\n\"1e3\": 1.5\n"; err != nil || string(got) != want {
			t.Fatalf("%s, %v, want\n%s", got, err, want)
		}
	}
}
