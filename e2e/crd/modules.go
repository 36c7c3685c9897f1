package crd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
)

// moduleFiles lists the files of Go modules that match a pattern, where Go keeps modules.
// Versions are those of the go.mod in the folder, or stand behind an @.
func moduleFiles(folder, pattern string, modules ...string) ([]string, error) {
	command := exec.Command("go", append([]string{"mod", "download", "-json"}, modules...)...)
	command.Dir = folder
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("go mod download: %w: %s", err, stderr.String())
	}
	var files []string
	for decoder := json.NewDecoder(bytes.NewReader(out)); decoder.More(); {
		var module struct{ Path, Dir string }
		if err := decoder.Decode(&module); err != nil {
			return nil, err
		}
		found, err := filepath.Glob(filepath.Join(module.Dir, pattern))
		if err != nil || len(found) == 0 {
			return nil, fmt.Errorf("%s has no CRDs (%v)", module.Path, err)
		}
		files = append(files, found...)
	}
	return files, nil
}
