package bytesize

import (
	"strings"
	"testing"
)

func TestWhatIsWrittenIsReadBack(t *testing.T) {
	for bytes, want := range map[uint64]string{
		1: "1 bytes", 1023: "1023 bytes", 1024: "1 KiB", 1025: "1025 bytes", 300 << 10: "300 KiB", 512 << 20: "512 MiB", 3 << 30: "3 GiB",
	} {
		if got := Text(bytes); got != want {
			t.Errorf("%d is written %q, want %q", bytes, got, want)
		}
		text := strings.TrimSuffix(strings.ReplaceAll(want, " ", ""), "bytes")
		if got, err := Parse(text); err != nil || got != bytes {
			t.Errorf("%q is read as %d, %v, want %d", text, got, err, bytes)
		}
	}
	for _, text := range []string{"", "0", "-1", "MiB", "1.5GiB", "1 GiB", "1x", "99999999999GiB"} {
		if got, err := Parse(text); err == nil {
			t.Errorf("%q is read as %d", text, got)
		}
	}
}
