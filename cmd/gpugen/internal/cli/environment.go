package cli

import (
	"os"
	"strings"
)

// forgetCUE removes what is set for the program cue: its library would read it
// here as well, and some of it changes what is rendered (CUE_DEBUG=sortfields).
func forgetCUE() {
	for _, variable := range os.Environ() {
		if name, _, _ := strings.Cut(variable, "="); strings.HasPrefix(name, "CUE_") {
			_ = os.Unsetenv(name)
		}
	}
}
