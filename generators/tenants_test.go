package generators_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/gpugen/gpugen/generators"
	"github.com/gpugen/gpugen/internal/sample"
	"github.com/gpugen/gpugen/schema"
	"github.com/gpugen/gpugen/schema/diag"
)

// withTenants is a cluster of one pool called p, to which each test adds what it is about.
const withTenants = `
name: research
kubernetes: {version: "1.35.8", distribution: kubeadm}
gitops: {repoURL: "https://git.example.com/platform/gpu.git", path: clusters/research/tree}
nodePools:
  p:
    nodeSelector: {example.com/pool: p}
    gpu: {model: h100-sxm-80gb, count: 8}
    os: {name: ubuntu, version: "24.04"}
    host: {fabricManager: true}
    driver: {source: operator}
    taints: [{key: example.com/gpu, value: "yes", effect: NoSchedule}]
`

const (
	wholeByDRA = "gpu.nvidia.com.deviceclass.resource.k8s.io/devices"
	sliceByDRA = "mig.nvidia.com.deviceclass.resource.k8s.io/devices"
)

// kinds of pools, with a quota of each and what it has to come to.
var kinds = []struct {
	name, pool, quota string
	want              map[string]string
}{
	{"whole GPUs", `{}`, `{gpus: 16}`, map[string]string{"nvidia.com/gpu": "16"}},
	{"nothing", `{}`, `{}`, map[string]string{"nvidia.com/gpu": "0"}},
	{"GPUs shared in time", `{sharing: {strategy: time-slicing, replicas: 4}}`, `{gpus: 3}`, map[string]string{"nvidia.com/gpu": "12"}},
	{"GPUs shared by MPS", `{sharing: {strategy: mps, replicas: 2}}`, `{gpus: 3}`, map[string]string{"nvidia.com/gpu": "6"}},
	{"slices by profile", `{sharing: {strategy: mig, mode: mixed, profiles: {1g.10gb: 2, 2g.20gb: 1, 3g.40gb: 1}}}`, `{mig-1g.10gb: 5, mig-3g.40gb: 2}`,
		map[string]string{"nvidia.com/mig-1g.10gb": "5", "nvidia.com/mig-2g.20gb": "0", "nvidia.com/mig-3g.40gb": "2"}},
	{"slices of a layout", `{sharing: {strategy: mig, mode: mixed, layout: [{devices: [0], profiles: {1g.10gb: 7}}, {devices: [1, 2, 3, 4, 5, 6, 7], profiles: {3g.40gb: 2}}]}}`, `{mig-3g.40gb: 7}`,
		map[string]string{"nvidia.com/mig-1g.10gb": "0", "nvidia.com/mig-3g.40gb": "7"}},
	{"slices of a layout, and GPUs that it leaves whole", `{sharing: {strategy: mig, mode: mixed, replicas: 2, layout: [{devices: [0, 1], profiles: {1g.10gb: 7}}]}}`, `{gpus: 12, mig-1g.10gb: 14}`,
		map[string]string{"nvidia.com/gpu": "12", "nvidia.com/mig-1g.10gb": "28"}},
	{"slices and whole GPUs by claim", `{allocation: dra, sharing: {strategy: mig, layout: [{devices: [0, 1], profiles: {1g.10gb: 7}}]}}`, `{gpus: 12, mig-1g.10gb: 14}`, map[string]string{wholeByDRA: "12", sliceByDRA: "14"}},
	{"slices that are called GPUs", `{sharing: {strategy: mig, mode: single, profiles: {1g.10gb: 7}}}`, `{mig-1g.10gb: 9}`, map[string]string{"nvidia.com/gpu": "9"}},
	{"slices shared in time", `{sharing: {strategy: mig, mode: mixed, profiles: {1g.10gb: 7}, replicas: 3}}`, `{mig-1g.10gb: 2}`, map[string]string{"nvidia.com/mig-1g.10gb": "6"}},
	{"GPUs shared in time, and renamed", `{sharing: {strategy: time-slicing, replicas: 4, rename: true}}`, `{gpus: 3}`, map[string]string{"nvidia.com/gpu.shared": "12"}},
	{"GPUs shared by MPS, and renamed", `{sharing: {strategy: mps, replicas: 2, rename: true}}`, `{gpus: 3}`, map[string]string{"nvidia.com/gpu.shared": "6"}},
	{"slices shared in time, and renamed", `{sharing: {strategy: mig, mode: mixed, profiles: {1g.10gb: 7}, replicas: 3, rename: true}}`, `{mig-1g.10gb: 2}`, map[string]string{"nvidia.com/mig-1g.10gb.shared": "6"}},
	{"slices that are called GPUs, shared in time, and renamed", `{sharing: {strategy: mig, mode: single, profiles: {1g.10gb: 7}, replicas: 3, rename: true}}`, `{mig-1g.10gb: 2}`, map[string]string{"nvidia.com/gpu.shared": "6"}},
	{"GPUs by claim", `{allocation: dra}`, `{gpus: 16}`, map[string]string{wholeByDRA: "16"}},
	{"slices by claim", `{allocation: dra, sharing: {strategy: mig, profiles: {1g.10gb: 7}}}`, `{mig-1g.10gb: 9}`, map[string]string{sliceByDRA: "9"}},
	{"CPUs where somebody else hands out GPUs", `{allocation: external, host: {driver: "580.95.05", fabricManager: true}, driver: {source: host}}`, `{cpu: "64", memory: 512Gi}`, map[string]string{"cpu": "64", "memory": "512Gi"}},
	{"CPUs and memory besides", `{}`, `{gpus: 16, cpu: "64", memory: 512Gi}`, map[string]string{"cpu": "64", "memory": "512Gi", "nvidia.com/gpu": "16"}},
}

func TestAQuotaCountsWhatThePoolHandsOut(t *testing.T) {
	for _, kind := range kinds {
		if !sample.Draws("quota "+kind.name, 4) {
			continue
		}
		t.Run(kind.name, func(t *testing.T) {
			waived := `{}`
			if strings.Contains(kind.quota, "cpu") {
				waived = `waivers: [{rule: KUEUE-036, at: scheduling.queue, reason: all nodes of this cluster have GPUs}]`
			}
			objects := rendered(t, waived, `nodePools: {p: `+kind.pool+`}`, `scheduling: {queue: kueue}`, `tenants: {t: {namespaces: [team-t], quota: {p: `+kind.quota+`}}}`)
			queue := objects["ClusterQueue/t"]
			got := map[string]string{}
			var listed []any
			for _, r := range at(queue, "spec", "resourceGroups", 0, "flavors", 0, "resources").([]any) {
				got[at(r, "name").(string)] = at(r, "nominalQuota").(string)
				listed = append(listed, at(r, "name"))
			}
			if !maps.Equal(got, kind.want) {
				t.Errorf("the quota comes to %v, want %v", got, kind.want)
			}
			if covered := at(queue, "spec", "resourceGroups", 0, "coveredResources").([]any); !slices.Equal(covered, listed) {
				t.Errorf("the queue covers %v, its flavor lists %v", covered, listed)
			}
			if at(queue, "spec", "resourceGroups", 0, "flavors", 0, "name") != at(objects["ResourceFlavor/p"], "metadata", "name") {
				t.Error("the queue's flavor is not the pool's")
			}
			config := configuration(t, objects)
			for _, excluded := range at(config, "resources", "excludeResourcePrefixes").([]any) {
				for resource := range kind.want {
					if strings.HasPrefix(resource, excluded.(string)) {
						t.Errorf("%s is counted, and excluded by %q", resource, excluded)
					}
				}
			}
			var mappings []string
			for _, resource := range slices.Sorted(maps.Keys(kind.want)) {
				if class, ok := strings.CutSuffix(resource, ".deviceclass.resource.k8s.io/devices"); ok {
					mappings = append(mappings, fmt.Sprintf("map[deviceClassNames:[%s] name:%s]", class, resource))
				}
			}
			if got := fmt.Sprint(at(config, "resources", "deviceClassMappings")); len(mappings) > 0 && got != fmt.Sprint(mappings) {
				t.Errorf("DeviceClasses are mapped as %s, want %v", got, mappings)
			}
		})
	}
}

func TestKubernetesKeepsTheQuotaWhereNoQueueDoes(t *testing.T) {
	for _, kind := range kinds {
		if kind.quota == `{}` || !sample.Draws("quota of Kubernetes' own "+kind.name, 4) {
			continue
		}
		t.Run(kind.name, func(t *testing.T) {
			objects := rendered(t, `nodePools: {p: `+kind.pool+`}`, `tenants: {t: {namespaces: [team-t], quota: {p: `+kind.quota+`}}}`)
			want := map[string]any{}
			for resource, amount := range kind.want {
				if !strings.HasSuffix(resource, "/devices") {
					resource = "requests." + resource
				}
				want[resource] = amount
			}
			if got := at(objects["ResourceQuota/gpus"], "spec", "hard").(map[string]any); !maps.Equal(got, want) {
				t.Errorf("the ResourceQuota is %v, want %v", got, want)
			}
			if objects["ClusterQueue/t"] != nil || objects["LocalQueue/t"] != nil {
				t.Error("there are queues without Kueue")
			}
		})
	}
}

func TestOnlyBorrowersGoBeyondTheirQuota(t *testing.T) {
	objects := rendered(t, `scheduling: {queue: kueue}`, `tenants:
  a: {namespaces: [team-a], borrow: true, quota: {p: {gpus: 8}}}
  b: {namespaces: [team-b], quota: {p: {gpus: 8}}}`)
	for name, limit := range map[string]any{"a": nil, "b": "0"} {
		queue := objects["ClusterQueue/"+name]
		if at(queue, "spec", "cohortName") != at(objects["Cohort/tenants"], "metadata", "name") {
			t.Errorf("%s is not in the cohort", name)
		}
		if got := at(queue, "spec", "resourceGroups", 0, "flavors", 0, "resources", 0, "borrowingLimit"); got != limit {
			t.Errorf("%s may borrow %v, want %v", name, got, limit)
		}
		if at(queue, "spec", "preemption", "reclaimWithinCohort") != "Any" {
			t.Errorf("%s does not get back what it lent", name)
		}
	}
	alone := rendered(t, `scheduling: {queue: kueue}`, `tenants: {b: {namespaces: [team-b], quota: {p: {gpus: 8}}}}`)
	if at(alone["ClusterQueue/b"], "spec", "cohortName") != nil || alone["Cohort/tenants"] != nil {
		t.Error("there is a cohort, but nobody borrows")
	}
}

func TestATenantsJobsReachItsPoolsAndNobodyElses(t *testing.T) {
	objects := rendered(t, `scheduling: {queue: kueue}`, `tenants: {a: {namespaces: [team-a, team-a-dev], priority: 7, quota: {p: {gpus: 8}}}}`)
	flavor := objects["ResourceFlavor/p"]
	if at(flavor, "spec", "nodeLabels", "example.com/pool") != "p" {
		t.Error("the flavor does not select the pool")
	}
	if fmt.Sprint(at(flavor, "spec", "tolerations")) != "[map[effect:NoSchedule key:example.com/gpu operator:Equal value:yes]]" {
		t.Errorf("jobs tolerate %v", at(flavor, "spec", "tolerations"))
	}
	if got := fmt.Sprint(at(objects["ClusterQueue/a"], "spec", "namespaceSelector", "matchExpressions", 0)); got != "map[key:kubernetes.io/metadata.name operator:In values:[team-a team-a-dev]]" {
		t.Errorf("the queue serves %s", got)
	}
	selector := at(configuration(t, objects), "managedJobsNamespaceSelector", "matchExpressions", 0, "key").(string)
	for _, name := range []string{"team-a", "team-a-dev"} {
		if at(objects["Namespace/"+name], "metadata", "labels", selector) != "a" {
			t.Errorf("Kueue does not manage %s", name)
		}
		if at(objects[name+"/LocalQueue/a"], "spec", "clusterQueue") != "a" {
			t.Errorf("%s has no queue", name)
		}
	}
	for _, name := range []string{"gpu-operator", "kueue-system"} {
		if at(objects["Namespace/"+name], "metadata", "labels", selector) != nil {
			t.Errorf("Kueue manages %s", name)
		}
	}
	if at(objects["WorkloadPriorityClass/a"], "value") != float64(7) {
		t.Error("the tenant's priority has no class")
	}
	if usage := string(objects["USAGE.md"].(map[string]any)["text"].(string)); !strings.Contains(usage, "kueue.x-k8s.io/queue-name: a\n") || !strings.Contains(usage, "kueue.x-k8s.io/priority-class: a\n") {
		t.Error("USAGE.md does not tell what a Job must carry")
	}
}

// rendered are the objects of a tree by kind and name, and by namespace, kind and
// name where there is a namespace; overlays are laid over the cluster.
func rendered(t *testing.T, overlays ...string) map[string]any {
	t.Helper()
	return renderedAlone(t, laidOver(t, overlays...))
}

// laidOver is the spec with tenants under overlays, as YAML.
func laidOver(t *testing.T, overlays ...string) string {
	t.Helper()
	var spec map[string]any
	if err := yaml.Unmarshal([]byte(withTenants), &spec); err != nil {
		t.Fatal(err)
	}
	for _, overlay := range overlays {
		var upper map[string]any
		if err := yaml.Unmarshal([]byte(overlay), &upper); err != nil {
			t.Fatal(err)
		}
		layOver(spec, upper)
	}
	text, err := yaml.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// renderedAlone is a spec's tree: objects by kind and name, and with the namespace
// before them; values and texts by path.
func renderedAlone(t *testing.T, text string) map[string]any {
	t.Helper()
	result, findings := generators.Render(schema.Input{Path: "-", Stdin: strings.NewReader(text)})
	// A version that is out of support is rendered like any other.
	findings = slices.DeleteFunc(findings, func(f diag.Finding) bool { return f.ID == "PIN-009" })
	if len(findings) > 0 {
		t.Fatalf("findings: %+v\n%s", findings, text)
	}
	return objectsOf(t, result)
}

// renderedDespiteWarnings is like rendered, for states that are warned of.
func renderedDespiteWarnings(t *testing.T, overlays ...string) map[string]any {
	t.Helper()
	text := laidOver(t, overlays...)
	result, findings := generators.Render(schema.Input{Path: "-", Stdin: strings.NewReader(text)})
	if findings.HasErrors() {
		t.Fatalf("findings: %+v\n%s", findings, text)
	}
	return objectsOf(t, result)
}

func objectsOf(t *testing.T, result *generators.Result) map[string]any {
	t.Helper()
	out := map[string]any{}
	for _, f := range result.Tree.Files() {
		if !strings.HasSuffix(f.Path, ".yaml") {
			out[f.Path] = map[string]any{"text": string(f.Data)}
			continue
		}
		var object map[string]any
		if err := yaml.Unmarshal(f.Data, &object); err != nil {
			t.Fatalf("%s: %v", f.Path, err)
		}
		if object["kind"] == nil || strings.HasSuffix(f.Path, "/values.yaml") || strings.HasSuffix(f.Path, "/kustomization.yaml") {
			out[f.Path] = object
			continue
		}
		name := fmt.Sprintf("%v/%v", object["kind"], at(object, "metadata", "name"))
		out[name] = object
		if namespace := at(object, "metadata", "namespace"); namespace != nil {
			out[fmt.Sprint(namespace, "/", name)] = object
		}
	}
	return out
}

func layOver(lower, upper map[string]any) {
	for key, value := range upper {
		above, isMap := value.(map[string]any)
		below, wasMap := lower[key].(map[string]any)
		if isMap && wasMap {
			layOver(below, above)
			continue
		}
		lower[key] = value
	}
}

// configuration is what Kueue's manager reads.
func configuration(t *testing.T, objects map[string]any) any {
	t.Helper()
	var out any
	if err := yaml.Unmarshal([]byte(at(objects["kueue/values.yaml"], "managerConfig", "controllerManagerConfigYaml").(string)), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// at follows labels and indices into a value; nil where there is nothing.
func at(v any, path ...any) any {
	for _, step := range path {
		switch step := step.(type) {
		case string:
			m, _ := v.(map[string]any)
			v = m[step]
		case int:
			list, _ := v.([]any)
			if step >= len(list) {
				return nil
			}
			v = list[step]
		}
	}
	return v
}
