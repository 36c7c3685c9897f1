package generators_test

import (
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/gpugen/gpugen/generators"
	"github.com/gpugen/gpugen/generators/tree"
	"github.com/gpugen/gpugen/internal/anyspec"
	"github.com/gpugen/gpugen/internal/sample"
	"github.com/gpugen/gpugen/schema"
)

// hostileForms are further texts, for names and for places that take texts of some form only.
var hostileForms = []string{
	"\n" + mark + ":", "\t" + mark, "\u2028" + mark, "\u0000" + mark, "%2e%2e/" + mark, "/../" + mark, "..", "--" + mark, "'" + mark, "\\\"" + mark,
	"`" + mark, "``` <img src=" + mark + "> `", "\\|" + mark, "<img/src=x/onerror=" + mark + ">", "-->" + mark, "{{`" + mark + "`}}", "${" + mark + "}", "'$(" + mark + ")'", "%s" + mark + "%n%!d",
	"\"}or(vector(1))#" + mark, ".*|" + mark, "$values/" + mark, "<<", "=", "1_000", "true", "2026-01-01", strings.Repeat("a", 64), strings.Repeat(mark, 1250), "a" + strings.Repeat("\u0301", 200) + mark,
}

// namesOfFacts are fields that take any text as far as CUE evaluates them, and then only
// names that gpugen knows.
var namesOfFacts = []string{"kubernetes.distribution", "nodePools.*.gpu.model"}

// What the schema takes somewhere is data there, whoever else would read more into it,
// or a finding.
func TestHostileTextsThatTheSchemaTakes(t *testing.T) {
	source, err := anyspec.Repository("..")
	if err != nil {
		t.Fatal(err)
	}
	fields, tried := map[string]bool{}, 0
	for n, text := range hostileForms {
		if !sample.Draws("form "+text, 6) {
			continue
		}
		seen := map[string]bool{}
		for _, b := range fieldBases(t) {
			for _, i := range source.Injections(b.spec, text) {
				if seen[i.Field] || slices.Contains(namesOfFacts, i.Field) {
					continue
				}
				seen[i.Field], fields[i.Field] = true, true
				name := fmt.Sprintf("%s/%s/%d", b.name, schema.PathString(i.At[:len(i.At)-1]), n)
				if !sample.Draws("forms "+i.Field+" "+text, 100) {
					continue
				}
				tried++
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					asJSON, err := json.Marshal(i.Spec)
					if err != nil {
						t.Fatal(err)
					}
					result, _ := renderText(t, string(asJSON))
					if result == nil {
						return
					}
					if err := holds(i.Spec, result); err != nil {
						t.Fatalf("%s %q: %v", i.Field, i.Text[:min(len(i.Text), 80)], err)
					}
					for _, fault := range slices.Concat(injectedForm(result, i), brokenPages(result)) {
						t.Errorf("%s %q: %s", i.Field, i.Text[:min(len(i.Text), 80)], fault)
					}
				})
			}
		}
	}
	t.Logf("%d fields, %d texts", len(fields), tried)
}

// injectedForm is injected, but where a field is called by the whole text, as the spec may
// say; and it tells texts with the mark that are not what the spec says.
func injectedForm(result *generators.Result, i anyspec.Injection) []string {
	out := slices.DeleteFunc(injected(result), func(fault string) bool {
		return strings.Contains(fault, "has a field called after it") && strings.Contains(fault, i.Text)
	})
	if !strings.Contains(i.Text, mark) {
		return out
	}
	for _, f := range result.Tree.Files() {
		if path.Ext(f.Path) != ".yaml" {
			continue
		}
		for _, doc := range strings.Split(string(f.Data), "\n---\n") {
			var object any
			if yaml.Unmarshal([]byte(doc), &object) == nil {
				out = append(out, otherTexts(f.Path, object, i.Text)...)
			}
		}
	}
	return out
}

func otherTexts(at string, value any, text string) []string {
	var out []string
	switch v := value.(type) {
	case map[string]any:
		for key, value := range v {
			out = append(out, otherTexts(at, key, text)...)
			out = append(out, otherTexts(at+"."+key, value, text)...)
		}
	case []any:
		for _, value := range v {
			out = append(out, otherTexts(at, value, text)...)
		}
	case string:
		if !strings.Contains(v, mark) || strings.Contains(v, text) {
			return nil
		}
		var below any
		if yaml.Unmarshal([]byte(v), &below) == nil {
			if _, isText := below.(string); !isText {
				return otherTexts(at+"(text)", below, text)
			}
		}
		out = append(out, fmt.Sprintf("%.200s holds %.300q", at, v))
	}
	return out
}

var (
	ticks = regexp.MustCompile("`+")
	// asMarkup is what Markdown reads where no backslash stands before it.
	asMarkup = regexp.MustCompile(`(^|[^\\])[<\[*]`)
)

// brokenPages lists what is no whole table or block of code in a tree's pages.
func brokenPages(result *generators.Result) []string {
	var out []string
	for _, f := range result.Tree.Files() {
		if path.Ext(f.Path) != ".md" {
			continue
		}
		fence, cells := "", 0
		for n, line := range strings.Split(string(f.Data), "\n") {
			fault := func(what string) { out = append(out, fmt.Sprintf("%s:%d: %s: %.300s", f.Path, n+1, what, line)) }
			if fence != "" {
				if strings.TrimSpace(line) == fence {
					fence = ""
				}
				continue
			}
			if rest := strings.TrimLeft(line, "`"); len(line)-len(rest) >= 3 && !strings.Contains(rest, "`") {
				fence = line[:len(line)-len(rest)]
				continue
			}
			if strings.HasPrefix(line, "|") {
				has := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
				if cells != 0 && has != cells {
					fault("another number of cells")
				}
				cells = has
			} else {
				cells = 0
			}
			if plain := withoutSpans(line); strings.Contains(plain, mark) && asMarkup.MatchString(plain) {
				fault("is read as Markdown")
			}
		}
		if fence != "" {
			out = append(out, f.Path+" ends in a block of code")
		}
	}
	return out
}

// withoutSpans takes out pieces of code as CommonMark finds them: from a string of
// backticks to the next one of that length.
func withoutSpans(line string) string {
	for {
		runs := ticks.FindAllStringIndex(line, -1)
		cut := false
		for i, open := range runs {
			for _, end := range runs[i+1:] {
				if end[1]-end[0] == open[1]-open[0] {
					line, cut = line[:open[0]]+"§"+line[end[1]:], true
					break
				}
			}
			if cut {
				break
			}
		}
		if !cut {
			return line
		}
	}
}

func TestBrokenPagesAreSeen(t *testing.T) {
	for page, want := range map[string]string{
		"| a | b |\n|---|---|\n| a|INJECTED | b |\n": "cells", "```\nINJECTED\n": "block of code", "a <b>INJECTED\n": "Markdown", "``` <img src=INJECTED> `\n": "Markdown",
		"| a | b |\n|---|---|\n| a\\|INJECTED | b |\n": "", "````\n```\n````\n": "", "a \\<b>INJECTED\n": "", "a `<b>INJECTED` ``a`b``\n": "",
	} {
		result := &generators.Result{Tree: &tree.Tree{}}
		result.Tree.Add("README.md", []byte(page))
		if found := brokenPages(result); (want == "") != (len(found) == 0) || !strings.Contains(strings.Join(found, " "), want) {
			t.Errorf("%q: %v", page, found)
		}
	}
}
