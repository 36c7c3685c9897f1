package rendered

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/yuin/gopher-lua/ast"
	"github.com/yuin/gopher-lua/parse"
	"go.yaml.in/yaml/v3"

	"github.com/gpugen/gpugen/schema/diag"
)

// mostScript bounds what is parsed: deep nesting would take a deep stack.
const mostScript = 64 << 10

// customizationKey begins the keys of argocd-cm that say how Argo CD looks at objects.
const customizationKey = "resource.customizations"

// script is a Lua script in Argo CD's settings.
type script struct {
	text string
	// of is what it belongs to, such as "the health check of nvidia.com_ClusterPolicy".
	of string
	// health tells that it says how healthy an object is; the others are about actions.
	health bool
	// open tells that it has all of Lua's libraries.
	open bool
	// at is the place of one of its lines, from 1 on.
	at func(line int) diag.Position
}

// customizations checks the scripts in Argo CD's settings, wherever they lie: they are
// read with the settings, by no Application.
func (t *tree) customizations() {
	for _, f := range t.sorted() {
		for _, d := range f.docs {
			switch gk := groupKindOf(d.object); {
			case gk == groupKind{"", "ConfigMap"} && text(d.object, "metadata", "name") == "argocd-cm":
				t.settings(d)
			case gk == groupKind{argoGroup, "ArgoCD"}:
				t.operated(d)
			}
		}
	}
}

// settings checks argocd-cm.
func (t *tree) settings(d *document) {
	data, _ := d.object["data"].(map[string]any)
	for _, key := range sortedKeys(data) {
		value, _ := data[key].(string)
		if key == customizationKey {
			t.oldSettings(d, value)
			continue
		}
		rest, ok := strings.CutPrefix(key, customizationKey+".")
		what, of, full := strings.Cut(rest, ".")
		if !ok || !full {
			continue
		}
		at := d.at("data", key)
		switch {
		case !slices.Contains(t.known.argocd.Customizations, what):
			x := t.add(badScript.At(at, "", "%s: there is no customization %q", key, what))
			x.Why, x.Fix = "Argo CD then uses none of its customizations.", "write one of "+strings.Join(t.known.argocd.Customizations, ", ")
		case strings.Count(of, "_") > 1 || of == "":
			x := t.add(badScript.At(at, "", "%s: %q is no group_kind", key, of))
			x.Why, x.Fix = "Argo CD then uses none of its customizations.", "write group and kind with one _ between them, and the kind alone where there is no group"
		case what == "health":
			open, _ := data[customizationKey+".useOpenLibs."+of].(string)
			t.script(script{value, "the health check of " + of, true, open == "true", d.lines("data", key)})
		case what == "actions":
			t.actions(d, key, of, value)
		}
	}
}

// oldSettings checks the one key that held all customizations.
func (t *tree) oldSettings(d *document, value string) {
	var all map[string]struct {
		Health string `yaml:"health.lua"`
		Open   bool   `yaml:"health.lua.useOpenLibs"`
	}
	if err := yaml.Unmarshal([]byte(value), &all); err != nil {
		t.add(badScript.At(d.at("data", customizationKey), "", "%s is no YAML: %s", customizationKey, withoutLine(err)))
		return
	}
	for _, of := range sortedKeys(all) {
		if one := all[of]; one.Health != "" {
			t.script(script{one.Health, "the health check of " + of, true, one.Open, d.always("data", customizationKey)})
		}
	}
}

// actions checks the scripts of actions, which are YAML in YAML.
func (t *tree) actions(d *document, key, of, value string) {
	var all struct {
		Discovery   string `yaml:"discovery.lua"`
		Definitions []struct {
			Name string `yaml:"name"`
			Lua  string `yaml:"action.lua"`
		} `yaml:"definitions"`
	}
	if err := yaml.Unmarshal([]byte(value), &all); err != nil {
		t.add(badScript.At(d.at("data", key), "", "%s is no YAML: %s", key, withoutLine(err)))
		return
	}
	t.script(script{all.Discovery, "the discovery of actions of " + of, false, false, d.always("data", key)})
	for _, one := range all.Definitions {
		t.script(script{one.Lua, "action " + one.Name + " of " + of, false, false, d.always("data", key)})
	}
}

// operated checks the settings of an Argo CD that its operator installs.
func (t *tree) operated(d *document) {
	for i, entry := range list(d.object, "spec", "resourceHealthChecks") {
		e, _ := entry.(map[string]any)
		of := groupKind{text(e, "group"), text(e, "kind")}
		t.script(script{text(e, "check"), "the health check of " + of.String(), true, false, d.lines("spec", "resourceHealthChecks", i, "check")})
	}
}

// always is the place of a field for each line of its text.
func (d *document) always(path ...any) func(int) diag.Position {
	return func(int) diag.Position { return d.at(path...) }
}

// lines are the places of the lines of a text, where it is written as it stands; else
// that of its field.
func (d *document) lines(path ...any) func(int) diag.Position {
	n := d.node
	for _, step := range path {
		if _, n = child(n, step); n == nil {
			break
		}
	}
	return func(line int) diag.Position {
		at := d.at(path...)
		if n == nil || d.maker != nil || n.Style&yaml.LiteralStyle == 0 || n.Line+line > len(d.file.lines) {
			return at
		}
		written := strings.TrimSuffix(d.file.lines[n.Line+line-1], "\r")
		return diag.Position{File: at.File, Line: n.Line + line, Column: 1 + len(written) - len(strings.TrimLeft(written, " ")), Text: written}
	}
}

// script checks a script without running it: nobody knows the objects.
func (t *tree) script(s script) {
	if strings.TrimSpace(s.text) == "" || len(s.text) > mostScript {
		return
	}
	body, err := parse.Parse(strings.NewReader(s.text), "")
	if err != nil {
		line, said := strings.Count(s.text, "\n")+1, "it ends too early"
		var at *parse.Error
		if errors.As(err, &at) && at.Pos.Line > 0 {
			line, said = at.Pos.Line, fmt.Sprintf("%s at %q", at.Message, at.Token)
		}
		if strings.HasSuffix(s.text, "\n") {
			line = min(line, strings.Count(s.text, "\n"))
		}
		t.add(badScript.At(s.at(line), "", "%s is no Lua: %s", s.of, said))
		return
	}
	t.namesOf(s, body)
	if s.health {
		t.resultOf(s, body)
	}
}

// namesOf checks that what a script uses is there: it has the object, what it names
// itself, and the libraries that Argo CD gives it.
func (t *tree) namesOf(s script, body []ast.Stmt) {
	lua := t.known.argocd.Lua
	given := map[string]bool{}
	for _, name := range lua.Given {
		given[name] = true
	}
	eachNode(body, func(node any) {
		for _, name := range namesIn(node) {
			given[name] = true
		}
	})
	said := map[string]bool{}
	say := func(line int, name, format string, arguments ...any) *diag.Finding {
		if said[name] {
			return &diag.Finding{}
		}
		said[name] = true
		return t.add(badScript.At(s.at(line), "", "%s "+format, append([]any{s.of}, arguments...)...))
	}
	const openFix = "do without it, or set " + customizationKey + ".useOpenLibs for that kind to \"true\""
	eachNode(body, func(node any) {
		switch n := node.(type) {
		case *ast.IdentExpr:
			switch library := slices.Contains(lua.OpenLibraries, n.Value); {
			case given[n.Value] || library && s.open:
			case library:
				x := say(n.Line(), n.Value, "uses the library %s, which Argo CD does not give it", n.Value)
				x.Fix = openFix
			default:
				say(n.Line(), n.Value, "uses %s, which nothing sets", n.Value)
			}
		case *ast.AttrGetExpr:
			object, _ := n.Object.(*ast.IdentExpr)
			key, _ := n.Key.(*ast.StringExpr)
			if object != nil && key != nil && object.Value == "os" && !s.open && !slices.Contains(lua.OS, key.Value) {
				say(n.Line(), "os."+key.Value, "uses os.%s; of os Argo CD gives it %s", key.Value, strings.Join(lua.OS, " and ")).Fix = openFix
			}
		case *ast.FuncCallExpr:
			// Objects are data: only texts have functions.
			if n.Method != "" && !s.open && slices.Contains(lua.OfTexts, n.Method) && !given[n.Method] {
				say(n.Line(), ":"+n.Method, "calls :%s(), which is of the library string, and Argo CD does not give it that", n.Method).Fix = openFix
			}
		}
	})
}

// namesIn are the names that a statement or function gives something to.
func namesIn(node any) []string {
	switch n := node.(type) {
	case *ast.LocalAssignStmt:
		return n.Names
	case *ast.AssignStmt:
		var out []string
		for _, left := range n.Lhs {
			if name, ok := left.(*ast.IdentExpr); ok {
				out = append(out, name.Value)
			}
		}
		return out
	case *ast.NumberForStmt:
		return []string{n.Name}
	case *ast.GenericForStmt:
		return n.Names
	case *ast.FuncDefStmt:
		out := []string{n.Name.Method}
		switch name := n.Name.Func.(type) {
		case *ast.IdentExpr:
			out = append(out, name.Value)
		case *ast.AttrGetExpr:
			if key, ok := name.Key.(*ast.StringExpr); ok {
				out = append(out, key.Value)
			}
		}
		return out
	case *ast.FunctionExpr:
		return append([]string{"self", "arg"}, n.ParList.Names...)
	}
	return nil
}

// resultOf checks what a health check returns.
func (t *tree) resultOf(s script, body []ast.Stmt) {
	lua := t.known.argocd.Lua
	returns, results := false, map[string]bool{}
	var tables []*ast.TableExpr
	eachStatement(body, func(n *ast.ReturnStmt) {
		returns = true
		if len(n.Exprs) == 0 {
			return
		}
		switch result := n.Exprs[0].(type) {
		case *ast.IdentExpr:
			results[result.Value] = true
		case *ast.TableExpr:
			tables = append(tables, result)
		}
	})
	if !returns {
		t.add(badScript.At(s.at(1), "", "%s returns nothing", s.of)).Fix = "return a table with status and message"
		return
	}
	field := func(line int, name string, value ast.Expr) {
		if !slices.Contains(lua.Result, name) {
			t.add(unreadResult.At(s.at(line), "", "%s sets %s of what it returns", s.of, name)).Fix = "set one of " + strings.Join(lua.Result, ", ")
		}
		if status, ok := value.(*ast.StringExpr); ok && name == "status" && !slices.Contains(lua.Statuses, status.Value) {
			t.add(badScript.At(s.at(line), "", "%s says %q, which is no health", s.of, status.Value)).Fix = "say one of " + strings.Join(lua.Statuses, ", ")
		}
	}
	eachNode(body, func(node any) {
		n, ok := node.(*ast.AssignStmt)
		if !ok {
			return
		}
		for i, left := range n.Lhs {
			var value ast.Expr
			if i < len(n.Rhs) {
				value = n.Rhs[i]
			}
			switch left := left.(type) {
			case *ast.IdentExpr:
				if table, ok := value.(*ast.TableExpr); ok && results[left.Value] {
					tables = append(tables, table)
				}
			case *ast.AttrGetExpr:
				object, _ := left.Object.(*ast.IdentExpr)
				if key, ok := left.Key.(*ast.StringExpr); ok && object != nil && results[object.Value] {
					field(n.Line(), key.Value, value)
				}
			}
		}
	})
	eachNode(body, func(node any) {
		if n, ok := node.(*ast.LocalAssignStmt); ok {
			for i, name := range n.Names {
				if i < len(n.Exprs) && results[name] {
					if table, ok := n.Exprs[i].(*ast.TableExpr); ok {
						tables = append(tables, table)
					}
				}
			}
		}
	})
	for _, table := range tables {
		for _, f := range table.Fields {
			if key, ok := f.Key.(*ast.StringExpr); ok {
				field(table.Line(), key.Value, f.Value)
			}
		}
	}
}

// eachNode visits all statements and expressions of a script.
func eachNode(body []ast.Stmt, visit func(any)) { walk(reflect.ValueOf(body), visit, true) }

// eachStatement visits the return statements of a script but those of its functions.
func eachStatement(body []ast.Stmt, visit func(*ast.ReturnStmt)) {
	walk(reflect.ValueOf(body), func(node any) {
		if n, ok := node.(*ast.ReturnStmt); ok {
			visit(n)
		}
	}, false)
}

func walk(v reflect.Value, visit func(any), functions bool) {
	switch v.Kind() {
	case reflect.Interface:
		walk(v.Elem(), visit, functions)
	case reflect.Slice:
		for i := range v.Len() {
			walk(v.Index(i), visit, functions)
		}
	case reflect.Pointer:
		if _, function := v.Interface().(*ast.FunctionExpr); v.IsNil() || function && !functions {
			return
		}
		visit(v.Interface())
		if s := v.Elem(); s.Kind() == reflect.Struct {
			for i := range s.NumField() {
				if s.Type().Field(i).IsExported() && !s.Type().Field(i).Anonymous {
					walk(s.Field(i), visit, functions)
				}
			}
		}
	}
}
