package plan

// Labels of gpugen's own on what delivers a tree: which cluster, and which component it is of.
const (
	LabelCluster   = "gpugen.github.io/cluster"
	LabelComponent = "gpugen.github.io/component"
)
