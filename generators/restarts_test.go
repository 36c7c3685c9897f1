package generators_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A ConfigMap with a hash in its name restarts whoever reads it when it changes: the
// README of its tree says so, and speaks of no other.
func TestREADMESaysWhatAChangedConfigurationRestarts(t *testing.T) {
	pages, err := filepath.Glob("../golden/*/README.md")
	if err != nil || len(pages) == 0 {
		t.Fatal("no golden trees", err)
	}
	hashed := regexp.MustCompile(`^configmap-(.+)-[0-9a-f]{8}\.yaml$`)
	listed := regexp.MustCompile("(?m)^\\| `([^`]+)-…` \\|")
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		rows := map[string]bool{}
		for _, m := range listed.FindAllStringSubmatch(string(text), -1) {
			rows[m[1]] = true
		}
		files, err := filepath.Glob(filepath.Join(filepath.Dir(page), "*", "configmap-*.yaml"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			m := hashed.FindStringSubmatch(filepath.Base(file))
			if m == nil || strings.Contains(file, "smoke-tests") {
				// CronJobs read theirs when they are run.
				continue
			}
			if !rows[m[1]] {
				t.Errorf("%s does not tell of %s", page, m[1])
			}
			delete(rows, m[1])
		}
		for row := range rows {
			t.Errorf("%s tells of %s, of which there is no ConfigMap", page, row)
		}
	}
}
