package generators_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// podsOfTests are what the Jobs of smoke tests make, by CronJob.
func podsOfTests(objects map[string]any) map[string]any {
	out := map[string]any{}
	for key, object := range objects {
		if name, ok := strings.CutPrefix(key, "gpu-smoke-tests/CronJob/"); ok {
			out[name] = at(object, "spec", "jobTemplate", "spec", "template", "spec")
		}
	}
	return out
}

// variable is a container's environment variable, or "".
func variable(pod any, name string) string {
	for _, entry := range at(pod, "containers", 0, "env").([]any) {
		if at(entry, "name") == name {
			return fmt.Sprint(at(entry, "value"))
		}
	}
	return ""
}

func level(objects map[string]any) any {
	return at(objects["Namespace/gpu-smoke-tests"], "metadata", "labels", "pod-security.kubernetes.io/enforce")
}

// What each kind of pool hands out is what its tests ask for.
func TestASmokeTestAsksForWhatThePoolHandsOut(t *testing.T) {
	for _, test := range []struct {
		name, pool string
		// want is what each test asks for: count, a resource or DeviceClass, and the profile of a slice.
		want map[string]string
		// level of Pod Security that the Namespace needs.
		level string
	}{
		{"whole GPUs", `{}`, map[string]string{"cuda-p-gpu": "1 nvidia.com/gpu ", "cuda-p-node": "8 nvidia.com/gpu "}, "restricted"},
		{"one GPU a node", `{gpu: {model: l40s, count: 1}}`, map[string]string{"cuda-p-gpu": "1 nvidia.com/gpu "}, "restricted"},
		{"GPUs shared in time", `{sharing: {strategy: time-slicing, replicas: 4}}`, map[string]string{"cuda-p-share": "1 nvidia.com/gpu "}, "restricted"},
		// The server of MPS takes clients of one user at a time.
		{"GPUs shared by MPS", `{sharing: {strategy: mps, replicas: 2}}`, map[string]string{"cuda-p-share": "1 nvidia.com/gpu "}, "baseline"},
		{"slices", `{sharing: {strategy: mig, profiles: {1g.10gb: 2, 1g.10gb+me: 1, 3g.40gb: 1}}}`, map[string]string{
			"cuda-p-mig-1g-10gb": "1 nvidia.com/mig-1g.10gb 1g.10gb", "cuda-p-mig-1g-10gb-me": "1 nvidia.com/mig-1g.10gb.me 1g.10gb+me", "cuda-p-mig-3g-40gb": "1 nvidia.com/mig-3g.40gb 3g.40gb",
		}, "restricted"},
		{"slices, and GPUs that stay whole", `{sharing: {strategy: mig, layout: [{devices: [0, 1], profiles: {1g.10gb: 7}}]}}`, map[string]string{
			"cuda-p-mig-1g-10gb": "1 nvidia.com/mig-1g.10gb 1g.10gb", "cuda-p-gpu": "1 nvidia.com/gpu ", "cuda-p-node": "6 nvidia.com/gpu ",
		}, "restricted"},
		{"slices that are called GPUs", `{sharing: {strategy: mig, mode: single, profiles: {1g.10gb: 7}}}`, map[string]string{"cuda-p-mig-1g-10gb": "1 nvidia.com/gpu 1g.10gb"}, "restricted"},
		{"GPUs by claim", `{allocation: dra}`, map[string]string{"cuda-p-gpu": "1 gpu.nvidia.com ", "cuda-p-node": "8 gpu.nvidia.com "}, "restricted"},
		{"slices by claim", `{allocation: dra, sharing: {strategy: mig, profiles: {1g.10gb: 7}}}`, map[string]string{"cuda-p-mig-1g-10gb": "1 mig.nvidia.com 1g.10gb"}, "restricted"},
	} {
		t.Run(test.name, func(t *testing.T) {
			objects := rendered(t, `smokeTests: {enabled: true}`, `nodePools: {p: `+test.pool+`}`)
			got := map[string]string{}
			for name, pod := range podsOfTests(objects) {
				count, from := "", ""
				if limits, ok := at(pod, "containers", 0, "resources", "limits").(map[string]any); ok {
					for resource, n := range limits {
						count, from = fmt.Sprint(n), resource
					}
				} else {
					template := at(pod, "resourceClaims", 0, "resourceClaimTemplateName")
					request := at(objects[fmt.Sprint("gpu-smoke-tests/ResourceClaimTemplate/", template)], "spec", "spec", "devices", "requests", 0, "exactly")
					count, from = "1", fmt.Sprint(at(request, "deviceClassName"))
					if n := at(request, "count"); n != nil {
						count = fmt.Sprint(n)
					}
					if at(pod, "containers", 0, "resources", "claims", 0, "name") != at(pod, "resourceClaims", 0, "name") {
						t.Errorf("%s: the container does not use the Pod's claim", name)
					}
				}
				if seen := variable(pod, "GPUS"); seen != count {
					t.Errorf("%s asks for %s GPUs, and wants to see %s", name, count, seen)
				}
				got[name] = fmt.Sprintf("%s %s %s", count, from, variable(pod, "MIG_PROFILE"))
			}
			if !maps.Equal(got, test.want) {
				t.Errorf("the tests ask for %v, want %v", got, test.want)
			}
			if level(objects) != test.level {
				t.Errorf("the Namespace's level is %v, want %v", level(objects), test.level)
			}
		})
	}
}

// A Pod needs of the pool what any other Pod does.
func TestASmokeTestGoesToItsPoolOnly(t *testing.T) {
	objects := rendered(t, `smokeTests: {enabled: true}`, `components: {gpu-operator: {state: "off"}}`,
		`nodePools: {p: {host: {driver: "580.95.05", toolkit: true}, driver: {source: host}}, q: {nodeSelector: {example.com/pool: q}, gpu: {model: l40s, count: 4}, os: {name: ubuntu, version: "24.04"}, host: {driver: "580.95.05", toolkit: true}, driver: {source: host}}}`)
	pods := podsOfTests(objects)
	if len(pods) != 4 {
		t.Fatalf("tests: %v", slices.Sorted(maps.Keys(pods)))
	}
	for name, pod := range pods {
		pool, product, tolerated := "p", "NVIDIA-H100-80GB-HBM3", "example.com/gpu"
		if strings.HasPrefix(name, "cuda-q-") {
			pool, product, tolerated = "q", "NVIDIA-L40S", "<nil>"
		}
		if got := at(pod, "nodeSelector", "example.com/pool"); got != pool {
			t.Errorf("%s selects nodes of %v", name, got)
		}
		if got := fmt.Sprint(at(pod, "tolerations", 0, "key")); got != tolerated {
			t.Errorf("%s tolerates %s", name, got)
		}
		if got := variable(pod, "PRODUCT"); got != product {
			t.Errorf("%s wants to see %s", name, got)
		}
		if got := at(pod, "runtimeClassName"); got != "nvidia" {
			t.Errorf("%s has RuntimeClass %v, though no operator configures the runtime", name, got)
		}
	}
}

func TestAPoolWhoseGPUsSomebodyElseHandsOutIsSaidToBeUntested(t *testing.T) {
	objects := rendered(t, `smokeTests: {enabled: true}`, `nodePools: {p: {allocation: external, host: {driver: "580.95.05"}, driver: {source: host}}}`)
	if pods := podsOfTests(objects); len(pods) > 0 || objects["Namespace/gpu-smoke-tests"] != nil {
		t.Errorf("there are tests: %v", slices.Sorted(maps.Keys(pods)))
	}
	if text := at(objects["README.md"], "text").(string); !strings.Contains(text, "Pool p has no CUDA test: somebody else hands out its GPUs") {
		t.Errorf("the guide does not say so:\n%s", text)
	}
}

// A Job's name is its CronJob's and a number, that of a Pod's host is longer still.
func TestSmokeTestsOfPoolsWithLongNamesFit(t *testing.T) {
	long := strings.Repeat("a", 61)
	pool := `{nodeSelector: {example.com/pool: %s}, gpu: {model: h100-sxm-80gb, count: 8}, os: {name: ubuntu, version: "24.04"}, driver: {source: operator}}`
	objects := rendered(t, `smokeTests: {enabled: true}`, fmt.Sprintf("nodePools: {%s-x: "+pool+", %s-y: "+pool+"}", long, "first", long, "second"))
	pods := podsOfTests(objects)
	if len(pods) != 6 {
		t.Errorf("names run into each other: %v", slices.Sorted(maps.Keys(pods)))
	}
	for name := range pods {
		if len(name) > 52 {
			t.Errorf("%s has %d characters", name, len(name))
		}
	}
}

// Kueue would hold a Job without a queue up for ever.
func TestKueueLeavesSmokeTestsAlone(t *testing.T) {
	objects := rendered(t, `smokeTests: {enabled: true}`, `scheduling: {queue: kueue}`, `tenants: {t: {namespaces: [team-t], quota: {p: {gpus: 8}}}}`)
	key := at(configuration(t, objects), "managedJobsNamespaceSelector", "matchExpressions", 0, "key").(string)
	if labels := at(objects["Namespace/gpu-smoke-tests"], "metadata", "labels").(map[string]any); labels[key] != nil {
		t.Errorf("Kueue manages Namespaces with label %s, as the smoke tests' has it", key)
	}
	if labels := at(objects["Namespace/team-t"], "metadata", "labels").(map[string]any); labels[key] == nil {
		t.Errorf("a tenant's Namespace has no label %s", key)
	}
}
