package examples

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Mutation is one small edit to one of a tree's objects, of the sort that a
// mistake in a template would make.
type Mutation struct {
	// Key is the object, Kind the sort of edit.
	Key, Kind string
	// Description says what changes where, in one line.
	Description string

	path []any // field names and list indices
	// edit returns the new value, and false to remove the value.
	edit func(any) (any, bool)
}

// mutationKinds are the sorts of edits. Each looks at one value, knows the path
// that leads to it, and returns nil where it does not apply.
var mutationKinds = []struct {
	name  string
	offer func(path []any, value any) func(any) (any, bool)
}{
	{"flip a boolean", offerFlip},
	{"drop a selector", offerDropSelector},
	{"change a version", offerVersion},
	{"change an enum", offerEnum},
	{"drop a list entry", offerDropEntry},
	{"change a namespace", offerNamespace},
}

// Mutate returns n edits to the objects, or fewer if there is not that much to
// edit. The same objects and seed give the same edits. The edits take turns by
// kind, and within a kind go to the objects that were edited least.
func Mutate(objects map[string]any, seed uint64, n int) []Mutation {
	random := rand.New(rand.NewPCG(seed, 0))
	offers := make([][]Mutation, len(mutationKinds))
	for _, key := range slices.Sorted(maps.Keys(objects)) {
		// A CRD in a tree is the chart's text; no template writes into it.
		if strings.HasPrefix(key, "CustomResourceDefinition/") {
			continue
		}
		visit(objects[key], nil, func(path []any, value any) {
			for i, kind := range mutationKinds {
				if edit := kind.offer(path, value); edit != nil {
					offers[i] = append(offers[i], newMutation(key, kind.name, path, value, edit))
				}
			}
		})
	}
	for _, list := range offers {
		random.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	}
	var out []Mutation
	used := map[string]int{}
	for len(out) < n {
		before := len(out)
		for i := range offers {
			if len(out) == n || len(offers[i]) == 0 {
				continue
			}
			best := 0
			for j, offer := range offers[i] {
				if used[offer.Key] < used[offers[i][best].Key] {
					best = j
				}
			}
			used[offers[i][best].Key]++
			out = append(out, offers[i][best])
			offers[i] = slices.Delete(offers[i], best, best+1)
		}
		if len(out) == before {
			break
		}
	}
	return out
}

// Apply returns the objects with the edit made; the given ones do not change. An
// edit to an object's own namespace moves it to another key.
func (m Mutation) Apply(objects map[string]any) map[string]any {
	out := maps.Clone(objects)
	changed, _ := rewrite(objects[m.Key], m.path, m.edit)
	out[m.Key] = changed
	if m.movesObject() {
		delete(out, m.Key)
		parts := strings.SplitN(m.Key, "/", 3)
		parts[1] = text(at(changed, "metadata", "namespace"))
		out[strings.Join(parts, "/")] = changed
	}
	return out
}

func (m Mutation) movesObject() bool {
	return !strings.HasPrefix(m.Key, "values/") && len(m.path) == 2 && m.path[0] == "metadata" && m.path[1] == "namespace"
}

func newMutation(key, kind string, path []any, value any, edit func(any) (any, bool)) Mutation {
	after := "gone"
	if changed, keep := edit(value); keep {
		after = shorten(changed)
	}
	m := Mutation{Key: key, Kind: kind, path: slices.Clone(path), edit: edit}
	m.Description = fmt.Sprintf("%s: %s at %s: %s, was %s", kind, key, pathText(path), after, shorten(value))
	return m
}

// visit calls do for every value below a value, parents first, in sorted order.
func visit(value any, path []any, do func(path []any, value any)) {
	do(path, value)
	switch value := value.(type) {
	case map[string]any:
		for _, field := range slices.Sorted(maps.Keys(value)) {
			visit(value[field], append(slices.Clip(path), field), do)
		}
	case []any:
		for i := range value {
			visit(value[i], append(slices.Clip(path), i), do)
		}
	}
}

// rewrite copies what lies on the path and edits its end.
func rewrite(value any, path []any, edit func(any) (any, bool)) (any, bool) {
	if len(path) == 0 {
		return edit(value)
	}
	switch step := path[0].(type) {
	case string:
		fields := maps.Clone(value.(map[string]any))
		if changed, keep := rewrite(fields[step], path[1:], edit); keep {
			fields[step] = changed
		} else {
			delete(fields, step)
		}
		return fields, true
	case int:
		items := slices.Clone(value.([]any))
		if changed, keep := rewrite(items[step], path[1:], edit); keep {
			items[step] = changed
		} else {
			items = slices.Delete(items, step, step+1)
		}
		return items, true
	}
	return value, true
}

func offerFlip(_ []any, value any) func(any) (any, bool) {
	if _, ok := value.(bool); !ok {
		return nil
	}
	return func(value any) (any, bool) { return !value.(bool), true }
}

// selecting are the fields that decide where things run and what they apply to.
var selecting = regexp.MustCompile(`(?i)(selector|affinity|matchLabels|matchExpressions|nodeLabels)$`)

func offerDropSelector(path []any, _ any) func(any) (any, bool) {
	if len(path) == 0 {
		return nil
	}
	field, ok := path[len(path)-1].(string)
	if !ok {
		return nil
	}
	if selecting.MatchString(field) || len(path) > 1 && selecting.MatchString(text(path[len(path)-2])) {
		return drop
	}
	return nil
}

var (
	versionLike = regexp.MustCompile(`^v?\d+(\.\d+)+([-+][0-9A-Za-z.+-]+)?$`)
	imageLike   = regexp.MustCompile(`^[a-z0-9.-]+(:\d+)?(/[a-z0-9._-]+)+:[\w.-]+$`)
	lastNumber  = regexp.MustCompile(`\d+(\D*)$`)
)

func offerVersion(path []any, value any) func(any) (any, bool) {
	if s := text(value); !versionLike.MatchString(s) && !imageLike.MatchString(s) || isAPIField(path) {
		return nil
	}
	return func(value any) (any, bool) {
		s := value.(string)
		if found := lastNumber.FindStringSubmatchIndex(s); found != nil && found[0] > strings.LastIndex(s, "/") {
			if number, err := strconv.Atoi(s[found[0]:found[2]]); err == nil {
				return s[:found[0]] + strconv.Itoa(number+1) + s[found[2]:], true
			}
		}
		return s + "-1", true
	}
}

// wordLike are the values that fields with few legal values have: Exists,
// NoSchedule, mixed.
var wordLike = regexp.MustCompile(`^[A-Za-z][a-zA-Z]{2,24}$`)

// named are fields whose words are names or prose, not a choice of a few.
var named = regexp.MustCompile(`(?i)(name|namespace|kind|apiVersion|group|key|label|title|description|summary|message|path|component|app|url|image|repository|queue|cohort)s?$`)

func offerEnum(path []any, value any) func(any) (any, bool) {
	if len(path) == 0 || !wordLike.MatchString(text(value)) || isAPIField(path) {
		return nil
	}
	field, ok := path[len(path)-1].(string)
	if !ok || named.MatchString(field) || strings.ContainsAny(field, "./") && !strings.Contains(field, "enforce") {
		return nil
	}
	return func(value any) (any, bool) { return value.(string) + "X", true }
}

func offerDropEntry(path []any, _ any) func(any) (any, bool) {
	if len(path) == 0 {
		return nil
	}
	if _, ok := path[len(path)-1].(int); !ok {
		return nil
	}
	return drop
}

func offerNamespace(path []any, value any) func(any) (any, bool) {
	if len(path) == 0 || path[len(path)-1] != "namespace" || text(value) == "" {
		return nil
	}
	return func(value any) (any, bool) { return value.(string) + "-x", true }
}

func drop(any) (any, bool) { return nil, false }

// isAPIField tells apiVersion and kind of the object itself from its content.
func isAPIField(path []any) bool {
	return len(path) == 1 && (path[0] == "apiVersion" || path[0] == "kind")
}

func pathText(path []any) string {
	var out strings.Builder
	for _, step := range path {
		switch step := step.(type) {
		case int:
			fmt.Fprintf(&out, "[%d]", step)
		case string:
			if out.Len() > 0 {
				out.WriteByte('.')
			}
			if strings.ContainsAny(step, "./") {
				step = strconv.Quote(step)
			}
			out.WriteString(step)
		}
	}
	return out.String()
}
