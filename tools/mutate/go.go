package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
)

// goSwaps are operators and what they become.
var goSwaps = map[token.Token]string{
	token.EQL: "!=", token.NEQ: "==", token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">",
	token.LAND: "||", token.LOR: "&&",
}

// goEdits are the changes to a Go file: conditions, constants, returned values, and
// calls whose result nobody takes.
func goEdits(name string, data []byte) ([]edit, error) {
	files := token.NewFileSet()
	f, err := parser.ParseFile(files, name, data, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var out []edit
	at := func(p token.Pos) int { return files.Position(p).Offset }
	replace := func(from, to token.Pos, text, kind string) {
		out = append(out, edit{at(from), at(to), text, kind})
	}
	text := func(n ast.Node) string { return string(data[at(n.Pos()):at(n.End())]) }
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec, *ast.Field:
			// Paths and tags.
			return false
		case *ast.BinaryExpr:
			if swap := goSwaps[n.Op]; swap != "" {
				replace(n.OpPos, n.OpPos+token.Pos(len(n.Op.String())), swap, n.Op.String()+" becomes "+swap)
			}
		case *ast.IfStmt:
			replace(n.Cond.Pos(), n.Cond.End(), "!("+text(n.Cond)+")", "the condition is turned round")
		case *ast.BasicLit:
			if value, ok := goLiteral(n); ok {
				replace(n.Pos(), n.End(), value, "another constant")
			}
		case *ast.ReturnStmt:
			for _, result := range n.Results {
				id, ok := result.(*ast.Ident)
				if !ok {
					continue
				}
				if other := map[string]string{"true": "false", "false": "true", "err": "nil"}[id.Name]; other != "" {
					replace(id.Pos(), id.End(), other, "returns "+other)
				}
			}
		case *ast.ExprStmt:
			replace(n.Pos(), n.End(), "", "a call is left out")
		}
		return true
	})
	return out, nil
}

// goLiteral is another constant in the place of one. Text for people is left alone:
// tests hold behaviour, not prose.
func goLiteral(lit *ast.BasicLit) (string, bool) {
	switch lit.Kind {
	case token.INT:
		if n, err := strconv.ParseInt(lit.Value, 0, 62); err == nil {
			return strconv.FormatInt(n+1, 10), true
		}
	case token.STRING:
		value, err := strconv.Unquote(lit.Value)
		if err == nil && value != "" && !strings.ContainsAny(value, " %\n") {
			return strconv.Quote(value + "x"), true
		}
	}
	return "", false
}
