package facts_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/schema/upstreamtest"
)

// notInValues are counters that the chart's values.yaml does not list, while the
// exporter's own files of the same tag do.
var notInValues = []string{"DCGM_FI_DEV_FB_RESERVED", "DCGM_FI_DRIVER_VERSION", "DCGM_EXP_CLOCK_EVENTS_COUNT", "DCGM_EXP_XID_ERRORS_COUNT"}

type dcgmCounter struct {
	Type string `json:"type"`
	Help string `json:"help"`
}

func TestCountersAreThoseOfTheExporter(t *testing.T) {
	data, err := os.ReadFile(upstreamtest.Dir(t, "dcgm-exporter", "4.8.2", "values.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	types := map[string]string{}
	for _, row := range regexp.MustCompile(`(?m)^ *# (DCGM_[A-Z0-9_]+) *, *([a-z]+),`).FindAllStringSubmatch(string(data), -1) {
		types[row[1]] = row[2]
	}
	_, v := loadFacts(t)
	for name, counter := range decode[map[string]dcgmCounter](t, v, "dcgmCounters") {
		if slices.Contains(notInValues, name) {
			if types[name] != "" {
				t.Errorf("%s is in values.yaml by now", name)
			}
			continue
		}
		if types[name] != counter.Type {
			t.Errorf("%s is a %s, upstream %q", name, counter.Type, types[name])
		}
	}
}

func TestSetsOfCountersHoldCountersOnce(t *testing.T) {
	_, v := loadFacts(t)
	counters := decode[map[string]dcgmCounter](t, v, "dcgmCounters")
	for set, m := range decode[map[string]struct {
		Counters []string `json:"counters"`
		Source   string   `json:"source"`
	}](t, v, "dcgmMetrics") {
		seen := map[string]bool{}
		for _, name := range m.Counters {
			if _, ok := counters[name]; !ok || seen[name] {
				t.Errorf("set %s: %s is unknown, or there twice", set, name)
			}
			seen[name] = true
		}
		if !strings.HasPrefix(m.Source, "https://") {
			t.Errorf("set %s: source %q", set, m.Source)
		}
	}
}
