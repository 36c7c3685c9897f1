package cli

import (
	"bytes"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// block is a fenced block of Markdown; start and end bound its content.
type block struct {
	language, text string
	start, end     int
}

var fence = regexp.MustCompile("(?ms)^```([a-z]+)\n(.*?)^```$")

func blocksOf(data []byte) []block {
	var out []block
	for _, m := range fence.FindAllSubmatchIndex(data, -1) {
		out = append(out, block{string(data[m[2]:m[3]]), string(data[m[4]:m[5]]), m[4], m[5]})
	}
	return out
}

// A newcomer types what the README says, in its order: every sh block must work,
// and a text block right after one is what it prints.
func TestTheReadmeIsTrue(t *testing.T) {
	readme := filepath.Join(root, "README.md")
	data, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	shell := newShell(t)
	shell.run(t, "git init --quiet .")
	blocks := blocksOf(data)
	ran := 0
	for i, b := range blocks {
		if b.language != "sh" {
			continue
		}
		ran++
		printed := shell.run(t, b.text)
		if i+1 == len(blocks) || blocks[i+1].language != "text" || strings.TrimSpace(string(data[b.end+len("```"):blocks[i+1].start-len("```text\n")])) != "" {
			continue
		}
		want := blocks[i+1]
		if printed == want.text {
			continue
		}
		if os.Getenv(updateVariable) == "" {
			t.Errorf("README.md says\n%s\nbut it prints\n%s", want.text, printed)
			continue
		}
		updated := append(bytes.Clone(data[:want.start]), printed...)
		if err := os.WriteFile(readme, append(updated, data[want.end:]...), 0o644); err != nil {
			t.Fatal(err)
		}
		t.Skip("README.md was rewritten; run the test again for the rest")
	}
	if ran < 6 {
		t.Errorf("only %d sh blocks in README.md", ran)
	}
}

// shell runs scripts in one directory, with a kubectl that only looks whether
// its file is there.
type shell struct{ dir, bin string }

func newShell(t *testing.T) shell {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash to run the README's commands with")
	}
	s := shell{dir: t.TempDir(), bin: t.TempDir()}
	kubectl := "#!" + bash + "\nwhile [ $# -gt 0 ]; do if [ \"$1\" = -f ]; then test -s \"$2\" || exit 1; fi; shift; done\n"
	if err := os.WriteFile(filepath.Join(s.bin, "kubectl"), []byte(kubectl), 0o755); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s shell) run(t *testing.T, script string) string {
	t.Helper()
	cmd := exec.Command("bash", "-euo", "pipefail", "-c", script)
	cmd.Dir = s.dir
	cmd.Env = []string{
		"PATH=" + s.bin + string(filepath.ListSeparator) + os.Getenv("PATH"), "HOME=" + s.bin,
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.com",
		"GIT_CONFIG_NOSYSTEM=1",
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s\n%v: %s", script, err, out)
	}
	return string(out)
}

// Files that the README and its companions link to are there.
func TestLinksBetweenDocumentsLead(t *testing.T) {
	link := regexp.MustCompile(`\]\(([^)#:]+)(#[^)]*)?\)`)
	for _, name := range []string{"README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/design.md", "docs/fleet.md", "docs/spec.md"} {
		data, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Error(err)
			continue
		}
		for _, m := range link.FindAllSubmatch(data, -1) {
			target := filepath.Join(root, filepath.Dir(name), string(m[1]))
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s, which is not there", name, m[1])
			}
		}
	}
}

// The hooks that the README offers exist, and run commands that exist.
func TestPreCommitHooksRunWhatThereIs(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(root, ".pre-commit-hooks.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var hooks []struct {
		ID, Entry string
		AlwaysRun bool  `json:"always_run"`
		Names     *bool `json:"pass_filenames"`
	}
	if err := yaml.Unmarshal(data, &hooks); err != nil {
		t.Fatal(err)
	}
	entries := map[string]string{}
	for _, hook := range hooks {
		entries[hook.ID] = hook.Entry
		args := strings.Fields(hook.Entry)
		found, _, err := newRoot(streams{}).Find(args[1:])
		if err != nil || args[0] != "gpugen" || found.Name() == "gpugen" {
			t.Errorf("%s runs %q, which is no command (%v)", hook.ID, hook.Entry, err)
		}
		// pre-commit tells a hook no name of a file that is deleted.
		if !hook.AlwaysRun || hook.Names == nil || *hook.Names {
			t.Errorf("%s does not run at every commit, on what its args name", hook.ID)
		}
	}
	offered := regexp.MustCompile(`- id: (\S+)`)
	readme, err := os.ReadFile(filepath.Join(root, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	wanted := maps.Clone(entries)
	for _, m := range offered.FindAllSubmatch(readme, -1) {
		if entries[string(m[1])] == "" {
			t.Errorf("README.md offers the hook %s, which is not there", m[1])
		}
		delete(wanted, string(m[1]))
	}
	for id := range wanted {
		t.Errorf("README.md does not offer the hook %s", id)
	}
}
