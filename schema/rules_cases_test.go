package schema

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/gpugen/gpugen/internal/sample"
)

// specCase is one entry of a file in testdata/rules/cases: a state of a cluster
// that a rule must judge so and not otherwise.
type specCase struct {
	// Name says what the state is.
	Name string
	// Spec is laid over the base.
	Spec map[string]any
	// Found lists everything that is found, each as "severity ID" or "severity ID: part of the message".
	Found []string
	// At lists where all of it is found, if the case says so.
	At []string
	// Fix is part of the fix of a finding.
	Fix string
	// Fixed are ways of that fix, laid over Spec; null takes a field away. Nothing is found then.
	Fixed []map[string]any
	// Renders is part of the effective components, by release.
	Renders map[string]any
}

// Each file of cases is called after what it is about, usually a rule.
func TestCases(t *testing.T) {
	files, err := filepath.Glob("testdata/rules/cases/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var cases []specCase
		if err := yaml.Unmarshal(data, &cases); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, c := range cases {
			name := strings.TrimSuffix(filepath.Base(file), ".yaml") + "/" + c.Name
			if !sample.Draws("case "+name, 24) {
				continue
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				c.check(t)
			})
		}
	}
}

func (c specCase) check(t *testing.T) {
	d := single("yaml", laidOver(baseSpec(), c.Spec))
	cluster, found := d.judge(t)
	left, says := slices.Clone(c.Found), c.Fix == ""
	for _, f := range found {
		i := slices.IndexFunc(left, func(want string) bool {
			kind, message, _ := strings.Cut(want, ": ")
			return kind == fmt.Sprintf("%s %s", f.Severity, f.ID) && strings.Contains(f.Message, message)
		})
		if i < 0 {
			t.Errorf("%s is found as well", describe1(f))
			continue
		}
		left = slices.Delete(left, i, i+1)
		says = says || strings.Contains(f.Fix, c.Fix)
		checkPlaces(t, d, f)
		if slices.ContainsFunc(catalogueRules(), func(r Rule) bool { return r.ID == f.ID }) {
			checkMessage(t, f)
		}
	}
	for _, want := range left {
		t.Errorf("%s is not found", want)
	}
	var at []string
	for _, f := range found {
		at = append(at, f.Path)
	}
	if c.At != nil && !slices.Equal(at, c.At) {
		t.Errorf("found at %q, want %q", at, c.At)
	}
	if !says {
		t.Errorf("no fix says %q", c.Fix)
	}
	if t.Failed() {
		t.Log(d)
	}
	for i, way := range c.Fixed {
		fixed := single("yaml", fixing(laidOver(baseSpec(), c.Spec), way))
		if _, found := fixed.judge(t); len(found) > 0 {
			t.Errorf("way %d of the fix: %v\n%v", i+1, described(found), fixed)
		}
	}
	if c.Renders == nil {
		return
	}
	var components map[string]any
	if cluster == nil {
		t.Fatal("nothing to render")
	}
	if err := cluster.Decode("components", &components); err != nil {
		t.Fatal(err)
	}
	for _, fault := range missing(c.Renders, components, "components") {
		t.Error(fault)
	}
}

// missing lists what of want is not in have. Of maps a part is enough; null stands for nothing at all.
func missing(want, have any, at string) []string {
	m, ok := want.(map[string]any)
	if !ok {
		if fmt.Sprint(want) != fmt.Sprint(have) {
			return []string{fmt.Sprintf("%s is %v, want %v", at, have, want)}
		}
		return nil
	}
	in, _ := have.(map[string]any)
	if in == nil {
		return []string{fmt.Sprintf("%s is %v, want %v", at, have, want)}
	}
	var out []string
	for key, value := range m {
		if _, there := in[key]; !there && value == nil {
			continue
		}
		out = append(out, missing(value, in[key], at+"."+key)...)
	}
	return out
}
