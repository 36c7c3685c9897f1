// Package controlplane runs etcd and kube-apiserver in this process, on loopback
// only. It owns how the two are configured and must not know what they are asked.
//
// A process can hold one control plane: feature gates, metrics and capabilities
// of Kubernetes are global.
package controlplane

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// Files that a started control plane leaves in its folder, for the controllers
// that run beside it.
const (
	// Certificate signs the server's, PEM.
	Certificate = "apiserver.crt"
	// ServiceAccountKey signs the tokens of ServiceAccounts, PEM.
	ServiceAccountKey = "service-accounts.key"
)

// Access is what a client needs to be an administrator of the server.
type Access struct {
	// URL of the server, on loopback.
	URL string
	// CA is the certificate that signs the server's, PEM.
	CA string
	// Token is a bearer token of the group system:masters.
	Token string
}

// Start runs a control plane that answers as the given Kubernetes minor release,
// such as "1.35", and keeps its data below dir, which must exist. It returns as
// soon as the server listens; /readyz tells when it is ready. The channel gets
// the error, if any, with which the server ends.
//
// Nothing is stopped gracefully: the caller ends the process and removes dir.
func Start(minor, dir string) (Access, <-chan error, error) {
	socket := filepath.Join(dir, "etcd.sock")
	if err := startEtcd(filepath.Join(dir, "etcd"), socket); err != nil {
		return Access{}, nil, fmt.Errorf("etcd: %w", err)
	}
	token, err := newToken()
	if err != nil {
		return Access{}, nil, err
	}
	// Not derived from a context that somebody cancels: a cancelled server's etcd
	// client fills stderr.
	listening, ended, err := startServer(context.Background(), minor, dir, socket, token)
	if err != nil {
		return Access{}, nil, fmt.Errorf("kube-apiserver: %w", err)
	}
	// The server signed its own certificate when its options were completed.
	ca, err := os.ReadFile(filepath.Join(dir, Certificate))
	if err != nil {
		return Access{}, nil, err
	}
	return Access{URL: "https://" + listening, CA: string(ca), Token: token}, ended, nil
}
