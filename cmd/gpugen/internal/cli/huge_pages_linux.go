package cli

import (
	"os"
	"strings"
	"syscall"
	"unsafe"
)

// hugePagesOnAdvice tells whether the system gives huge pages to those who ask, and to
// nobody else: https://docs.kernel.org/admin-guide/mm/transhuge.html
func hugePagesOnAdvice() bool {
	setting, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled")
	return err == nil && strings.Contains(string(setting), "[madvise]")
}

// adviseHugePages asks for them; without any, memory is as usual. Go's heap grows by
// arenas of 64 MiB that begin at a multiple of that (runtime/malloc.go), so what lies
// between the beginning of the first one and the block is the heap's as well, and is
// filled before it.
func adviseHugePages(block []byte) {
	const arena = 64 << 20
	before := uintptr(unsafe.Pointer(unsafe.SliceData(block))) % arena
	start := unsafe.Add(unsafe.Pointer(unsafe.SliceData(block)), -int(before))
	_ = syscall.Madvise(unsafe.Slice((*byte)(start), len(block)+int(before)), syscall.MADV_HUGEPAGE)
}
