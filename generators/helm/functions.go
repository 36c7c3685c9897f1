package helm

import (
	"slices"

	"github.com/gpugen/gpugen/schema/chartindex"
)

// call evaluates a function. Functions that the walk does not know are taken to
// render everything that they are given.
func (s *scanner) call(name string, args []value, f *frame) value {
	if name == "include" && len(args) == 2 {
		return s.includeNamed(args[0], args[1], f)
	}
	if name == "tpl" && len(args) == 2 {
		return s.template(args[0], args[1], f)
	}
	if function := s.functions[name]; function != nil {
		return function(s, args)
	}
	switch {
	case slices.Contains(answers, name):
		return value{}
	case slices.Contains(serializers, name):
		return serialize(args)
	case slices.Contains(keepers, name):
		return union(args...)
	case slices.Contains(textKeepers, name):
		return s.keepText(args)
	case slices.Contains(trimmers, name):
		v := s.keepText(args)
		hint(v, chartindex.TypeString)
		return v
	case slices.Contains(textUsers, name):
		s.useAll(args, chartindex.TypeString)
		return value{}
	}
	for _, arg := range args {
		s.escape(arg)
	}
	return value{}
}

// answers only look at what they are given: whether it is there, what it is
// like. A digest of a value says nothing about its content either.
var answers = []string{
	"not", "empty", "len", "kindOf", "typeOf", "typeIsLike", "deepEqual", "fail", "lookup", "lt", "le", "gt", "ge",
	"sha1sum", "sha256sum", "sha512sum", "adler32sum", "md5sum", "all", "any", "isAbs", "semverCompare",
}

// serializers turn a value into text.
var serializers = []string{
	"toYaml", "mustToYaml", "toYamlPretty", "toJson", "mustToJson", "toPrettyJson", "mustToPrettyJson",
	"toRawJson", "mustToRawJson", "toToml", "mustToToml",
}

// keepers return their arguments, one of them, or parts put together from them.
var keepers = []string{
	"and", "or", "coalesce", "deepCopy", "mustDeepCopy", "merge", "mustMerge", "mergeOverwrite", "mustMergeOverwrite",
	"concat", "uniq", "mustUniq", "compact", "mustCompact", "reverse", "mustReverse", "without", "mustWithout",
	"sortAlpha", "rest", "mustRest", "initial", "mustInitial", "slice", "mustSlice", "toString", "html", "int", "int64", "float64", "toDecimal", "atoi",
}

// textKeepers print a value as it is.
var textKeepers = []string{"quote", "squote"}

// trimmers take a string and return it, perhaps a little shorter.
var trimmers = []string{"trim", "trimAll", "trimSuffix", "trimPrefix", "trunc", "abbrev", "nospace", "lower", "untitle"}

// textUsers take strings and make something else of them.
var textUsers = []string{
	"upper", "title", "replace", "contains", "hasPrefix", "hasSuffix", "substr", "snakecase", "camelcase", "kebabcase",
	"b64enc", "b64dec", "split", "splitList", "splitn", "regexMatch", "regexReplaceAll", "regexFind", "regexFindAll", "regexSplit",
	"htpasswd", "semver", "wrap", "wrapWith", "plural", "cat", "indentFirst",
}

// functionTable holds what the walk follows in detail.
func functionTable() map[string]func(*scanner, []value) value {
	return map[string]func(*scanner, []value) value{
		"default": (*scanner).fallback, "ternary": (*scanner).ternary, "required": (*scanner).required,
		"eq": (*scanner).compare, "ne": (*scanner).compare,
		"typeIs": (*scanner).testType, "kindIs": (*scanner).testType,
		"fromYaml": (*scanner).parsed, "fromJson": (*scanner).parsed, "mustFromYaml": (*scanner).parsed, "mustFromJson": (*scanner).parsed,
		"fromYamlArray": (*scanner).parsed, "fromJsonArray": (*scanner).parsed,
		"nindent": indent(true), "indent": indent(false),
		"printf": (*scanner).printf, "print": (*scanner).concatenate, "println": (*scanner).concatenate,
		"join": (*scanner).join, "has": (*scanner).has, "mustHas": (*scanner).has,
		"index": (*scanner).index, "get": (*scanner).get, "dig": (*scanner).dig, "hasKey": (*scanner).hasKey, "pluck": (*scanner).pluck,
		"keys": (*scanner).keys, "values": (*scanner).elementsOf, "first": (*scanner).elementsOf, "mustFirst": (*scanner).elementsOf,
		"last": (*scanner).elementsOf, "mustLast": (*scanner).elementsOf,
		"omit": (*scanner).omit, "pick": (*scanner).pick,
		"dict": (*scanner).dict, "set": (*scanner).set, "unset": (*scanner).omit,
		"list": (*scanner).list, "tuple": (*scanner).list, "append": (*scanner).extend, "mustAppend": (*scanner).extend,
		"push": (*scanner).extend, "prepend": (*scanner).extend, "mustPrepend": (*scanner).extend,
	}
}

func serialize(args []value) value {
	var out value
	for _, arg := range args {
		nodes, elements := arg.inside()
		out.nodes, out.elements = append(out.nodes, nodes...), append(out.elements, elements...)
		for _, n := range nodes {
			n.serialized = true
		}
		if len(nodes)+len(elements) == 0 && arg.text != nil {
			out.text = arg.text
		}
	}
	out.serial = true
	return out
}

// hint notes, for values that are given as they are, what type they are treated
// as.
func hint(v value, t chartindex.Type) {
	if v.serial {
		return
	}
	for _, n := range v.nodes {
		n.hint(t)
	}
}

// useAll notes that values are used as values of one type.
func (s *scanner) useAll(args []value, t chartindex.Type) {
	for _, arg := range args {
		hint(arg, t)
		if arg.serial {
			s.use(arg)
		}
	}
}

// keepText is for functions whose last argument is the string.
func (s *scanner) keepText(args []value) value {
	if len(args) == 0 {
		return value{}
	}
	return args[len(args)-1]
}

func (s *scanner) fallback(args []value) value {
	if len(args) != 2 {
		return union(args...)
	}
	if args[0].literal != "" {
		hint(args[1], args[0].literal)
	}
	return union(args[1], args[0])
}

func (s *scanner) ternary(args []value) value {
	if len(args) != 3 {
		return value{}
	}
	hint(args[2], chartindex.TypeBoolean)
	return union(args[0], args[1])
}

// required notes the values without which the chart does not render.
func (s *scanner) required(args []value) value {
	v := s.keepText(args)
	for _, n := range v.nodes {
		n.required = true
	}
	return v
}

func (s *scanner) compare(args []value) value {
	for _, arg := range args {
		if arg.literal == "" {
			continue
		}
		for _, other := range args {
			hint(other, arg.literal)
		}
	}
	return value{}
}

// kinds are the names that typeIs and kindIs take. No number in a values file is
// an int or an int64: Helm reads all as float64.
var kinds = map[string]chartindex.Type{
	"bool": chartindex.TypeBoolean, "string": chartindex.TypeString, "float64": chartindex.TypeNumber,
	"int": chartindex.TypeUnknown, "int64": chartindex.TypeUnknown,
	"slice": chartindex.TypeArray, "[]interface {}": chartindex.TypeArray, "list": chartindex.TypeArray,
	"map": chartindex.TypeObject, "map[string]interface {}": chartindex.TypeObject, "dict": chartindex.TypeObject,
}

func (s *scanner) testType(args []value) value {
	var out value
	if len(args) != 2 {
		return out
	}
	names, _ := args[0].print().constants()
	for _, n := range args[1].nodes {
		for _, name := range names {
			is, known := kinds[name]
			switch {
			case !known:
				n.unguarded = true
			case is != chartindex.TypeUnknown:
				out.tests = append(out.tests, typeTest{node: n, is: is})
			}
		}
	}
	return out
}

// parsed is for functions that read YAML or JSON. What a serializer wrote is
// itself again; a string from the values is a document that nobody knows.
func (s *scanner) parsed(args []value) value {
	if len(args) != 1 {
		return value{}
	}
	v := args[0]
	hint(v, chartindex.TypeString)
	if !v.serial {
		return value{}
	}
	v.serial, v.text = false, nil
	return v
}

func (s *scanner) join(args []value) value {
	if len(args) == 2 {
		hint(args[1], chartindex.TypeArray)
		for _, item := range args[1].items {
			s.escape(item)
		}
	}
	return value{}
}

func (s *scanner) has(args []value) value {
	if len(args) == 2 {
		hint(args[1], chartindex.TypeArray)
	}
	return value{}
}
