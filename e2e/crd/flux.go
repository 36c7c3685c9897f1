package crd

import "path/filepath"

// fluxModules hold Flux's CRDs beside the code of its controllers.
var fluxModules = []string{"github.com/fluxcd/helm-controller", "github.com/fluxcd/kustomize-controller", "github.com/fluxcd/source-controller"}

// FluxDefinitionFiles lists Flux's CRD files, of the versions of its controllers in
// the go.mod of a folder, which is e2e/flux/tools. They stay where Go keeps modules.
func FluxDefinitionFiles(folder string) ([]string, error) {
	return moduleFiles(folder, filepath.Join("config", "crd", "bases", "*.yaml"), fluxModules...)
}
