package override

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func TestLeavesAreScalarsListsAndEmptyMapsInOrder(t *testing.T) {
	var got []string
	for _, leaf := range leavesOf(map[string]any{"b": map[string]any{"d": []any{1}, "c": map[string]any{}}, "a": nil}, nil) {
		got = append(got, fmt.Sprint(strings.Join(leaf.path, "."), "=", leaf.value))
	}
	if want := []string{"a=<nil>", "b.c=map[]", "b.d=[1]"}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestAListThatMergesIsOneLeafWhateverItIs(t *testing.T) {
	values := map[string]any{"toolkit": map[string]any{"env": map[string]any{"MINE": "a"}, "enabled": true}}
	var got []string
	for _, leaf := range leavesOf(values, nil, "toolkit.env", "driver.env") {
		got = append(got, strings.Join(leaf.path, "."))
	}
	if want := []string{"toolkit.enabled", "toolkit.env"}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestWhatIsSetAndRemovedLeavesNothing(t *testing.T) {
	m := map[string]any{"x": int64(1)}
	set(m, []string{"a", "b", "c"}, true)
	set(m, []string{"a", "d"}, "y")
	if want := (map[string]any{"x": int64(1), "a": map[string]any{"b": map[string]any{"c": true}, "d": "y"}}); !reflect.DeepEqual(m, want) {
		t.Fatalf("%v, want %v", m, want)
	}
	remove(m, []string{"a", "b", "c"})
	remove(m, []string{"a", "nothing", "here"})
	remove(m, []string{"a", "d"})
	if want := (map[string]any{"x": int64(1)}); !reflect.DeepEqual(m, want) {
		t.Errorf("%v, want %v", m, want)
	}
}

func TestReleasesThatTakeAnOverride(t *testing.T) {
	all, one := override{component: "nvidia-device-plugin"}, override{component: "nvidia-device-plugin", pool: "train"}
	for _, c := range []struct {
		o           override
		of, release string
		want        bool
	}{
		{all, "nvidia-device-plugin", "nvidia-device-plugin-train", true},
		{all, "kueue", "kueue", false},
		{one, "nvidia-device-plugin", "nvidia-device-plugin-train", true},
		{one, "nvidia-device-plugin", "nvidia-device-plugin-infer", false},
		{one, "nvidia-device-plugin", "nvidia-device-plugin", true},
	} {
		if got := c.o.serves(c.of, c.release); got != c.want {
			t.Errorf("%v serves %s: %v", c.o, c.release, got)
		}
	}
}

func TestPathsOfTextsAndReasons(t *testing.T) {
	for _, c := range []struct {
		pattern   string
		path      []string
		below, ok bool
	}{
		{"/a/*/c", []string{"a", "b", "c"}, false, true},
		{"/a/*/c", []string{"a", "b", "c", "d"}, true, true},
		{"/a/*/c", []string{"a", "b"}, false, false},
		{"/a/c", []string{"a", "b"}, false, false},
	} {
		if below, ok := matchesPath(c.pattern, c.path); below != c.below || ok != c.ok {
			t.Errorf("%s, %v: below %t, matches %t", c.pattern, c.path, below, ok)
		}
	}
	data := map[string]any{"pools": map[string]any{"b": map[string]any{"x": 1}, "a": map[string]any{}}}
	if got, want := expand(data, []string{"pools", "*", "x"}, nil), [][]any{{"pools", "a", "x"}, {"pools", "b", "x"}}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestLongValuesAreShownShort(t *testing.T) {
	if got := show(strings.Repeat("é", 78)); got != `"`+strings.Repeat("é", 78)+`"` {
		t.Errorf("80 characters are shown as %s", got)
	}
	if got := show(strings.Repeat("é", 79)); got != `"`+strings.Repeat("é", 79)+"…" {
		t.Errorf("81 characters are shown as %s", got)
	}
}
