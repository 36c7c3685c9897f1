package cli

import (
	"strings"
	"testing"

	"github.com/gpugen/gpugen/cmd/gpugen/internal/report"
	"github.com/gpugen/gpugen/generators"
	"github.com/gpugen/gpugen/schema"
)

// areas says what the first part of an ID stands for.
var areas = map[string]string{
	"ARGO":     "Argo CD: Applications, projects, hooks, sync",
	"DRA":      "Dynamic Resource Allocation",
	"DRIVER":   "the NVIDIA driver",
	"EXT":      "components that the cluster has already",
	"FLEET":    "several clusters of one repository",
	"FLUX":     "Flux instead of Argo CD",
	"GPU":      "GPUs that a spec describes",
	"IMEX":     "multi-node NVLink",
	"K8S":      "Kubernetes itself",
	"KUEUE":    "Kueue and its queues",
	"MIG":      "partitioned GPUs",
	"MON":      "monitoring",
	"NET":      "Node Feature Discovery and networks",
	"OLM":      "OpenShift's Operator Lifecycle Manager",
	"OUT":      "writing a tree, and `--check`",
	"PIN":      "chart versions, and which go together",
	"PLATFORM": "distributions that a spec describes",
	"POOL":     "node pools",
	"PSA":      "Pod Security",
	"RDMA":     "RDMA and GPUDirect",
	"RULE":     "rules themselves",
	"RUNTIME":  "the container runtime and its toolkit",
	"SCHED":    "gang schedulers",
	"SHARE":    "GPUs that several Pods share",
	"SITE":     "what a site knows besides gpugen",
	"SMOKE":    "smoke tests",
	"SPEC":     "the shape of a spec",
	"TAINT":    "taints and tolerations",
	"TENANT":   "tenants and their quotas",
	"TREE":     "the finished tree",
	"VALUES":   "Helm values",
	"VIRT":     "GPUs for virtual machines and Kata Containers",
	"WAIVER":   "waivers",
}

func writeRulesDoc(t *testing.T, out *page) {
	catalogue, _, err := generators.CatalogueAt(schema.Input{Path: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	byArea := map[string][]schema.Rule{}
	var order []string
	for _, rule := range catalogue {
		area, _, _ := strings.Cut(rule.ID, "-")
		if byArea[area] == nil {
			order = append(order, area)
		}
		byArea[area] = append(byArea[area], rule)
	}
	out.line("# Rules")
	out.paragraph("Everything that gpugen may have to say about a spec or a tree. `gpugen rules ID` prints the same. An error stops a render; a warning does not, and `waivers` can accept it.\n")
	for _, area := range order {
		title, ok := areas[area]
		if !ok {
			t.Errorf("area %s has no title in areas", area)
		}
		out.line("* [%s](#%s): %s", area, strings.ToLower(area), title)
	}
	for _, area := range order {
		out.paragraph("## %s\n\n%s.", area, upperFirst(areas[area]))
		for _, rule := range byArea[area] {
			writeRule(t, out, rule)
		}
	}
}

// longExample is how many lines of an example a reader of the page may be asked to pass by.
const longExample = 100

func writeRule(t *testing.T, out *page, r schema.Rule) {
	t.Helper()
	out.paragraph("### %s", r.ID)
	out.paragraph("**%s** (%s)", r.Title, r.Severity)
	out.paragraph("* Why: %s", r.Why)
	out.line("* Fix: %s", r.Fix)
	if r.Source != "" {
		out.line("* Source: %s", r.Source)
	}
	if r.Guarded {
		out.line("* No spec can break it; an override that would is refused by this ID.")
	}
	for _, example := range []struct {
		label string
		spec  map[string]any
	}{{"Bad", r.Bad}, {"Good", r.Good}} {
		if example.spec == nil {
			continue
		}
		text, err := report.YAML(example.spec)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(text, "\n"); n > longExample {
			out.paragraph("%s: %d lines, which `gpugen rules %s` prints.", example.label, n, r.ID)
			continue
		}
		out.paragraph("%s:", example.label)
		out.code("yaml", unindent(text))
	}
}

func upperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
