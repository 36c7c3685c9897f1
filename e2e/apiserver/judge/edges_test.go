package judge_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/generators"
)

// edges: a spec at the edges of what the schema allows is either refused by gpugen,
// which says why, or gives a tree that the server takes.
func (k *kubernetes) edges(t *testing.T) {
	if k.minor != newest {
		return
	}
	const specs = 16
	accepted := 0
	for seed := range uint64(specs) {
		t.Run(fmt.Sprintf("seed %d", seed), func(t *testing.T) {
			spec := laidOver(fromYAML(t, readFile(t, baseFile)), edge{rand.New(rand.NewPCG(seed, seed))}.spec())
			result, findings := generators.Render(fromJSON(t, spec))
			if result == nil {
				for _, finding := range findings {
					t.Logf("gpugen says no: %s: %s", finding.ID, finding.Message)
				}
				return
			}
			accepted++
			k.acceptsRendered(t, load(t, asFiles(result.Tree), external(t, result.Plan)...))
			if t.Failed() {
				t.Logf("of %s", toYAML(t, spec))
			}
		})
	}
	if accepted < specs/2 {
		t.Errorf("gpugen accepted only %d of %d specs: nothing is learned from the others", accepted, specs)
	}
}

// edge makes specs of which each field is usual or as odd as the schema lets it be.
type edge struct{ *rand.Rand }

func pick[T any](e edge, options ...T) T { return options[e.IntN(len(options))] }

// seldom keeps most fields usual: a spec is refused for one of them.
func seldom[T any](e edge, usual T, odd ...T) T {
	if e.IntN(8) > 0 {
		return usual
	}
	return pick(e, odd...)
}

var (
	longLabel = strings.Repeat("a", 63)
	longKey   = strings.Repeat("p", 63) + "." + strings.Repeat("q", 63) + "." + strings.Repeat("r", 63) + ".example.com/" + longLabel
)

func (e edge) spec() map[string]any {
	pools, quota := map[string]any{}, map[string]any{}
	names := [][]string{{"p"}, {"p", "q-0"}, {"p", "1"}, {"p", strings.Repeat("p", 30)}}[e.IntN(4)]
	dra, operator := e.IntN(3) == 0, "v26.7.0"
	if dra {
		operator = "v26.3.3"
	}
	gang, queue := pick(e, "none", "kai", "volcano"), pick(e, "none", "kueue", "kueue")
	for i, name := range names {
		pools[name] = e.pool(i, dra)
		amounts := map[string]any{}
		if strategy := pools[name].(map[string]any)["sharing"].(map[string]any)["strategy"]; strategy == "mig" {
			amounts["mig-1g.10gb"] = pick(e, 0, 1, 1000)
		} else {
			amounts["gpus"] = seldom[any](e, 8, 0, 1000, 100000, 1000000007, uint64(9223372036854775807))
		}
		quota[name] = amounts
	}
	if queue != "none" || len(names) == 1 {
		cpu := seldom(e, "512", "0", "0.5", "1.5", "2000m", "1500m", "2000", "10k", "2048k", "0.001", "100000000", "9007199254740993")
		memory := seldom(e, "4Ti", "0", "1024Gi", "0.3Ki", "1.0001Ki", "8191Pi", "9000Pi", "1.5Ti", "4000G", "1000", "4096Mi", "0.5Gi", "1Pi", "1000P", "123456789k", "4398046511104")
		for _, amounts := range quota {
			amounts.(map[string]any)["cpu"], amounts.(map[string]any)["memory"] = cpu, memory
		}
	}
	tenants := map[string]any{}
	for i := range e.IntN(4) {
		// The longest that leaves room for the cluster's name in the Application's.
		name := []string{"team-a", strings.Repeat("a", 63-len("research-tenant-")), "0"}[i]
		namespaces := []any{fmt.Sprintf("ns-%d", i)}
		if i == 1 {
			namespaces = []any{strings.Repeat("n", 63)}
		}
		tenant := map[string]any{"namespaces": namespaces, "quota": quota}
		if queue != "none" || gang != "none" {
			tenant["borrow"] = pick(e, true, false)
			tenant["priority"] = seldom(e, 0, 1000000000, -1000000000, 7)
		}
		tenants[name] = tenant
	}
	return map[string]any{
		"name":       seldom(e, "research", "1", strings.Repeat("c", 20)),
		"kubernetes": map[string]any{"version": pick(e, "1.36.1", "1.36.1", "1.35.2", "1.34.2"), "distribution": seldom(e, "kubeadm", "k3s")},
		"gitops": map[string]any{
			"repoURL":  seldom(e, "https://git.example.com/a.git", "git@git.example.com:a/b.git", "ssh://git.example.com:22/a"),
			"revision": seldom(e, "main", "v1.0.0+build", "refs/heads/a"),
			"path":     seldom(e, "tree", strings.Repeat("d/", 100)+"d", ".hidden/tree", "a.b/_c"),
			"values":   pick(e, "file", "inline"),
			"argocd": map[string]any{
				"namespace":   seldom(e, "argocd", "0", longLabel),
				"rootProject": seldom(e, "default", "a.b-c", "1"),
				"project":     map[string]any{"name": seldom(e, "gpu", "a.b", strings.Repeat("j", 253), "a..b", "a.-b"), "create": true},
				"destination": seldom(e, map[string]any{}, map[string]any{"name": "over there"}, map[string]any{"server": "https://10.0.0.1:6443"}),
				"deletion":    pick(e, "keep", "confirm", "cascade"),
			},
		},
		"nodePools":  pools,
		"tenants":    tenants,
		"scheduling": map[string]any{"gang": gang, "queue": queue},
		"smokeTests": map[string]any{"enabled": pick(e, true, false)},
		"monitoring": map[string]any{
			"alerts": e.IntN(2) == 0,
			"labels": seldom(e, map[string]any{}, map[string]any{"release": "stack"}, map[string]any{"release": longLabel}, map[string]any{longKey: ""}, map[string]any{"release": "a b"}, map[string]any{"a..b/c": "d"}),
		},
		"components": map[string]any{
			"prometheus-operator": map[string]any{"state": "external", "namespace": seldom(e, "monitoring", "1", strings.Repeat("m", 63))},
			"gpu-operator":        map[string]any{"namespace": seldom(e, "gpu-operator", "2", strings.Repeat("g", 63)), "version": operator},
		},
	}
}

func (e edge) pool(i int, dra bool) map[string]any {
	allocation, sharing := "device-plugin", pick(e, map[string]any{"strategy": "exclusive"}, map[string]any{"strategy": "mig", "mode": "mixed", "profiles": map[string]any{"1g.10gb": 7}})
	if dra {
		allocation = pick(e, "dra", "device-plugin")
	} else {
		sharing = seldom(e, sharing, map[string]any{"strategy": "time-slicing", "replicas": pick(e, 2, 1000)})
	}
	selector := map[string]any{"example.com/pool": fmt.Sprint(i)}
	for key, value := range seldom(e, map[string]any{}, map[string]any{longKey: longLabel}, map[string]any{"a": ""}, map[string]any{"A_b.c": "x_Y.z"}, map[string]any{"0.1.com/0": "0"}, map[string]any{longKey + "a": "b"}, map[string]any{"a..b/c": "d"}, map[string]any{"a/b_c": "d"}) {
		selector[key] = value
	}
	return map[string]any{
		"gpu":          map[string]any{"model": "h100-sxm-80gb", "count": pick(e, 8, 1, 16)},
		"os":           map[string]any{"name": "ubuntu", "version": seldom(e, "24.04", "22.04")},
		"driver":       map[string]any{"source": "operator", "version": seldom(e, "580.126.20", "580.105.08"), "kernelModules": "open", "upgrade": map[string]any{"auto": false}},
		"nodeSelector": selector,
		"allocation":   allocation,
		"sharing":      sharing,
		"taints": seldom(e, []any{}, []any{map[string]any{"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}},
			[]any{map[string]any{"key": longKey, "value": longLabel, "effect": "NoExecute"}},
			[]any{map[string]any{"key": longLabel + "a", "effect": "NoSchedule"}}, []any{map[string]any{"key": "a-.b/c", "effect": "NoSchedule"}},
			[]any{map[string]any{"key": "a", "value": "", "effect": "PreferNoSchedule"}, map[string]any{"key": "a", "effect": "NoSchedule"}},
			[]any{map[string]any{"key": "a", "effect": "NoSchedule"}, map[string]any{"key": "a", "effect": "NoSchedule"}}),
	}
}
