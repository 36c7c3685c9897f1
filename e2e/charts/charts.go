// Package charts judges a rendered tree together with what the real charts make
// of its values: Helm renders each chart that an Application names, and the
// objects of all Applications are then looked at as one cluster. It owns the
// rendering of charts for tests and must not fetch anything: the charts are
// unpacked folders that somebody brought. It renders with Helm 3; Argo CD 3.5
// itself bundles Helm 4.2.1 (hack/tool-versions.sh at v3.5.1).
package charts

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"helm.sh/helm/v3/pkg/chartutil"
)

// Charts are unpacked charts on disk, whatever their folders are called.
type Charts struct {
	dirs map[nameVersion]string
}

type nameVersion struct{ name, version string }

// Find reads the Chart.yaml of every folder directly in dir. Folders without one
// are passed over; two folders with the same chart at the same version are an
// error.
func Find(dir string) (Charts, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return Charts{}, err
	}
	charts := Charts{dirs: map[nameVersion]string{}}
	for _, entry := range entries {
		folder := filepath.Join(dir, entry.Name())
		file := filepath.Join(folder, chartutil.ChartfileName)
		if _, err := os.Stat(file); err != nil {
			continue
		}
		metadata, err := chartutil.LoadChartfile(file)
		if err != nil {
			return Charts{}, fmt.Errorf("%s: %w", file, err)
		}
		id := newNameVersion(metadata.Name, metadata.Version)
		if first, ok := charts.dirs[id]; ok {
			return Charts{}, fmt.Errorf("%s and %s are the same chart", first, folder)
		}
		charts.dirs[id] = folder
	}
	return charts, nil
}

// Dir returns the folder of a chart; the version is taken with or without its
// leading v.
func (c Charts) Dir(name, version string) (string, bool) {
	dir, ok := c.dirs[newNameVersion(name, version)]
	return dir, ok
}

func newNameVersion(name, version string) nameVersion {
	return nameVersion{name, strings.TrimPrefix(version, "v")}
}
