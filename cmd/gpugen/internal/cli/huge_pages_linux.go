package cli

import (
	"os"
	"strings"
	"syscall"
)

// hugePagesOnAdvice tells whether the system gives huge pages to those who ask, and to
// nobody else: https://docs.kernel.org/admin-guide/mm/transhuge.html
func hugePagesOnAdvice() bool {
	setting, err := os.ReadFile("/sys/kernel/mm/transparent_hugepage/enabled")
	return err == nil && strings.Contains(string(setting), "[madvise]")
}

// adviseHugePages asks for them; without any, memory is as usual.
func adviseHugePages(block []byte) { _ = syscall.Madvise(block, syscall.MADV_HUGEPAGE) }
