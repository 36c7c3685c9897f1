package main

import (
	"bytes"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

func made(t *testing.T) *release {
	t.Helper()
	return &release{out: t.TempDir(), version: "1.2.3", commit: "abc", at: time.Unix(1700000000, 0).UTC(), images: map[string][]entry{
		"amd64": {{"gpugen", []byte("one"), 0o755}, {"gpugen-chart", []byte("two"), 0o755}},
		"arm64": {{"gpugen", []byte("three"), 0o755}, {"gpugen-chart", []byte("four"), 0o755}},
	}}
}

// What a registry gives back of the image is what the release holds: the programs of the
// machine that asks, run as a user of no name.
func TestARegistryTakesTheImage(t *testing.T) {
	r := made(t)
	if err := r.image(); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	defer server.Close()
	to := strings.TrimPrefix(server.URL, "http://") + "/gpugen:v1.2.3"
	if err := push(filepath.Join(r.out, imageDir), to); err != nil {
		t.Fatal(err)
	}
	reference, err := name.ParseReference(to)
	if err != nil {
		t.Fatal(err)
	}
	for arch, want := range map[string]string{"amd64": "one", "arm64": "three"} {
		image, err := remote.Image(reference, remote.WithPlatform(v1.Platform{OS: "linux", Architecture: arch}))
		if err != nil {
			t.Fatal(err)
		}
		config, err := image.ConfigFile()
		if err != nil {
			t.Fatal(err)
		}
		if config.Architecture != arch || config.Config.User != "999" || config.Config.Entrypoint[0] != "/usr/local/bin/gpugen" || config.Config.Labels["org.opencontainers.image.version"] != "1.2.3" {
			t.Errorf("%s: %+v", arch, config)
		}
		layers, err := image.Layers()
		if err != nil || len(layers) != 1 {
			t.Fatal(layers, err)
		}
		content, err := layers[0].Uncompressed()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(content)
		if err != nil || !bytes.Contains(text, []byte(want)) || !bytes.Contains(text, []byte("usr/local/bin/gpugen-chart")) {
			t.Errorf("%s has not its own programs (%v)", arch, err)
		}
	}
}

func TestTheSameProgramsGiveTheSameImage(t *testing.T) {
	var texts []string
	for range 2 {
		r := made(t)
		if err := r.image(); err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(r.out, imageDir, "index.json"))
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(text))
	}
	if texts[0] != texts[1] {
		t.Errorf("%s\n%s", texts[0], texts[1])
	}
}

// linuxProgram is a static program for Linux on amd64.
func linuxProgram(t *testing.T) []byte {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte("package main\n\nfunc main() {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.Command("go", "build", "-ldflags", "-s -w", "-o", "out", "main.go")
	command.Dir, command.Env = dir, append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=amd64", "GOFLAGS=")
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	program, err := os.ReadFile(filepath.Join(dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// What nobody could use is refused, whatever it is called.
func TestAReleaseIsRead(t *testing.T) {
	program := linuxProgram(t)
	at := time.Unix(1700000000, 0)
	whole := func(system string) []entry {
		out := []entry{{"gpugen" + exe(system), program, 0o755}, {"gpugen-chart" + exe(system), program, 0o755}}
		for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md", "man/gpugen.1", "completions/gpugen.bash", "completions/_gpugen", "completions/gpugen.fish", "completions/gpugen.ps1"} {
			out = append(out, entry{name, []byte("x"), 0o644})
		}
		return out
	}
	for name, c := range map[string]struct {
		root    string
		entries []entry
		wrong   string
	}{
		"as it should be":      {"gpugen_1.2.3_linux_amd64", whole("linux"), ""},
		"another version":      {"gpugen_2.0.0_linux_amd64", whole("linux"), "is not program, version"},
		"no licence":           {"gpugen_1.2.3_linux_amd64", append(whole("linux")[:2], whole("linux")[3:]...), "has no LICENSE"},
		"of another machine":   {"gpugen_1.2.3_linux_arm64", whole("linux"), "is for EM_X86_64, not arm64"},
		"of another system":    {"gpugen_1.2.3_darwin_amd64", whole("darwin"), "invalid magic number"},
		"for Windows, and ELF": {"gpugen_1.2.3_windows_amd64", whole("windows"), "gpugen.exe"},
	} {
		t.Run(name, func(t *testing.T) {
			var archive bytes.Buffer
			if err := writeTar(&archive, c.root, c.entries, at); err != nil {
				t.Fatal(err)
			}
			err := checkArchive(c.root+".tar.gz", archive.Bytes(), readTar, "1.2.3")
			if c.wrong == "" && err == nil {
				return
			}
			if err == nil || !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("%v, want %q", err, c.wrong)
			}
		})
	}
}
