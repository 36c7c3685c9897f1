//go:build linux

package harness

import (
	"context"
	"encoding/json"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
)

var (
	applications    = schema.GroupVersionResource{Group: "argoproj.io", Version: "v1alpha1", Resource: "applications"}
	applicationSets = schema.GroupVersionResource{Group: "argoproj.io", Version: "v1alpha1", Resource: "applicationsets"}
)

// Application is what Argo CD says of one.
type Application struct {
	metav1.ObjectMeta `json:"metadata"`
	Spec              struct{ Destination Destination }
	Status            Status `json:"status"`
}

// Destination of an Application.
type Destination struct{ Server, Name string }

// Hub tells whether it is the cluster that Argo CD runs in.
func (d Destination) Hub() bool { return d.Server == "https://kubernetes.default.svc" }

// Status of an Application.
type Status struct {
	Sync struct {
		Status    string   `json:"status"`
		Revision  string   `json:"revision"`
		Revisions []string `json:"revisions"`
	} `json:"sync"`
	Health         struct{ Status string } `json:"health"`
	Conditions     []Condition             `json:"conditions"`
	Resources      []Resource              `json:"resources"`
	OperationState Operation               `json:"operationState"`
}

// Condition of an Application.
type Condition struct{ Type, Message string }

// Resource is one object of an Application.
type Resource struct {
	Group, Version, Kind, Namespace, Name, Status string
	RequiresPruning, RequiresDeletionConfirmation bool
	Health                                        struct{ Status, Message string }
}

// Operation is the last sync.
type Operation struct {
	Phase, Message string
	RetryCount     int
	StartedAt      time.Time
	FinishedAt     time.Time
	SyncResult     struct {
		Resources []struct {
			Group, Kind, Namespace, Name, Status, HookPhase, Message string
		}
	}
}

// Applications lists those in Argo CD's namespace, by name.
func (h *Harness) Applications(ctx context.Context) ([]Application, error) {
	list, err := h.Hub.dynamic.Resource(applications).Namespace(h.options.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	var out []Application
	for i := range list.Items {
		var one Application
		text, err := json.Marshal(list.Items[i].Object)
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(text, &one); err != nil {
			return nil, err
		}
		out = append(out, one)
	}
	return out, nil
}

// Refresh is an annotation that Argo CD takes away once it has looked.
const Refresh = "argocd.argoproj.io/refresh"

// RefreshAll has Argo CD look at all Applications anew, "normal" for commits or
// "hard" for what it remembers of manifests as well, and waits until it has.
func (h *Harness) RefreshAll(ctx context.Context, how string) error {
	all, err := h.Applications(ctx)
	if err != nil {
		return err
	}
	for _, one := range all {
		if err := h.Annotate(ctx, one.Name, Refresh, how); err != nil {
			return err
		}
	}
	return wait.PollUntilContextTimeout(ctx, pollEvery, startLimit, false, func(ctx context.Context) (bool, error) {
		all, err := h.Applications(ctx)
		for _, one := range all {
			if one.Annotations[Refresh] != "" {
				return false, err
			}
		}
		return true, err
	})
}
