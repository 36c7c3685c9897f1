package shape

import (
	"encoding/base64"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"cuelang.org/go/cue"

	"github.com/gpugen/gpugen/schema/diag"
	"github.com/gpugen/gpugen/schema/source"
	"github.com/gpugen/gpugen/schema/syntax"
	"github.com/gpugen/gpugen/schema/typo"
)

// scalar compares a string, number or boolean with the schema.
func (w *walker) scalar(path []any, v cue.Value, s *shape) (any, bool) {
	if v.Kind()&s.kind == 0 {
		w.wrongType(path, v, s, formScalar)
		return w.repair(path, s)
	}
	data, err := plainScalar(v)
	if err != nil {
		w.add(path, outOfBounds, "%s: %v", source.FieldText(path), err)
		return w.repair(path, s)
	}
	l := s.scalar()
	text, isString := data.(string)
	switch {
	case isString && w.forbidden(path, text):
		return w.repair(path, s)
	case isString && len(l.enum) > 0:
		if !slices.Contains(l.enum, text) {
			if meant := w.notInEnum(path, text, s); meant != "" {
				// The best stand-in is what was meant.
				w.spec.Taint(path)
				return meant, true
			}
			return w.repair(path, s)
		}
	case s.v.Unify(v).Err() != nil:
		w.refused(path, v, data, s)
		return w.repair(path, s)
	}
	if n := s.notYet; n != nil && w.quiet == 0 && unsupportedScalar(n, l, data) {
		w.notYet(path, literalText(data), s, s.supported(n.values))
		return w.repair(path, s)
	}
	return data, true
}

// forbidden reports what a text may not hold: a character that nobody sees, a secret.
func (w *walker) forbidden(path []any, text string) bool {
	character := diag.Hidden(text)
	if character != "" {
		w.add(path, hiddenCharacter, "%s holds the character %s, which nobody sees", diag.Visible(source.FieldText(path)), character)
	}
	secret := diag.Secret(text)
	if secret != "" {
		// The line may have it in another form, such as with escapes.
		f := w.finding(path, secretInSpec, "%s holds %s", source.FieldText(path), secret)
		f.Position.Text = ""
		w.report(f)
	}
	return character != "" || secret != ""
}

// unwritable reports a name at path that no file of a tree can hold as what it is.
func (w *walker) unwritable(path []any, name string) bool {
	within := path[:len(path)-1]
	switch {
	case w.forbidden(path, name):
	case len(name) > longestName:
		w.add(within, longName, "%s holds a name of %d characters, which begins with %q; at most %d are read",
			source.FieldText(within), len(name), name[:40], longestName)
	case name == "<<":
		w.add(path, mergingName, `%s holds a field that is called "<<"`, source.FieldText(within))
	default:
		return false
	}
	return true
}

func unsupportedScalar(n *notYet, l *leaf, data any) bool {
	if n.present {
		return true
	}
	if len(n.values) > 0 {
		return slices.Contains(n.values, fmt.Sprint(data))
	}
	if l.hasDefault {
		def, err := plainScalar(l.def)
		return err != nil || def != data
	}
	return data != false
}

// plainScalar turns a concrete scalar into a Go value.
func plainScalar(v cue.Value) (any, error) {
	switch v.Kind() {
	case cue.StringKind:
		return v.String()
	case cue.BoolKind:
		return v.Bool()
	case cue.IntKind:
		i, err := v.Int64()
		if err != nil {
			return nil, fmt.Errorf("the number %v is too large", v)
		}
		return i, nil
	case cue.FloatKind, cue.NumberKind:
		f, err := v.Float64()
		if err != nil && (math.IsInf(f, 0) || f == 0) || math.IsInf(f, 0) {
			return nil, fmt.Errorf("the number %v is too large or too small", v)
		}
		return f, nil
	case cue.BytesKind:
		// As CUE, YAML and JSON write bytes.
		b, err := v.Bytes()
		return base64.StdEncoding.EncodeToString(b), err
	case cue.NullKind:
		return nil, nil
	}
	return nil, fmt.Errorf("not a concrete value")
}

func (w *walker) wrongType(path []any, v cue.Value, s *shape, kind form) {
	f := w.finding(path, wrongType, "%s: want %s; got %s", source.FieldText(path), w.wanted(s), valueText(v, kind))
	switch name, _ := path[len(path)-1].(string); {
	case s.isStruct() && name != "":
		f.Fix = orText(w.fieldsInstead(name, v, s), f.Fix)
	case s.isList():
		switch e := s.element(); {
		case e.isStruct():
			f.Fix = "write a list, such as " + source.LabelString(name) + ": [" + w.sampleFields(e) + "]"
		case kind == formScalar && !e.isList() && e.v.Unify(v).Err() == nil:
			f.Fix = fmt.Sprintf("write it as a list: [%v]", v)
		}
	case kind == formScalar:
		f.Fix = orText(w.retype(path, v, s), f.Fix)
	}
	w.report(f)
}

// fieldsInstead says which fields to write instead of a value: those that must be there,
// otherwise the first that takes the value, or the name and value that a text holds.
//
// Where fields have names of the user's choice, as tenants do, a list wants names, and a
// field of what stands below a name was written in place of the name.
func (w *walker) fieldsInstead(name string, v cue.Value, s *shape) string {
	label := source.LabelString(name)
	if below := s.anyChild(); below != nil && v.IncompleteKind() == cue.ListKind {
		return "write fields with names of your choice instead of a list, such as " + label + ": example: " + w.sampleFields(below)
	}
	if same := s.set().byName[name]; same != nil && !same.isStruct() && !same.isList() && same.v.Unify(v).Err() == nil {
		return fmt.Sprintf("name what it belongs to, as in NAME: %s: %v", label, v)
	}
	if sample := w.sampleFields(s); sample != "{}" {
		return "write fields, such as " + label + ": " + sample
	}
	set := s.set()
	for _, n := range set.order {
		if c := set.byName[n]; !c.isStruct() && !c.isList() && c.v.Unify(v).Err() == nil {
			return fmt.Sprintf("write fields, such as %s: {%s: %v}", label, source.LabelString(n), v)
		}
	}
	text, err := v.String()
	if key, value, ok := strings.Cut(text, "="); err == nil && ok {
		if c := s.child(key); c != nil && !c.isStruct() && !c.isList() && w.takes(c, value) {
			return "write fields: " + label + ": {" + source.LabelString(key) + ": " + syntax.Quote(value) + "}"
		}
	}
	return ""
}

// retype says how to write the same text as the wanted type, if that is all.
func (w *walker) retype(path []any, v cue.Value, s *shape) string {
	text, err := v.String()
	if err != nil {
		if s.kind&cue.StringKind == 0 || v.Kind() == cue.BytesKind {
			return ""
		}
		raw := fmt.Sprint(v)
		if labels := w.spec.Labels(path); len(labels) > 0 {
			raw = orText(labels[0].Value(), raw)
		}
		if !w.takes(s, raw) {
			// YAML and JSON read 1.30 as 1.3, so what the number lacks is asked for.
			return "write " + w.wanted(s) + ", in quotes"
		}
		return "write it in quotes: " + syntax.Quote(raw)
	}
	switch {
	case s.kind&cue.IntKind != 0:
		if _, err := strconv.ParseInt(text, 10, 64); err == nil {
			return "write it without quotes: " + text
		}
	case s.kind&cue.BoolKind != 0:
		switch strings.ToLower(text) {
		case "true", "yes", "on", "y":
			return "write true, without quotes"
		case "false", "no", "off", "n":
			return "write false, without quotes"
		}
	}
	return ""
}

// refused reports a value of the right type that the schema does not accept.
func (w *walker) refused(path []any, v cue.Value, data any, s *shape) {
	kind := wrongFormat
	if v.Kind()&cue.NumberKind != 0 {
		kind = outOfBounds
	}
	f := w.finding(path, kind, "%s: want %s; got %s", source.FieldText(path), w.wanted(s), literalText(data))
	if text, ok := data.(string); ok {
		f.Fix = "write " + w.wanted(s)
		for _, other := range otherForms(text) {
			if w.takes(s, other) {
				f.Fix = "write " + syntax.Quote(other)
				break
			}
		}
	}
	w.report(f)
}

// otherForms are what a person may have meant by a text in another form.
func otherForms(text string) []string {
	trimmed := strings.TrimSpace(text)
	lower := strings.ToLower(trimmed)
	return []string{
		trimmed,
		// Names of time zones have capitals, and no spaces.
		strings.ReplaceAll(trimmed, " ", "_"),
		strings.TrimPrefix(lower, "v"),
		"v" + trimmed,
		lower,
		// Kubelets of K3s, RKE2, EKS and GKE add their own release to the version.
		released(lower),
		strings.NewReplacer("_", "-", " ", "-").Replace(lower),
	}
}

// released is a version without what a distribution adds to it.
func released(text string) string {
	text = strings.TrimPrefix(text, "v")
	if end := strings.IndexAny(text, "-+"); end > 0 {
		return text[:end]
	}
	return text
}

// takes tells whether the schema accepts a text.
func (w *walker) takes(s *shape, text string) bool {
	if l := s.scalar(); len(l.enum) > 0 {
		return slices.Contains(l.enum, text)
	}
	return s.v.Unify(w.schema.engine.Ctx.Encode(text)).Err() == nil
}

// notInEnum reports a string that is not in a closed set.
func (w *walker) notInEnum(path []any, text string, s *shape) (meant string) {
	names := s.scalar().enum
	if s.alias != "" {
		w.unknownAlias(path, text, s)
		return ""
	}
	supported := quoted(names)
	if s.notYet != nil {
		supported = s.supported(s.notYet.values)
	}
	near := typo.Nearest(text, names)
	if value, ok := s.means[strings.NewReplacer(" ", "-", "_", "-").Replace(strings.ToLower(text))]; ok {
		near = []string{value}
	}
	if len(near) == 0 {
		near = containing(text, names)
	}
	if len(near) == 0 {
		f := w.finding(path, notInSet, "%s: %s is not one of %s", source.FieldText(path), syntax.Quote(text), w.enumText(s))
		if place, value, ok := w.schema.valueOf(text, path); ok {
			f.Message += "; " + syntax.Quote(value) + " is a value of " + place
			f.Fix = "write " + place + ": " + syntax.Quote(value) + ", and remove " + source.FieldText(path)
		} else if len(supported) <= mostListed {
			f.Fix = "write " + orList(supported)
		} else if slices.Contains(names, "other") {
			f.Fix = `use one of the listed values; "other" is for one that gpugen does not know`
		}
		w.report(f)
		return ""
	}
	f := w.finding(path, notInSet, "%s: unknown value %s; did you mean %s? Allowed: %s", source.FieldText(path), syntax.Quote(text), quotedOr(near), w.enumText(s))
	fix := slices.DeleteFunc(quoted(near), func(n string) bool { return !slices.Contains(supported, n) })
	if len(fix) == 0 {
		fix = supported
	}
	f.Fix = "write " + orList(fix)
	w.report(f)
	if len(near) == 1 && slices.Contains(supported, syntax.Quote(near[0])) {
		return near[0]
	}
	return ""
}

// mostListed is how many values are worth repeating.
const mostListed = 8

// containing are the values that hold a text, such as ray.io/rayjob for ray, unless
// there are more than a person would tell apart.
func containing(text string, values []string) []string {
	var out []string
	for _, v := range values {
		if len(text) >= 3 && strings.Contains(v, strings.ToLower(text)) {
			out = append(out, v)
		}
	}
	if len(out) > mostListed {
		return nil
	}
	return out
}

// unknownAlias reports a name that is not ours; the facts may know it under
// another name, such as the product label of a GPU.
func (w *walker) unknownAlias(path []any, text string, s *shape) {
	names := s.scalar().enum
	if ours, ok := w.aliases(s.alias)[aliasKey(text)]; ok {
		f := w.finding(path, unknownModel, "%s is a product label; write %s", syntax.Quote(text), syntax.Quote(ours))
		f.Fix = "write " + syntax.Quote(ours)
		w.report(f)
		return
	}
	f := w.finding(path, unknownModel, "%s is not %s that gpugen knows", syntax.Quote(text), orText(s.scalar().want, "a name"))
	also := map[string]string{}
	for _, name := range names {
		also[name] = ""
	}
	for other, ours := range w.aliases(s.alias) {
		also[ours] += " " + other
	}
	near := typo.NearestName(text, also)
	switch {
	case len(near) == 0:
		known := slices.Sorted(slices.Values(names))
		if family := typo.Family(text, names); len(family) > 0 {
			f.Message += "; of that family it knows " + strings.Join(family, ", ")
			break
		}
		f.Message += "; known: " + strings.Join(known[:min(len(known), 5)], ", ")
		if more := len(known) - 5; more > 0 {
			f.Message += fmt.Sprintf(" and %d more, which `gpugen components` lists", more)
		}
	case len(near) == 1:
		f.Fix = "write " + syntax.Quote(near[0])
		fallthrough
	default:
		f.Message += "; did you mean " + quotedOr(near) + "?"
	}
	w.report(f)
}

// aliases returns a map of the facts from other names to ours.
func (w *walker) aliases(fact string) map[string]string {
	out := map[string]string{}
	for _, c := range fieldsOf(w.schema.engine.Facts().LookupPath(cue.ParsePath(fact))) {
		if ours, err := c.value.String(); err == nil {
			out[aliasKey(c.name)] = ours
		}
	}
	return out
}

func aliasKey(s string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimSpace(s)), " ", "-")
}
