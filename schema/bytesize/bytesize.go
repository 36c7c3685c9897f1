// Package bytesize owns how amounts of bytes are written and read. It must not know
// what they are amounts of.
package bytesize

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

var units = []struct {
	name string
	size uint64
}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}}

// Text is an amount in the largest unit that it is a multiple of, such as "512 MiB".
func Text(bytes uint64) string {
	for _, unit := range units {
		if bytes >= unit.size && bytes%unit.size == 0 {
			return fmt.Sprintf("%d %s", bytes/unit.size, unit.name)
		}
	}
	return fmt.Sprintf("%d bytes", bytes)
}

// Parse reads an amount above 0, such as "512MiB" or, in bytes, "300".
func Parse(text string) (uint64, error) {
	number, size := text, uint64(1)
	for _, unit := range units {
		if before, found := strings.CutSuffix(text, unit.name); found {
			number, size = before, unit.size
		}
	}
	n, err := strconv.ParseUint(number, 10, 31)
	if err != nil || n == 0 {
		return 0, errors.New("want a number with KiB, MiB or GiB, such as 512MiB")
	}
	return n * size, nil
}
