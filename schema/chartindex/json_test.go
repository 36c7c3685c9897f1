package chartindex

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

func TestJSONIsReadBackUnchanged(t *testing.T) {
	x := &Index{
		Chart:     Chart{Name: "demo", Version: "1.2.3", KubeVersion: ">= 1.16.0-0"},
		Subcharts: []Subchart{{Path: Path{"b"}, Name: "sub", Version: "1"}, {Path: Path{"a"}, Name: "sub", Version: "1", Condition: "a.on,b.on"}},
		Values: []Value{
			{Path: Path{"z"}, Type: TypeUnknown, Origin: OriginTemplate, Accepts: []Type{TypeBoolean}},
			{Path: Path{"a", "x.y/z~"}, Type: TypeArray, Origin: OriginValues, Elements: TypeString, NonEmpty: true, Ranged: true},
			{Path: Path{"a"}, Type: TypeObject, Origin: OriginValues, Open: true, Unread: true},
		},
		Objects: []Object{
			{APIVersion: "v1", Kind: "Secret", Scope: ScopeNamespaced, Namespaces: []string{"kube-system"}, NamespacesFrom: []Path{{"ns"}}},
			{APIVersion: "apps/v1", Kind: "Deployment", Scope: ScopeNamespaced},
		},
		Hooks:   []Hook{{APIVersion: "batch/v1", Kind: "Job", Name: "*-x", Events: []string{"post-delete"}, Weight: "1"}},
		CRDs:    []CRD{{Name: "as.g", Group: "g", Kind: "A", Plural: "as", Scope: ScopeCluster, Versions: []string{"v1"}, Source: FromCRDs, Bytes: 10}},
		Dynamic: []Dynamic{{Template: "demo/templates/x.yaml", Path: Path{"extra"}}, {Template: "demo/templates/a.yaml"}},
	}
	first := x.JSON()
	y, err := Parse(first)
	if err != nil {
		t.Fatal(err)
	}
	if second := y.JSON(); !bytes.Equal(first, second) {
		t.Errorf("first:\n%s\nsecond:\n%s", first, second)
	}
	if !slices.Equal(y.Values[1].Path, []string{"a", "x.y/z~"}) {
		t.Errorf("the path came back as %q", y.Values[1].Path)
	}
	if y.Chart.KubeVersion != ">= 1.16.0-0" || !strings.Contains(string(first), ">= 1.16.0-0") {
		t.Errorf("the constraint is not readable:\n%s", first)
	}
}

func TestJSONPutsEveryFactOnALineOfItsOwnSorted(t *testing.T) {
	x := smallIndex(t)
	var paths []string
	for line := range strings.Lines(string(x.JSON())) {
		if rest, ok := strings.CutPrefix(line, `{"path":"`); ok {
			paths = append(paths, rest[:strings.Index(rest, `"`)])
		}
	}
	if len(paths) != len(x.Values) || !slices.IsSorted(paths) {
		t.Errorf("got %v", paths)
	}
	if !slices.Equal(x.JSON(), smallIndex(t).JSON()) {
		t.Error("the same facts gave other bytes")
	}
}

func TestParseRefusesWhatIsNoIndex(t *testing.T) {
	header := `"chart": {"name": "a", "version": "1"}`
	for name, test := range map[string]struct{ data, want string }{
		"no JSON":            {`{`, "unexpected EOF"},
		"two values":         {`{` + header + `} {}`, "something follows"},
		"unknown field":      {`{` + header + `, "vals": []}`, "vals"},
		"no name":            {`{"chart": {"version": "1"}}`, "name or version"},
		"no pointer":         {`{` + header + `, "values": [{"path": "a.b", "type": "string", "origin": "values"}]}`, "not a JSON pointer"},
		"empty path":         {`{` + header + `, "values": [{"path": "", "type": "string", "origin": "values"}]}`, "without a path"},
		"path twice":         {`{` + header + `, "values": [{"path": "/a", "type": "string", "origin": "values"}, {"path": "/a", "type": "array", "origin": "values"}]}`, "/a occurs twice"},
		"unknown type":       {`{` + header + `, "values": [{"path": "/a", "type": "str", "origin": "values"}]}`, "unknown type"},
		"unknown element":    {`{` + header + `, "values": [{"path": "/a", "type": "array", "elements": "str", "origin": "values"}]}`, "unknown type"},
		"unknown accepted":   {`{` + header + `, "values": [{"path": "/a", "type": "unknown", "accepts": ["str"], "origin": "values"}]}`, "accepts an unknown type"},
		"unknown origin":     {`{` + header + `, "values": [{"path": "/a", "type": "string", "origin": "guess"}]}`, "unknown origin"},
		"unknown scope":      {`{` + header + `, "objects": [{"apiVersion": "v1", "kind": "A", "scope": "global"}]}`, "unknown scope"},
		"unknown CRD source": {`{` + header + `, "crds": [{"name": "a", "scope": "Cluster", "source": "web"}]}`, "source"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Parse([]byte(test.data))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error with %q", err, test.want)
			}
		})
	}
}

func TestPointersEscapeSlashesAndTildes(t *testing.T) {
	for pointer, path := range map[string][]string{
		"":                  {},
		"/a/b":              {"a", "b"},
		"/nvidia.com~1gpu":  {"nvidia.com/gpu"},
		"/a~01":             {"a~1"},
		"/":                 {""},
		"/ü/checksum~1conf": {"ü", "checksum/conf"},
	} {
		got, err := ParsePointer(pointer)
		if err != nil || !slices.Equal(got, path) {
			t.Errorf("%q: got %q, %v", pointer, got, err)
		}
		if back := Path(path).Pointer(); back != pointer {
			t.Errorf("%q: came back as %q", pointer, back)
		}
	}
}

func TestCharactersThatNobodySeesAreEscaped(t *testing.T) {
	chart := "a\u0085\ufeff\u202e\x7fé<"
	data := (&Index{Chart: Chart{Name: chart, Version: "1.0.0"}}).JSON()
	if !bytes.Contains(data, []byte(`a\u0085\ufeff\u202e\u007fé<`)) {
		t.Errorf("%q", data)
	}
	if x, err := Parse(data); err != nil || x.Chart.Name != chart {
		t.Errorf("%v, %v", x, err)
	}
}
