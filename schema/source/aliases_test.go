package source

import (
	"fmt"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

func TestAliasesAndNestingHaveBounds(t *testing.T) {
	doublings := "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := range 9 {
		doublings += fmt.Sprintf("a%d: &a%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i), 10), ", "))
	}
	for name, test := range map[string]struct{ text, want string }{
		"an anchor merged into itself": {"a: &a {<<: *a}", "the anchor &a holds itself"},
		"an anchor in itself":          {"a: &a [1, *a]", "the anchor &a holds itself"},
		"a circle of two":              {"a: &a {b: &b {<<: *a}}", "the anchor &a holds itself"},
		"doublings":                    {doublings, "its aliases stand for more than 100000 values"},
		"a deep list":                  {"a: " + strings.Repeat("[", 300) + strings.Repeat("]", 300), "it is nested more than 200 deep"},
		"an anchor used twice":         {"a: &a {b: 1}\nc: *a\nd: {<<: *a, e: 2}", ""},
		"an ordinary depth":            {"a: " + strings.Repeat("[", 100) + strings.Repeat("]", 100), ""},
	} {
		t.Run(name, func(t *testing.T) {
			var doc yaml.Node
			if err := yaml.Unmarshal([]byte(test.text), &doc); err != nil {
				t.Fatal(err)
			}
			at, fault := AliasFault(&doc)
			if fault != test.want {
				t.Errorf("the fault is %q, want %q", fault, test.want)
			}
			if fault != "" && at == nil {
				t.Error("it has no place")
			}
		})
	}
}
