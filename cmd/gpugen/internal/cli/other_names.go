package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gpugen/gpugen/schema"
)

// calls says of a command line what other tools call it. More than one command line may
// be one command's, with different flags.
func calls(cmd *cobra.Command, line string, names ...string) {
	if cmd.Annotations == nil {
		cmd.Annotations = map[string]string{}
	}
	for _, name := range names {
		cmd.Annotations[name] = line
	}
}

// unknownCommand is the error about a command that there is not, with the command line
// that does it, or the commands whose names are near; nil if there is one.
func unknownCommand(root *cobra.Command, args []string) error {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd(args...)
	_, rest, err := root.Find(args)
	if err == nil || strings.HasPrefix(args[0], "__") { // what shells ask for completion
		return nil
	}
	at := slices.IndexFunc(rest, func(arg string) bool { return !strings.HasPrefix(arg, "-") })
	if at < 0 {
		return err
	}
	name := rest[at]
	var names []string
	for _, cmd := range root.Commands() {
		if !cmd.Hidden {
			names = append(names, cmd.Name())
		}
		if line, ok := cmd.Annotations[strings.ToLower(name)]; ok {
			return &usageError{fmt.Sprintf("there is no command %q; what does it is `%s`", name, line)}
		}
	}
	if near := schema.Nearest(name, names); len(near) > 0 {
		return &usageError{fmt.Sprintf("there is no command %q; did you mean %s?", name, strings.Join(near, " or "))}
	}
	return &usageError{fmt.Sprintf("there is no command %q; there are %s", name, strings.Join(names, ", "))}
}
