// Package hosts answers for the hosts that a tree names: git repositories over
// https, Helm repositories, and OCI registries, on loopback. It must not know what
// is in them.
package hosts

import (
	"bytes"
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"

	"crypto/tls"

	"github.com/google/go-containerregistry/pkg/registry"

	"github.com/gpugen/gpugen/e2e/argocd/pki"
)

// Hosts are all hosts at once: what is asked of one is told apart by name and path.
type Hosts struct {
	// CA is the file with the certificate that signs those of all hosts.
	CA string

	dir, backend string
	oci          http.Handler
	server       *http.Server
	mutex        sync.Mutex
	indexes      map[string]*index
	files        map[string][]byte
}

// Start answers on port 443 of loopback, and keeps its files below dir.
func Start(dir string) (*Hosts, error) {
	authority, err := pki.New("hosts")
	if err != nil {
		return nil, err
	}
	execPath, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		return nil, err
	}
	h := &Hosts{
		CA: filepath.Join(dir, "hosts.crt"), dir: dir,
		backend: filepath.Join(strings.TrimSpace(string(execPath)), "git-http-backend"),
		oci:     registry.New(registry.Logger(log.New(io.Discard, "", 0))),
		indexes: map[string]*index{}, files: map[string][]byte{},
	}
	if _, err := os.Stat(h.backend); err != nil {
		return nil, err
	}
	if err := os.WriteFile(h.CA, authority.PEM, 0o644); err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp4", "127.0.0.1:443")
	if err != nil {
		return nil, err
	}
	h.server = &http.Server{Handler: h, ErrorLog: log.New(io.Discard, "", 0)}
	go func() { _ = h.server.Serve(tls.NewListener(listener, authority.Config())) }()
	return h, nil
}

// Stop ends the server.
func (h *Hosts) Stop() { _ = h.server.Close() }

// ServeHTTP answers for every host.
func (h *Hosts) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case strings.HasPrefix(r.URL.Path, "/v2/"):
		h.oci.ServeHTTP(w, r)
	case strings.Contains(r.URL.Path, ".git/"):
		handler := cgi.Handler{
			Path: h.backend,
			// Repositories of somebody else are refused otherwise.
			Env: []string{
				"GIT_PROJECT_ROOT=" + h.repositories(), "GIT_HTTP_EXPORT_ALL=1",
				"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*",
			},
			InheritEnv: []string{"PATH"}, Stderr: io.Discard,
		}
		handler.ServeHTTP(w, r)
	default:
		h.mutex.Lock()
		content, ok := h.files[r.Host+r.URL.Path]
		h.mutex.Unlock()
		if !ok {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write(content)
	}
}

func (h *Hosts) repositories() string { return filepath.Join(h.dir, "git") }

// ask sends the registry a request as a client would over the wire.
func (h *Hosts) ask(ctx context.Context, method, url, contentType string, body []byte) *http.Response {
	request := httptest.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	request.Header.Set("Content-Type", contentType)
	recorder := httptest.NewRecorder()
	h.oci.ServeHTTP(recorder, request)
	return recorder.Result()
}
