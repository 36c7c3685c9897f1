package crd_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	helm "github.com/fluxcd/helm-controller/api/v2"
	kustomize "github.com/fluxcd/kustomize-controller/api/v1"
	source "github.com/fluxcd/source-controller/api/v1"
	"github.com/google/cel-go/cel"
	"sigs.k8s.io/yaml"

	"github.com/gpugen/gpugen/generators"
	"github.com/gpugen/gpugen/schema"
)

// Flux's objects are read by Flux's own types, none of whose fields they invent, and name
// each other and the directories of the tree rightly.
func TestObjectsOfFluxAreFluxs(t *testing.T) {
	for name, text := range map[string]string{
		"as it comes":  "",
		"another way":  "  flux: {driftDetection: disabled, deletion: keep, kubeConfigSecret: \"\"}\n",
		"gang by KAI":  "scheduling: {gang: kai}\n",
		"a fabric too": "network: {fabric: infiniband, rdmaResources: {ib: {plugin: shared, name: shared_ib}}}\n",
	} {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile("../../generators/testdata/fields/flux.yaml")
			if err != nil {
				t.Fatal(err)
			}
			var spec map[string]any
			if err := yaml.Unmarshal(data, &spec); err != nil {
				t.Fatal(err)
			}
			switch {
			case strings.HasPrefix(text, "  flux"):
				spec["gitops"].(map[string]any)["flux"] = map[string]any{"driftDetection": "disabled"}
			case text != "":
				var more map[string]any
				if err := yaml.Unmarshal([]byte(text), &more); err != nil {
					t.Fatal(err)
				}
				for key, value := range more {
					spec[key] = value
				}
				if more["network"] != nil {
					spec["nodePools"].(map[string]any)["p"].(map[string]any)["rdma"] = []string{"ib"}
				}
			}
			if data, err = yaml.Marshal(spec); err != nil {
				t.Fatal(err)
			}
			result, findings := generators.Render(schema.Input{Path: "-", Stdin: strings.NewReader(string(data))})
			if result == nil {
				t.Fatalf("findings: %+v", findings)
			}
			names, wanted, directories := map[string]bool{}, map[string]string{}, map[string]bool{}
			var inTree []string
			for _, file := range result.Tree.Files() {
				directories["./clusters/fluxed/tree/"+filepath.ToSlash(filepath.Dir(file.Path))] = true
				if filepath.Dir(file.Path) != "flux" && file.Path != "root.yaml" {
					continue
				}
				inTree = append(inTree, file.Path)
				var head struct{ Kind string }
				if err := yaml.Unmarshal(file.Data, &head); err != nil {
					t.Fatal(err)
				}
				read := func(into any) {
					if err := yaml.UnmarshalStrict(file.Data, into); err != nil {
						t.Errorf("%s: %v", file.Path, err)
					}
				}
				switch head.Kind {
				case "HelmRelease":
					var o helm.HelmRelease
					read(&o)
					names["HelmRelease "+o.Name] = true
					for _, d := range o.Spec.DependsOn {
						wanted["HelmRelease "+d.Name] = file.Path
					}
					if o.Spec.ChartRef != nil {
						wanted[o.Spec.ChartRef.Kind+" "+o.Spec.ChartRef.Name] = file.Path
					} else {
						wanted["HelmRepository "+o.Spec.Chart.Spec.SourceRef.Name] = file.Path
					}
					if o.GetInstall().GetRetry(false) == nil || o.GetUpgrade().GetRetry(false) == nil {
						t.Errorf("%s: what fails is not tried again", file.Path)
					}
				case "Kustomization":
					var o kustomize.Kustomization
					read(&o)
					names["Kustomization "+o.Name] = true
					for _, d := range o.Spec.DependsOn {
						wanted["Kustomization "+d.Name] = file.Path
					}
					if file.Path != "root.yaml" && !directories[o.Spec.Path] {
						wanted["directory "+o.Spec.Path] = file.Path
					}
					for _, c := range o.Spec.HealthChecks {
						if c.Kind == "HelmRelease" {
							wanted["HelmRelease "+c.Name] = file.Path
						}
					}
				case "OCIRepository":
					var o source.OCIRepository
					read(&o)
					names["OCIRepository "+o.Name] = true
				case "HelmRepository":
					var o source.HelmRepository
					read(&o)
					names["HelmRepository "+o.Name] = true
				default:
					t.Errorf("%s: a %q", file.Path, head.Kind)
				}
			}
			for dir := range directories {
				names["directory "+dir] = true
			}
			for what, by := range wanted {
				if !names[what] {
					t.Errorf("%s names %s, which is not there", by, what)
				}
			}
			if len(inTree) < 8 {
				t.Errorf("only %q", inTree)
			}
		})
	}
}

// TestExpressionsForFluxSayTheSame evaluates the expressions on the statuses of the
// scripts for Argo CD: failed first, as Flux does.
func TestExpressionsForFluxSayTheSame(t *testing.T) {
	env, err := cel.NewEnv(cel.Variable("status", cel.DynType))
	if err != nil {
		t.Fatal(err)
	}
	holds := func(expression string, status map[string]any) bool {
		ast, issues := env.Compile(expression)
		if issues.Err() != nil {
			t.Fatalf("%s: %v", expression, issues.Err())
		}
		program, err := env.Program(ast)
		if err != nil {
			t.Fatal(err)
		}
		variables := map[string]any{}
		if status != nil {
			variables["status"] = status
		}
		out, _, err := program.Eval(variables)
		return err == nil && out.Value() == true // Flux waits where it cannot tell
	}
	cases := healthCases(t)
	for kind, check := range healthChecks(t) {
		for i, c := range cases[kind] {
			if c.Generation != 0 {
				continue // kept apart by Flux itself
			}
			want := map[string]string{"Healthy": "current", "Suspended": "current", "Degraded": "failed", "Progressing": "in progress"}[c.Health]
			got := "in progress"
			switch {
			case check.CEL.Failed != "" && holds(check.CEL.Failed, c.Status):
				got = "failed"
			case holds(check.CEL.Current, c.Status):
				got = "current"
			}
			if got != want && !(kind == "scheduling.run.ai_Queue" && c.Status == nil) {
				t.Errorf("%s, case %d, %v: %s, want %s", kind, i, c.Status, got, want)
			}
		}
	}
}
