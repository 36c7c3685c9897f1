package sample

import (
	"fmt"
	"testing"
)

func TestOneInSoManyIsDrawnAndAllInALongRun(t *testing.T) {
	t.Setenv(Variable, "")
	count := func() (drawn int) {
		for i := range 1000 {
			if Draws(fmt.Sprintf("TEST-%03d", i), 10) {
				drawn++
			}
		}
		return drawn
	}
	if drawn := count(); drawn < 70 || drawn > 130 {
		t.Errorf("%d of 1000 are drawn, want about 100", drawn)
	}
	t.Setenv(SeedVariable, "another")
	if drawn := count(); drawn < 70 || drawn > 130 {
		t.Errorf("with another seed, %d of 1000 are drawn", drawn)
	}
	if Times(5, 2) != 2 || Random(60, 2) != 2 {
		t.Error("a short run is long")
	}
	t.Setenv(Variable, "3")
	if drawn := count(); drawn < 270 || drawn > 400 || Times(5, 2) != 5 {
		t.Errorf("of a third, %d of 1000 are drawn", drawn)
	}
	if Random(60, 2) != 20 || Random(5, 2) != 2 {
		t.Error("a third of random cases is none")
	}
	t.Setenv(Variable, "20")
	if drawn := count(); drawn < 70 || drawn > 130 {
		t.Errorf("a long run draws less than a short one: %d of 1000", drawn)
	}
	if All() {
		t.Error("a part is all")
	}
	t.Setenv(Variable, "1")
	if !All() {
		t.Error("all are a part")
	}
	if drawn := count(); drawn != 1000 {
		t.Errorf("in a long run, %d of 1000 are drawn", drawn)
	}
	if Times(5, 2) != 5 || Random(60, 2) != 60 {
		t.Error("a long run is short")
	}
}
