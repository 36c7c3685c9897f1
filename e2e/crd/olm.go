package crd

import "path/filepath"

// olmModule holds the CRDs of OpenShift's Operator Lifecycle Manager.
const olmModule = "github.com/operator-framework/api@v0.31.0"

// OLMDefinitionFiles lists the CRD files of the Operator Lifecycle Manager. They stay
// where Go keeps modules.
func OLMDefinitionFiles() ([]string, error) {
	return moduleFiles("", filepath.Join("crds", "*.yaml"), olmModule)
}
