package override

import (
	"os"
	"strings"
	"testing"

	"cuelang.org/go/cue"

	"github.com/gpugen/gpugen/internal/mutant"
	"github.com/gpugen/gpugen/schema/diag"
	"github.com/gpugen/gpugen/schema/knowledge"
	"github.com/gpugen/gpugen/schema/load"
	"github.com/gpugen/gpugen/schema/shape"
	"github.com/gpugen/gpugen/schema/source"
)

func TestMain(m *testing.M) {
	mutant.Apply()
	os.Exit(m.Run())
}

// resolved is a spec of one pool with values of the GPU Operator, in YAML.
func resolved(t *testing.T, values string) (cue.Value, diag.List) {
	t.Helper()
	const spec = `name: research
kubernetes: {version: "1.35.8", distribution: k3s}
gitops: {repoURL: "https://git.example.com/platform/gpu.git", path: clusters/research/tree}
nodePools: {p: {gpu: {model: h100-sxm-80gb, count: 8}, os: {name: ubuntu, version: "24.04"}, driver: {source: operator}}}
components: {gpu-operator: {values: `
	e, err := knowledge.New()
	if err != nil {
		t.Fatal(err)
	}
	schema := shape.New(e)
	s, findings := load.Load(e, schema, source.Input{Path: "-", Format: "yaml", Stdin: strings.NewReader(spec + values + "}}\n")})
	if s == nil || len(findings) > 0 {
		t.Fatalf("%+v", findings)
	}
	root, findings := Resolve(e, schema, s, nil)
	if !root.Exists() {
		t.Fatalf("nothing is resolved: %+v", findings)
	}
	return root, findings
}

// value is what the release of the GPU Operator gets at a path, as JSON.
func value(t *testing.T, root cue.Value, path string) string {
	t.Helper()
	data, err := root.LookupPath(cue.ParsePath(`components."gpu-operator".values.` + path)).MarshalJSON()
	if err != nil {
		return err.Error()
	}
	return string(data)
}

func TestWhatContradictsIsLeftOutAndTheRestStays(t *testing.T) {
	root, findings := resolved(t, "{driver: {enabled: false}, operator: {logging: {level: debug}}, gfd: {enabled: true}}")
	if len(findings) != 1 || findings[0].ID != "DRIVER-041" || findings[0].Path != `components."gpu-operator".values.driver.enabled` {
		t.Fatalf("%+v", findings)
	}
	f := findings[0]
	if f.Position.Line != 5 || f.Why == "" || f.Fix == "" || len(f.Also) == 0 || f.Also[0].Path != "nodePools.p.driver.source" {
		t.Errorf("%+v", f)
	}
	for path, want := range map[string]string{"driver.enabled": "true", "operator.logging.level": `"debug"`, "gfd.enabled": "true"} {
		if got := value(t, root, path); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
}

func TestAValueMayBeSaidOnceMore(t *testing.T) {
	root, findings := resolved(t, "{driver: {enabled: true}, toolkit: {enabled: true}}")
	if len(findings) > 0 || value(t, root, "driver.enabled") != "true" {
		t.Errorf("%+v", findings)
	}
}

func TestEntriesOfEnvMergeByName(t *testing.T) {
	root, findings := resolved(t, "{toolkit: {env: [{name: MINE, value: a}, {name: CONTAINERD_SOCKET, value: /run/mine.sock}]}}")
	if len(findings) != 1 || findings[0].Path != `components."gpu-operator".values.toolkit.env[1]` {
		t.Fatalf("%+v", findings)
	}
	if got := value(t, root, "toolkit.env"); !strings.Contains(got, `{"name":"MINE","value":"a"}`) || !strings.Contains(got, `{"name":"CONTAINERD_SOCKET","value":"/run/k3s/containerd/containerd.sock"}`) {
		t.Errorf("toolkit.env is %s", got)
	}
}

func TestWhatTheChartDoesNotTakeIsSaid(t *testing.T) {
	for name, c := range map[string]struct{ values, id, path, says string }{
		"a name that it does not have": {"{driver: {enabledd: true}}", "VALUES-002", "driver.enabledd", "did you mean driver.enabled?"},
		"another type":                 {`{operator: {upgradeCRD: "no"}}`, "", "operator.upgradeCRD", ""},
		"a list that is none":          {"{toolkit: {env: {MINE: a}}}", "", "toolkit.env", ""},
		"a text that is no YAML":       {`{devicePlugin: {config: {data: {any: "a: [", b: "version: v1"}}}}`, "", "devicePlugin.config.data.any", "no YAML"},
	} {
		t.Run(name, func(t *testing.T) {
			_, findings := resolved(t, c.values)
			at := `components."gpu-operator".values.` + c.path
			found := false
			for _, f := range findings {
				found = found || f.Path == at && (c.id == "" || f.ID == c.id) && strings.Contains(f.Message, c.says)
			}
			if !found {
				t.Errorf("nothing is found at %s: %+v", at, findings)
			}
		})
	}
}

// To Helm null removes the chart's default; where there is none it says nothing.
func TestNullCountsOnlyWhereTheChartHasADefault(t *testing.T) {
	root, findings := resolved(t, "{driver: {enabled: null}, operator: {runtimeClass: null}}")
	if len(findings) != 1 || findings[0].Path != `components."gpu-operator".values.driver.enabled` || !strings.Contains(findings[0].Message, "null, which removes the chart's default") {
		t.Errorf("%+v", findings)
	}
	if got := value(t, root, "driver.enabled"); got != "true" {
		t.Errorf("driver.enabled is %s", got)
	}
}
