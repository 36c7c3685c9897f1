// Package server is a kube-apiserver in a child process, and the requests that
// are made to it. It owns the process and the wire; it must not judge answers.
package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
)

// ServeCommand is the first argument that makes the judge's program a control
// plane. The Kubernetes version and a directory follow.
const ServeCommand = "serve"

const (
	// startLimit is for machines on which much else is going on.
	startLimit = 3 * time.Minute
	pollEvery  = 20 * time.Millisecond
	// answerLimit is for one request.
	answerLimit = 30 * time.Second
	// memoryLimit makes the child's garbage collector work harder when dozens of CRDs
	// are there. Far below what it needs, it would do nothing else.
	memoryLimit = "GOMEMLIMIT=900MiB"
)

// Access is what the child writes to standard output, as JSON, when it listens.
type Access struct {
	// URL of the server, on loopback.
	URL string
	// CA is the certificate that signs the server's, PEM.
	CA string
	// Token is a bearer token of the group system:masters.
	Token string
}

// Config is that of a client.
func (a Access) Config() *rest.Config {
	return &rest.Config{
		Host: a.URL, BearerToken: a.Token, TLSClientConfig: rest.TLSClientConfig{CAData: []byte(a.CA)},
		QPS: -1, Timeout: answerLimit, WarningHandler: rest.NoWarnings{},
	}
}

// Server is a running control plane.
type Server struct {
	// Minor is the Kubernetes minor release that it answers as.
	Minor string
	// Access is how others reach it.
	Access Access
	// Dir is where the control plane keeps its files.
	Dir string
	*Client

	process *exec.Cmd
	stdin   io.Closer
	log     *os.File
	ended   chan struct{}
}

// Start runs the program as a control plane of the minor release and waits until
// it is ready. The error of a control plane that does not start holds the end of
// its log.
func Start(ctx context.Context, program, minor string) (*Server, error) {
	dir, err := os.MkdirTemp("", "judge")
	if err != nil {
		return nil, err
	}
	s := &Server{Minor: minor, Dir: dir, ended: make(chan struct{})}
	if err := s.start(ctx, program); err != nil {
		err = fmt.Errorf("control plane %s: %w\n%s", minor, err, s.endOfLog())
		s.Stop()
		return nil, err
	}
	return s, nil
}

func (s *Server) start(ctx context.Context, program string) error {
	var err error
	if s.log, err = os.Create(filepath.Join(s.Dir, "log")); err != nil {
		return err
	}
	process := exec.Command(program, ServeCommand, s.Minor, s.Dir)
	process.Env = append(os.Environ(), memoryLimit)
	process.Stderr = s.log
	// The child ends when its standard input does: even if this process is killed.
	if s.stdin, err = process.StdinPipe(); err != nil {
		return err
	}
	stdout, err := process.StdoutPipe()
	if err != nil {
		return err
	}
	if err := process.Start(); err != nil {
		return err
	}
	s.process = process
	decoded := json.NewDecoder(stdout).Decode(&s.Access)
	go func() {
		// The exit code of a process that is told to end says nothing.
		_ = process.Wait()
		close(s.ended)
	}()
	if decoded != nil {
		return fmt.Errorf("said nothing: %w", decoded)
	}
	if s.Client, err = newClient(s.Access.Config()); err != nil {
		return err
	}
	return s.waitUntilReady(ctx)
}

func (s *Server) waitUntilReady(ctx context.Context) error {
	var last error
	err := wait.PollUntilContextTimeout(ctx, pollEvery, startLimit, true, func(ctx context.Context) (bool, error) {
		select {
		case <-s.ended:
			return false, errors.New("ended at once")
		default:
		}
		code := 0
		last = s.rest.Get().AbsPath("/readyz").Do(ctx).StatusCode(&code).Error()
		return code == http.StatusOK, nil
	})
	if err != nil {
		return errors.Join(err, last)
	}
	return s.Discover(ctx)
}

// Stop ends the control plane and returns the most memory that it had, in bytes.
func (s *Server) Stop() int64 {
	var peak int64
	if s.process != nil {
		s.stdin.Close()
		<-s.ended
		if usage, ok := s.process.ProcessState.SysUsage().(*syscall.Rusage); ok {
			peak = usage.Maxrss * 1024
		}
	}
	if s.log != nil {
		s.log.Close()
	}
	os.RemoveAll(s.Dir)
	return peak
}

func (s *Server) endOfLog() []byte {
	const enough = 4000
	text, err := os.ReadFile(filepath.Join(s.Dir, "log"))
	if err != nil {
		return nil
	}
	return bytes.TrimSpace(text[max(0, len(text)-enough):])
}
