package source

import (
	"os"
	"path/filepath"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/build"

	"github.com/gpugen/gpugen/schema/diag"
)

// checkEmbeds checks every @embed of an instance before it is evaluated: CUE
// follows links, also out of the module. What is embedded becomes one of the
// spec's files.
func (p *Package) checkEmbeds(inst *build.Instance) {
	for _, f := range inst.Files {
		ast.Walk(f, func(n ast.Node) bool {
			if a, ok := n.(*ast.Attribute); ok {
				if key, body := a.Split(); key == "embed" {
					p.checkEmbed(filepath.Dir(f.Filename), a, body)
				}
			}
			return true
		}, nil)
	}
}

func (p *Package) checkEmbed(dir string, a *ast.Attribute, body string) {
	for _, target := range embedTargets(dir, body) {
		info, err := os.Stat(target)
		if err != nil || info.IsDir() {
			// CUE says that itself.
			continue
		}
		at, _ := p.files.At(a.Pos(), len(a.Text))
		real, ok := p.files.inside(target)
		if !ok {
			p.report(outside.At(at, "", "@embed reads %s, which leads outside of the module", p.files.Name(target)))
			continue
		}
		src, bad := p.files.read(real)
		if bad == nil {
			bad = p.files.use(src)
		}
		if bad == nil {
			bad = embeddedFault(src, body)
		}
		if bad != nil {
			bad.Position = at
			p.report(*bad)
		}
	}
}

// embeddedFault finds what would be read without end in data that CUE embeds.
func embeddedFault(src *File, body string) *diag.Finding {
	form := strings.TrimPrefix(filepath.Ext(src.Name), ".")
	for _, arg := range splitArguments(body) {
		if key, value, _ := strings.Cut(arg, "="); strings.TrimSpace(key) == "type" {
			form = value
		}
	}
	switch {
	case strings.Contains(form, "json"):
		return jsonFaultOfDepth(src)
	case strings.Contains(form, "y"): // yaml, yml
		return yamlFaultOfAliases(src)
	}
	return nil
}

// embedTargets lists the files that the attribute's file= and glob= name. CUE
// refuses absolute paths and parents.
func embedTargets(dir, body string) []string {
	var out []string
	for _, arg := range splitArguments(body) {
		key, value, _ := strings.Cut(arg, "=")
		switch strings.TrimSpace(key) {
		case "file":
			out = append(out, filepath.Join(dir, filepath.FromSlash(value)))
		case "glob":
			matches, err := filepath.Glob(filepath.Join(globEscape(dir), filepath.FromSlash(value)))
			if err == nil {
				out = append(out, matches...)
			}
		}
	}
	return out
}

// splitArguments splits the body of an attribute at commas and removes quotes.
func splitArguments(body string) []string {
	var out []string
	var b strings.Builder
	quoted := false
	for i := 0; i < len(body); i++ {
		switch ch := body[i]; {
		case ch == '\\' && quoted && i+1 < len(body):
			i++
			b.WriteByte(body[i])
		case ch == '"':
			quoted = !quoted
		case ch == ',' && !quoted:
			out = append(out, strings.TrimSpace(b.String()))
			b.Reset()
		default:
			b.WriteByte(ch)
		}
	}
	return append(out, strings.TrimSpace(b.String()))
}

func globEscape(dir string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`).Replace(dir)
}
