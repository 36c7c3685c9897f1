// Package spectest writes specs in each format, and knows where it wrote what. Nothing
// but tests may import it.
package spectest

import "slices"

// Tree is a spec in the order it is written in.
type Tree []Branch

// Branch is one field.
type Branch = struct {
	Key   string
	Value any
}

// Good is a spec without a fault, with every kind of value in it.
func Good() Tree {
	return Tree{
		{"name", "research"},
		{"kubernetes", Tree{{"version", "1.35.8"}, {"distribution", "kubeadm"}}},
		{"gitops", Tree{
			{"repoURL", "https://git.example.com/platform/gpu.git"},
			{"path", "clusters/research/tree"},
			{"argocd", Tree{{"sync", Tree{{"prune", false}}}}},
		}},
		{"nodePools", Tree{{"train", Tree{
			{"nodeSelector", Tree{{"node.example.com/pool", "train"}}},
			{"nodes", 16},
			{"gpu", Tree{{"model", "h100-sxm-80gb"}, {"count", 8}}},
			{"os", Tree{{"name", "ubuntu"}, {"version", "24.04"}}},
			{"driver", Tree{{"source", "operator"}}},
			{"sharing", Tree{{"strategy", "exclusive"}}},
			{"taints", []any{Tree{{"key", "nvidia.com/gpu"}, {"effect", "NoSchedule"}}}},
		}}}},
		{"components", Tree{{"gpu-operator", Tree{{"values", Tree{{"operator", Tree{{"logging", nil}, {"replicas", 1.5}}}}}}}}},
	}
}

// Set replaces or appends the value at path.
func (t Tree) Set(path []any, value any) Tree {
	out := slices.Clone(t)
	for i, b := range out {
		if b.Key == path[0] {
			out[i].Value = setIn(b.Value, path[1:], value)
			return out
		}
	}
	return append(out, Branch{path[0].(string), setIn(Tree{}, path[1:], value)})
}

func setIn(at any, path []any, value any) any {
	if len(path) == 0 {
		return value
	}
	switch at := at.(type) {
	case Tree:
		return at.Set(path, value)
	case []any:
		out := slices.Clone(at)
		out[path[0].(int)] = setIn(out[path[0].(int)], path[1:], value)
		return out
	}
	return Tree{}.Set(path, value)
}

// Without removes the field at path.
func (t Tree) Without(path []any) Tree {
	out := slices.Clone(t)
	for i, b := range out {
		if b.Key != path[0] {
			continue
		}
		if len(path) == 1 {
			return slices.Delete(out, i, i+1)
		}
		out[i].Value = b.Value.(Tree).Without(path[1:])
	}
	return out
}
