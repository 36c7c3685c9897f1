package played

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// ports are those that webhooks of operators listen on.
var ports = []int{443, 4443, 6443, 8082, 8443, 9443, 10250}

var (
	validating  = schema.GroupVersionResource{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingwebhookconfigurations"}
	mutating    = schema.GroupVersionResource{Group: "admissionregistration.k8s.io", Version: "v1", Resource: "mutatingwebhookconfigurations"}
	definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}
)

// certify does what operators do when they start: they write their certificate
// into the webhooks that lead to a Service and have none, or another one.
func (c *Cluster) certify(ctx context.Context) error {
	var failures []error
	for _, resource := range []schema.GroupVersionResource{validating, mutating, definitions} {
		// CRDs are large, and seldom have a webhook: names and versions first.
		list, err := c.names.Resource(resource).List(ctx, metav1.ListOptions{ResourceVersion: "0"})
		if err != nil {
			failures = append(failures, err)
			continue
		}
		for i := range list.Items {
			item := &list.Items[i]
			if c.seen[string(item.UID)] == item.ResourceVersion {
				continue
			}
			if err := c.certifyOne(ctx, resource, item.Name); err != nil {
				failures = append(failures, err)
				continue
			}
			c.seen[string(item.UID)] = item.ResourceVersion
		}
	}
	return errors.Join(failures...)
}

func (c *Cluster) certifyOne(ctx context.Context, resource schema.GroupVersionResource, name string) error {
	client := c.dynamic.Resource(resource)
	object, err := client.Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	var change map[string]any
	if resource == definitions {
		webhook, found, _ := unstructured.NestedMap(object.Object, "spec", "conversion", "webhook", "clientConfig")
		if found && c.set(webhook) {
			change = map[string]any{"spec": map[string]any{"conversion": map[string]any{"webhook": map[string]any{"clientConfig": webhook}}}}
		}
	} else {
		webhooks, _, _ := unstructured.NestedSlice(object.Object, "webhooks")
		changed := false
		for _, one := range webhooks {
			if webhook, ok := one.(map[string]any); ok {
				where, _ := webhook["clientConfig"].(map[string]any)
				changed = c.set(where) || changed
			}
		}
		if changed {
			change = map[string]any{"webhooks": webhooks}
		}
	}
	if change == nil {
		return nil
	}
	patch, err := json.Marshal(change)
	if err != nil {
		return err
	}
	_, err = client.Patch(ctx, name, types.MergePatchType, patch, manager)
	return err
}

func (c *Cluster) set(clientConfig map[string]any) bool {
	want := base64.StdEncoding.EncodeToString(c.authority.PEM)
	if clientConfig["service"] == nil || clientConfig["caBundle"] == want {
		return false
	}
	clientConfig["caBundle"] = want
	return true
}

func (c *Cluster) answerWebhooks() error {
	for _, port := range ports {
		listener, err := net.Listen("tcp4", fmt.Sprintf("%s:%d", Address, port))
		if err != nil {
			return err
		}
		c.listeners = append(c.listeners, listener)
		server := http.Server{Handler: http.HandlerFunc(answer), ErrorLog: log.New(io.Discard, "", 0)}
		go func() { _ = server.Serve(tls.NewListener(listener, c.authority.Config())) }()
	}
	return nil
}

// answer admits everything, and converts by renaming the version. To discovery of
// an APIService it says that there are no resources.
func answer(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if version, ok := strings.CutPrefix(r.URL.Path, "/apis/"); ok && r.Method == http.MethodGet {
		_ = json.NewEncoder(w).Encode(metav1.APIResourceList{
			TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: version, APIResources: []metav1.APIResource{},
		})
		return
	}
	var review map[string]any
	if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	request, _ := review["request"].(map[string]any)
	response := map[string]any{"uid": request["uid"]}
	if review["kind"] == "ConversionReview" {
		objects, _ := request["objects"].([]any)
		for _, one := range objects {
			if object, ok := one.(map[string]any); ok {
				object["apiVersion"] = request["desiredAPIVersion"]
			}
		}
		response["convertedObjects"], response["result"] = objects, map[string]any{"status": "Success"}
	} else {
		response["allowed"] = true
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"apiVersion": review["apiVersion"], "kind": review["kind"], "response": response})
}
