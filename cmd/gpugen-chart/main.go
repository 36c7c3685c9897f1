// Command gpugen-chart works with Helm charts on disk; `gpugen chart` runs it.
package main

import (
	"os"

	"github.com/gpugen/gpugen/cmd/internal/chartcli"
)

func main() { os.Exit(chartcli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
