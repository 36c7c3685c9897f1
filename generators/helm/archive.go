package helm

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/gpugen/gpugen/schema/bytesize"
)

// What a chart may take: as an archive, unpacked with the archives inside it, and as
// one file, which is Helm's own bound. The largest chart that gpugen carries has
// 400 files and 7 MiB.
const (
	maxArchive = 32 << 20
	maxChart   = 64 << 20
	maxFile    = 5 << 20
	maxFiles   = 10_000
	// maxArchives is how deep archives may lie in archives.
	maxArchives = 4
)

// inspection counts what a chart takes before Helm's loader reads it. That loader
// follows links in directories, takes links in archives for empty files, and unpacks
// archives in archives with a new budget each.
type inspection struct {
	bytes int64
	files int
}

// refuseHostile fails for what no chart needs: links and devices, files outside, and
// more than a chart may take.
func refuseHostile(file string) error {
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	var in inspection
	if info.IsDir() {
		return in.dir(file)
	}
	if !info.Mode().IsRegular() {
		return errors.New("neither a directory nor a file")
	}
	if info.Size() > maxArchive {
		return fmt.Errorf("%s, more than the %s that an archive may have", bytesize.Text(uint64(info.Size())), bytesize.Text(maxArchive))
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return in.archive(data, 1)
}

func (in *inspection) dir(dir string) error {
	root, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return err
	}
	return in.walk(root, root, "")
}

// walk counts the files below a directory of the chart; rel names it, where a link
// led there.
func (in *inspection) walk(root, dir, link string) error {
	return filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, file)
		if err != nil || d.IsDir() {
			return err
		}
		name := filepath.ToSlash(filepath.Join(link, rel))
		switch {
		case d.Type().IsRegular():
			return in.regular(file, name)
		case d.Type()&fs.ModeSymlink == 0:
			return fmt.Errorf("%q is a device; a chart has regular files only", name)
		case link != "":
			// Two of them may lead to each other.
			return fmt.Errorf("%q is a link behind a link", name)
		}
		real, err := filepath.EvalSymlinks(file)
		if err != nil {
			return fmt.Errorf("the link %q leads nowhere", name)
		}
		if rel, err := filepath.Rel(root, real); err != nil || !filepath.IsLocal(rel) || strings.HasPrefix(file, real+string(filepath.Separator)) {
			return fmt.Errorf("the link %q leads out of the chart", name)
		}
		return in.walk(root, real, name)
	})
}

func (in *inspection) regular(file, name string) error {
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	if err := in.count(name, info.Size()); err != nil || !isArchive(name) {
		return err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return in.nested(name, data, 1)
}

func (in *inspection) archive(data []byte, depth int) error {
	unzipped, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("not an archive (.tgz): %w", err)
	}
	files := tar.NewReader(unzipped)
	seen := map[string]bool{}
	for {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("a damaged archive: %w", err)
		}
		name := header.Name
		switch header.Typeflag {
		case tar.TypeXGlobalHeader:
			continue
		case tar.TypeDir, tar.TypeReg:
		default:
			return fmt.Errorf("%q is a link or a device; an archive of a chart has regular files only", name)
		}
		if strings.Contains(name, `\`) || !filepath.IsLocal(name) {
			return fmt.Errorf("%q leads out of the chart", name)
		}
		if err := in.count(name, header.Size); err != nil {
			return err
		}
		if header.Typeflag == tar.TypeDir {
			continue
		}
		if clean := path.Clean(name); seen[clean] {
			return fmt.Errorf("%q is in it twice", name)
		} else {
			seen[clean] = true
		}
		content, err := io.ReadAll(io.LimitReader(files, maxFile+1))
		if err != nil {
			return fmt.Errorf("a damaged archive: %w", err)
		}
		if isArchive(name) {
			if err := in.nested(name, content, depth); err != nil {
				return err
			}
		}
	}
}

func (in *inspection) nested(name string, data []byte, depth int) error {
	if depth == maxArchives {
		return fmt.Errorf("%q is an archive in %d others", name, maxArchives)
	}
	if err := in.archive(data, depth+1); err != nil {
		return fmt.Errorf("%q: %w", name, err)
	}
	return nil
}

// isArchive tells files that Helm unpacks.
func isArchive(name string) bool {
	return path.Ext(name) == ".tgz" && path.Base(path.Dir(name)) == "charts"
}

func (in *inspection) count(name string, size int64) error {
	in.files++
	in.bytes += max(size, 0)
	switch {
	case size > maxFile:
		return fmt.Errorf("%q has %s, more than the %s that a file may have", name, bytesize.Text(uint64(size)), bytesize.Text(maxFile))
	case in.bytes > maxChart:
		return fmt.Errorf("more than the %s that a chart may have", bytesize.Text(maxChart))
	case in.files > maxFiles:
		return fmt.Errorf("more than the %d files that a chart may have", maxFiles)
	}
	return nil
}
