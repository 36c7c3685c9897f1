package chartindex

import (
	"slices"
	"strings"
	"testing"
)

// small is an index with closed and open maps, written by hand.
const small = `{
"chart": {"name": "demo", "version": "1.2.3"},
"subcharts": [],
"values": [
{"path": "/driver", "type": "object", "origin": "values"},
{"path": "/driver/version", "type": "string", "origin": "values"},
{"path": "/driver/enabled", "type": "boolean", "origin": "values"},
{"path": "/driver/rdma", "type": "object", "origin": "values"},
{"path": "/driver/rdma/enabled", "type": "boolean", "origin": "values"},
{"path": "/driver/rdma/useHostMofed", "type": "boolean", "origin": "values"},
{"path": "/driver/nodeSelector", "type": "object", "origin": "values", "open": true},
{"path": "/daemonsets", "type": "object", "origin": "values"},
{"path": "/daemonsets/tolerations", "type": "array", "origin": "values", "elements": "object", "nonEmpty": true},
{"path": "/resources", "type": "object", "origin": "values", "open": true},
{"path": "/resources/limits", "type": "object", "origin": "values", "open": true},
{"path": "/resources/limits/memory", "type": "string", "origin": "values"},
{"path": "/config", "type": "unknown", "origin": "template", "open": true},
{"path": "/gfd", "type": "object", "origin": "values"},
{"path": "/gfd/enabled", "type": "boolean", "origin": "values"},
{"path": "/gds", "type": "object", "origin": "values"},
{"path": "/gds/version", "type": "string", "origin": "values"},
{"path": "/zone/memory", "type": "string", "origin": "values"},
{"path": "/sub/deep/only.child", "type": "string", "origin": "subchart"}
],
"objects": [], "hooks": [], "crds": [], "dynamic": []
}`

func smallIndex(t *testing.T) *Index {
	t.Helper()
	x, err := Parse([]byte(small))
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func TestLookup(t *testing.T) {
	x := smallIndex(t)
	for _, test := range []struct {
		path    string
		kind    MatchKind
		value   string
		at      int
		nearest string
	}{
		{"driver/version", Known, "driver/version", 2, ""},
		{"driver", Known, "driver", 1, ""},
		{"sub/deep", Known, "sub/deep", 2, ""},
		{"sub/deep/only.child", Known, "sub/deep/only.child", 3, ""},

		{"driver/nodeSelector/example.com", Open, "driver/nodeSelector", 2, ""},
		{"config/a/b/c", Open, "config", 1, ""},
		{"daemonsets/tolerations/0/key", Open, "daemonsets/tolerations", 2, ""},
		{"resources/requests/cpu", Open, "resources", 1, ""},

		{"resources/limit/memory", Suspicious, "resources", 1, "resources/limits/memory"},
		{"resources/limits/memroy", Suspicious, "resources/limits", 2, "resources/limits/memory"},
		{"resources/Limits", Suspicious, "resources", 1, "resources/limits"},

		{"driver/verson", NotKnown, "driver", 1, "driver/version"},
		{"drivr/verson", NotKnown, "", 0, "driver/version"},
		{"driver/rmda/usehostmofed", NotKnown, "driver", 1, "driver/rdma/useHostMofed"},
		{"driver/rdmaa/enabled/x", NotKnown, "driver", 1, "driver/rdma/enabled"},
		{"DRIVER", NotKnown, "", 0, "driver"},
		// Two siblings are as near; the rest of the path decides.
		{"gdd/version", NotKnown, "", 0, "gds/version"},
		{"gdd/enabled", NotKnown, "", 0, "gfd/enabled"},
		// No sibling is near: the same name elsewhere, if there is only one.
		{"useHostMofed", NotKnown, "", 0, "driver/rdma/useHostMofed"},
		{"operator/tolerations", NotKnown, "", 0, "daemonsets/tolerations"},
		{"network/rdma/enabled", NotKnown, "", 0, "driver/rdma/enabled"},
		{"nothing/memory", NotKnown, "", 0, "zone/memory"}, // the shallower one
		{"something/enabled", NotKnown, "", 0, ""},
		{"nothing/like/it", NotKnown, "", 0, ""},
		// Below a scalar nothing is known.
		{"driver/version/major", NotKnown, "driver/version", 2, ""},
	} {
		match := x.Lookup(strings.Split(test.path, "/"))
		value := ""
		if match.Value != nil {
			value = strings.Join(match.Value.Path, "/")
		}
		nearest := strings.Join(match.Nearest, "/")
		if match.Kind != test.kind || value != test.value || match.At != test.at || nearest != test.nearest {
			t.Errorf("%s: got %s of %q at %d, nearest %q; want %s of %q at %d, nearest %q",
				test.path, match.Kind, value, match.At, nearest, test.kind, test.value, test.at, test.nearest)
		}
	}
}

func TestLookupOfNothingIsTheChartItself(t *testing.T) {
	if match := smallIndex(t).Lookup(nil); match.Kind != Known || match.Value != nil {
		t.Errorf("got %+v", match)
	}
}

func TestPathsAndLeavesComeSorted(t *testing.T) {
	x := smallIndex(t)
	var paths, leaves []string
	for path, v := range x.Paths() {
		paths = append(paths, path.Pointer())
		if v.Path.Pointer() != path.Pointer() {
			t.Errorf("%s comes with the value of %s", path.Pointer(), v.Path.Pointer())
		}
	}
	for path := range x.Leaves() {
		leaves = append(leaves, path.Pointer())
	}
	// The 19 that are written, and those above zone/memory and only.child.
	if len(paths) != 22 || !slices.IsSorted(paths) {
		t.Errorf("%d paths: %v", len(paths), paths)
	}
	if len(leaves) != 12 || slices.Contains(leaves, "/driver") || !slices.Contains(leaves, "/config") {
		t.Errorf("%d leaves: %v", len(leaves), leaves)
	}
	for range x.Paths() {
		break // an iterator must bear this
	}
}
