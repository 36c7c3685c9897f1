package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/internal/sample"
)

var fileOfBlock = regexp.MustCompile(`\A// (\S+\.cue)\n`)

// The files and the commands of docs/fleet.md, in their order, do what the page says.
func TestTheFleetOfThirtyClustersIsTrue(t *testing.T) {
	page := filepath.Join(root, "docs", "fleet.md")
	data, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	shell := newShell(t)
	shell.run(t, "git init --quiet .")
	// Thirty take half a minute; in a short run fewer show that the files and commands work.
	const numbers = "02 03 04 05 06 07 08 09 10 11 12 13 14 15"
	if !strings.Contains(string(data), numbers) {
		t.Fatalf("docs/fleet.md makes no clusters %s", numbers)
	}
	each := sample.Times(14, 1)
	blocks := blocksOf(data)
	files, ran := 0, 0
	for i, b := range blocks {
		if name := fileOfBlock.FindStringSubmatch(b.text); b.language == "cue" && name != nil {
			files++
			path := filepath.Join(shell.dir, filepath.FromSlash(name[1]))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(b.text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if b.language != "sh" {
			continue
		}
		ran++
		printed := shell.run(t, strings.Replace(b.text, numbers, numbers[:3*each-1], 1))
		if i+1 == len(blocks) || blocks[i+1].language != "text" {
			if printed != "" {
				t.Errorf("docs/fleet.md does not say that\n%sprints\n%s", b.text, printed)
			}
			continue
		}
		want := blocks[i+1]
		if printed == want.text || each < 14 {
			continue
		}
		if os.Getenv(updateVariable) == "" {
			t.Errorf("docs/fleet.md says\n%s\nbut it prints\n%s", want.text, printed)
			continue
		}
		updated := append(bytes.Clone(data[:want.start]), printed...)
		if err := os.WriteFile(page, append(updated, data[want.end:]...), 0o644); err != nil {
			t.Fatal(err)
		}
		t.Skip("docs/fleet.md was rewritten; run the test again for the rest")
	}
	if files < 7 || ran < 3 {
		t.Errorf("only %d files and %d sh blocks in docs/fleet.md", files, ran)
	}
	clusters := strings.Fields(shell.run(t, "ls -d clusters/*/*/tree/.gpugen"))
	if len(clusters) != 2+2*each {
		t.Errorf("there are %d clusters, want %d", len(clusters), 2+2*each)
	}
}
