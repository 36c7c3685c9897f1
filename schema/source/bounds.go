package source

import (
	"bytes"
	"fmt"
	"strings"

	"cuelang.org/go/cue/scanner"
	"cuelang.org/go/cue/token"
	"go.yaml.in/yaml/v3"

	"github.com/gpugen/gpugen/schema/diag"
)

// mostTokens is how many tokens one statement of CUE may have, besides those between
// brackets: what reads and evaluates chains, such as 1+1+1, calls itself for each link.
const mostTokens = 10_000

// cueFault finds what would overflow the stack of CUE's parser, which calls itself for
// each level: fields in fields, brackets in brackets, and chains.
func cueFault(src *File) *diag.Finding {
	type level struct {
		// text says that the level is an expression in a string.
		text           bool
		colons, tokens int
	}
	var s scanner.Scanner
	s.Init(token.NewFile(src.Name, -1, len(src.Data)), src.Data, nil, 0)
	levels, depth, text := []level{{}}, 0, false
	for {
		pos, tok, _ := s.Scan()
		at := &levels[len(levels)-1]
		at.tokens++
		switch tok {
		case token.EOF:
			return nil
		case token.COMMA:
			depth -= at.colons
			at.colons, at.tokens = 0, 0
		case token.COLON:
			at.colons++
			depth++
		case token.INTERPOLATION:
			text = true
		case token.LPAREN, token.LBRACK, token.LBRACE:
			levels = append(levels, level{text: text})
			text = false
			depth++
		case token.RPAREN, token.RBRACK, token.RBRACE:
			if len(levels) == 1 {
				return nil // the parser says so
			}
			if at.text && tok == token.RPAREN {
				text = strings.HasSuffix(s.ResumeInterpolation(), "(")
			}
			depth -= at.colons + 1
			levels = levels[:len(levels)-1]
		}
		fault := ""
		switch {
		case depth > mostDepth:
			fault = fmt.Sprintf("it is nested more than %d deep", mostDepth)
		case at.tokens > mostTokens:
			fault = fmt.Sprintf("one statement has more than %d parts", mostTokens)
		default:
			continue
		}
		return unboundedAt(src, pos.Offset(), fault)
	}
}

func unboundedAt(src *File, at int, fault string) *diag.Finding {
	f := unbounded.At(src.Position(at, at+1), "", "%s: %s", src.Name, fault)
	return &f
}

// jsonFaultOfDepth finds where JSON is nested too deep.
func jsonFaultOfDepth(src *File) *diag.Finding {
	depth, quoted := 0, false
	for i := 0; i < len(src.Data); i++ {
		switch c := src.Data[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		}
		if depth > mostDepth {
			return unboundedAt(src, i, fmt.Sprintf("it is nested more than %d deep", mostDepth))
		}
	}
	return nil
}

// yamlFaultOfAliases finds what would be read without end in YAML.
func yamlFaultOfAliases(src *File) *diag.Finding {
	decoder := yaml.NewDecoder(bytes.NewReader(src.Data))
	for {
		var doc yaml.Node
		if decoder.Decode(&doc) != nil {
			return nil // it is the end, or CUE says what is wrong
		}
		if at, fault := AliasFault(&doc); fault != "" {
			return unboundedAt(src, src.offset(at.Line, at.Column), fault)
		}
	}
}
