package schema_test

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"cuelang.org/go/cue"
	"cuelang.org/go/cue/cuecontext"

	"github.com/gpugen/gpugen/internal/sample"
	"github.com/gpugen/gpugen/schema"
	"github.com/gpugen/gpugen/schema/diag"
)

// smallest are pools that vet on each platform, with what that platform's nodes are.
var smallest = map[string]string{
	"kubeadm":           `{os: {name: "ubuntu", version: "24.04"}, driver: source: "operator"}`,
	"kubeadm debian":    `{os: {name: "debian", version: "12"}, driver: source: "host", host: driver: "580.126.20"}`,
	"kubeadm rhel":      `{os: {name: "rhel", version: "9.6"}, driver: source: "operator"}`,
	"kubeadm installed": `{os: {name: "ubuntu", version: "22.04"}, driver: source: "host", host: driver: "580.95.05"}`,
	"k3s":               `{os: {name: "ubuntu", version: "24.04"}, driver: source: "operator"}`,
	"rke2":              `{os: {name: "ubuntu", version: "22.04"}, driver: source: "operator"}`,
	"microk8s":          `{os: {name: "ubuntu", version: "24.04"}, driver: source: "operator"}`,
	"k0s":               `{os: {name: "rocky", version: "9.7"}, driver: source: "operator"}`,
	"aks":               `{os: {name: "ubuntu", version: "22.04"}, driver: source: "cloud"}`,
	"aks none":          `{os: {name: "ubuntu", version: "22.04"}, driver: source: "operator", host: driver: "none"}`,
	"eks":               `{os: {name: "amazon-linux", version: "2023"}, driver: source: "cloud"}`,
	"eks bottlerocket":  `{os: {name: "bottlerocket", version: "1.40"}, driver: source: "cloud", host: devicePlugin: false}`,
	"eks ubuntu":        `{os: {name: "ubuntu", version: "22.04"}, driver: source: "operator"}`,
	"gke":               `{os: {name: "cos", version: "121"}, driver: source: "cloud", host: devicePlugin: false}`,
	"oke":               `{os: {name: "ubuntu", version: "24.04"}, driver: source: "cloud", host: devicePlugin: false}`,
	"openshift":         `{os: {name: "rhcos", version: "4.22"}, driver: source: "operator"}`,
	"talos":             `{os: {name: "talos", version: "1.14.0"}, driver: source: "host", host: driver: "580.126.20"}`,
	"other":             `{os: {name: "ubuntu", version: "24.04"}, driver: source: "operator"}`,
}

// What a finding about a missing field says to add, passes: on every platform, with what
// the rest of the spec says.
func TestWhatIsMissingIsAddedAsTheFindingSaysAndVets(t *testing.T) {
	tried := 0
	for _, of := range slices.Sorted(maps.Keys(smallest)) {
		if !sample.Some("smallest "+of, 3) {
			continue
		}
		platform, _, _ := strings.Cut(of, " ")
		spec := `
			name: "research"
			kubernetes: {version: "1.35.8", distribution: "` + platform + `"}
			gitops: {repoURL: "https://git.example.org/platform/gpu.git", path: "clusters/research/tree"}
			nodePools: p: ` + smallest[of] + `
			nodePools: p: gpu: {model: "l40s", count: 4}`
		if platform == "other" {
			spec += "\nplatform: {title: \"k9s\", host: {driver: \"none\", toolkit: false}, podSecurity: \"privileged\", containerd: {config: \"/etc/containerd/config.toml\", socket: \"/run/containerd/containerd.sock\"}}"
		}
		whole := plain(t, spec)
		if vetted := errorsOf(whole); len(vetted) > 0 {
			t.Errorf("%s: %v", of, vetted)
			continue
		}
		for _, path := range [][]string{
			{"name"}, {"kubernetes"}, {"kubernetes", "version"}, {"kubernetes", "distribution"}, {"gitops"}, {"gitops", "repoURL"}, {"gitops", "path"},
			{"nodePools", "p", "gpu"}, {"nodePools", "p", "gpu", "model"}, {"nodePools", "p", "gpu", "count"},
			{"nodePools", "p", "os"}, {"nodePools", "p", "os", "name"}, {"nodePools", "p", "os", "version"},
			{"nodePools", "p", "driver"}, {"nodePools", "p", "driver", "source"},
		} {
			if !sample.Draws(of+" without "+strings.Join(path, "."), 15) {
				continue
			}
			tried++
			lacking := plain(t, spec)
			delete(below(lacking, path[:len(path)-1]), path[len(path)-1])
			at := of + " without " + strings.Join(path, ".")
			found := findingsOf(lacking)
			if len(found) != 1 || found[0].ID != "SPEC-022" {
				t.Errorf("%s: %v", at, errorsOf(lacking))
				continue
			}
			add(t, lacking, path[:len(path)-1], found[0].Fix)
			if left := errorsOf(lacking); len(left) > 0 {
				t.Errorf("%s: %s: then %v", at, found[0].Fix, left)
			}
		}
	}
	if tried < sample.Times(30, 3) {
		t.Errorf("%d fields were tried", tried)
	}
}

// addition is what the fix of a missing field says: what to add, and what beside which field.
var addition = regexp.MustCompile(`^add (.*?)(?:, and (\S+: \{.*\}) beside (\S+))?$`)

// add does what a fix says.
func add(t *testing.T, spec map[string]any, path []string, fix string) {
	t.Helper()
	parts := addition.FindStringSubmatch(fix)
	if parts == nil {
		t.Fatalf("the fix %q", fix)
	}
	maps.Copy(below(spec, path), plain(t, parts[1]))
	if parts[2] != "" {
		pool := below(spec, path[:2])
		for name, value := range plain(t, parts[2]) {
			old, _ := pool[name].(map[string]any)
			if old == nil {
				pool[name] = value
				continue
			}
			maps.Copy(old, value.(map[string]any))
		}
	}
}

func below(spec map[string]any, path []string) map[string]any {
	for _, name := range path {
		spec = spec[name].(map[string]any)
	}
	return spec
}

func plain(t *testing.T, text string) map[string]any {
	t.Helper()
	var out map[string]any
	if err := cuecontext.New().CompileString(text, cue.Filename("spec")).Decode(&out); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return out
}

func findingsOf(spec map[string]any) diag.List {
	data, err := json.Marshal(spec)
	if err != nil {
		panic(err)
	}
	_, findings := schema.Evaluate(schema.Input{Path: "-", Format: "json", Stdin: strings.NewReader(string(data))})
	return slices.DeleteFunc(slices.Clone(findings), func(f diag.Finding) bool { return f.Severity != diag.Error })
}

func errorsOf(spec map[string]any) []string {
	var out []string
	for _, f := range findingsOf(spec) {
		out = append(out, f.ID+" "+f.Path+": "+f.Message)
	}
	return out
}
