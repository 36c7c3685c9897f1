package main

import (
	"slices"
	"strconv"
	"strings"

	"cuelang.org/go/cue/ast"
	"cuelang.org/go/cue/literal"
	"cuelang.org/go/cue/parser"
	"cuelang.org/go/cue/token"
)

// cueSwaps are operators and what they become.
var cueSwaps = map[token.Token]string{
	token.EQL: "!=", token.NEQ: "==", token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">",
	token.LAND: "||", token.LOR: "&&", token.MAT: "!~", token.NMAT: "=~",
}

// forPeople are fields whose value people read, or that are examples: tests hold
// behaviour, not prose.
var forPeople = []string{
	"title", "why", "fix", "source", "sources", "message", "unconfirmed", "note", "what", "because", "bad", "good", "fixed",
	"description", "summary", "text", "comment",
}

// cueEdits are the changes to a CUE file: constants, operators, conditions, and
// fields that are left out.
func cueEdits(name string, data []byte) ([]edit, error) {
	f, err := parser.ParseFile(name, data)
	if err != nil {
		return nil, err
	}
	w := &cueWalker{data: data}
	for _, d := range f.Decls {
		ast.Walk(d, w.before, nil)
	}
	return w.out, nil
}

type cueWalker struct {
	data []byte
	out  []edit
}

func (w *cueWalker) replace(from, to token.Pos, text, kind string) {
	w.out = append(w.out, edit{from.Offset(), to.Offset(), text, kind})
}

func (w *cueWalker) text(n ast.Node) string { return string(w.data[n.Pos().Offset():n.End().Offset()]) }

func (w *cueWalker) before(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.ImportDecl, *ast.Package, *ast.Attribute, *ast.CommentGroup, *ast.Interpolation:
		return false
	case *ast.Field:
		label, _, err := ast.LabelName(n.Label)
		if err == nil && slices.Contains(forPeople, label) {
			return false
		}
		// Definitions and hidden fields are named elsewhere, which would not build.
		if err == nil && !strings.HasPrefix(label, "#") && !strings.HasPrefix(label, "_") && n.Constraint == token.ILLEGAL {
			if _, isStruct := n.Value.(*ast.StructLit); !isStruct {
				w.replace(n.Pos(), n.End(), "", "field "+label+" is left out")
			}
		}
		// The label is no constant.
		ast.Walk(n.Value, w.before, nil)
		return false
	case *ast.BinaryExpr:
		if swap := cueSwaps[n.Op]; swap != "" && !againstBottom(n) {
			w.replace(n.OpPos, n.OpPos.Add(len(n.Op.String())), swap, n.Op.String()+" becomes "+swap)
		}
	case *ast.IfClause:
		if x, ok := n.Condition.(*ast.BinaryExpr); !ok || cueSwaps[x.Op] == "" {
			w.replace(n.Condition.Pos(), n.Condition.End(), "!("+w.text(n.Condition)+")", "the condition is turned round")
		}
	case *ast.BasicLit:
		if value, ok := cueLiteral(n); ok {
			w.replace(n.Pos(), n.End(), value, "another constant")
		}
	}
	return true
}

// againstBottom tells whether an expression asks if something is there; turned round,
// what follows has no value.
func againstBottom(n *ast.BinaryExpr) bool {
	_, bottom := n.Y.(*ast.BottomLit)
	return bottom
}

func cueLiteral(lit *ast.BasicLit) (string, bool) {
	switch lit.Kind {
	case token.TRUE:
		return "false", true
	case token.FALSE:
		return "true", true
	case token.INT:
		if n, err := strconv.ParseInt(lit.Value, 10, 62); err == nil {
			return strconv.FormatInt(n+1, 10), true
		}
	case token.STRING:
		value, err := literal.Unquote(lit.Value)
		if err == nil && value != "" && !strings.ContainsAny(value, " \n") && !strings.HasPrefix(value, "https://") {
			return literal.String.Quote(value + "x"), true
		}
	}
	return "", false
}
