package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// ourCollector has cue collect as late as gpugen does.
var ourCollector = []string{"GOGC=off", "GOMEMLIMIT=128MiB"}

// Names of commands; what is compared is chosen by their beginnings.
const (
	vet    = "gpugen vet"
	render = "gpugen render -o"
	stdout = "gpugen render"
	again  = "gpugen render -o, unchanged"
	check  = "gpugen render --check"
	plugin = "gpugen cmp generate"
	late   = ", collected late"
)

// ratios that gpugen sets itself bars for: a quarter above what they came to in
// November 2026, at most, over all examples.
var ratios = []struct {
	name      string
	ours      string
	against   []string
	collector string
	bar       float64
}{
	{"vet / cue vet", vet, []string{"cue vet"}, "", vetBar},
	{"vet / cue vet, same collector", vet, []string{"cue vet"}, late, vetLateBar},
	{"render / (cue export + kustomize build)", render, []string{"cue export", "kustomize build"}, "", renderBar},
	{"the same, same collector", render, []string{"cue export", "kustomize build"}, late, renderLateBar},
	{"render to stdout / the same", stdout, []string{"cue export", "kustomize build"}, "", stdoutBar},
	{"unchanged / render", again, []string{render}, "", againBar},
	{"--check of an unchanged tree / render", check, []string{render}, "", againBar},
	{"plugin / cue vet", plugin, []string{"cue vet"}, "", pluginBar},
	{"plugin / cue vet, same collector", plugin, []string{"cue vet"}, late, pluginLateBar},
}

// compare measures an example beside cue and kustomize.
func (b bench) compare(example string, runs int) (bool, error) {
	spec := filepath.Join(b.root, "examples", example)
	commands, err := b.commands(example, spec)
	if err != nil {
		return false, err
	}
	samples := measure(runs, commands)
	fmt.Printf("%-40s %11s %11s %9s\n", example, "CPU", "wall", "peak")
	ok := true
	for _, s := range samples {
		ok = s.print() && ok
		if strings.HasPrefix(s.name, "gpugen") && s.memory > memoryBar {
			fmt.Printf("    peak %d MiB, at most %d\n", s.memory, memoryBar)
			ok = false
		}
	}
	for _, r := range ratios {
		// Without what failed, the others would be too little to compare with.
		if failed := lacking(samples, r.against, r.collector); failed != "" {
			fmt.Printf("  %-38s not compared: %s failed\n", r.name, failed)
			continue
		}
		byCPU := ratio(samples, r.ours, r.against, r.collector)
		fmt.Printf("  %-38s %11.2f, at most %.2f\n", r.name, byCPU, r.bar)
		ok = ok && byCPU <= r.bar
	}
	return ok, nil
}

func (b bench) commands(example, spec string) ([]command, error) {
	plain, err := b.plainCUE(example)
	if err != nil {
		return nil, err
	}
	tree := filepath.Join(b.work, "trees", example)
	fresh := tree + "-fresh"
	// What is remembered of renders is the bench's own.
	env := []string{"XDG_CACHE_HOME=" + filepath.Join(b.work, "cache"), "HOME=" + b.work}
	first := func() error { return b.setAside(fresh) }
	out := []command{
		{name: vet, args: []string{b.bin("gpugen"), "vet", spec}},
		{name: render, args: []string{b.bin("gpugen"), "render", spec, "-o", fresh}, before: first, env: env},
		{name: stdout, args: []string{b.bin("gpugen"), "render", spec}},
		{name: again, args: []string{b.bin("gpugen"), "render", spec, "-o", fresh}, env: env},
		{name: check, args: []string{b.bin("gpugen"), "render", spec, "-o", fresh, "--check"}, env: env},
	}
	// The tree that kustomize builds; not in the way of what is measured.
	made := measure(1, []command{{name: render, args: []string{b.bin("gpugen"), "render", spec, "-o", tree}, env: env}})
	if made[0].failed != nil {
		return nil, made[0].failed
	}
	component, err := largest(tree)
	if err != nil {
		return nil, err
	}
	out = append(out, command{name: plugin, args: []string{b.bin("gpugen"), "cmp", "generate", spec}, env: []string{
		fmt.Sprintf(`ARGOCD_APP_PARAMETERS=[{"name": "component", "string": %q}]`, component),
	}})
	theirs := []command{
		{name: "cue vet", args: []string{b.bin("cue"), "vet", "-c=false", "."}, dir: plain},
		{name: "cue export", args: []string{b.bin("cue"), "export", ".", "-e", "all.components"}, dir: plain},
	}
	kustomizations, _ := filepath.Glob(filepath.Join(tree, "*", "kustomization.yaml"))
	for _, k := range append(kustomizations, filepath.Join(tree, "kustomization.yaml")) {
		dir := filepath.Dir(k)
		theirs = append(theirs, command{name: "kustomize build " + filepath.Base(dir), args: []string{b.bin("kustomize"), "build", dir}})
	}
	for _, c := range theirs {
		out = append(out, c)
		if strings.HasPrefix(c.name, "cue") {
			c.name, c.env = c.name+late, ourCollector
			out = append(out, c)
		}
	}
	return out, nil
}

// largest is the component of a tree with the most objects.
func largest(tree string) (string, error) {
	out, most := "", 0
	found, err := filepath.Glob(filepath.Join(tree, "*", "kustomization.yaml"))
	for _, file := range found {
		dir := filepath.Dir(file)
		files, err := os.ReadDir(dir)
		if err != nil {
			return "", err
		}
		// What is no component is nothing that the plugin is asked for.
		if name := filepath.Base(dir); name != "flux" && name != "argocd-health" && len(files) > most {
			out, most = name, len(files)
		}
	}
	if err == nil && out == "" {
		err = fmt.Errorf("no component in %s has objects", tree)
	}
	return out, err
}

// lacking is a command to compare with that failed, or "".
func lacking(samples []*sample, against []string, collector string) string {
	for _, s := range samples {
		for _, prefix := range against {
			if s.failed != nil && (s.name == prefix+collector || strings.HasPrefix(s.name, prefix) && prefix == "kustomize build") {
				return s.name
			}
		}
	}
	return ""
}

// ratio is the CPU of one command by that of others: those of cue with the collector
// asked for, by the beginning of their names.
func ratio(samples []*sample, ours string, against []string, collector string) float64 {
	var a, b time.Duration
	for _, s := range samples {
		if s.name == ours {
			a = median(s.cpu)
		}
		for _, prefix := range against {
			switch {
			case s.name == prefix+collector, prefix == "kustomize build" && strings.HasPrefix(s.name, prefix):
				b += median(s.cpu)
			}
		}
	}
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}
