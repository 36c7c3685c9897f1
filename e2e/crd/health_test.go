package crd_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/cuecontext"
	"cuelang.org/go/cue/load"
	lua "github.com/yuin/gopher-lua"
	"sigs.k8s.io/yaml"

	"github.com/gpugen/gpugen/e2e/crd"
)

// healthCheck is what the facts say of a kind, and the Lua that follows.
type healthCheck struct {
	Lua   string
	CEL   struct{ Current, Failed string }
	State *struct {
		Field  string
		Values map[string]string
	}
	Conditions []struct{ Type string }
}

func healthChecks(t *testing.T) map[string]healthCheck {
	t.Helper()
	instances := load.Instances([]string{"./schema/facts"}, &load.Config{Dir: "../.."})
	value := cuecontext.New().BuildInstance(instances[0]).LookupPath(cue.ParsePath("healthChecks"))
	out := map[string]healthCheck{}
	if err := value.Decode(&out); err != nil {
		t.Fatal(err)
	}
	return out
}

// healthCase is a status, and how healthy an object with it is.
type healthCase struct {
	Status     map[string]any
	Generation float64
	Health     string
	Message    string
}

func healthCases(t *testing.T) map[string][]healthCase {
	t.Helper()
	data, err := os.ReadFile("testdata/health.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var cases map[string][]healthCase
	if err := yaml.UnmarshalStrict(data, &cases); err != nil {
		t.Fatal(err)
	}
	return cases
}

// run does what Argo CD does with a script (util/lua/lua.go, v3.5.1): it has the base and
// table libraries alone, and the object as obj.
func run(script string, object map[string]any) (status, message string, err error) {
	l := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer l.Close()
	for name, open := range map[string]lua.LGFunction{lua.LoadLibName: lua.OpenPackage, lua.BaseLibName: lua.OpenBase, lua.TabLibName: lua.OpenTable} {
		if err := l.CallByParam(lua.P{Fn: l.NewFunction(open), Protect: true}, lua.LString(name)); err != nil {
			return "", "", err
		}
	}
	l.SetGlobal("obj", toLua(l, object))
	if err := l.DoString(script); err != nil {
		return "", "", err
	}
	health, ok := l.Get(-1).(*lua.LTable)
	if !ok {
		return "", "", fmt.Errorf("it returns %s", l.Get(-1).Type())
	}
	return lua.LVAsString(health.RawGetString("status")), lua.LVAsString(health.RawGetString("message")), nil
}

func toLua(l *lua.LState, value any) lua.LValue {
	switch v := value.(type) {
	case bool:
		return lua.LBool(v)
	case float64:
		return lua.LNumber(v)
	case string:
		return lua.LString(v)
	case []any:
		out := l.NewTable()
		for _, item := range v {
			out.Append(toLua(l, item))
		}
		return out
	case map[string]any:
		out := l.NewTable()
		for key, item := range v {
			out.RawSetString(key, toLua(l, item))
		}
		return out
	}
	return lua.LNil
}

// TestHealthChecksInEveryState runs each script on a status as the kind's controller
// writes it.
func TestHealthChecksInEveryState(t *testing.T) {
	checks := healthChecks(t)
	cases := healthCases(t)
	for kind := range cases {
		if _, ok := checks[kind]; !ok {
			t.Errorf("no check of %s", kind)
		}
	}
	for kind, check := range checks {
		t.Run(kind, func(t *testing.T) {
			if len(cases[kind]) == 0 {
				t.Fatal("no case")
			}
			seen := map[string]bool{}
			for i, c := range cases[kind] {
				object := map[string]any{"metadata": map[string]any{"name": "a"}}
				if c.Generation != 0 {
					object["metadata"].(map[string]any)["generation"] = c.Generation
				}
				if c.Status != nil {
					object["status"] = c.Status
				}
				health, message, err := run(check.Lua, object)
				if err != nil {
					t.Fatalf("%v\n%s", err, check.Lua)
				}
				if health != c.Health || !strings.Contains(message, c.Message) {
					t.Errorf("case %d, %v: %s (%s), want %s (%s)", i, c.Status, health, message, c.Health, c.Message)
				}
				seen[health] = true
				if check.State != nil {
					if state, ok := c.Status[check.State.Field].(string); ok {
						seen[state] = true
					}
				}
			}
			if check.State != nil {
				for state := range check.State.Values {
					if !seen[state] {
						t.Errorf("no case in state %s", state)
					}
				}
			}
			// A status that is not there, or empty, is never an error, nor a failure.
			for _, status := range []any{nil, map[string]any{}, map[string]any{"conditions": []any{}}} {
				health, _, err := run(check.Lua, map[string]any{"metadata": map[string]any{}, "status": status})
				if err != nil || health == "Degraded" || health == "Suspended" || health == "" {
					t.Errorf("status %v: %q, %v", status, health, err)
				}
			}
		})
	}
}

// TestHealthChecksKnowTheStatesOfTheCRDs compares the facts with the status that the
// newest carried CRDs have.
func TestHealthChecksKnowTheStatesOfTheCRDs(t *testing.T) {
	files := definitions(t, crd.ChartVersion{Name: "gpu-operator", Version: "v26.7.0"}, crd.ChartVersion{Name: "network-operator", Version: "26.4.1"},
		crd.ChartVersion{Name: "kueue", Version: "0.19.2"}, crd.ChartVersion{Name: "volcano", Version: "1.15.1"}, crd.ChartVersion{Name: "kai-scheduler", Version: "v0.17.0"},
		crd.ChartVersion{Name: "nvidia-dra-driver-gpu", Version: "25.8.1"})
	type schema struct {
		Properties map[string]schema
		Enum       []string
		Type       string
	}
	type definition struct {
		Spec struct {
			Group    string
			Names    struct{ Kind string }
			Versions []struct {
				Schema struct {
					OpenAPIV3Schema schema `json:"openAPIV3Schema"`
				}
			}
		}
	}
	status := map[string][]schema{}
	for _, file := range files {
		for _, document := range documentsIn(t, file) {
			data, err := yaml.Marshal(document)
			if err != nil {
				t.Fatal(err)
			}
			var d definition
			// Enums elsewhere may be of numbers.
			_ = yaml.Unmarshal(data, &d)
			for _, v := range d.Spec.Versions {
				kind := d.Spec.Group + "_" + d.Spec.Names.Kind
				status[kind] = append(status[kind], v.Schema.OpenAPIV3Schema.Properties["status"])
			}
		}
	}
	for kind, check := range healthChecks(t) {
		if len(status[kind]) == 0 {
			t.Errorf("%s: no CRD", kind)
		}
		found, states := false, []string{}
		for _, s := range status[kind] {
			if len(check.Conditions) > 0 && s.Properties["conditions"].Type == "array" {
				found = true
			}
			if check.State != nil {
				if field, ok := s.Properties[check.State.Field]; ok {
					found = true
					states = append(states, field.Enum...)
				}
			}
		}
		if !found {
			t.Errorf("%s: no version of its CRD has such a status", kind)
		}
		for _, state := range states {
			if check.State.Values[state] == "" && state != "" {
				t.Errorf("%s: state %q is not known", kind, state)
			}
		}
		if check.State != nil && len(states) > 0 {
			for state := range check.State.Values {
				if !slices.Contains(states, state) {
					t.Errorf("%s: there is no state %q", kind, state)
				}
			}
		}
	}
}
