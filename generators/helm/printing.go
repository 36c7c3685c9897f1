package helm

import (
	"strings"

	"github.com/gpugen/gpugen/schema/chartindex"
)

func indent(newline bool) func(*scanner, []value) value {
	return func(s *scanner, args []value) value {
		if len(args) != 2 {
			return value{}
		}
		v := args[1]
		hint(v, chartindex.TypeString)
		widths, _ := args[0].print().constants()
		columns := 0
		if len(widths) > 0 {
			for _, digit := range widths[0] {
				if digit >= '0' && digit <= '9' {
					columns = columns*10 + int(digit-'0')
				}
			}
		}
		body := v.print()
		if body == nil {
			body = text{}
		}
		v.text = text{{body: body, columns: min(columns, 80), newline: newline}}
		return v
	}
}

func (s *scanner) concatenate(args []value) value {
	out := text{}
	for _, arg := range args {
		s.use(arg)
		out = append(out, arg.print()...)
	}
	return value{text: out}
}

func (s *scanner) printf(args []value) value {
	if len(args) == 0 {
		return value{}
	}
	formats, _ := args[0].print().constants()
	for _, arg := range args[1:] {
		s.use(arg)
	}
	if len(formats) != 1 {
		return value{}
	}
	return value{text: formatted(formats[0], args[1:])}
}

// formatted fills the verbs of a format with what the arguments print.
func formatted(format string, args []value) text {
	out := text{}
	for {
		before, after, found := strings.Cut(format, "%")
		out = append(out, part{lit: before})
		if !found || after == "" {
			return out
		}
		verb := strings.IndexAny(after, "sdvqtfxc%")
		switch {
		case verb < 0:
			return append(out, part{hole: &hole{}})
		case after[verb] == '%':
			out = append(out, part{lit: "%"})
		case len(args) == 0:
			return append(out, part{hole: &hole{}})
		default:
			out = append(out, args[0].print()...)
			args = args[1:]
		}
		format = after[verb+1:]
	}
}
