package generators_test

import (
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/generators"
	"github.com/gpugen/gpugen/generators/tree"
	"github.com/gpugen/gpugen/internal/sample"
	"github.com/gpugen/gpugen/schema"
)

// branches change one cluster, each something else.
var branches = map[string]string{
	"value":   `components: "gpu-operator": values: operator: resources: limits: memory: "500Mi"`,
	"version": `components: "gpu-operator": version: "v26.3.3"`,
	"tenant": `tenants: "new-one": {namespaces: ["new-one"], quota: train: gpus: 8}
network: secondaryNetworks: ib1: {type: "ipoib", master: "ibs2f0", namespaces: ["new-one"], ipam: subnet: "192.169.0.0/16"}`,
	"other-tenant": `tenants: "new-two": {namespaces: ["new-two"], quota: train: gpus: 8}`,
	"pool":         morePool("old"),
	"other-pool":   morePool("odd"),
}

func morePool(name string) string {
	return `nodePools: "` + name + `": {
	nodeSelector: "node.example.com/pool": "` + name + `"
	nodes: 2
	gpu: {model: "a100-sxm-80gb", count: 8}
	os: {name: "ubuntu", version: "24.04", kernel: "6.8"}
	host: {driver: "580.95.05", fabricManager: true}
	driver: source: "host"
	taints: [{key: "nvidia.com/gpu", value: "present", effect: "NoSchedule"}]
}`
}

// Where two branches' specs merge, their trees do too, and the next render makes of
// them what the merged spec says.
func TestTreesOfTwoBranchesMerge(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git")
	}
	repo := t.TempDir()
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir = repo
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=/nonexistent", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
			"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com"}
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("git %s: %v: %s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	spec, out := filepath.Join(repo, "mine"), filepath.Join(repo, "mine", "tree")
	render := func(t *testing.T) *generators.Result {
		t.Helper()
		result, findings := generators.Render(schema.Input{Path: spec})
		if findings.HasErrors() {
			t.Fatalf("%+v", findings)
		}
		return result
	}
	write := func(t *testing.T, dir string, r *generators.Result) {
		t.Helper()
		if _, refused := tree.Write(context.Background(), dir, r.Tree, r.Meta, tree.Options{}); len(refused) > 0 {
			t.Fatalf("render says %+v", refused)
		}
	}
	commit := func() {
		t.Helper()
		write(t, out, render(t))
		git("add", "-A")
		git("commit", "-q", "-m", "render")
	}
	git("init", "-q", "-b", "main")
	mustWrite(t, filepath.Join(spec, "cluster.cue"), mustRead(t, filepath.Join(examplesDir, "onprem-h100", "cluster.cue")))
	commit()
	for name, change := range branches {
		git("checkout", "-q", "-b", name, "main")
		mustWrite(t, filepath.Join(spec, name+".cue"), []byte("package cluster\n\n"+change+"\n"))
		commit()
	}
	names := slices.Sorted(maps.Keys(branches))
	for i, one := range names {
		for _, two := range names[i+1:] {
			// Neighbours in every list, and some of the others.
			if !strings.HasSuffix(two, one) && !strings.HasSuffix(one, two) && !sample.Draws(one+two, 48) {
				continue
			}
			t.Run(one+" and "+two, func(t *testing.T) {
				git("checkout", "-q", "-B", "merged", one)
				git("merge", "-q", "-m", "merge", two)
				if left := git("status", "--porcelain"); left != "" {
					t.Fatalf("the merge left %s", left)
				}
				result := render(t)
				_, drift := tree.Compare(out, result.Tree, result.Meta)
				for _, f := range drift {
					if f.ID != "OUT-014" && f.ID != "OUT-015" && f.ID != "OUT-016" {
						t.Errorf("--check says %s %s", f.ID, f.Message)
					}
				}
				write(t, out, result)
				fresh := filepath.Join(t.TempDir(), "tree")
				write(t, fresh, result)
				same(t, "rendered over the merge", readTree(t, fresh), out)
				git("reset", "-q", "--hard")
				git("clean", "-q", "-d", "-f")
			})
		}
	}
}
