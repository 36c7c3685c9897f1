package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
)

type object = map[string]any

// growth is a kind of spec that can have any size.
type growth struct {
	name string
	make func(n int) object
	// sizes double from one to the next.
	sizes []int
}

// growing are what grows in specs. Each of them is one that gpugen renders.
var growing = []growth{
	{"pools", func(n int) object { return cluster(object{"nodePools": poolsOf(n, false)}) }, []int{25, 50, 100, 200}},
	{"pools, half of them DRA", func(n int) object { return cluster(object{"nodePools": poolsOf(n, true)}) }, []int{25, 50, 100, 200}},
	{"pools with a warning each", warned, []int{15, 30, 60}},
	{"tenants under Kueue", func(n int) object { return tenants(n, object{"queue": "kueue"}) }, []int{125, 250, 500, 1000}},
	{"tenants under ResourceQuotas", func(n int) object { return tenants(n, object{}) }, []int{125, 250, 500, 1000}},
	{"tenants under KAI", func(n int) object { return tenants(n, object{"gang": "kai"}) }, []int{125, 250}},
	{"tenants under Volcano", func(n int) object { return tenants(n, object{"gang": "volcano"}) }, []int{125, 250}},
	{"patches", patches, []int{25, 50, 100}},
}

// write puts a spec of this size into a directory.
func (g growth) write(dir string, n int) (string, error) {
	data, err := json.Marshal(g.make(n))
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, fmt.Sprintf("%s %d.json", g.name, n))
	return file, os.WriteFile(file, data, 0o600)
}

// cluster is a small one, with more laid over it.
func cluster(more object) object {
	out := object{
		"name":       "grown",
		"kubernetes": object{"version": "1.35.2", "distribution": "kubeadm", "runtimeVersion": "2.1"},
		"gitops":     object{"repoURL": "https://git.example.com/platform/gpu.git", "path": "clusters/grown/tree"},
		"nodePools":  poolsOf(1, false),
	}
	maps.Copy(out, more)
	return out
}

func poolName(i int) string { return fmt.Sprintf("p%03d", i) }

func pool(name string) object {
	return object{
		"nodeSelector": object{"node.example.com/pool": name},
		"nodes":        4,
		"gpu":          object{"model": "h100-sxm-80gb", "count": 8},
		"os":           object{"name": "ubuntu", "version": "24.04", "kernel": "6.8"},
		"driver":       object{"source": "operator", "version": "580.105.08", "kernelModules": "open"},
	}
}

// poolsOf are pools of whole GPUs, MIG slices and tainted nodes in turn; where mixed,
// every other one gives its GPUs away by DRA, so that each of the others has a release
// of the device plugin to itself.
func poolsOf(n int, mixed bool) object {
	out := object{}
	for i := range n {
		p := pool(poolName(i))
		switch {
		case mixed && i%2 == 1:
			p["allocation"] = "dra"
		case i%3 == 1:
			p["sharing"] = object{"strategy": "mig", "mode": "mixed", "profiles": object{"1g.10gb": 2, "2g.20gb": 1, "3g.40gb": 1}}
		case i%3 == 2:
			p["taints"] = []any{object{"key": "example.com/interactive", "effect": "NoSchedule"}}
		}
		out[poolName(i)] = p
	}
	return out
}

// tenants share three pools.
func tenants(n int, scheduling object) object {
	pools := poolsOf(3, false)
	pools[poolName(0)].(object)["nodes"] = n // so that there are GPUs for all
	list := object{}
	for i := range n {
		name := fmt.Sprintf("t%04d", i)
		list[name] = object{
			"namespaces": []any{name},
			"quota":      object{poolName(0): object{"gpus": 8, "cpu": "64", "memory": "512Gi"}},
		}
	}
	return cluster(object{"nodePools": pools, "tenants": list, "scheduling": scheduling})
}

// patches of one object, each of another field.
func patches(n int) object {
	var list []any
	for i := range n {
		list = append(list, object{
			"target": object{"kind": "Namespace"},
			"patch":  fmt.Sprintf("- {op: add, path: /metadata/annotations/example.com~1p%03d, value: x}", i),
		})
	}
	return cluster(object{"components": object{"gpu-operator": object{"patches": list}}})
}

// warned pools share GPUs in time between tenants, with no wall between them. Kueue takes
// 64 of them.
func warned(n int) object {
	pools, quota := object{}, object{}
	for i := range n {
		p := pool(poolName(i))
		p["sharing"] = object{"strategy": "time-slicing", "replicas": 4}
		pools[poolName(i)], quota[poolName(i)] = p, object{"gpus": 4}
	}
	two := object{}
	for _, name := range []string{"a", "b"} {
		two[name] = object{"namespaces": []any{"team-" + name}, "quota": quota}
	}
	return cluster(object{"nodePools": pools, "tenants": two, "scheduling": object{"queue": "kueue"}})
}
