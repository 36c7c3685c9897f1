// Package played stands in for what a cluster without machines lacks: nodes,
// kubelets that run every Pod at once, and operators that put a certificate into
// their webhooks and answer them. It must not know what Argo CD is.
package played

import (
	"context"
	"net/netip"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/rest"

	"github.com/gpugen/gpugen/e2e/argocd/pki"
)

// every is how often the cluster is looked at.
const every = 500 * time.Millisecond

// Address is that of every Pod. The API server refuses endpoints on loopback.
var Address = netip.MustParseAddr("198.51.100.1")

// Cluster is what is played.
type Cluster struct {
	client    kubernetes.Interface
	dynamic   dynamic.Interface
	names     metadata.Interface
	authority *pki.Authority
	endings   sync.WaitGroup
	stop      context.CancelFunc
	listeners []interface{ Close() error }
	// seen are the objects whose webhooks were looked at, by UID, at their version.
	seen map[string]string
}

// Start makes the nodes and plays until Stop. Each node is a name with labels.
func Start(ctx context.Context, config *rest.Config, nodes map[string]map[string]string) (*Cluster, error) {
	authority, err := pki.New("operators")
	if err != nil {
		return nil, err
	}
	c := &Cluster{authority: authority, seen: map[string]string{}}
	if c.client, err = kubernetes.NewForConfig(config); err != nil {
		return nil, err
	}
	if c.dynamic, err = dynamic.NewForConfig(config); err != nil {
		return nil, err
	}
	if c.names, err = metadata.NewForConfig(config); err != nil {
		return nil, err
	}
	for name, labels := range nodes {
		if err := c.node(ctx, name, labels); err != nil {
			return nil, err
		}
	}
	if err := c.answerWebhooks(); err != nil {
		return nil, err
	}
	ctx, c.stop = context.WithCancel(ctx)
	c.endings.Go(func() {
		for ctx.Err() == nil {
			// What fails now is tried again.
			_ = c.runPods(ctx)
			_ = c.certify(ctx)
			select {
			case <-ctx.Done():
			case <-time.After(every):
			}
		}
	})
	return c, nil
}

// Stop ends the play; the nodes stay.
func (c *Cluster) Stop() {
	c.stop()
	for _, listener := range c.listeners {
		_ = listener.Close()
	}
	c.endings.Wait()
}

// manager is the field manager of what kubelets and operators write.
var manager = metav1.PatchOptions{FieldManager: "operator"}
