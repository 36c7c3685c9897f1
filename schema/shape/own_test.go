package shape

import (
	"regexp"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/schema/knowledge"
)

var componentName = regexp.MustCompile(`(?m)^\s*of:\s+"([a-z-]+)"$`)

// A component of the user's with the name of one of gpugen's would be merged with it.
func TestNoComponentOfGpugensIsTakenForTheUsers(t *testing.T) {
	components := schemaForTest(t).top.child("components")
	names := []string{"nvidia-device-plugin-p"}
	for _, f := range knowledge.Sources() {
		if strings.HasPrefix(f.Path, "templates/") {
			for _, match := range componentName.FindAllStringSubmatch(string(f.Data), -1) {
				names = append(names, match[1])
			}
		}
	}
	for name := range components.set().byName {
		names = append(names, name)
	}
	own := components.child("my-thing")
	if own == nil || own != components.set().pattern || len(names) < 20 {
		t.Fatalf("the names are %v", names)
	}
	for _, name := range names {
		if components.child(name) == own {
			t.Errorf("%s is taken for a component of the user's", name)
		}
	}
}
