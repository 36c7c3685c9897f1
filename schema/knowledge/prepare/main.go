// Command prepare writes the prepared form of the knowledge base to where the next
// build embeds it. It must not be needed: without that file gpugen parses the CUE.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/gpugen/gpugen/schema/knowledge"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "prepare:", err)
		os.Exit(1)
	}
}

// run writes the file in the repository that it is started in.
func run() error {
	data, err := knowledge.Prepare()
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.FromSlash("schema/knowledge/"+knowledge.PreparedFile), data, 0o644)
}
