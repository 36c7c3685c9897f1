// Package mutant lets a compiled test run with a changed file of the knowledge, so
// that `make mutate` need not compile it for each change. Nothing but tests may
// import it.
package mutant

import (
	"os"
	"slices"
	"strings"

	"github.com/gpugen/gpugen/schema/knowledge"
)

// Variable holds PATH=FILE: PATH of the knowledge, such as templates/kueue.cue, is
// what is in FILE.
const Variable = "GPUGEN_MUTANT"

// Apply changes the knowledge for the rest of the process, if the environment says
// so. It is called before anything reads the knowledge.
func Apply() {
	path, file, ok := strings.Cut(os.Getenv(Variable), "=")
	if !ok {
		return
	}
	data, err := os.ReadFile(file)
	if err != nil {
		panic(err)
	}
	sources := slices.Clone(knowledge.Sources())
	at := slices.IndexFunc(sources, func(s knowledge.Source) bool { return s.Path == path })
	if at < 0 {
		panic(path + " is no file of the knowledge")
	}
	sources[at].Data = data
	knowledge.Sources = func() []knowledge.Source { return sources }
}
