package prepared

import (
	"reflect"

	"cuelang.org/go/cue/ast"
)

// kinds of nodes. The number of a kind is its place.
var kinds = []ast.Node{
	nil, (*ast.File)(nil), (*ast.Package)(nil), (*ast.ImportDecl)(nil), (*ast.ImportSpec)(nil), (*ast.Comment)(nil),
	(*ast.CommentGroup)(nil), (*ast.Attribute)(nil), (*ast.Field)(nil), (*ast.Alias)(nil), (*ast.Comprehension)(nil),
	(*ast.ForClause)(nil), (*ast.IfClause)(nil), (*ast.LetClause)(nil), (*ast.EmbedDecl)(nil), (*ast.Ellipsis)(nil),
	(*ast.Ident)(nil), (*ast.BasicLit)(nil), (*ast.BottomLit)(nil), (*ast.Interpolation)(nil), (*ast.StructLit)(nil),
	(*ast.ListLit)(nil), (*ast.ParenExpr)(nil), (*ast.SelectorExpr)(nil), (*ast.IndexExpr)(nil), (*ast.SliceExpr)(nil),
	(*ast.CallExpr)(nil), (*ast.UnaryExpr)(nil), (*ast.BinaryExpr)(nil),
}

// fields codes what a node consists of, but for comments.
func (c *coder) fields(n ast.Node) {
	switch n := n.(type) {
	case *ast.File:
		c.string(&n.Filename)
		c.string(&n.LanguageVersion)
		list(c, &n.Decls)
		refs(c, &n.Unresolved)
	case *ast.Package:
		c.pos(&n.PackagePos)
		node(c, &n.Name)
	case *ast.ImportDecl:
		c.pos(&n.Import)
		c.pos(&n.Lparen)
		list(c, &n.Specs)
		c.pos(&n.Rparen)
	case *ast.ImportSpec:
		node(c, &n.Name)
		node(c, &n.Path)
		c.pos(&n.EndPos)
	case *ast.Comment:
		c.pos(&n.Slash)
		c.string(&n.Text)
	case *ast.CommentGroup:
		c.bool(&n.Doc)
		c.bool(&n.Line)
		position := int(n.Position)
		c.number(&position)
		n.Position = int8(position)
		list(c, &n.List)
	case *ast.Attribute:
		c.pos(&n.At)
		c.string(&n.Text)
	case *ast.Field:
		node(c, &n.Label)
		c.token(&n.Constraint)
		c.pos(&n.TokenPos)
		node(c, &n.Value)
		list(c, &n.Attrs)
	case *ast.Alias:
		node(c, &n.Ident)
		c.pos(&n.Equal)
		node(c, &n.Expr)
	case *ast.Comprehension:
		list(c, &n.Clauses)
		node(c, &n.Value)
	case *ast.ForClause:
		c.pos(&n.For)
		node(c, &n.Key)
		c.pos(&n.Colon)
		node(c, &n.Value)
		c.pos(&n.In)
		node(c, &n.Source)
	case *ast.IfClause:
		c.pos(&n.If)
		node(c, &n.Condition)
	case *ast.LetClause:
		c.pos(&n.Let)
		node(c, &n.Ident)
		c.pos(&n.Equal)
		node(c, &n.Expr)
	case *ast.EmbedDecl:
		node(c, &n.Expr)
	case *ast.Ellipsis:
		c.pos(&n.Ellipsis)
		node(c, &n.Type)
	default:
		c.expression(n)
	}
}

func (c *coder) expression(n ast.Node) {
	switch n := n.(type) {
	case *ast.Ident:
		c.pos(&n.NamePos)
		c.string(&n.Name)
		c.ref(&n.Scope)
		c.ref(&n.Node)
	case *ast.BasicLit:
		c.pos(&n.ValuePos)
		c.token(&n.Kind)
		c.string(&n.Value)
	case *ast.BottomLit:
		c.pos(&n.Bottom)
	case *ast.Interpolation:
		list(c, &n.Elts)
	case *ast.StructLit:
		c.pos(&n.Lbrace)
		list(c, &n.Elts)
		c.pos(&n.Rbrace)
	case *ast.ListLit:
		c.pos(&n.Lbrack)
		list(c, &n.Elts)
		c.pos(&n.Rbrack)
	case *ast.ParenExpr:
		c.pos(&n.Lparen)
		node(c, &n.X)
		c.pos(&n.Rparen)
	case *ast.SelectorExpr:
		node(c, &n.X)
		c.pos(&n.Period)
		node(c, &n.Sel)
	case *ast.IndexExpr:
		node(c, &n.X)
		c.pos(&n.Lbrack)
		node(c, &n.Index)
		c.pos(&n.Rbrack)
	case *ast.SliceExpr:
		node(c, &n.X)
		c.pos(&n.Lbrack)
		node(c, &n.Low)
		node(c, &n.High)
		c.pos(&n.Rbrack)
	case *ast.CallExpr:
		node(c, &n.Fun)
		c.pos(&n.Lparen)
		list(c, &n.Args)
		c.pos(&n.Rparen)
	case *ast.UnaryExpr:
		c.pos(&n.OpPos)
		c.token(&n.Op)
		node(c, &n.X)
	case *ast.BinaryExpr:
		node(c, &n.X)
		c.pos(&n.OpPos)
		c.token(&n.Op)
		node(c, &n.Y)
	default:
		c.fail("no kind of node: %T", n)
	}
}

// Marks beside the kind of a node.
const (
	isTarget    = 1 << 6
	hasComments = 1 << 5
)

// node codes a node with all below it, or none.
func node[N ast.Node](c *coder, n *N) {
	var none N
	if c.reading {
		if got := c.readNode(); got != nil {
			var ok bool
			if *n, ok = got.(N); !ok {
				c.fail("damaged: %T is not wanted", got)
			}
		}
		return
	}
	if any(*n) == any(none) {
		zero := 0
		c.number(&zero)
		return
	}
	c.writeNode(*n)
}

func (c *coder) writeNode(n ast.Node) {
	kind, ok := c.kindOf(n)
	if !ok {
		c.fail("no kind of node: %T", n)
		return
	}
	groups := ast.Comments(n)
	if c.meet(n) {
		kind |= isTarget
	}
	if len(groups) > 0 {
		kind |= hasComments
	}
	c.number(&kind)
	c.fields(n)
	if len(groups) > 0 {
		list(c, &groups)
	}
}

func (c *coder) readNode() ast.Node {
	kind := 0
	if c.number(&kind); kind == 0 || c.err != nil {
		return nil
	}
	n := c.make(kind &^ (isTarget | hasComments))
	if n == nil {
		c.fail("damaged: no kind of node: %d", kind)
		return nil
	}
	if kind&isTarget != 0 {
		c.met = append(c.met, n)
	}
	c.fields(n)
	if kind&hasComments != 0 {
		var groups []*ast.CommentGroup
		list(c, &groups)
		ast.SetComments(n, groups)
	}
	return n
}

func (c *coder) kindOf(n ast.Node) (int, bool) {
	if c.byType == nil {
		c.byType = map[reflect.Type]int{}
		for kind, k := range kinds {
			if k != nil {
				c.byType[reflect.TypeOf(k)] = kind
			}
		}
	}
	kind, ok := c.byType[reflect.TypeOf(n)]
	return kind, ok
}
