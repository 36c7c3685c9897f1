package main

import (
	"archive/tar"
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/elf"
	"debug/macho"
	"debug/pe"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

// check reads a release as those who download it will: checksums, archives with programs
// that are of their platform, what they are made of, the image.
func check(dir, version string) error {
	sums, err := os.Open(filepath.Join(dir, "checksums.txt"))
	if err != nil {
		return err
	}
	defer sums.Close()
	var errs []error
	archives := 0
	for lines := bufio.NewScanner(sums); lines.Scan(); {
		sum, name, ok := strings.Cut(lines.Text(), "  ")
		data, err := os.ReadFile(filepath.Join(dir, name))
		if !ok || err != nil || fmt.Sprintf("%x", sha256.Sum256(data)) != sum {
			errs = append(errs, fmt.Errorf("checksums.txt: %q (%w)", lines.Text(), err))
			continue
		}
		switch {
		case strings.HasSuffix(name, ".cdx.json"):
			err = checkBOM(data, version)
		case strings.HasSuffix(name, ".zip"):
			archives++
			err = checkArchive(name, data, readZip, version)
		case strings.HasSuffix(name, ".tar.gz"):
			archives++
			err = checkArchive(name, data, readTar, version)
		default:
			err = errors.New("what is it?")
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", name, err))
		}
	}
	if archives == 0 {
		errs = append(errs, errors.New("no archives"))
	}
	// A release of other systems alone has an empty one.
	index, err := layout.ImageIndexFromPath(filepath.Join(dir, imageDir))
	if err == nil {
		err = validate.Index(index)
	}
	return errors.Join(append(errs, err)...)
}

func checkBOM(data []byte, version string) error {
	var bom cdx.BOM
	if err := cdx.NewBOMDecoder(bytes.NewReader(data), cdx.BOMFileFormatJSON).Decode(&bom); err != nil {
		return err
	}
	switch {
	case bom.Metadata == nil || bom.Metadata.Component == nil || bom.Metadata.Component.Version != version:
		return errors.New("another version")
	case bom.Components == nil || len(*bom.Components) < 10:
		return errors.New("made of too little")
	}
	known := map[string]bool{}
	for _, c := range *bom.Components {
		known[c.BOMRef] = true
	}
	for _, d := range *bom.Dependencies {
		for _, ref := range *d.Dependencies {
			if !known[ref] || !known[d.Ref] {
				return fmt.Errorf("%s needs %s, which is not described", d.Ref, ref)
			}
		}
	}
	return nil
}

// checkArchive checks what is in an archive of a platform, as its name says it.
func checkArchive(name string, data []byte, read func([]byte) (map[string][]byte, error), version string) error {
	files, err := read(data)
	if err != nil {
		return err
	}
	root, _, _ := strings.Cut(strings.TrimSuffix(strings.TrimSuffix(name, ".zip"), ".tar.gz"), "/")
	parts := strings.Split(root, "_")
	if len(parts) != 4 || parts[1] != version {
		return fmt.Errorf("%q is not program, version, system and architecture", root)
	}
	system, arch := parts[2], parts[3]
	wanted := []string{"LICENSE", "README.md", "CHANGELOG.md", "man/gpugen.1", "completions/gpugen.bash", "completions/_gpugen", "completions/gpugen.fish", "completions/gpugen.ps1"}
	for _, program := range programs {
		file := path.Join(root, program+exe(system))
		wanted = append(wanted, program+exe(system))
		if err := checkProgram(files[file], system, arch); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	for _, want := range wanted {
		if len(files[path.Join(root, want)]) == 0 {
			return fmt.Errorf("has no %s", want)
		}
	}
	return nil
}

// checkProgram checks that a program is one of the system and architecture.
func checkProgram(data []byte, system, arch string) error {
	var machine, want any
	switch r := bytes.NewReader(data); system {
	case "linux":
		f, err := elf.NewFile(r)
		if err != nil {
			return err
		}
		machine, want = f.Machine, map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}[arch]
		if libraries, err := f.ImportedLibraries(); len(libraries) > 0 {
			return fmt.Errorf("is not static: %q (%v)", libraries, err)
		}
	case "darwin":
		f, err := macho.NewFile(r)
		if err != nil {
			return err
		}
		machine, want = f.Cpu, map[string]macho.Cpu{"amd64": macho.CpuAmd64, "arm64": macho.CpuArm64}[arch]
	case "windows":
		f, err := pe.NewFile(r)
		if err != nil {
			return err
		}
		machine, want = f.Machine, map[string]uint16{"amd64": pe.IMAGE_FILE_MACHINE_AMD64, "arm64": pe.IMAGE_FILE_MACHINE_ARM64}[arch]
	default:
		return fmt.Errorf("system %s is not known", system)
	}
	if machine != want {
		return fmt.Errorf("is for %v, not %s", machine, arch)
	}
	return nil
}

func readTar(data []byte) (map[string][]byte, error) {
	compressed, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	for archive := tar.NewReader(compressed); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return nil, err
		}
		if out[header.Name], err = io.ReadAll(archive); err != nil {
			return nil, err
		}
	}
}

func readZip(data []byte) (map[string][]byte, error) {
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	out := map[string][]byte{}
	for _, f := range archive.File {
		file, err := f.Open()
		if err != nil {
			return nil, err
		}
		if out[f.Name], err = io.ReadAll(file); err != nil {
			return nil, err
		}
		_ = file.Close()
	}
	return out, nil
}
