package crd_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/e2e/crd"
	"github.com/gpugen/gpugen/examples"
	"github.com/gpugen/gpugen/generators"
	"github.com/gpugen/gpugen/schema"
)

// drivers are the chart versions of the DRA driver: ComputeDomains of USAGE.md must
// please the CRD of each, and that which the GPU Operator brings.
var drivers = []crd.ChartVersion{{"dra-driver-nvidia-gpu", "0.4.1"}, {"nvidia-dra-driver-gpu", "25.12.0"}, {"gpu-operator", "v26.7.0"}}

// pageProblems returns what an API server would refuse of the objects that a page
// shows. Who pastes them chooses a namespace.
func pageProblems(t *testing.T, validator *crd.Validator, page string) []string {
	t.Helper()
	objects, err := examples.PageObjects(page)
	if err != nil {
		t.Fatal(err)
	}
	if len(objects) == 0 {
		t.Error("the page shows no object")
	}
	var problems []string
	for _, object := range objects {
		// No chart that gpugen renders brings KubeVirt's CRDs.
		if version, _ := object["apiVersion"].(string); strings.HasPrefix(version, "kubevirt.io/") {
			continue
		}
		metadata := object["metadata"].(map[string]any)
		if metadata["namespace"] == nil {
			metadata["namespace"] = "team-a"
		}
		for _, err := range validator.Validate(object) {
			problems = append(problems, object["kind"].(string)+": "+err.Error())
		}
	}
	return problems
}

// What USAGE.md tells people to paste, an API server takes.
func TestExamplesOfUSAGE(t *testing.T) {
	validator := newValidator(t, drivers...)
	pages, err := filepath.Glob(filepath.Join(goldenDir, "*", "USAGE.md"))
	if err != nil || len(pages) == 0 {
		t.Fatal("no page ", err)
	}
	for _, page := range pages {
		t.Run(filepath.Base(filepath.Dir(page)), func(t *testing.T) {
			text, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			for _, problem := range pageProblems(t, validator, string(text)) {
				t.Error(problem)
			}
		})
	}
}

// racks are clusters of multi-node NVLink, of which there is no example.
const racks = `
name: rack
kubernetes: {version: "1.35.8", distribution: kubeadm, runtimeVersion: "2.1"}
gitops: {repoURL: "https://git.example.com/platform/gpu.git", path: clusters/rack/tree}
nodePools:
  p:
    nodeSelector: {example.com/pool: p}
    nodes: 18
    arch: arm64
    gpu: {model: gb200, count: 4}
    os: {name: ubuntu, version: "24.04"}
    driver: {source: operator}
    allocation: ALLOCATION
    nvlinkDomain: {size: 18}
    taints: [{key: example.com/gpu, value: "yes", effect: NoSchedule}]
    rdma: [hd]
    gpuDirect: {rdma: dma-buf}
network:
  fabric: infiniband
  ofed: {source: operator}
  rdmaResources: {hd: {plugin: host-device, name: hostdev, select: {linkTypes: [infiniband]}}}
  secondaryNetworks: {hd: {type: host-device, resource: hd, ipam: {subnet: 10.2.0.0/16}}}
smokeTests: {enabled: true, nccl: true}
`

// The ComputeDomains of USAGE.md and of the smoke tests are what the CRDs of each
// driver take.
func TestComputeDomainsOfATree(t *testing.T) {
	validator := newValidator(t, drivers...)
	for _, allocation := range []string{"dra", "device-plugin"} {
		t.Run(allocation, func(t *testing.T) {
			result, findings := generators.Render(schema.Input{Path: "-", Stdin: strings.NewReader(strings.Replace(racks, "ALLOCATION", allocation, 1))})
			if result == nil {
				t.Fatalf("findings: %+v", findings)
			}
			page, _ := result.Tree.Get("USAGE.md")
			if !strings.Contains(string(page), "kind: ComputeDomain\n") {
				t.Error("USAGE.md has no ComputeDomain")
			}
			for _, problem := range pageProblems(t, validator, string(page)) {
				t.Error("USAGE.md: ", problem)
			}
			for _, file := range result.Tree.Files() {
				if !strings.HasPrefix(file.Path, "smoke-tests/") || strings.HasSuffix(file.Path, "kustomization.yaml") {
					continue
				}
				for _, object := range documents(t, string(file.Data)) {
					for _, err := range validator.Validate(object) {
						t.Errorf("%s: %v", file.Path, err)
					}
				}
			}
		})
	}
}

func TestTheJudgeOfPages(t *testing.T) {
	validator := newValidator(t, drivers...)
	const good = "```yaml\napiVersion: resource.nvidia.com/v1beta1\nkind: ComputeDomain\nmetadata: {name: a}\nspec: {numNodes: 0, channel: {resourceClaimTemplate: {name: a}}}\n```\n"
	if problems := pageProblems(t, validator, good); len(problems) > 0 {
		t.Errorf("a good page: %q", problems)
	}
	for what, page := range map[string]string{
		"a field that there is none of":  strings.Replace(good, "resourceClaimTemplate:", "resourceClaimTemplates:", 1),
		"what one of the CRDs wants":     strings.Replace(good, "numNodes: 0, ", "", 1),
		"a misspelt field of Kubernetes": "```yaml\napiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {nodeSelectors: {a: b}}\n```\n",
	} {
		if len(pageProblems(t, validator, page)) == 0 {
			t.Errorf("%s passes", what)
		}
	}
}
