package syntax

import (
	"testing"

	"cuelang.org/go/cue/parser"
)

func TestPlainCUEIsYAMLWithItsComments(t *testing.T) {
	file, err := parser.ParseFile("a.cue", `// What it is.
package cluster

name: "a" // change me: the name

// Both stand together.
pools: b: {
	count: 8
	labels: "example.com/x": "true" // change me: a label
}

// The second one.
pools: c: {gpu: {model: "x", count: -1}, taints: [{key: "k"}, {key: "l"}], none: [], empty: {}} // beside
text: """
	two
	lines
	"""
`, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	got, err := YAML(file)
	if err != nil {
		t.Fatal(err)
	}
	const want = `# What it is.

name: a # change me: the name
# Both stand together.
pools:
  b:
    count: 8
    labels:
      example.com/x: "true" # change me: a label
  # The second one.
  c: # beside
    gpu:
      model: x
      count: -1
    taints:
      - key: k
      - key: l
    none: []
    empty: {}
text: |-
  two
  lines
`
	if string(got) != want {
		t.Errorf("got\n%s", got)
	}
	for _, text := range []string{"a: b\nb: 1\n", "a: int\n", "if true {a: 1}\n", "a: 1\na: 2\n", "[string]: 1\n", "a: [b]\nb: 1\n"} {
		file, err := parser.ParseFile("a.cue", text)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := YAML(file); err == nil {
			t.Errorf("%q is %q", text, got)
		}
	}
}
