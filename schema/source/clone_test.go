package source

import (
	"reflect"
	"testing"
)

func TestACopyIsEqualAndItsOwn(t *testing.T) {
	original := func() map[string]any {
		return map[string]any{"a": map[string]any{"b": []any{map[string]any{"c": int64(1)}, nil}}, "d": "x"}
	}
	from := original()
	to := Clone(from)
	if !reflect.DeepEqual(to, from) {
		t.Errorf("%v is no copy of %v", to, from)
	}
	list := to["a"].(map[string]any)["b"].([]any)
	list[0].(map[string]any)["c"] = int64(2)
	list[1] = "y"
	to["a"].(map[string]any)["e"] = true
	delete(to, "d")
	if !reflect.DeepEqual(from, original()) {
		t.Errorf("the original became %v", from)
	}
}
