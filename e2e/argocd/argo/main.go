// Command argo is those of Argo CD's own commands that the harness runs,
// unchanged, chosen by the name that the program is called by. Argo CD's own main
// has all the others too, and a third more packages to build. It is a module of
// its own: Argo CD is built of just the versions that it was released with.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	controller "github.com/argoproj/argo-cd/v3/cmd/argocd-application-controller/commands"
	applicationset "github.com/argoproj/argo-cd/v3/cmd/argocd-applicationset-controller/commands"
	plugin "github.com/argoproj/argo-cd/v3/cmd/argocd-cmp-server/commands"
	reposerver "github.com/argoproj/argo-cd/v3/cmd/argocd-repo-server/commands"
	"github.com/argoproj/argo-cd/v3/util/log"
	"github.com/spf13/cobra"
	"k8s.io/klog/v2"
)

var commands = map[string]func() *cobra.Command{
	"argocd-application-controller":    controller.NewCommand,
	"argocd-applicationset-controller": applicationset.NewCommand,
	"argocd-cmp-server":                plugin.NewCommand,
	"argocd-repo-server":               reposerver.NewCommand,
}

func main() {
	klog.SetLogger(log.NewLogrusLogger(log.NewWithCurrentConfig()))
	name := filepath.Base(os.Args[0])
	newCommand, ok := commands[name]
	if !ok {
		fmt.Fprintf(os.Stderr, "%s is no command of Argo CD's here\n", name)
		os.Exit(1)
	}
	command := newCommand()
	command.SilenceErrors, command.SilenceUsage = true, true
	if err := command.Execute(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
