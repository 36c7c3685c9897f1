package generators

import (
	"io/fs"
	"slices"
	"strings"

	"github.com/gpugen/gpugen/generators/argocd"
	"github.com/gpugen/gpugen/generators/kustomize"
	"github.com/gpugen/gpugen/generators/plan"
	"github.com/gpugen/gpugen/generators/rendered"
	"github.com/gpugen/gpugen/generators/tree"
	"github.com/gpugen/gpugen/schema"
	"github.com/gpugen/gpugen/schema/chartindex"
	"github.com/gpugen/gpugen/schema/diag"
)

// JudgeDir says what is wrong with a directory of manifests, whoever rendered it.
// Positions are of its files.
//
// An error means that it cannot be read.
func JudgeDir(dir fs.FS, options rendered.Options) (diag.List, error) {
	known, err := knownToArgoCD()
	if err != nil {
		return nil, err
	}
	return rendered.Check(dir, known, options)
}

func knownToArgoCD() (*rendered.Knowledge, error) {
	return rendered.Known(func(_, chart, version string) *chartindex.Index {
		// A mirror has the chart of another's name and version.
		index, err := schema.ChartIndex(chart, version)
		if err != nil {
			return nil
		}
		return index
	})
}

// judgedBefore are the kinds of findings about files of which the rules, or verify, say
// the same at the spec, or which ask for what no tree says: whether a project, a CRD or a
// namespace is there.
var judgedBefore = []string{"TREE-102", "TREE-113", "TREE-114", "TREE-116", "TREE-118", "TREE-123", "TREE-126", "TREE-138"}

// judgeBrought looks at the tree as Argo CD or Flux will, where the spec brings objects, patches
// or additions of its own. That a tree without them passes is held by tests, and costs
// nobody's render.
func judgeBrought(p *plan.Plan, t *tree.Tree, cluster *schema.Cluster) diag.List {
	if !slices.ContainsFunc(p.Components, brings) {
		return nil
	}
	known, err := knownToArgoCD()
	if err != nil {
		return diag.List{schema.Defect("%v", err)}
	}
	texts := map[string][]byte{}
	for _, f := range t.Files() {
		texts[f.Path] = f.Data
	}
	options := rendered.Options{Path: p.GitOps.Path, RepoURL: p.GitOps.RepoURL, Projects: []string{p.GitOps.ArgoCD.Project.Name, p.GitOps.ArgoCD.RootProject}}
	names := map[string]map[string]string{}
	for _, c := range p.Components {
		names[c.Name] = kustomize.FileNames(c.Objects)
	}
	var findings diag.List
	for _, f := range rendered.CheckFiles(texts, known, options) {
		if slices.Contains(judgedBefore, f.ID) {
			continue
		}
		path := pathOf(p, names, f.Position.File)
		f.Message = f.Position.File + ": " + f.Message
		f.Position, f.Path = cluster.Spec.Locate(path), schema.PathString(path)
		// The other sides are in files that are not there yet.
		f.Also = nil
		findings.Add(f)
	}
	return findings
}

// brings tells whether a component has something that gpugen did not write.
func brings(c plan.Component) bool {
	if c.Own || len(c.Patches) > 0 || len(c.ArgoCD.Annotations) > 0 {
		return true
	}
	for key := range c.Objects {
		if _, ok := plan.UserObject(key); ok {
			return true
		}
	}
	return false
}

// pathOf is the field of the spec that a file of the tree follows from. names are the
// files of each component's objects.
func pathOf(p *plan.Plan, names map[string]map[string]string, file string) []any {
	dir, name, _ := strings.Cut(file, "/")
	for _, c := range p.Components {
		switch {
		case dir == argocd.Dir && name == c.Name+".yaml":
			return []any{"components", c.Of, "argocd"}
		case dir != c.Name:
			continue
		}
		for key := range c.Objects {
			if own, ok := plan.UserObject(key); ok && names[c.Name][key] == name {
				return []any{"components", c.Of, "objects", own}
			}
		}
		return []any{"components", c.Of}
	}
	return []any{"gitops"}
}
