package controlplane

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"github.com/spf13/pflag"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	utilversion "k8s.io/apimachinery/pkg/util/version"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/util/keyutil"
	"k8s.io/component-base/version"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"
)

// startServer returns the address on which the server listens.
func startServer(ctx context.Context, minor, dir, etcdSocket, token string) (string, <-chan error, error) {
	arguments, err := flags(minor, dir, etcdSocket, token)
	if err != nil {
		return "", nil, err
	}
	// The command of package app would do most of this, but installs signal
	// handlers and prints every flag.
	run := options.NewServerRunOptions()
	set := pflag.NewFlagSet("kube-apiserver", pflag.ContinueOnError)
	for _, named := range run.Flags().FlagSets {
		set.AddFlagSet(named)
	}
	if err := set.Parse(arguments); err != nil {
		return "", nil, err
	}
	// A port of the system's choice, held from here on, so that nobody can take it.
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, err
	}
	run.SecureServing.Listener = listener
	run.SecureServing.BindAddress = net.IPv4(127, 0, 0, 1)
	run.SecureServing.BindPort = listener.Addr().(*net.TCPAddr).Port
	if err := run.GenericServerRunOptions.ComponentGlobalsRegistry.Set(); err != nil {
		return "", nil, err
	}
	rest.SetDefaultWarningHandler(rest.NoWarnings{})
	completed, err := run.Complete(ctx)
	if err != nil {
		return "", nil, err
	}
	if errs := completed.Validate(); len(errs) > 0 {
		return "", nil, utilerrors.NewAggregate(errs)
	}
	ended := make(chan error, 1)
	go func() { ended <- app.Run(ctx, completed) }()
	return listener.Addr().String(), ended, nil
}

// flags writes the files that the server reads and returns its command line.
func flags(minor, dir, etcdSocket, token string) ([]string, error) {
	key, err := keyutil.MakeEllipticPrivateKeyPEM()
	if err != nil {
		return nil, err
	}
	keyFile, tokenFile := filepath.Join(dir, ServiceAccountKey), filepath.Join(dir, "tokens.csv")
	if err := os.WriteFile(keyFile, key, 0o600); err != nil {
		return nil, err
	}
	if err := os.WriteFile(tokenFile, []byte(token+`,judge,judge,"system:masters"`+"\n"), 0o600); err != nil {
		return nil, err
	}
	out := []string{
		"--etcd-servers=unix://" + etcdSocket,
		"--cert-dir=" + dir,
		"--token-auth-file=" + tokenFile,
		"--anonymous-auth=false",
		"--authorization-mode=Node,RBAC",
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + keyFile,
		"--service-account-signing-key-file=" + keyFile,
		"--service-cluster-ip-range=10.96.0.0/16",
		// An address for documentation, and nobody who registers it: the machine
		// needs no route.
		"--advertise-address=192.0.2.1",
		"--endpoint-reconciler-type=none",
		// DaemonSets of drivers and device plugins are privileged, as everywhere.
		"--allow-privileged=true",
		// No kube-proxy runs: webhooks are called at the addresses of their Pods.
		"--enable-aggregator-routing=true",
		"--profiling=false",
	}
	asked, err := utilversion.ParseMajorMinor(minor)
	if err != nil {
		return nil, fmt.Errorf("kubernetes version %q is not like 1.35: %w", minor, err)
	}
	own, err := utilversion.ParseMajorMinor(version.DefaultKubeBinaryVersion)
	if err != nil {
		return nil, err
	}
	if !asked.EqualTo(own) {
		out = append(out, "--emulated-version="+minor)
	}
	return out, nil
}

func newToken() (string, error) {
	random := make([]byte, 32)
	if _, err := rand.Read(random); err != nil {
		return "", err
	}
	return hex.EncodeToString(random), nil
}
