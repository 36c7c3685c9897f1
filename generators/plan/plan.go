// Package plan turns a resolved cluster into what the generators need: plain Go
// values, in an order. It must not know any component by name, nor write YAML.
package plan

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/gpugen/gpugen/schema"
	"github.com/gpugen/gpugen/schema/chartindex"
)

// Plan is a cluster to be generated.
type Plan struct {
	Name       string
	Kubernetes Kubernetes
	GitOps     GitOps
	Pools      []Pool
	// Components to be rendered, those that others need first.
	Components []Component
	// States of all components, by name, rendered or not.
	States []State
	// Schedulers beside Kubernetes' own, by component.
	Schedulers map[string]Scheduler
	// Tenants and what their users need to know, by name.
	Tenants map[string]TenantUsage
	// ResourceAPI is the version of resource.k8s.io for claims.
	ResourceAPI string
	// Labels that nodes need.
	Labels []NodeLabel
	// LabelSnippets are ways to give nodes their labels, by tool.
	LabelSnippets map[string]LabelSnippet
	// SmokeTests prove that pools work.
	SmokeTests SmokeTests
}

// Kubernetes holds facts about the cluster.
type Kubernetes struct {
	Version        string `json:"version"`
	Distribution   string `json:"distribution"`
	Runtime        string `json:"runtime"`
	RuntimeVersion string `json:"runtimeVersion"`
}

// GitOps is where the tree lives and how Argo CD treats it.
type GitOps struct {
	RepoURL  string `json:"repoURL"`
	Revision string `json:"revision"`
	Path     string `json:"path"`
	Values   string `json:"values"`
	ArgoCD   struct {
		Namespace   string `json:"namespace"`
		RootProject string `json:"rootProject"`
		Version     string `json:"version"`
		Project     struct {
			Name   string `json:"name"`
			Create bool   `json:"create"`
		} `json:"project"`
		Destination struct {
			Server string `json:"server"`
			Name   string `json:"name"`
		} `json:"destination"`
		Sync struct {
			Automated bool `json:"automated"`
			Prune     bool `json:"prune"`
			SelfHeal  bool `json:"selfHeal"`
		} `json:"sync"`
		Deletion string `json:"deletion"`
	} `json:"argocd"`
}

// Pool is one kind of GPU node.
type Pool struct {
	Name         string            `json:"-"`
	NodeSelector map[string]string `json:"nodeSelector"`
	Nodes        *int              `json:"nodes"`
	Autoscaled   *struct {
		Min int `json:"min"`
		Max int `json:"max"`
	} `json:"autoscaled"`
	Arch string `json:"arch"`
	GPU  struct {
		Model string `json:"model"`
		Count int    `json:"count"`
	} `json:"gpu"`
	OS struct {
		Name    string `json:"name"`
		Version string `json:"version"`
		Kernel  string `json:"kernel"`
	} `json:"os"`
	Host struct {
		Driver string `json:"driver"`
	} `json:"host"`
	Driver struct {
		Source string `json:"source"`
	} `json:"driver"`
	Allocation string `json:"allocation"`
	Sharing    struct {
		Strategy string `json:"strategy"`
		Replicas int    `json:"replicas"`
	} `json:"sharing"`
	Taints []Taint `json:"taints"`
	Usage  Usage   `json:"-"`
}

// Taint of a pool's nodes.
type Taint struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Effect string `json:"effect"`
}

// Usage is what a Pod needs to know of a pool.
type Usage struct {
	// Resources that one node advertises: name and count.
	Resources map[string]int `json:"resources"`
	// Claims that DRA can satisfy on one node, by ResourceClaimTemplate.
	Claims map[string]Claim `json:"claims"`
	// RDMA is what lets a Pod reach the pool's fabric.
	RDMA RDMA `json:"rdma"`
	// Tolerations that a Pod needs.
	Tolerations []map[string]any `json:"podTolerations"`
	// RuntimeClass that a Pod must name; empty if none.
	RuntimeClass string `json:"runtimeClass"`
	// Notes for the pool's users.
	Notes []string `json:"notes"`
}

// RDMA is what a Pod asks for besides its GPUs; all is empty where there is no fabric.
type RDMA struct {
	// Resources and how many of each.
	Resources map[string]int `json:"resources"`
	// Annotations that name the networks to join.
	Annotations map[string]string `json:"annotations"`
	// Capabilities that a container needs.
	Capabilities []string `json:"capabilities"`
}

// Claim is a kind of device that Pods claim by DRA.
type Claim struct {
	DeviceClass string   `json:"deviceClass"`
	Count       int      `json:"count"`
	Selectors   []string `json:"selectors"`
}

// Scheduler is what the users of a gang scheduler need to know.
type Scheduler struct {
	Title string `json:"title"`
	// Queues of the tenants.
	Queues []TenantQueue `json:"queues"`
	// Example of Pods that start together.
	Example map[string]any `json:"example"`
	Notes   []string       `json:"notes"`
}

// TenantQueue is the queue of a tenant.
type TenantQueue struct {
	Tenant     string   `json:"tenant"`
	Queue      string   `json:"queue"`
	Namespaces []string `json:"namespaces"`
}

// TenantUsage is what the users of a tenant need to know.
type TenantUsage struct {
	Namespaces []string `json:"namespaces"`
	// Queue that a Job must name; empty if none.
	Queue string `json:"queue"`
	// PriorityClass that a Job should name; empty if none.
	PriorityClass string `json:"priorityClass"`
	// Amounts of the quota.
	Amounts []Amount `json:"amounts"`
	// Example of a Job; nil if there is none.
	Example map[string]any `json:"example"`
	Notes   []string       `json:"notes"`
}

// Amount is what a quota gives of one resource in one pool.
type Amount struct {
	Pool     string `json:"pool"`
	Resource string `json:"resource"`
	Amount   string `json:"amount"`
}

// State of a component, and why.
type State struct {
	Component string `json:"component"`
	State     string `json:"state"`
	Version   string `json:"version,omitempty"`
	Reason    string `json:"reason"`
}

// NodeLabel is a label that a pool's nodes need.
type NodeLabel struct {
	Pool   string `json:"pool"`
	Key    string `json:"key"`
	Value  string `json:"value"`
	Setter string `json:"setter"`
	Why    string `json:"why"`
}

// LabelSnippet is text that gives labels to nodes in somebody's own tool. LABELS
// in Template stands for one Item a label, joined by Separator.
type LabelSnippet struct {
	Title      string `json:"title"`
	Template   string `json:"template"`
	Item       string `json:"item"`
	Separator  string `json:"separator"`
	OnlyAtJoin bool   `json:"onlyAtJoin"`
	Note       string `json:"note"`
}

// SmokeTests are CronJobs that a person makes Jobs of.
type SmokeTests struct {
	Namespace string `json:"namespace"`
	// Tests by the name of their CronJob.
	Tests map[string]SmokeTest `json:"tests"`
	// Untested pools, and why.
	Untested []Untested `json:"untested"`
}

// SmokeTest proves something of a pool.
type SmokeTest struct {
	Pool    string `json:"pool"`
	Proves  string `json:"proves"`
	Minutes int    `json:"minutes"`
}

// Untested is what no test proves of a pool, and why.
type Untested struct {
	Pool string `json:"pool"`
	// Test is CUDA or NCCL.
	Test string `json:"test"`
	Why  string `json:"why"`
}

// Component is one Helm release with the objects beside it.
type Component struct {
	// Name is the component's, and its directory's. Own says that it is the user's.
	Name        string                    `json:"-"`
	Of          string                    `json:"of"`
	Own         bool                      `json:"own"`
	Title       string                    `json:"title"`
	Namespace   string                    `json:"namespace"`
	ReleaseName string                    `json:"releaseName"`
	Chart       *Chart                    `json:"chart"`
	Needs       []string                  `json:"needs"`
	Values      map[string]any            `json:"values"`
	Objects     map[string]map[string]any `json:"objects"`
	ArgoCD      struct {
		SyncOptions       []string         `json:"syncOptions"`
		IgnoreDifferences []map[string]any `json:"ignoreDifferences"`
		// Annotations of the Application, of the user's.
		Annotations map[string]string `json:"annotations"`
	} `json:"argocd"`
	// Patches of the objects, of the user's.
	Patches []map[string]any `json:"-"`
	// Wave orders components; each is above those that the component needs.
	Wave int `json:"-"`
	// Index of the chart; nil if there is no chart, or if it is the user's own.
	Index *chartindex.Index `json:"-"`
}

// Chart is a pinned Helm chart.
type Chart struct {
	Repository        string           `json:"repository"`
	OCI               bool             `json:"oci"`
	Name              string           `json:"name"`
	Version           string           `json:"version"`
	Hooks             []Hook           `json:"hooks"`
	IgnoreDifferences []map[string]any `json:"ignoreDifferences"`
}

// Hook of a chart, and what becomes of it.
type Hook struct {
	Object   string `json:"object"`
	Type     string `json:"type"`
	Avoided  string `json:"avoided"`
	Accepted string `json:"accepted"`
}

// New reads a plan out of a cluster without error findings.
//
// An error is a defect of the knowledge base: a template that is not concrete,
// or components that need each other in a circle.
func New(c *schema.Cluster) (*Plan, error) {
	p := &Plan{Name: c.Spec.Name}
	var (
		pools      map[string]Pool
		usage      map[string]Usage
		components map[string]Component
	)
	for path, into := range map[string]any{
		"spec.kubernetes": &p.Kubernetes,
		"spec.gitops":     &p.GitOps,
		"spec.nodePools":  &pools,
		"usage":           &usage,
		"components":      &components,
		"resourceAPI":     &p.ResourceAPI,
		"tenantUsage":     &p.Tenants,
		"schedulerUsage":  &p.Schedulers,
		"nodeLabels":      &p.Labels,
		"labelSnippets":   &p.LabelSnippets,
		"smokeTests":      &p.SmokeTests,
	} {
		if err := c.Decode(path, into); err != nil {
			return nil, fmt.Errorf("knowledge base: %w", err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(pools)) {
		pool := pools[name]
		pool.Name, pool.Usage = name, usage[name]
		p.Pools = append(p.Pools, pool)
	}
	var err error
	if p.States, err = States(c); err != nil {
		return nil, err
	}
	if err := addWhatUsersBring(c, components); err != nil {
		return nil, err
	}
	if err := p.order(components); err != nil {
		return nil, err
	}
	for i := range p.Components {
		if chart := p.Components[i].Chart; chart != nil && !p.Components[i].Own {
			index, err := schema.ChartIndex(chart.Name, chart.Version)
			if err != nil {
				return nil, fmt.Errorf("knowledge base: %w", err)
			}
			p.Components[i].Index = index
		}
	}
	return p, nil
}

// States says of every component which state it has, and why, by name.
func States(c *schema.Cluster) ([]State, error) {
	var states, reasons map[string]State
	if err := c.Decode("spec.components", &states); err != nil {
		return nil, fmt.Errorf("knowledge base: %w", err)
	}
	if err := c.Decode("states", &reasons); err != nil {
		return nil, fmt.Errorf("knowledge base: %w", err)
	}
	var out []State
	for _, name := range slices.Sorted(maps.Keys(states)) {
		s := states[name]
		s.Component, s.Reason = name, reasons[name].Reason
		if c.Spec.Wrote([]any{"components", name, "state"}) {
			s.Reason = "the spec says so"
		}
		out = append(out, s)
	}
	return out, nil
}

// waveStep leaves room between waves for what a site adds.
const waveStep = 10

// order sorts components by need, then by name.
func (p *Plan) order(components map[string]Component) error {
	depth := map[string]int{}
	var visit func(name string, path []string) (int, error)
	visit = func(name string, path []string) (int, error) {
		if d, ok := depth[name]; ok {
			return d, nil
		}
		if slices.Contains(path, name) {
			return 0, fmt.Errorf("knowledge base: components need each other: %v", append(path, name))
		}
		deepest := 0
		for _, need := range components[name].Needs {
			if _, ok := components[need]; !ok {
				return 0, fmt.Errorf("knowledge base: component %s needs %s, which is not rendered", name, need)
			}
			d, err := visit(need, append(path, name))
			if err != nil {
				return 0, err
			}
			deepest = max(deepest, d+1)
		}
		depth[name] = deepest
		return deepest, nil
	}
	for _, name := range slices.Sorted(maps.Keys(components)) {
		d, err := visit(name, nil)
		if err != nil {
			return err
		}
		c := components[name]
		c.Name, c.Wave = name, d*waveStep
		p.Components = append(p.Components, c)
	}
	slices.SortStableFunc(p.Components, func(a, b Component) int {
		return cmp.Or(cmp.Compare(a.Wave, b.Wave), cmp.Compare(a.Name, b.Name))
	})
	return nil
}
