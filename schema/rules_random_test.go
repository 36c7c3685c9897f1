package schema

import (
	"fmt"
	"maps"
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/internal/sample"
)

// Whatever a well-formed spec says, each rule comes to a decision, and each
// finding points at what was written. A rule that cannot be decided finds nothing
// in silence, which no example of its own would show.
func TestRulesAreDecidedOnAnyWellFormedSpec(t *testing.T) {
	workers, specs := sample.Times(8, 2), sample.Times(12, 4)
	for worker := range workers {
		t.Run(fmt.Sprintf("seed %d", worker), func(t *testing.T) {
			t.Parallel()
			random := randomSpec{rand.New(rand.NewSource(int64(worker)))}
			for range specs {
				spec := random.spec()
				if random.Intn(2) == 0 {
					random.addTenants(spec)
				}
				d := single("yaml", spec)
				_, found := d.judge(t)
				for _, f := range found {
					if strings.HasPrefix(f.ID, "RULE-") || strings.HasPrefix(f.ID, "SPEC-") {
						t.Errorf("%s\n%v", describe1(f), d)
						return
					}
					checkPlaces(t, d, f)
				}
			}
		})
	}
}

// randomSpec makes specs that keep to the schema, and to nothing else.
type randomSpec struct{ *rand.Rand }

func (r randomSpec) often() bool  { return r.Intn(4) > 0 }
func (r randomSpec) seldom() bool { return r.Intn(4) == 0 }

func pick[T any](r randomSpec, options ...T) T { return options[r.Intn(len(options))] }

func (r randomSpec) spec() map[string]any {
	pools := map[string]any{}
	for _, name := range []string{"p", "p-2", "default", "gpu0"}[:1+r.Intn(4)] {
		pools[name] = r.pool()
	}
	spec := laidOver(baseSpec(), map[string]any{
		"kubernetes": map[string]any{
			"version":      pick(r, "1.29.3", "1.33.0", "1.35.8", "1.36.1", "1.40.0"),
			"distribution": pick(r, "kubeadm", "k3s"),
			"runtime":      pick(r, "containerd", "containerd", "cri-o"),
		},
		"components": r.components(),
	})
	spec["nodePools"] = pools
	if r.seldom() {
		spec["monitoring"] = map[string]any{"labels": map[string]any{"release": "stack"}, "dcgm": map[string]any{"interval": "30s"}}
	}
	argocd := map[string]any{"version": pick(r, "2.14", "3.3", "3.5")}
	if r.seldom() {
		argocd["destination"] = pick(r, map[string]any{"name": "there"}, map[string]any{"server": "https://10.0.0.1"}, map[string]any{"name": "there", "server": "https://10.0.0.1"})
	}
	if r.seldom() {
		argocd["rootProject"] = pick(r, "gpu-research", "platform")
	}
	if r.seldom() {
		argocd["project"] = map[string]any{"create": pick(r, true, false), "name": pick(r, "default", "gpu")}
	}
	spec["gitops"].(map[string]any)["argocd"] = argocd
	return spec
}

// addTenants adds tenants, their quotas and what holds them to these.
func (r randomSpec) addTenants(spec map[string]any) {
	scheduling := map[string]any{"queue": pick(r, "none", "kueue", "kueue"), "gang": pick(r, "none", "volcano", "kai")}
	r.maybe(scheduling, "multiNodeJobs", pick(r, true, false))
	r.maybe(scheduling, "fairSharing", pick(r, true, false))
	r.maybe(scheduling, "order", pick(r, []any{"nowhere"}, []any{"cpu", "cpu"}, []any{}))
	r.maybe(scheduling, "flavors", map[string]any{"cpu": map[string]any{"nodeSelector": pick(r, map[string]any{}, map[string]any{"pool": "cpu"})}})
	spec["scheduling"] = scheduling
	components := spec["components"].(map[string]any)
	if components["kai-scheduler"] == nil && r.seldom() {
		components["kai-scheduler"] = map[string]any{"state": pick(r, "managed", "external", "off")}
	}
	for _, name := range []string{"kueue", "volcano"} {
		if r.seldom() {
			components[name] = map[string]any{"state": pick(r, "managed", "external", "off")}
		}
	}
	tenants := map[string]any{}
	for _, name := range []string{"t", "team-a", "default"}[:r.Intn(4)] {
		tenant := map[string]any{"namespaces": pick(r, []any{name}, []any{name, name + "-dev"}, []any{"shared"}, []any{})}
		r.maybe(tenant, "borrow", pick(r, true, false))
		r.maybe(tenant, "priority", pick(r, -5, 0, 100))
		r.maybe(tenant, "weight", pick(r, 0, 1, 3))
		quota := map[string]any{}
		for _, pool := range slices.Sorted(maps.Keys(poolsOf(spec))) {
			r.maybe(quota, pool, r.quota())
		}
		for _, name := range []string{"nowhere", "cpu"} {
			if r.Intn(10) == 0 {
				quota[name] = r.quota()
			}
		}
		r.maybe(tenant, "quota", quota)
		tenants[name] = tenant
	}
	spec["tenants"] = tenants
}

func (r randomSpec) quota() map[string]any {
	quota := map[string]any{}
	if r.often() {
		quota["gpus"] = r.Intn(20)
	}
	if r.seldom() {
		quota["mig-1g.10gb"] = r.Intn(20)
	}
	r.maybe(quota, "cpu", pick(r, "512", "1500m", "0"))
	r.maybe(quota, "memory", pick(r, "4Ti", "1.5Gi"))
	return quota
}

func (r randomSpec) pool() map[string]any {
	pool := map[string]any{
		"gpu": map[string]any{
			"model": pick(r, "h100-sxm-80gb", "b200", "gb200", "v100-sxm2-16gb", "l40s", "a30", "t4", "h100-pcie-80gb", "a100x", "rtx-pro-6000-blackwell-workstation"),
			"count": pick(r, 1, 2, 4, 8, 16),
		},
		"os":     pick(r, osOf("ubuntu", "24.04"), osOf("ubuntu", "20.04"), osOf("rhel", "9.6"), osOf("talos", "1.11"), osOf("debian", "12")),
		"driver": r.driver(),
	}
	r.maybe(pool, "nodeSelector", pick(r, map[string]any{"pool": fmt.Sprint(r.Intn(3))}, map[string]any{"pool": fmt.Sprint(r.Intn(3)), "zone": "a"}, map[string]any{"zone": "b"}, map[string]any{}))
	r.maybe(pool, "nodes", r.Intn(5))
	r.maybe(pool, "arch", pick(r, "amd64", "arm64"))
	r.maybe(pool, "allocation", pick(r, "device-plugin", "device-plugin", "dra", "external"))
	r.maybe(pool, "match", map[string]any{"names": []any{"^gpu-"}})
	if r.seldom() {
		pool["autoscaled"] = map[string]any{"min": r.Intn(4), "max": 1 + r.Intn(4)}
	}
	host := map[string]any{}
	r.maybe(host, "driver", pick(r, "none", "580.95.05", "550.90.07", "450.80.02", "595.45.04"))
	r.maybe(host, "toolkit", pick(r, true, false))
	if r.seldom() {
		r.maybe(host, "kernelModules", pick(r, "open", "proprietary"))
		r.maybe(host, "fabricManager", pick(r, true, false))
		r.maybe(host, "devicePlugin", pick(r, true, false))
	}
	r.maybe(pool, "host", host)
	r.maybe(pool, "sharing", r.sharing())
	var taints []any
	for range r.Intn(3) {
		taint := map[string]any{"key": pick(r, "nvidia.com/gpu", "example.com/gpu"), "effect": pick(r, "NoSchedule", "NoExecute", "PreferNoSchedule")}
		r.maybe(taint, "value", pick(r, "present", ""))
		taints = append(taints, taint)
	}
	if len(taints) > 0 {
		pool["taints"] = taints
	}
	return pool
}

func osOf(name, version string) map[string]any {
	return map[string]any{"name": name, "version": version}
}

func (r randomSpec) maybe(m map[string]any, key string, value any) {
	if r.Intn(2) == 0 {
		m[key] = value
	}
}

func (r randomSpec) driver() map[string]any {
	driver := map[string]any{"source": pick(r, "operator", "host")}
	if r.seldom() {
		r.maybe(driver, "version", pick(r, "580.126.20", "550.90.07", "595.45.04"))
		r.maybe(driver, "kernelModules", pick(r, "open", "proprietary"))
		r.maybe(driver, "upgrade", map[string]any{"auto": pick(r, true, false), "maxParallel": r.Intn(3), "drain": pick(r, true, false), "force": pick(r, true, false), "waitFor": map[string]any{"podSelector": "app=training"}})
	}
	return driver
}

func (r randomSpec) sharing() map[string]any {
	sharing := map[string]any{}
	strategy := pick(r, "exclusive", "time-slicing", "mps", "mig", "mig", "")
	if strategy != "" {
		sharing["strategy"] = strategy
	}
	if strategy == "mig" && r.often() || r.seldom() {
		sharing["profiles"] = pick(r, map[string]any{"1g.10gb": 7}, map[string]any{"1g.10gb": 2, "3g.40gb": 1}, map[string]any{"9g.1tb": 1}, map[string]any{"1g.6gb": 4}, map[string]any{})
	}
	if r.seldom() {
		sharing["layout"] = pick(r,
			[]any{map[string]any{"devices": []any{0, 1}, "profiles": map[string]any{"1g.10gb": 7}}},
			[]any{map[string]any{"devices": []any{9, 0}, "profiles": map[string]any{}}, map[string]any{"devices": []any{0}, "profiles": map[string]any{"3g.40gb": 2}}},
			[]any{map[string]any{"devices": []any{}, "profiles": map[string]any{"1g.6gb": 1}}},
			[]any{})
	}
	r.maybe(sharing, "replicas", pick(r, -1, 1, 2, 10))
	r.maybe(sharing, "failRequestsGreaterThanOne", pick(r, true, false))
	r.maybe(sharing, "mode", pick(r, "single", "mixed"))
	r.maybe(sharing, "rename", pick(r, true, false))
	return sharing
}

func (r randomSpec) components() map[string]any {
	out := map[string]any{}
	for _, name := range []string{"gpu-operator", "node-feature-discovery", "nvidia-device-plugin", "dcgm-exporter", "dra-driver-nvidia-gpu"} {
		c := map[string]any{}
		if r.seldom() {
			c["state"] = pick(r, "managed", "external", "off")
		}
		if r.seldom() {
			c["version"] = pick(r, "v26.3.3", "v26.7.0", "v25.10.1", "v1.2.3", "latest", "0.19.0")
		}
		r.maybe(c, "namespace", "gpu")
		if len(c) > 0 {
			out[name] = c
		}
	}
	if r.seldom() {
		out["prometheus-operator"] = map[string]any{"state": "external"}
	}
	if r.seldom() {
		out["kai-scheduler"] = map[string]any{"state": "external", "version": "v0.20.0"}
	}
	if r.seldom() {
		operator, _ := out["gpu-operator"].(map[string]any)
		if operator == nil {
			operator = map[string]any{}
			out["gpu-operator"] = operator
		}
		operator["values"] = pick(r,
			map[string]any{"cdi": map[string]any{"nriPluginEnabled": true, "enabled": pick(r, true, false)}},
			map[string]any{"nfd": map[string]any{"enabled": pick(r, true, false)}},
			map[string]any{"driver": map[string]any{"enabled": pick(r, true, false), "kernelModuleType": pick(r, "open", "proprietary", "auto")}},
			map[string]any{"toolkit": map[string]any{"enabled": pick(r, true, false), "env": []any{map[string]any{"name": "CONTAINERD_SOCKET", "value": "/x"}}}},
			map[string]any{"mig": map[string]any{"strategy": pick(r, "single", "mixed", "none")}},
			map[string]any{"daemonsets": map[string]any{"tolerations": pick[any](r, nil, []any{}, []any{map[string]any{"operator": "Exists"}})}},
			map[string]any{"devicePlugin": map[string]any{"config": map[string]any{"create": true, "name": "mine", "default": "any", "data": map[string]any{"any": "version: v1"}}}},
			map[string]any{"migManager": map[string]any{"config": map[string]any{"default": pick(r, "all-disabled", "all-balanced")}}},
		)
	}
	return out
}
