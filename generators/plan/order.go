package plan

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// waveStep leaves room between waves for what a site adds.
const waveStep = 10

// order sorts components by need, then by name.
func (p *Plan) order(components map[string]Component) error {
	depth := map[string]int{}
	var visit func(name string, path []string) (int, error)
	visit = func(name string, path []string) (int, error) {
		if d, ok := depth[name]; ok {
			return d, nil
		}
		if slices.Contains(path, name) {
			return 0, fmt.Errorf("knowledge base: components need each other: %v", append(path, name))
		}
		deepest := 0
		for _, need := range components[name].Needs {
			if _, ok := components[need]; !ok {
				return 0, fmt.Errorf("knowledge base: component %s needs %s, which is not rendered", name, need)
			}
			d, err := visit(need, append(path, name))
			if err != nil {
				return 0, err
			}
			deepest = max(deepest, d+1)
		}
		depth[name] = deepest
		return deepest, nil
	}
	for _, name := range slices.Sorted(maps.Keys(components)) {
		d, err := visit(name, nil)
		if err != nil {
			return err
		}
		c := components[name]
		c.Name, c.Wave = name, d*waveStep
		p.Components = append(p.Components, c)
	}
	slices.SortStableFunc(p.Components, func(a, b Component) int {
		return cmp.Or(cmp.Compare(a.Wave, b.Wave), cmp.Compare(a.Name, b.Name))
	})
	return nil
}
