package typo

import "testing"

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"driver", "driver", 0},
		{"driver", "Driver", 1},
		{"driver", "dirver", 1},
		{"dérive", "édrive", 1},
		{"driver", "river", 1},
		{"driver", "rdievr", 4},
		{"", "ab", 2},
		{"version", "versiom", 1}, {"version", "versionn", 1}, {"ab", "ba", 1},
		{"nodeSelector", "nodeselector", 1}, {"abc", "cba", 2}, {"env", "args", 4},
	} {
		if got := Distance(c.a, c.b); got != c.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
		if Distance(c.a, c.b) != Distance(c.b, c.a) {
			t.Errorf("Distance(%q, %q) depends on the order", c.a, c.b)
		}
	}
}
