package guard

import (
	"encoding/json"
	"strings"
	"testing"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/ast/astutil"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"
)

const template = `package templates

import "list"

spec: input & {
	a: b: *list.Max([1]) | int
	pools: {for name, pool in input.pools {
		let x = pool.size
		(name): {
			host: {driver: *"none" | string}
			if x > 1 {wide: true}
			labels: {[string]: string}
		}
	}}
	other: {for name, o in input.pools {(name): {}}}
	odd: {x}
	twice: {for name, o in input.twice {"\(name)": {}}}
}
other: 1
`

const spec = `{
	"name": "c", "count": 8, "on": true, "off": false, "empty": {}, "list": ["x", "y"], "none": [],
	"a": {"c": 1},
	"pools": {"p": {"size": 1, "kind": "whole", "host": {"driver": "none"}}, "q": {"size": 2, "kind": "mig", "labels": {}}},
	"other": {"p": {}}, "odd": {"y": 1}, "twice": {"p": {}}
}`

func parsed(t *testing.T, name, text string) *ast.File {
	t.Helper()
	f, err := parser.ParseFile(name, text)
	if err != nil {
		t.Fatal(err)
	}
	astutil.Resolve(f, func(_ token.Pos, message string, _ ...any) { t.Fatal(message) })
	return f
}

func data(t *testing.T) map[string]any {
	t.Helper()
	var out map[string]any
	d := json.NewDecoder(strings.NewReader(spec))
	d.UseNumber()
	if err := d.Decode(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

// guards of a rule in r.cue, as a build keeps them.
func guards(t *testing.T, rules ...string) *Guards {
	t.Helper()
	var files []*ast.File
	for i, text := range rules {
		files = append(files, parsed(t, []string{"r.cue", "other.cue"}[i], text))
	}
	f, err := Of(files, []*ast.File{parsed(t, "t.cue", template)})
	if err != nil {
		t.Fatal(err)
	}
	return Read(f)
}

func rule(found string) string {
	return "package rules\nimport \"list\"\n_used: list.Max([1])\n" + oneRule(found)
}

func oneRule(found string) string {
	return "rules: \"A-001\": {\n\tlet own = 1\n\tfound: " + found + "\n}\n"
}

func TestWhatCertainlyFindsNothingIsSilent(t *testing.T) {
	for clauses, silent := range map[string]bool{
		`if input.off`:                                     true,
		`if input.on`:                                      false,
		`if !spec.on`:                                      true,
		`if (spec.count == 9)`:                             true,
		`if spec.count == 8`:                               false,
		`if spec.count != 8`:                               true,
		`if spec.count > 8`:                                true,
		`if spec.count >= 8`:                               false,
		`if spec.count < 8`:                                true,
		`if spec.count <= 8`:                               false,
		`if spec.name != "c"`:                              true,
		`if spec.name == "c"`:                              false,
		`if spec.on != true`:                               true,
		`if spec.name == 8`:                                false, // CUE says what that is
		`if spec.on && spec.off`:                           true,
		`if _some && spec.off`:                             true,
		`if _some && spec.on`:                              false,
		`if spec.on && _some`:                              false,
		`if spec.off || _some`:                             false,
		`if spec.off || spec.off`:                          true,
		`if spec.on || _some`:                              false,
		`if !(spec.on || _some)`:                           true,
		`if !_some if spec.on`:                             false,
		`if _some if spec.off`:                             true,
		`if input.gone != _|_`:                             true,
		`if input.gone == _|_`:                             false,
		`if input.gone.more != _|_`:                        true,
		`if input.gone.more == "x"`:                        false,
		`if input.name == _|_`:                             true,
		`if spec.name != _|_`:                              false,
		`if spec["gone"] != _|_`:                           true,
		`if spec[input.name] != _|_`:                       true,
		`if spec[_some] != _|_`:                            false,
		`if spec._hidden != _|_`:                           false,
		`if len(spec.none) > 0`:                            true,
		`if len(spec.list) > 2`:                            true,
		`if len(spec.list) > 1`:                            false,
		`if len(spec.empty) > 0`:                           true,
		`if len(spec.name) > 5`:                            false,
		`if _len(spec.none) > 5`:                           false,
		`if spec.name =~ "d"`:                              false,
		`for x in spec.none`:                               true,
		`for x in spec.list`:                               false,
		`for x in spec.list if x == "z"`:                   true,
		`for x in spec.list if x == "y"`:                   false,
		`for i, x in spec.list if i > 1`:                   true,
		`for i, x in spec.list if i > 0`:                   false,
		`for x in spec.empty`:                              true,
		`for x in spec.gone`:                               false,
		`for x in spec.name`:                               false,
		`for x in _some if spec.off`:                       true,
		`for x in _some if x == spec.name`:                 false,
		`let x = spec.off if x`:                            true,
		`let x = spec.on if x`:                             false,
		`let x = _some if x if input.on`:                   false,
		`if len([for x in spec.list if x == "z" {1}]) > 0`: true,
		`if len([for x in spec.list if x == "y" {1}]) > 0`: false,
		`if len([spec.name]) > 0`:                          false,
		`for p in spec.pools`:                              false,
		`for p in spec.pools if p.kind == "shared"`:        true,
		`for p in spec.pools if p.kind == "mig"`:           false,
		`for n, p in spec.pools if n == "r"`:               true,
		`for p in spec.pools if p.size > 2`:                true,
		`for p in spec.pools if p.gone != _|_`:             true,
		`for p in spec.pools if p.wide != _|_`:             false,
		`for p in input.pools if p.wide != _|_`:            true,
		`for p in spec.pools if p.host.driver == "580"`:    false, // q's follows from a template
		`for n, p in spec.pools if n == "p" if p.host.driver == "580"`: true,
		`for p in spec.pools for x in p.labels`:                        false,
		`for n, p in spec.pools if n == "q" for x in p.labels`:         true,
		`if spec.a.b != _|_`:          false,
		`if spec.a.b.c != _|_`:        false,
		`if spec.a.c == 2`:            true,
		`if input.a.b != _|_`:         true,
		`if len(spec.a) > 5`:          false,
		`for x in spec.a if input.on`: false,
		// What templates add to it is not understood.
		`for x in spec.other if x.y != _|_`: false,
		`for x in spec.odd if input.on`:     false,
		`if spec.odd.z != _|_`:              false,
		`if spec.odd.y == 2`:                true,
		`if len(spec.twice) > 1`:            false,
	} {
		g := guards(t, oneRule("[for z in input.list "+clauses+" {at: []}]"))
		if !g.Guarded("r.cue") {
			t.Errorf("%s: there is no guard", clauses)
		}
		if got := g.Silent("r.cue", data(t)); got != silent {
			t.Errorf("%s: silent is %v", clauses, got)
		}
	}
}

func TestOnlyARuleByItselfThatAsksForTheSpecHasAGuard(t *testing.T) {
	for text, guarded := range map[string]bool{
		oneRule(`[if input.off {at: []}]`):                       true,
		oneRule(`[if input.off {at: []}, if spec.off {at: []}]`): true,
		oneRule(`[if input.off {at: []}, if _some {at: []}]`):    false,
		oneRule(`[if input.off {at: []}, {at: []}]`):             false,
		oneRule(`[]`):                   false,
		oneRule(`_some`):                false,
		oneRule(`[if _some {at: []}]`):  false,
		rule(`[if input.off {at: []}]`): false, // _used is for others
		"import \"list\"\n" + oneRule(`[if input.off {at: [list.Max([1])]}]`):      true,
		"import \"example.com/x\"\n" + oneRule(`[if input.off {at: [x.y]}]`):       false, // nobody else imports it
		strings.Replace(oneRule(`[if spec.off {at: []}]`), "own", "spec", 1):       false, // it is another spec
		oneRule(`[if input.off {at: []}]`) + "rules: \"A-002\": found: []\n":       false,
		"rules: {\"A-001\": found: [if input.off {at: []}], \"A-002\": found: []}": false,
		oneRule(`[for spec in _some if spec.off {at: []}]`):                        false,
		"rules: \"A-001\": {title: \"x\"}":                                         false,
		"rules: \"A-001\": _some":                                                  false,
		"if true {rules: \"A-001\": found: [if input.off {at: []}]}":               false,
	} {
		if !strings.HasPrefix(text, "package") {
			text = "package rules\n" + text
		}
		if got := guards(t, text).Guarded("r.cue"); got != guarded {
			t.Errorf("guarded is %v:\n%s", got, text)
		}
	}
	// What a rule imports must be there without it.
	g := guards(t, "package rules\nimport \"example.com/x\"\n"+oneRule(`[if input.off {at: [x.y]}]`),
		"package rules\nimport \"example.com/x\"\n_more: x.y\n")
	if !g.Guarded("r.cue") || g.Guarded("other.cue") {
		t.Error("of what others import, the rule has no guard")
	}
}

func TestATemplateThatIsNotUnderstoodAddsAnything(t *testing.T) {
	for _, text := range []string{"spec: _", "spec: other & {}", "spec: input & {}\nspec: input & {}", "", "spec: {}"} {
		f, err := Of([]*ast.File{parsed(t, "r.cue", "package rules\n"+oneRule(`[if spec.gone != _|_ {at: []}]`))},
			[]*ast.File{parsed(t, "t.cue", "package templates\n"+text)})
		if err != nil {
			t.Fatal(err)
		}
		if Read(f).Silent("r.cue", data(t)) {
			t.Errorf("%s: a field that the input has not is taken for none", text)
		}
	}
}
