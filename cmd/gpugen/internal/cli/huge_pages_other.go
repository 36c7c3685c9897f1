//go:build !linux

package cli

func hugePagesOnAdvice() bool { return false }

func adviseHugePages([]byte) {}
