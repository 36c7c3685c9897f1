// Command cluster is the control plane of a Kubernetes cluster without machines,
// one part a process: etcd with kube-apiserver, kube-controller-manager, and
// kube-scheduler.
//
//	cluster serve MINOR DIR             writes how to reach it to standard output
//	cluster controllers MINOR DIR KUBECONFIG
//	cluster scheduler MINOR DIR KUBECONFIG
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	utilversion "k8s.io/apimachinery/pkg/util/version"
	"k8s.io/component-base/version"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"

	"github.com/gpugen/gpugen/e2e/apiserver/controlplane"
	"github.com/gpugen/gpugen/e2e/apiserver/server"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	switch {
	case len(arguments) == 3 && arguments[0] == server.ServeCommand:
		return serve(arguments[1], arguments[2])
	case len(arguments) == 4 && arguments[0] == "controllers":
		return execute(controllers.NewControllerManagerCommand(), arguments[1], arguments[3],
			"--service-account-private-key-file="+filepath.Join(arguments[2], controlplane.ServiceAccountKey),
			"--root-ca-file="+filepath.Join(arguments[2], controlplane.Certificate),
			// Nobody renews the leases of nodes that are played.
			"--controllers=*,-node-lifecycle-controller,-cloud-node-lifecycle-controller",
			"--kube-api-qps=200", "--kube-api-burst=400")
	case len(arguments) == 4 && arguments[0] == "scheduler":
		return execute(scheduler.NewSchedulerCommand(), arguments[1], arguments[3])
	}
	return errors.New("usage: cluster serve|controllers|scheduler MINOR DIR [KUBECONFIG]")
}

// serve ends with its standard input, and returns only if the server cannot go on.
func serve(minor, dir string) error {
	access, ended, err := controlplane.Start(minor, dir)
	if err != nil {
		return err
	}
	if err := json.NewEncoder(os.Stdout).Encode(server.Access(access)); err != nil {
		return err
	}
	go func() {
		// At the end of the input there is nobody left to report to.
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	return <-ended
}

func execute(command *cobra.Command, minor, kubeconfig string, flags ...string) error {
	flags = append(flags,
		"--kubeconfig="+kubeconfig, "--authentication-kubeconfig="+kubeconfig, "--authorization-kubeconfig="+kubeconfig,
		"--leader-elect=false", "--bind-address=127.0.0.1", "--secure-port=0")
	asked, err := utilversion.ParseMajorMinor(minor)
	if err != nil {
		return fmt.Errorf("kubernetes version %q is not like 1.35: %w", minor, err)
	}
	own, err := utilversion.ParseMajorMinor(version.DefaultKubeBinaryVersion)
	if err != nil {
		return err
	}
	if !asked.EqualTo(own) {
		flags = append(flags, "--emulated-version="+minor)
	}
	command.SetArgs(flags)
	command.SilenceUsage = true
	return command.ExecuteContext(context.Background()) // each has a signal handler of its own
}
