package chartindex

import (
	"encoding/json"
	"errors"
	"math/big"
	"strings"
	"testing"
)

func TestCheckIsExactExceptForNullAndWholeNumbers(t *testing.T) {
	for _, test := range []struct {
		value Value
		good  []any
		bad   []any
	}{
		{Value{Type: TypeBoolean}, []any{true, false, nil}, []any{"true", 1.0, []any{}, map[string]any{}}},
		{Value{Type: TypeString}, []any{"", "1", nil}, []any{1.0, true, json.Number("1")}},
		{Value{Type: TypeInteger}, []any{1.0, 1, int64(1), json.Number("12"), json.Number("1e3"), big.NewInt(9), nil}, []any{1.5, "1", json.Number("1.5"), true}},
		{Value{Type: TypeNumber}, []any{1.5, 1.0, 3, json.Number("1.5"), big.NewFloat(0.5), nil}, []any{"1.5", false}},
		{Value{Type: TypeArray}, []any{[]any{}, []string{"a"}, nil}, []any{map[string]any{}, "a"}},
		{Value{Type: TypeArray, Elements: TypeString}, []any{[]any{}, []any{"a", nil}, []string{"a"}}, []any{[]any{"a", 1.0}, []any{map[string]any{}}}},
		{Value{Type: TypeArray, Elements: TypeNumber}, []any{[]any{1.0, 1.5}}, []any{[]any{"1"}}},
		{Value{Type: TypeObject}, []any{map[string]any{"a": 1.0}, nil}, []any{[]any{}, "a: 1", 1.0}},
		{Value{Type: TypeUnknown}, []any{true, "a", 1.0, []any{}, map[string]any{}, nil}, nil},
		{Value{Type: TypeUnknown, Accepts: []Type{TypeBoolean}}, []any{true, nil}, []any{"true", 1.0}},
		{Value{Type: TypeUnknown, Accepts: []Type{TypeNumber, TypeString}}, []any{"a", 1.0, 1.5, nil}, []any{true, []any{}}},
	} {
		for _, x := range test.good {
			if err := test.value.Check(x); err != nil {
				t.Errorf("%v (%T): %v", x, x, err)
			}
		}
		for _, x := range test.bad {
			var wrong *TypeError
			if err := test.value.Check(x); !errors.As(err, &wrong) {
				t.Errorf("%v (%T) passed for %+v", x, x, test.value)
			}
		}
	}
}

func TestCheckSaysWhatItWanted(t *testing.T) {
	v := Value{Path: Path{"driver", "args"}, Type: TypeArray, Elements: TypeString}
	err := v.Check([]any{"a", true})
	if err == nil || err.Error() != "driver.args[1]: want string, got boolean" {
		t.Errorf("got %v", err)
	}
	v = Value{Path: Path{"a"}, Type: TypeUnknown, Accepts: []Type{TypeBoolean, TypeString}}
	if err := v.Check(1.0); err == nil || !strings.Contains(err.Error(), "a: want boolean or string, got integer") {
		t.Errorf("got %v", err)
	}
}
