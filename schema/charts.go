package schema

import (
	"fmt"
	"io/fs"

	"github.com/gpugen/gpugen/schema/chartindex"
)

// ChartIndex reads the index of a chart version that gpugen carries.
//
// An error means that there is none, or that the embedded file is damaged.
func ChartIndex(name, version string) (*chartindex.Index, error) {
	data, err := fs.ReadFile(files, "facts/charts/"+name+"-"+version+".json")
	if err != nil {
		return nil, fmt.Errorf("no index of chart %s %s", name, version)
	}
	return chartindex.Parse(data)
}
