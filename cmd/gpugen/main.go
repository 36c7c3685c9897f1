// Command gpugen renders GPU platforms for Argo CD from a spec.
package main

import (
	"os"
	"runtime"

	"github.com/gpugen/gpugen/cmd/gpugen/internal/cli"
)

func main() {
	// Nobody reads a profile of this program's memory, and its samples are not free.
	runtime.MemProfileRate = 0
	os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
