package schema

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gpugen/gpugen/schema/diag"
	"github.com/gpugen/gpugen/schema/watchdog"
)

// siteRule is a rule of a site's own, in a file beside its spec.
func siteRule(id, severity, found string) string {
	return `package cluster

import "github.com/gpugen/gpugen/schema/rule"

rules: "` + id + `": rule.#Rule & {
	title:      "t"
	severity:   "` + severity + `"
	why:        "why here"
	fix:        "fix here"
	source:     "https://acme.example.com (2026-11)"
	spec:       _
	components: _
	found: ` + found + `
}
`
}

// withSite writes the base, with a text in YAML laid over it, and further files of
// its package.
func withSite(t *testing.T, text string, files map[string]string) documents {
	t.Helper()
	d := documents{dir: ".", files: []document{{"cluster.cue", write("cue", inOrder(overlaid(t, text)).(tree))}}}
	for name, content := range files {
		w := &written{}
		w.Text.WriteString(content)
		d.files = append(d.files, document{name, w})
	}
	return d
}

// briefly renders findings as "file:line:column ID path: message".
func briefly(findings diag.List) []string {
	var out []string
	for _, f := range findings {
		out = append(out, placed(f.Position)+" "+f.ID+" "+f.Path+": "+f.Message)
	}
	return out
}

func TestASiteRuleReadsTheSpecAndTheEffectiveComponents(t *testing.T) {
	t.Parallel()
	d := withSite(t, "nodePools: {p: {nodes: 3, sharing: {strategy: time-slicing, replicas: 4}}}", map[string]string{
		"a.cue": siteRule("ACME-001", "error", `[for poolName, pool in spec.nodePools if pool.nodes < 4 {
			at: ["nodePools", poolName, "nodes"]
			also: [["nodePools", poolName, "gpu"]]
			message: "pool \(poolName) has \(pool.nodes) nodes and \(pool.allocation)"
		}]`),
		"b.cue": siteRule("ACME-002", "warning", `[if components["gpu-operator"].values.driver.enabled {
			at: ["nodePools", "p", "driver", "source"]
			message: "the driver is \(components["gpu-operator"].values.driver.version), upgrades: \(components["gpu-operator"].values.driver.upgradePolicy.autoUpgrade)"
		}]`),
		"c.cue": siteRule("ACME-003", "error", `[if len(components) > 5 {at: ["name"], message: "too much"}]`),
	})
	_, found := d.judge(t)
	want := []string{
		"ACME-001 nodePools.p.nodes: pool p has 3 nodes and device-plugin",
		"ACME-002 nodePools.p.driver.source: the driver is 580.126.20, upgrades: true",
	}
	var got []string
	for _, f := range found {
		checkPlaces(t, d, f)
		got = append(got, f.ID+" "+f.Path+": "+f.Message)
		if f.Why != "why here" || f.Fix != "fix here" || f.Source != "https://acme.example.com (2026-11)" {
			t.Errorf("%+v", f)
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("found %v, want %v", got, want)
	}
}

func TestASiteRuleThatCannotBeDecidedIsAFindingAtItsLine(t *testing.T) {
	t.Parallel()
	for name, found := range map[string]string{
		"an optional field without a guard": `[for poolName, pool in spec.nodePools if pool.nodes > 3 {at: ["name"], message: "m"}]`,
		"a field that no spec has":          `[if spec.nodez == 1 {at: ["name"], message: "m"}]`,
		"a component that is not there":     `[if components["my-thing"].values.x {at: ["name"], message: "m"}]`,
		"a message that is not concrete":    `[{at: ["name"], message: string}]`,
		"an error":                          `[{at: ["name"], message: "m", severity: "loud"}]`,
	} {
		d := withSite(t, "{}", map[string]string{"site.cue": siteRule("ACME-001", "error", found)})
		_, findings := d.judge(t)
		if len(findings) != 1 || findings[0].ID != "RULE-002" || placed(findings[0].Position) != "site.cue:5:8" {
			t.Errorf("%s: %v", name, briefly(findings))
			continue
		}
		if !strings.Contains(findings[0].Message, "ACME-001") {
			t.Errorf("%s: %s", name, findings[0].Message)
		}
	}
}

func TestASiteRuleThatDoesNotCompileHarmsNoOtherRule(t *testing.T) {
	t.Parallel()
	d := withSite(t, "nodePools: {p: {sharing: {strategy: time-slicing, replicas: 1}}}", map[string]string{
		"site.cue": siteRule("ACME-001", "error", "nosuch"),
	})
	_, found := d.judge(t)
	got := briefly(found)
	if len(got) != 2 || !slices.ContainsFunc(got, func(f string) bool { return strings.HasPrefix(f, "site.cue:13:9 SPEC-015 ") }) ||
		!slices.ContainsFunc(got, func(f string) bool { return strings.Contains(f, " SHARE-001 ") }) {
		t.Errorf("found %v", got)
	}
}

func TestASiteRuleMayNotTakeAnIDOfGpugens(t *testing.T) {
	t.Parallel()
	d := withSite(t, "{}", map[string]string{"site.cue": siteRule("MIG-001", "error", `[{at: ["name"], message: "m"}]`)})
	_, found := d.judge(t)
	if got := briefly(found); len(got) != 1 || !strings.HasPrefix(got[0], "site.cue:5:8 RULE-003 ") {
		t.Errorf("found %v", got)
	}
}

func TestAWarningOfASiteRuleCanBeWaived(t *testing.T) {
	t.Parallel()
	rule := siteRule("ACME-001", "warning", `[{at: ["nodePools", "p", "gpu"], message: "m"}]`)
	for waiver, want := range map[string][]string{
		"{}": {"ACME-001"},
		"waivers: [{rule: ACME-001, at: nodePools.p, reason: known}]":     nil,
		"waivers: [{rule: ACME-001, at: nodePools.p.gpu, reason: known}]": nil,
		"waivers: [{rule: ACME-001, at: nodePools.q, reason: known}]":     {"ACME-001", "WAIVER-001"},
	} {
		_, found := withSite(t, waiver, map[string]string{"site.cue": rule}).judge(t)
		if got := idsOf(found); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", waiver, briefly(found), want)
		}
	}
}

// endlessVariable tells a test that it is the process which judges an endless rule.
const endlessVariable = "GPUGEN_TEST_ENDLESS"

// endlessRules are what a rule of a site finds, if it ever ends.
var endlessRules = map[string]string{
	"a large comprehension": `[for a in list.Range(0, 400, 1) for b in list.Range(0, 400, 1) for c in list.Range(0, 400, 1) if a*b*c == -1 {at: ["name"], message: "m"}]`,
	"a long list":           `[for i in list.Range(0, 1e9, 1) if i < 0 {at: ["name"], message: "m"}]`,
}

// A site rule that never ends is one finding, and keeps nothing else from being
// found. Each runs in a process of its own, since it goes on after it is found.
func TestAnEndlessSiteRuleIsOneFinding(t *testing.T) {
	if name := os.Getenv(endlessVariable); name != "" {
		if problem := judgeEndlessRule(t, endlessRules[name]); problem != "" {
			os.Stdout.WriteString(problem + "\n")
			os.Exit(3)
		}
		os.Exit(0)
	}
	for name := range endlessRules {
		t.Run(name, func(t *testing.T) {
			cmd := exec.Command(os.Args[0], "-test.run=^TestAnEndlessSiteRuleIsOneFinding$")
			cmd.Env = append(os.Environ(), endlessVariable+"="+name, "GOMEMLIMIT=1GiB")
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

func judgeEndlessRule(t *testing.T, found string) string {
	rule := strings.Replace(siteRule("ACME-001", "error", found), `import "github.com`, "import \"list\"\nimport \"github.com", 1)
	d := withSite(t, "nodePools: {p: {sharing: {strategy: time-slicing, replicas: 1}}}", map[string]string{"site.cue": rule})
	dir := t.TempDir()
	for _, f := range d.files {
		if err := os.WriteFile(filepath.Join(dir, f.name), []byte(f.Text.String()), 0o644); err != nil {
			return err.Error()
		}
	}
	e := privateEngine(t, nil)
	e.engine.Limits = watchdog.Limits{Time: time.Second, Heap: 256 << 20}
	_, findings := e.evaluate(Input{Path: dir})
	if got := idsOf(findings); !slices.Equal(got, []string{"SHARE-001", idEndless}) {
		return fmt.Sprintf("found %v", briefly(findings))
	}
	return ""
}
