package cli

import (
	"os"
	"slices"
	"strings"
)

// startWithoutCUE starts this program anew if variables are set for the program
// cue. Its library reads them before anything of ours runs, and some change what
// is rendered (CUE_DEBUG=sortfields). It returns only where there are none, or
// with an error.
func startWithoutCUE() error {
	kept := slices.DeleteFunc(os.Environ(), func(variable string) bool { return strings.HasPrefix(variable, "CUE_") })
	if len(kept) == len(os.Environ()) {
		return nil
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	return replaceProcess(self, os.Args, kept)
}
