package facts_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// snippet is #LabelSnippet.
type snippet struct{ Template, Item, Separator string }

// render fills the snippet as its comment says.
func (s snippet) render(labels map[string]string) string {
	var items []string
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		items = append(items, strings.NewReplacer("KEY", key, "VALUE", labels[key]).Replace(s.Item))
	}
	return strings.ReplaceAll(s.Template, "LABELS", strings.Join(items, s.Separator))
}

func TestEachPlatformSetsLabelsInItsOwnConfiguration(t *testing.T) {
	_, v := loadFacts(t)
	platforms := decode[map[string]struct{ NodeLabels snippet }](t, v, "platforms")
	labels := map[string]string{"nvidia.com/mig.config": "all-1g.10gb", "example.com/pool": "true"}
	for name, want := range map[string]string{
		"kubeadm":   "map[apiVersion:kubeadm.k8s.io/v1beta4 kind:JoinConfiguration nodeRegistration:map[kubeletExtraArgs:[map[name:node-labels value:example.com/pool=true,nvidia.com/mig.config=all-1g.10gb]]]]",
		"k3s":       "map[node-label:[example.com/pool=true nvidia.com/mig.config=all-1g.10gb]]",
		"rke2":      "map[node-label:[example.com/pool=true nvidia.com/mig.config=all-1g.10gb]]",
		"openshift": "map[apiVersion:machine.openshift.io/v1beta1 kind:MachineSet metadata:map[name:POOL] spec:map[template:map[spec:map[metadata:map[labels:map[example.com/pool:true nvidia.com/mig.config:all-1g.10gb]]]]]]",
		"cks":       "map[apiVersion:compute.coreweave.com/v1alpha1 kind:NodePool metadata:map[name:POOL] spec:map[nodeLabels:map[example.com/pool:true nvidia.com/mig.config:all-1g.10gb]]]",
		"talos":     "map[machine:map[nodeLabels:map[example.com/pool:true nvidia.com/mig.config:all-1g.10gb]]]",
	} {
		if got := parsed(t, platforms[name].NodeLabels.render(labels)); got != want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, want)
		}
	}
}

func TestEachProvidersToolTakesAllLabels(t *testing.T) {
	_, v := loadFacts(t)
	platforms := decode[map[string]struct{ NodeLabels snippet }](t, v, "platforms")
	for name, want := range map[string]string{
		"aks":      "--name POOL --labels example.com/pool=true nvidia.com/mig.config=all-1g.10gb\n",
		"eks":      "--labels 'addOrUpdateLabels={example.com/pool=true,nvidia.com/mig.config=all-1g.10gb}'\n",
		"gke":      "--node-labels=example.com/pool=true,nvidia.com/mig.config=all-1g.10gb\n",
		"oke":      `--initial-node-labels '[{"key": "example.com/pool", "value": "true"}, {"key": "nvidia.com/mig.config", "value": "all-1g.10gb"}]'` + "\n",
		"k0s":      "--labels=\"example.com/pool=true,nvidia.com/mig.config=all-1g.10gb\"\n",
		"microk8s": `"microk8s.io/cluster=true,example.com/pool=true,nvidia.com/mig.config=all-1g.10gb"` + "\n",
	} {
		got := platforms[name].NodeLabels.render(map[string]string{"nvidia.com/mig.config": "all-1g.10gb", "example.com/pool": "true"})
		if !strings.HasSuffix(got, want) {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
}

// Findings name the provider, and how to have a pool without its driver.
func TestWhoeverInstallsADriverHasAName(t *testing.T) {
	type brought struct{ Driver string }
	_, v := loadFacts(t)
	seen := 0
	for name, p := range decode[map[string]struct {
		Host     brought
		Images   []brought
		Provider struct{ Name, Refusal string }
	}](t, v, "platforms") {
		if slices.Contains(append(p.Images, p.Host), brought{"cloud"}) {
			seen++
			if p.Provider.Name == "" || p.Provider.Refusal == "" {
				t.Errorf("%s installs drivers, and has no name", name)
			}
		} else if p.Provider.Name != "" {
			t.Errorf("%s has a provider who installs nothing", name)
		}
	}
	if seen < 4 {
		t.Errorf("%d providers seen", seen)
	}
}

func TestSharedSnippetsHoldEveryLabel(t *testing.T) {
	_, v := loadFacts(t)
	snippets := decode[map[string]snippet](t, v, "labelSnippets")
	labels := map[string]string{"nvidia.com/mig.config": "all-1g.10gb", "example.com/pool": "true"}
	for name, want := range map[string]string{
		"eksctl":    "map[managedNodeGroups:[map[labels:map[example.com/pool:true nvidia.com/mig.config:all-1g.10gb] name:POOL]]]",
		"karpenter": "map[apiVersion:karpenter.sh/v1 kind:NodePool metadata:map[name:POOL] spec:map[template:map[metadata:map[labels:map[example.com/pool:true nvidia.com/mig.config:all-1g.10gb]]]]]",
	} {
		if got := parsed(t, snippets[name].render(labels)); got != want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, want)
		}
	}
	for name, want := range map[string]string{
		"terraform": "labels = {\n  \"example.com/pool\" = \"true\"\n  \"nvidia.com/mig.config\" = \"all-1g.10gb\"\n}\n",
		"az":        "--name POOL --labels example.com/pool=true nvidia.com/mig.config=all-1g.10gb\n",
	} {
		if got := snippets[name].render(labels); !strings.HasSuffix(got, want) {
			t.Errorf("%s:\n%s", name, got)
		}
	}
}

// parsed reads YAML, so that a snippet whose indentation is wrong fails.
func parsed(t *testing.T, text string) string {
	t.Helper()
	var out any
	if err := yaml.Unmarshal([]byte(text), &out); err != nil {
		t.Fatalf("%v in:\n%s", err, text)
	}
	return fmt.Sprint(out)
}
