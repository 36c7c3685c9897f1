package hosts

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"sigs.k8s.io/yaml"
)

// index is that of a Helm repository.
type index struct {
	APIVersion string                      `json:"apiVersion"`
	Entries    map[string][]map[string]any `json:"entries"`
}

// Media types of a chart in a registry: https://helm.sh/docs/topics/registries/
// (2026-11-20).
const (
	manifestType = "application/vnd.oci.image.manifest.v1+json"
	configType   = "application/vnd.cncf.helm.config.v1+json"
	contentType  = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"
)

// AddChart has the repository hold a packed chart. The repository is an address
// as an Application names it: with https:// it is a Helm repository, without it
// a registry.
func (h *Hosts) AddChart(ctx context.Context, repository, name, version string, metadata map[string]any, archive []byte) error {
	if address, ok := strings.CutPrefix(repository, "https://"); ok {
		return h.addToIndex(address, name, version, metadata, archive)
	}
	return h.push(ctx, strings.TrimPrefix(repository, "oci://"), name, version, metadata, archive)
}

func (h *Hosts) addToIndex(address, name, version string, metadata map[string]any, archive []byte) error {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	address = strings.TrimSuffix(address, "/")
	at := h.indexes[address]
	if at == nil {
		at = &index{APIVersion: "v1", Entries: map[string][]map[string]any{}}
		h.indexes[address] = at
	}
	file := address + "/" + name + "-" + version + ".tgz"
	entry := map[string]any{"urls": []string{"https://" + file}, "digest": digestOf(archive)}
	for key, value := range metadata {
		entry[key] = value
	}
	at.Entries[name] = append(at.Entries[name], entry)
	text, err := yaml.Marshal(at)
	if err != nil {
		return err
	}
	h.files[file], h.files[address+"/index.yaml"] = archive, text
	return nil
}

func (h *Hosts) push(ctx context.Context, address, name, version string, metadata map[string]any, archive []byte) error {
	host, path, _ := strings.Cut(address, "/")
	base := "https://" + host + "/v2/" + path + "/" + name
	config, err := json.Marshal(metadata)
	if err != nil {
		return err
	}
	blob := func(mediaType string, data []byte) (map[string]any, error) {
		digest := "sha256:" + digestOf(data)
		answer := h.ask(ctx, http.MethodPost, base+"/blobs/uploads/?digest="+digest, "application/octet-stream", data)
		if answer.StatusCode != http.StatusCreated {
			return nil, fmt.Errorf("%s: blob: %s", base, answer.Status)
		}
		return map[string]any{"mediaType": mediaType, "digest": digest, "size": len(data)}, nil
	}
	configBlob, err := blob(configType, config)
	if err != nil {
		return err
	}
	layer, err := blob(contentType, archive)
	if err != nil {
		return err
	}
	manifest, err := json.Marshal(map[string]any{"schemaVersion": 2, "mediaType": manifestType, "config": configBlob, "layers": []any{layer}})
	if err != nil {
		return err
	}
	// A tag has no plus.
	tag := strings.ReplaceAll(version, "+", "_")
	if answer := h.ask(ctx, http.MethodPut, base+"/manifests/"+tag, manifestType, manifest); answer.StatusCode != http.StatusCreated {
		return fmt.Errorf("%s: manifest: %s", base, answer.Status)
	}
	return nil
}

func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
