// Command gpugen renders GPU platforms for Argo CD from a spec.
package main

import (
	"os"

	"github.com/gpugen/gpugen/cmd/gpugen/internal/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
