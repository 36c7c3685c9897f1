package helm

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const chartFile = "apiVersion: v2\nname: demo\nversion: 1.2.3\n"

// entry is a file of an archive; typeflag 0 is a regular one.
type entry struct {
	name, content, link string
	typeflag            byte
}

func archiveOf(t *testing.T, entries ...entry) []byte {
	t.Helper()
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	files := tar.NewWriter(zipped)
	for _, e := range entries {
		header := &tar.Header{Name: e.name, Mode: 0o644, Size: int64(len(e.content)), Typeflag: e.typeflag, Linkname: e.link}
		if e.typeflag == 0 {
			header.Typeflag = tar.TypeReg
		}
		if err := files.WriteHeader(header); err != nil {
			t.Fatal(err)
		}
		if _, err := files.Write([]byte(e.content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := files.Close(); err != nil {
		t.Fatal(err)
	}
	if err := zipped.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestAnArchiveIsReadLikeADirectory(t *testing.T) {
	sub := archiveOf(t, entry{name: "sub/Chart.yaml", content: "apiVersion: v2\nname: sub\nversion: 1.0.0\n"})
	file := filepath.Join(t.TempDir(), "demo-1.2.3.tgz")
	data := archiveOf(t,
		entry{name: "demo/", typeflag: tar.TypeDir},
		entry{name: "demo/Chart.yaml", content: chartFile},
		entry{name: "demo/values.yaml", content: "a: 1\n"},
		entry{name: "demo/charts/sub-1.0.0.tgz", content: string(sub)})
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	x, err := Index(file)
	if err != nil {
		t.Fatal(err)
	}
	if x.Chart.Version != "1.2.3" || len(x.Subcharts) != 1 || len(x.Values) == 0 {
		t.Errorf("read %s", x.JSON())
	}
}

// Somebody's chart is somebody's input.
func TestAHostileArchiveIsRefused(t *testing.T) {
	good := entry{name: "demo/Chart.yaml", content: chartFile}
	nested := archiveOf(t, good)
	for range maxArchives {
		nested = archiveOf(t, good, entry{name: "demo/charts/demo-1.2.3.tgz", content: string(nested)})
	}
	big := strings.Repeat("#", maxFile)
	var many, large []entry
	for i := range maxFiles + 1 {
		many = append(many, entry{name: "demo/files/" + strings.Repeat("a", i%200) + "/" + string(rune('a'+i%26)) + strings.Repeat("b", i/200)})
	}
	for i := range maxChart/maxFile + 1 {
		large = append(large, entry{name: "demo/files/" + string(rune('a'+i)), content: big})
	}
	for name, test := range map[string]struct {
		entries []entry
		want    string
	}{
		"a symbolic link":        {[]entry{good, {name: "demo/values.yaml", typeflag: tar.TypeSymlink, link: "/etc/passwd"}}, "a link or a device"},
		"a hard link":            {[]entry{good, {name: "demo/values.yaml", typeflag: tar.TypeLink, link: "demo/Chart.yaml"}}, "a link or a device"},
		"a device":               {[]entry{good, {name: "demo/values.yaml", typeflag: tar.TypeChar}}, "a link or a device"},
		"a path that leads up":   {[]entry{good, {name: "demo/../../values.yaml"}}, "leads out of the chart"},
		"an absolute path":       {[]entry{good, {name: "/demo/values.yaml"}}, "leads out of the chart"},
		"a path of Windows":      {[]entry{good, {name: `demo\..\values.yaml`}}, "leads out of the chart"},
		"a file that is twice":   {[]entry{good, good}, "is in it twice"},
		"a large file":           {[]entry{good, {name: "demo/values.yaml", content: big + "#"}}, "more than the 5 MiB that a file may have"},
		"a large chart":          {append(large, good), "more than the 64 MiB that a chart may have"},
		"many files":             {append(many, good), "files that a chart may have"},
		"archives without end":   {[]entry{good, {name: "demo/charts/demo-1.2.3.tgz", content: string(nested)}}, "is an archive in"},
		"a link in an archive":   {[]entry{good, {name: "demo/charts/a.tgz", content: string(archiveOf(t, entry{name: "a/b", typeflag: tar.TypeSymlink, link: "c"}))}}, "a link or a device"},
		"an archive that is not": {[]entry{good, {name: "demo/charts/a.tgz", content: "no"}}, "not an archive"},
	} {
		t.Run(name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "demo.tgz")
			if err := os.WriteFile(file, archiveOf(t, test.entries...), 0o600); err != nil {
				t.Fatal(err)
			}
			x, err := Index(file)
			if err == nil {
				t.Fatalf("read %s", x.JSON())
			}
			if !strings.Contains(err.Error(), test.want) {
				t.Errorf("%q lacks %q", err, test.want)
			}
		})
	}
}

func TestALargeArchiveIsNotEvenRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "demo.tgz")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(file, maxArchive+1); err != nil {
		t.Fatal(err)
	}
	if _, err := Index(file); err == nil || !strings.Contains(err.Error(), "that an archive may have") {
		t.Errorf("got %v", err)
	}
}

// Volcano's chart has links inside it; others lead to other people's files, or nowhere.
func TestLinksOfADirectoryStayInside(t *testing.T) {
	for name, test := range map[string]struct {
		link, to string
		want     string
	}{
		"inside":                {"crd", "files", ""},
		"out of the chart":      {"values.yaml", "/etc/hostname", "leads out of the chart"},
		"up":                    {"up", "..", "leads out of the chart"},
		"to where it is":        {"files/again", "../files", "leads out of the chart"},
		"to nowhere":            {"values.yaml", "gone", "leads nowhere"},
		"to a directory of one": {"crd", "linked", "a link behind a link"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := writeChart(t, map[string]string{"Chart.yaml": chartFile, "files/a": "a", "linked/b": "b"})
			if err := os.Symlink("../files", filepath.Join(dir, "linked", "c")); err != nil {
				t.Skip("no links here")
			}
			if err := os.Symlink(test.to, filepath.Join(dir, test.link)); err != nil {
				t.Fatal(err)
			}
			_, err := Index(dir)
			switch {
			case test.want == "" && err != nil:
				t.Error(err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}
