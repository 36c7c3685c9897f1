// Command release makes what a release consists of, below -out: an archive a platform
// with both programs, man pages and completions; what each is made of, as CycloneDX;
// checksums.txt; and image/, the container image as an OCI layout. The same commit gives
// the same bytes. In the end it reads what it made, as those who download it will.
//
// With -push IMAGE it makes nothing, but pushes the image of an earlier run, and prints
// its digest.
package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// platforms that there are binaries for.
const platforms = "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64,windows/amd64,windows/arm64"

// programs, by what they are called in cmd.
var programs = []string{"gpugen", "gpugen-chart"}

// module is gpugen's own; the linker sets a variable in it.
const module = "github.com/gpugen/gpugen"

func main() {
	dir := flag.String("C", "..", "the repository's root")
	out := flag.String("out", "dist", "where the release goes, below the root")
	of := flag.String("platforms", platforms, "platforms, with commas between them")
	to := flag.String("push", "", "push the image that is there to this name and tag, and make nothing")
	flag.Parse()
	r := &release{dir: *dir, out: filepath.Join(*dir, *out), images: map[string][]entry{}}
	do := func() error { return r.run(strings.Split(*of, ",")) }
	if *to != "" {
		do = func() error { return push(filepath.Join(r.out, imageDir), *to) }
	}
	if err := do(); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

type release struct {
	dir, out        string
	version, commit string
	at              time.Time
	// images are the programs of Linux, by architecture.
	images map[string][]entry
}

// entry is a file of an archive.
type entry struct {
	name string
	data []byte
	mode os.FileMode
}

func (r *release) run(platforms []string) error {
	if err := os.RemoveAll(r.out); err != nil {
		return err
	}
	if err := os.MkdirAll(r.out, 0o755); err != nil {
		return err
	}
	if err := r.stamp(); err != nil {
		return err
	}
	// Without it each start of a program would parse what it knows.
	if _, err := r.command(nil, "go", "run", "./schema/knowledge/prepare"); err != nil {
		return err
	}
	common, err := r.common()
	if err != nil {
		return err
	}
	for _, platform := range platforms {
		if err := r.platform(platform, common); err != nil {
			return fmt.Errorf("%s: %w", platform, err)
		}
	}
	if err := r.image(); err != nil {
		return fmt.Errorf("image: %w", err)
	}
	if err := r.checksums(); err != nil {
		return err
	}
	return check(r.out, r.version)
}

// stamp finds out what is released: the version, the commit and its time.
func (r *release) stamp() error {
	said, err := r.command(nil, "go", "run", "./cmd/gpugen", "version")
	if err != nil {
		return err
	}
	fields := strings.Fields(said)
	if len(fields) < 2 {
		return fmt.Errorf("gpugen version says %q", said)
	}
	r.version = fields[1]
	if r.commit, err = r.command(nil, "git", "rev-parse", "HEAD"); err != nil {
		return err
	}
	seconds := os.Getenv("SOURCE_DATE_EPOCH")
	if seconds == "" {
		if seconds, err = r.command(nil, "git", "log", "-1", "--format=%ct"); err != nil {
			return err
		}
	}
	n, err := strconv.ParseInt(seconds, 10, 64)
	r.at = time.Unix(n, 0).UTC()
	return err
}

// command runs a program in the repository's root, and returns what it prints.
func (r *release) command(env []string, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Stderr = r.dir, os.Stderr
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}

// build makes a program; nothing of the machine goes into it.
func (r *release) build(platform, program, to string) error {
	system, arch, ok := strings.Cut(platform, "/")
	if !ok {
		return fmt.Errorf("a platform is system/architecture")
	}
	absolute, err := filepath.Abs(to)
	if err != nil {
		return err
	}
	_, err = r.command([]string{"CGO_ENABLED=0", "GOOS=" + system, "GOARCH=" + arch, "GOAMD64=v1", "GOARM64=v8.0", "GOFLAGS="},
		"go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w -X "+module+"/cmd/gpugen/internal/cli.commit="+r.commit, "-o", absolute, "./cmd/"+program)
	return err
}

// common are the files that are the same in each archive.
func (r *release) common() ([]entry, error) {
	var out []entry
	add := func(name, from string) error {
		data, err := os.ReadFile(filepath.Join(r.dir, from))
		out = append(out, entry{name, data, 0o644})
		return err
	}
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md"} {
		if err := add(name, name); err != nil {
			return nil, err
		}
	}
	pages, err := filepath.Glob(filepath.Join(r.dir, "docs", "man", "*.1"))
	if err != nil || len(pages) == 0 {
		return nil, fmt.Errorf("no man pages (%v)", err)
	}
	for _, page := range pages {
		name := filepath.Base(page)
		if err := add("man/"+name, "docs/man/"+name); err != nil {
			return nil, err
		}
	}
	own := filepath.Join(r.out, "own"+exe(runtime.GOOS))
	if err := r.build(runtime.GOOS+"/"+runtime.GOARCH, "gpugen", own); err != nil {
		return nil, err
	}
	defer os.Remove(own)
	if own, err = filepath.Abs(own); err != nil {
		return nil, err
	}
	for shell, name := range map[string]string{"bash": "gpugen.bash", "zsh": "_gpugen", "fish": "gpugen.fish", "powershell": "gpugen.ps1"} {
		text, err := r.command(nil, own, "completion", shell)
		if err != nil {
			return nil, err
		}
		out = append(out, entry{"completions/" + name, []byte(text + "\n"), 0o644})
	}
	return out, nil
}

func exe(system string) string {
	if system == "windows" {
		return ".exe"
	}
	return ""
}

// platform makes one archive, and says what is in it.
func (r *release) platform(platform string, common []entry) error {
	system, arch, _ := strings.Cut(platform, "/")
	name := "gpugen_" + r.version + "_" + system + "_" + arch
	dir, err := os.MkdirTemp("", "release")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	entries := slices.Clone(common)
	bom := cdx.NewBOM()
	bom.Metadata = &cdx.Metadata{
		Timestamp: r.at.Format(time.RFC3339),
		Component: &cdx.Component{BOMRef: name, Type: cdx.ComponentTypeApplication, Name: name, Version: r.version},
	}
	for _, program := range programs {
		file := filepath.Join(dir, program+exe(system))
		if err := r.build(platform, program, file); err != nil {
			return err
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		entries = append(entries, entry{filepath.Base(file), data, 0o755})
		if system == "linux" {
			r.images[arch] = append(r.images[arch], entry{program, data, 0o755})
		}
		info, err := buildinfo.ReadFile(file)
		if err != nil {
			return err
		}
		r.describe(bom, program, info, data)
	}
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	archive, ext, write := new(bytes.Buffer), ".tar.gz", writeTar
	if system == "windows" {
		ext, write = ".zip", writeZip
	}
	if err := write(archive, name, entries, r.at); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(r.out, name+ext), archive.Bytes(), 0o644); err != nil {
		return err
	}
	var text bytes.Buffer
	if err := cdx.NewBOMEncoder(&text, cdx.BOMFileFormatJSON).SetPretty(true).Encode(bom); err != nil {
		return err
	}
	fmt.Println(name + ext)
	return os.WriteFile(filepath.Join(r.out, name+".cdx.json"), text.Bytes(), 0o644)
}

// describe adds a program and the modules in it.
func (r *release) describe(bom *cdx.BOM, program string, info *buildinfo.BuildInfo, data []byte) {
	sum := sha256.Sum256(data)
	components, dependencies := []cdx.Component{}, []cdx.Dependency{}
	if bom.Components != nil {
		components, dependencies = *bom.Components, *bom.Dependencies
	}
	own := cdx.Component{
		BOMRef: program, Type: cdx.ComponentTypeApplication, Name: program, Version: r.version,
		PackageURL: "pkg:golang/" + module + "/cmd/" + program + "@v" + r.version,
		Hashes:     &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hex.EncodeToString(sum[:])}},
	}
	components = append(components, own)
	var needs []string
	modules := []*debug.Module{{Path: "std", Version: strings.TrimPrefix(info.GoVersion, "go")}}
	for _, m := range append(modules, info.Deps...) {
		if m.Replace != nil {
			m = m.Replace
		}
		ref := "pkg:golang/" + m.Path + "@" + m.Version
		needs = append(needs, ref)
		if slices.ContainsFunc(components, func(c cdx.Component) bool { return c.BOMRef == ref }) {
			continue
		}
		c := cdx.Component{BOMRef: ref, Type: cdx.ComponentTypeLibrary, Name: m.Path, Version: m.Version, PackageURL: ref}
		if m.Sum != "" {
			// Go's own hash of a module is none of CycloneDX's kinds.
			c.Properties = &[]cdx.Property{{Name: "go:sum", Value: m.Sum}}
		}
		components = append(components, c)
	}
	dependencies = append(dependencies, cdx.Dependency{Ref: program, Dependencies: &needs})
	bom.Components, bom.Dependencies = &components, &dependencies
}

func writeTar(w io.Writer, root string, entries []entry, at time.Time) error {
	compressed, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	archive := tar.NewWriter(compressed)
	for _, e := range entries {
		header := &tar.Header{Format: tar.FormatUSTAR, Typeflag: tar.TypeReg, Name: path.Join(root, e.name), Mode: int64(e.mode), Size: int64(len(e.data)), ModTime: at}
		if err := archive.WriteHeader(header); err != nil {
			return err
		}
		if _, err := archive.Write(e.data); err != nil {
			return err
		}
	}
	if err := archive.Close(); err != nil {
		return err
	}
	return compressed.Close()
}

func writeZip(w io.Writer, root string, entries []entry, at time.Time) error {
	archive := zip.NewWriter(w)
	for _, e := range entries {
		header := &zip.FileHeader{Name: path.Join(root, e.name), Method: zip.Deflate, Modified: at}
		header.SetMode(e.mode)
		file, err := archive.CreateHeader(header)
		if err != nil {
			return err
		}
		if _, err := file.Write(e.data); err != nil {
			return err
		}
	}
	return archive.Close()
}

// checksums of all that is published, in the form that sha256sum reads.
func (r *release) checksums() error {
	entries, err := os.ReadDir(r.out)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	for _, e := range entries {
		if e.IsDir() {
			continue
		}
		data, err := os.ReadFile(filepath.Join(r.out, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&out, "%x  %s\n", sha256.Sum256(data), e.Name())
	}
	return os.WriteFile(filepath.Join(r.out, "checksums.txt"), out.Bytes(), 0o644)
}
