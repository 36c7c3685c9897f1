package rendered

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/gpugen/gpugen/generators/appset"
	"github.com/gpugen/gpugen/schema/diag"
)

// mostMade is how many Applications of a matrix are judged. Lists and directories are as
// long as what is in the tree; matrices of matrices would be longer than any memory.
const mostMade = 5000

// produced are the parameters of one Application of a set, and where they come from.
type produced struct {
	parameters map[string]any
	at         diag.Position
}

// ofList are the parameters of a list generator; known is false for any other, and where
// a cluster would be needed to tell.
func (t *tree) ofList(d *document, g map[string]any, at []any) (out []produced, known bool) {
	if g["list"] == nil || value(g, "list", "elementsYaml") != nil || g["selector"] != nil || value(g, "list", "template") != nil {
		return nil, false
	}
	for j, e := range list(g, "list", "elements") {
		parameters, _ := e.(map[string]any)
		out = append(out, produced{parameters, d.at(append(slices.Clone(at), "list", "elements", j)...)})
	}
	return out, true
}

// ofTree are those of a generator that reads the tree: the directories of git, or a matrix
// of two that are known by themselves.
func (t *tree) ofTree(d *document, g map[string]any, at []any) (out []produced, known bool) {
	if g["selector"] != nil {
		return nil, false
	}
	if git, ok := g["git"].(map[string]any); ok {
		url := text(git, "repoURL")
		if git["directories"] == nil || git["values"] != nil || git["template"] != nil || text(git, "pathParamPrefix") != "" ||
			t.repoURL != "" && repository(url) != repository(t.repoURL) {
			return nil, false
		}
		for _, parameters := range t.directories(list(git, "directories")) {
			out = append(out, produced{parameters, d.at(append(slices.Clone(at), "git", "directories")...)})
		}
		return out, true
	}
	of := list(g, "matrix", "generators")
	if len(of) != 2 || value(g, "matrix", "template") != nil {
		return nil, false
	}
	var sides [2][]produced
	for i, entry := range of {
		one, _ := entry.(map[string]any)
		below := append(slices.Clone(at), "matrix", "generators", i)
		if sides[i], known = t.ofList(d, one, below); !known {
			sides[i], known = t.ofTree(d, one, below)
		}
		// The second may be a template that the first fills.
		if !known || i == 1 && strings.Contains(fmt.Sprint(one), "{{") {
			return nil, false
		}
	}
	if len(sides[0])*len(sides[1]) > mostMade {
		if t.unmade[d] == nil {
			f := badSet.At(d.at(append(slices.Clone(at), "matrix")...), "", "ApplicationSet %s makes %d Applications of a matrix, of which none is judged; at most %d are",
				text(d.object, "metadata", "name"), len(sides[0])*len(sides[1]), mostMade)
			f.Why, f.Fix = "The entries of a matrix multiply.", "split it into several sets"
			t.unmade[d] = &f
		}
		return nil, false
	}
	for _, a := range sides[0] {
		for _, b := range sides[1] {
			both := maps.Clone(a.parameters)
			maps.Copy(both, b.parameters)
			out = append(out, produced{both, a.at})
		}
	}
	return out, true
}

// makeApplications adds the Applications that sets make of lists, or of what the tree
// holds, so that they are judged as if they were written out. Places in them are those of
// their parameters.
func (t *tree) makeApplications(of func(d *document, g map[string]any, at []any) ([]produced, bool)) {
	for _, d := range t.sets {
		if !truth(d.object, "spec", "goTemplate") {
			continue
		}
		for i, g := range list(d.object, "spec", "generators") {
			generator, _ := g.(map[string]any)
			all, _ := of(d, generator, []any{"spec", "generators", i})
			for _, p := range all {
				made, err := appset.Application(d.object, p.parameters)
				switch {
				case err == nil:
					a := newApplication(&document{file: d.file, node: d.node, object: made, maker: &p.at})
					a.set = d
					t.applications = append(t.applications, a)
				case !errors.Is(err, appset.ErrUnknown) && t.unmade[d] == nil:
					f := badSet.At(p.at, "", "ApplicationSet %s makes no Application of this: %v", text(d.object, "metadata", "name"), err)
					t.unmade[d] = &f
				}
			}
		}
	}
}

// applicationSets checks ApplicationSets: what they make, and in which steps.
func (t *tree) applicationSets() {
	for _, d := range t.sets {
		name := text(d.object, "metadata", "name")
		goTemplate := truth(d.object, "spec", "goTemplate")
		if !goTemplate {
			t.add(badSet.At(d.at("spec"), "", "ApplicationSet %s has no goTemplate: true", name)).Fix = "set goTemplate: true, and goTemplateOptions: [\"missingkey=error\"]"
		} else if !contains(list(d.object, "spec", "goTemplateOptions"), "missingkey=error") {
			x := t.add(badSet.At(d.at("spec", "goTemplate"), "", "ApplicationSet %s takes a parameter that is missing for nothing", name))
			x.Fix = "set goTemplateOptions: [\"missingkey=error\"]"
		}
		if project := text(d.object, "spec", "template", "spec", "project"); strings.Contains(project, "{{") {
			x := t.add(badSet.At(d.at("spec", "template", "spec", "project"), "", "the project of ApplicationSet %s follows from %s", name, project))
			x.Why, x.Fix = "Whoever can change the parameters, such as a directory's name, chooses the project, and with it what is allowed.", "name one project"
		}
		made, known := t.generated(d)
		switch {
		case known && len(made) == 0:
			t.add(badSet.At(d.at("spec", "generators"), "", "ApplicationSet %s makes no Application", name))
		case known && t.templateNames(d, name, made):
		case t.unmade[d] != nil:
			t.findings.Add(*t.unmade[d])
		}
		t.steps(d, name, made, known)
	}
}

func contains(entries []any, want string) bool {
	for _, e := range entries {
		if e == want {
			return true
		}
	}
	return false
}

// generated are the parameters of the Applications that a set makes; known is false
// for generators that ask elsewhere.
func (t *tree) generated(d *document) (made []map[string]any, known bool) {
	generators := list(d.object, "spec", "generators")
	if len(generators) == 0 {
		return nil, true
	}
	for i, entry := range generators {
		g, _ := entry.(map[string]any)
		switch {
		case g["list"] != nil && value(g, "list", "elementsYaml") == nil:
			for _, e := range list(g, "list", "elements") {
				one, _ := e.(map[string]any)
				made = append(made, one)
			}
		case g["git"] != nil && list(g, "git", "directories") != nil:
			if url := text(g, "git", "repoURL"); t.repoURL != "" && repository(url) != repository(t.repoURL) {
				t.add(otherRepo.At(d.at("spec", "generators", i, "git", "repoURL"), "", "the generator reads %s, but the tree is in %s", url, t.repoURL))
				return nil, false
			}
			made = append(made, t.directories(list(g, "git", "directories"))...)
		default:
			all, ok := t.ofTree(d, g, []any{"spec", "generators", i})
			if !ok {
				return nil, false
			}
			for _, p := range all {
				made = append(made, p.parameters)
			}
		}
	}
	return made, true
}

// noNameCharacter is none of a name's.
var noNameCharacter = regexp.MustCompile(`[^-a-z0-9.]`)

// directories are the parameters of a git generator. It skips what begins with a dot,
// and exclude wins.
func (t *tree) directories(entries []any) []map[string]any {
	all := map[string]bool{}
	for name := range t.files {
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			all[dir] = true
		}
	}
	var out []map[string]any
	for _, dir := range sortedKeys(all) {
		full := path.Join(t.path, dir)
		in := false
		for _, entry := range entries {
			e, _ := entry.(map[string]any)
			ok, _ := path.Match(text(e, "path"), full)
			if ok && truth(e, "exclude") {
				in = false
				break
			}
			in = in || ok
		}
		if in && !strings.HasPrefix(path.Base(dir), ".") {
			var segments []any
			for segment := range strings.SplitSeq(full, "/") {
				segments = append(segments, segment)
			}
			out = append(out, map[string]any{"path": map[string]any{
				"path": full, "basename": path.Base(full), "segments": segments,
				"basenameNormalized": strings.Trim(noNameCharacter.ReplaceAllString(strings.ToLower(path.Base(full)), "-"), "-."),
			}})
		}
	}
	return out
}

// templateNames checks that Applications of a set have names of their own; found is true
// if they do not.
func (t *tree) templateNames(d *document, set string, made []map[string]any) (found bool) {
	before := len(t.findings)
	defer func() { found = len(t.findings) > before }()
	template := text(d.object, "spec", "template", "metadata", "name")
	at := d.at("spec", "template", "metadata", "name")
	if !strings.Contains(template, "{{") {
		if len(made) > 1 {
			t.add(badSet.At(at, "", "ApplicationSet %s makes %d Applications of one name, %s", set, len(made), template)).Fix = "let the name follow from a parameter"
		}
		return found
	}
	seen := map[string]bool{}
	for _, parameters := range made {
		name := expand(template, parameters)
		if strings.Contains(name, "{{") {
			if rest := unknownParameter(name); rest != "" {
				t.add(badSet.At(at, "", "ApplicationSet %s: no generator has the parameter %s", set, rest)).Fix = "correct the name of the parameter"
			}
			return found
		}
		if seen[name] {
			t.add(badSet.At(at, "", "ApplicationSet %s makes two Applications called %s", set, name)).Fix = "let the name follow from all parameters that differ"
		}
		seen[name] = true
	}
	return found
}

// expand fills plain parameters, as {{.cluster}} and {{.path.basename}}, into a text.
func expand(template string, parameters map[string]any) string {
	var fill func(prefix string, m map[string]any)
	fill = func(prefix string, m map[string]any) {
		for key, v := range m {
			switch v := v.(type) {
			case map[string]any:
				fill(prefix+"."+key, v)
			default:
				for _, form := range []string{"{{%s}}", "{{ %s }}"} {
					template = strings.ReplaceAll(template, fmt.Sprintf(form, prefix+"."+key), fmt.Sprint(v))
				}
			}
		}
	}
	fill("", parameters)
	return template
}

// unknownParameter is a plain parameter that nothing filled; functions are not judged.
func unknownParameter(text string) string {
	_, rest, _ := strings.Cut(text, "{{")
	inner, _, _ := strings.Cut(rest, "}}")
	if inner = strings.TrimSpace(inner); strings.HasPrefix(inner, ".") && !strings.ContainsAny(inner, " |()") {
		return inner
	}
	return ""
}

// steps checks that each Application that a set makes is in one step.
func (t *tree) steps(d *document, name string, made []map[string]any, known bool) {
	if text(d.object, "spec", "strategy", "type") != "RollingSync" {
		return
	}
	for _, option := range []string{"selfHeal", "allowEmpty"} {
		if truth(d.object, "spec", "template", "spec", "syncPolicy", "automated", option) {
			t.add(forcedOff.At(d.at("spec", "template", "spec", "syncPolicy", "automated", option), "", "ApplicationSet %s syncs by steps, and asks for automated.%s", name, option))
		}
	}
	steps := list(d.object, "spec", "strategy", "rollingSync", "steps")
	if len(steps) == 0 {
		t.add(uncoveredStep.At(d.at("spec", "strategy"), "", "ApplicationSet %s has no steps", name)).Fix = "add spec.strategy.rollingSync.steps"
		return
	}
	labels, _ := value(d.object, "spec", "template", "metadata", "labels").(map[string]any)
	if !known {
		made = []map[string]any{{}}
	}
	for _, parameters := range made {
		var in []string
		open := false
		for i, entry := range steps {
			step, _ := entry.(map[string]any)
			all := true
			for _, e := range list(step, "matchExpressions") {
				expression, _ := e.(map[string]any)
				raw, _ := labels[text(expression, "key")].(string)
				label := expand(raw, parameters)
				open = open || strings.Contains(label, "{{")
				has := contains(list(expression, "values"), label) && raw != ""
				all = all && has == (text(expression, "operator") == "In")
			}
			if all {
				in = append(in, fmt.Sprint(i+1))
			}
		}
		if open {
			return
		}
		who := expand(text(d.object, "spec", "template", "metadata", "name"), parameters)
		at := d.at("spec", "strategy", "rollingSync", "steps")
		switch {
		case len(in) == 0:
			t.add(uncoveredStep.At(at, "", "no step of ApplicationSet %s matches %s", name, cmp.Or(who, "what it makes")))
		case len(in) > 1:
			t.add(uncoveredStep.At(at, "", "steps %s of ApplicationSet %s match %s", strings.Join(in, " and "), name, who))
		}
	}
}
