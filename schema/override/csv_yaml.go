package override

import (
	"encoding/csv"
	"fmt"
	"slices"
	"strings"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/errors"
	"cuelang.org/go/encoding/yaml"

	"github.com/gpugen/gpugen/schema/chartindex"
	"github.com/gpugen/gpugen/schema/diag"
)

// checkTexts parses those of the user's Helm values that are text in another
// language, and compares them with what reads them. It returns findings, and
// the overrides without the texts that are faulty.
func (r *resolver) checkTexts(o *overrides) (diag.List, *overrides) {
	var (
		findings diag.List
		good     []override
	)
	for _, leaf := range o.leaves {
		problems := r.textProblems(leaf)
		for _, problem := range problems {
			findings.Add(r.at(badText, leaf.at(), "%s: %s", strings.Join(leaf.path, "."), problem))
		}
		if len(problems) == 0 {
			good = append(good, leaf)
		}
	}
	if len(findings) == 0 {
		return nil, o
	}
	kept := o.with(good)
	for _, leaf := range o.malformed {
		if slices.ContainsFunc(good, func(g override) bool { return slices.Equal(g.path, leaf.path) }) {
			kept.malformed = append(kept.malformed, leaf)
		}
	}
	return findings, kept
}

// textProblems says what is wrong with a value that is text in another language;
// nothing if it is none.
func (r *resolver) textProblems(leaf override) []string {
	it, err := r.engine.Rules().LookupPath(cue.MakePath(cue.Str("texts"), cue.Str(leaf.component))).Fields()
	if err != nil {
		return nil
	}
	for it.Next() {
		below, ok := matchesPath(it.Selector().Unquoted(), leaf.path)
		if !ok {
			continue
		}
		text, ok := leaf.value.(string)
		switch {
		case below:
			return []string{"want a text, got object"}
		case leaf.value == nil:
			return []string{"want a text, got null"}
		case !ok:
			return []string{"want a text, got " + string(chartindex.TypeOf(leaf.value))}
		}
		format, _ := it.Value().LookupPath(cue.ParsePath("format")).String()
		schema := it.Value().LookupPath(cue.ParsePath("schema"))
		if format == "csv" {
			return r.csvProblems(text, schema)
		}
		return r.yamlProblems(text, schema)
	}
	return nil
}

// matchesPath compares a path with a pattern of JSON pointer form, in which *
// stands for any label. What leads on from there matches too, and lies below.
func matchesPath(pattern string, path []string) (below, ok bool) {
	labels := strings.Split(strings.TrimPrefix(pattern, "/"), "/")
	n := min(len(labels), len(path))
	return len(path) > n, len(labels) == n && slices.EqualFunc(labels, path[:n], func(want, have string) bool { return want == "*" || want == have })
}

func (r *resolver) yamlProblems(text string, schema cue.Value) []string {
	if strings.TrimSpace(text) == "" {
		return []string{"it is empty"}
	}
	file, err := yaml.Extract("", []byte(text))
	if err != nil {
		return []string{"no YAML: " + strings.TrimPrefix(firstLine(err), ":")}
	}
	return problems(r.engine.Ctx.BuildFile(file).Unify(schema))
}

// csvProblems compares each row, as a list of fields, with the schema; lines
// that begin with # are comments.
func (r *resolver) csvProblems(text string, schema cue.Value) []string {
	reader := csv.NewReader(strings.NewReader(text))
	reader.Comment, reader.FieldsPerRecord, reader.TrimLeadingSpace = '#', -1, true
	var out []string
	for {
		row, err := reader.Read()
		if row == nil && err != nil {
			if err.Error() != "EOF" {
				out = append(out, "no CSV: "+err.Error())
			}
			return out
		}
		line, _ := reader.FieldPos(0)
		for i := range row {
			row[i] = strings.TrimSpace(row[i])
		}
		for _, problem := range problems(r.engine.Ctx.Encode(row).Unify(schema)) {
			out = append(out, fmt.Sprintf("line %d: %s", line, problem))
		}
	}
}

// problems lists what is wrong with a value, each path once.
func problems(v cue.Value) []string {
	var (
		out  []string
		seen = map[string]bool{}
	)
	for _, err := range errors.Errors(v.Validate(cue.Concrete(true), cue.All())) {
		path := strings.Join(err.Path(), ".")
		if seen[path] {
			continue
		}
		seen[path] = true
		format, args := err.Msg()
		message := fmt.Sprintf(format, args...)
		if line := lineOf(err); line != "0" {
			message = "line " + line + ": " + message
		}
		if path != "" {
			message += " (" + path + ")"
		}
		out = append(out, message)
	}
	return out
}

// lineOf is the line in the text; positions in the knowledge base do not count.
func lineOf(err error) string {
	for _, pos := range errors.Positions(err) {
		if pos.IsValid() && pos.Filename() == "" {
			return fmt.Sprint(pos.Line())
		}
	}
	return "0"
}

func firstLine(err error) string {
	first, _, _ := strings.Cut(err.Error(), "\n")
	return first
}
