package generators_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/examples"
	"github.com/gpugen/gpugen/internal/sample"
)

// rack is laid over withTenants: nodes of one NVLink domain.
const rack = `{kubernetes: {runtimeVersion: "2.1"}, nodePools: {p: {nodes: 18, arch: arm64, gpu: {model: gb200, count: 4}, nvlinkDomain: {size: 18}}}}`

// wholeNICs is laid over withTenants: NICs that Pods have to themselves, and a network that hands them out.
const wholeNICs = `
network:
  fabric: infiniband
  ofed: {source: operator}
  rdmaResources: {hd: {plugin: host-device, name: hostdev, select: {linkTypes: [infiniband]}}}
  secondaryNetworks: {hd: {type: host-device, resource: hd, ipam: {subnet: 10.2.0.0/16}}}
nodePools: {p: {rdma: [hd], gpuDirect: {rdma: dma-buf}}}
`

// machineOfAzure is laid over withTenants: a pool of machines that NCCL needs files for.
const machineOfAzure = `{kubernetes: {distribution: aks}, nodePools: {p: {host: {driver: none}}}}`

// usageVariants are clusters whose USAGE.md has something of its own.
var usageVariants = map[string][]string{
	"whole GPUs":          {`{}`},
	"GPUs by claim":       {`nodePools: {p: {allocation: dra}}`},
	"GPUs shared by MPS":  {`nodePools: {p: {sharing: {strategy: mps, replicas: 2}}}`},
	"NICs that are lent":  {wholeNICs},
	"a rack":              {rack},
	"a rack by claim":     {rack, wholeNICs, `nodePools: {p: {allocation: dra}}`},
	"a rack and tenants":  {rack, wholeNICs, `{scheduling: {queue: kueue}, tenants: {t: {namespaces: [team-t], quota: {p: {gpus: 8}}}}}`},
	"machines of Azure":   {machineOfAzure},
	"tenants of Azure":    {machineOfAzure, `{scheduling: {queue: kueue}, tenants: {t: {namespaces: [team-t], quota: {p: {gpus: 8}}}}}`},
	"tenants of Volcano":  {`{scheduling: {gang: volcano}, tenants: {t: {namespaces: [team-t], quota: {p: {gpus: 8}}}}}`},
	"claims under quotas": {`{nodePools: {p: {allocation: dra}}, scheduling: {queue: kueue}, tenants: {t: {namespaces: [team-t], quota: {p: {gpus: 8}}}}}`},
}

// examplesOf are the objects of USAGE.md.
func examplesOf(t *testing.T, objects map[string]any) []map[string]any {
	t.Helper()
	out, err := examples.PageObjects(at(objects["USAGE.md"], "text").(string))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// podOf is the template of the Pods that an object makes: annotations and spec.
func podOf(object map[string]any) (annotations, spec any) {
	switch object["kind"] {
	case "Pod":
		return at(object, "metadata", "annotations"), object["spec"]
	case "Job":
		return at(object, "spec", "template", "metadata", "annotations"), at(object, "spec", "template", "spec")
	case "CronJob":
		return podOf(map[string]any{"kind": "Job", "spec": at(object, "spec", "jobTemplate", "spec")})
	default:
		return nil, nil
	}
}

// What is pasted names nothing that is not there: templates of claims, claims of
// containers, volumes, and ConfigMaps that the page says how to make.
func TestExamplesOfUSAGEHoldTogether(t *testing.T) {
	for name, overlays := range usageVariants {
		if !sample.Draws("USAGE "+name, 3) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			objects := renderedDespiteWarnings(t, overlays...)
			text := at(objects["USAGE.md"], "text").(string)
			pasted := examplesOf(t, objects)
			templates := map[any]bool{}
			for _, object := range pasted {
				switch object["kind"] {
				case "ResourceClaimTemplate":
					templates[at(object, "metadata", "name")] = true
				case "ComputeDomain":
					templates[at(object, "spec", "channel", "resourceClaimTemplate", "name")] = true
				}
			}
			pods := 0
			for _, object := range pasted {
				_, spec := podOf(object)
				if spec == nil {
					continue
				}
				pods++
				kind := fmt.Sprint(object["kind"], " ", at(object, "metadata", "name"))
				claims, volumes := map[any]bool{}, map[any]bool{}
				for _, claim := range list(at(spec, "resourceClaims")) {
					claims[at(claim, "name")] = true
					if !templates[at(claim, "resourceClaimTemplateName")] {
						t.Errorf("%s claims by %v, which nobody makes", kind, at(claim, "resourceClaimTemplateName"))
					}
				}
				for _, volume := range list(at(spec, "volumes")) {
					volumes[at(volume, "name")] = true
					if from := at(volume, "configMap", "name"); from != nil && !strings.Contains(text, fmt.Sprintf("kubectl create configmap %v ", from)) {
						t.Errorf("%s mounts ConfigMap %v, which nobody is told to make", kind, from)
					}
				}
				for _, container := range list(at(spec, "containers")) {
					for _, claim := range list(at(container, "resources", "claims")) {
						if !claims[at(claim, "name")] {
							t.Errorf("%s has no claim %v", kind, at(claim, "name"))
						}
						delete(claims, at(claim, "name"))
					}
					for _, mount := range list(at(container, "volumeMounts")) {
						if !volumes[at(mount, "name")] {
							t.Errorf("%s has no volume %v", kind, at(mount, "name"))
						}
					}
				}
				if len(claims) > 0 {
					t.Errorf("%s has claims that no container uses: %v", kind, claims)
				}
			}
			if pods == 0 {
				t.Error("there is no example")
			}
		})
	}
}

// Multus takes one NIC each time that a network which hands them out is named.
func TestANetworkIsNamedOnceForEachNICOfAPod(t *testing.T) {
	for name, overlays := range map[string][]string{
		"a Pod":          {wholeNICs},
		"whole nodes":    {rack, wholeNICs},
		"a count":        {rack, wholeNICs, `network: {rdmaResources: {hd: {count: 2}}}`},
		"an interface":   {rack, wholeNICs, `network: {rdmaResources: {hd: {select: {interfaces: [ibs1f0]}}}}`},
		"NICs in common": {rack, fabric, `{nodePools: {p: {rdma: [shared], gpuDirect: {rdma: dma-buf}}}, network: {secondaryNetworks: {hd: {type: ipoib, master: ibs1f0, resource: shared, ipam: {subnet: 10.2.0.0/16}}}}}`},
	} {
		t.Run(name, func(t *testing.T) {
			objects := renderedDespiteWarnings(t, append(overlays, `smokeTests: {enabled: true, nccl: true}`)...)
			seen := 0
			all := examplesOf(t, objects)
			for key, object := range objects {
				if strings.HasPrefix(key, "CronJob/nccl-") {
					all = append(all, object.(map[string]any))
				}
			}
			for _, object := range all {
				annotations, spec := podOf(object)
				networks, _ := at(annotations, "k8s.v1.cni.cncf.io/networks").(string)
				if networks == "" {
					continue
				}
				seen++
				want := at(spec, "containers", 0, "resources", "limits", "nvidia.com/hostdev")
				if want == nil {
					want = 1
				}
				if got := strings.Count(networks, "default/hd"); fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("%s %v has %v NICs, and names their network %d times", object["kind"], at(object, "metadata", "name"), want, got)
				}
			}
			if seen < 2 {
				t.Errorf("%d examples and tests join the network", seen)
			}
		})
	}
}

// Kubernetes gives added capabilities to root only.
func TestWhoPinsMemoryIsRoot(t *testing.T) {
	objects := renderedDespiteWarnings(t, rack, wholeNICs, `{scheduling: {queue: kueue}, tenants: {t: {namespaces: [team-t], quota: {p: {gpus: 8}}}}}`)
	seen := 0
	for _, object := range examplesOf(t, objects) {
		_, spec := podOf(object)
		for _, container := range list(at(spec, "containers")) {
			context := at(container, "securityContext")
			if slices.Contains(list(at(context, "capabilities", "add")), any("IPC_LOCK")) {
				seen++
				if at(context, "runAsUser") != int64(0) {
					t.Errorf("%s adds IPC_LOCK as user %v", object["kind"], at(context, "runAsUser"))
				}
			}
		}
	}
	if seen != 3 {
		t.Errorf("%d containers add IPC_LOCK, want those of a Pod, of the rack's Job and of the tenant's", seen)
	}
}

func TestNCCLIsToldHowMachinesOfAzureAreWired(t *testing.T) {
	for name, test := range map[string]struct {
		overlays []string
		file     string
	}{
		"ND H100 v5":        {[]string{machineOfAzure}, "ndv5-topo.xml"},
		"ND A100 v4":        {[]string{machineOfAzure, `nodePools: {p: {gpu: {model: a100-sxm-80gb}}}`}, "ndv4-topo.xml"},
		"another machine":   {[]string{machineOfAzure, `nodePools: {p: {gpu: {count: 4}}}`}, ""},
		"a machine of ours": {nil, ""},
		"parts of GPUs":     {[]string{machineOfAzure, `nodePools: {p: {sharing: {strategy: mig, profiles: {1g.10gb: 7}}}}`}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			objects := renderedDespiteWarnings(t, append(test.overlays, `tenants: {t: {namespaces: [team-t], quota: {p: {}}}}`)...)
			for _, object := range examplesOf(t, objects) {
				_, spec := podOf(object)
				got := ""
				for _, entry := range list(at(spec, "containers", 0, "env")) {
					if at(entry, "name") == "NCCL_TOPO_FILE" {
						got = fmt.Sprint(at(entry, "value"))
					}
				}
				want := ""
				if test.file != "" {
					want = fmt.Sprint(at(spec, "containers", 0, "volumeMounts", 0, "mountPath"), "/", test.file)
				}
				if got != want {
					t.Errorf("NCCL_TOPO_FILE of %v is %q, want %q", object["kind"], got, want)
				}
			}
			if made := strings.Contains(at(objects["USAGE.md"], "text").(string), "--from-file="+test.file); test.file != "" && !made {
				t.Errorf("nobody is told to put %s into a ConfigMap", test.file)
			}
		})
	}
}

// Kueue admits nothing whose claims name a DeviceClass that it does not know, or that
// its queue does not count.
func TestKueueCountsTheChannelsOfComputeDomains(t *testing.T) {
	const class = "compute-domain-default-channel.nvidia.com"
	for _, allocation := range []string{"dra", "device-plugin"} {
		objects := renderedDespiteWarnings(t, rack, `nodePools: {p: {allocation: `+allocation+`}}`, `{scheduling: {queue: kueue}, tenants: {t: {namespaces: [team-t], quota: {p: {gpus: 8}}}}}`)
		if mapped := fmt.Sprint(at(configuration(t, objects), "resources", "deviceClassMappings")); strings.Count(mapped, "deviceClassNames:["+class+"]") != 1 {
			t.Errorf("%s: DeviceClasses are mapped as %s", allocation, mapped)
		}
		quota := ""
		for _, r := range list(at(objects["ClusterQueue/t"], "spec", "resourceGroups", 0, "flavors", 0, "resources")) {
			if at(r, "name") == class+".deviceclass.resource.k8s.io/devices" {
				quota = fmt.Sprint(at(r, "nominalQuota"))
			}
		}
		if quota != "8" {
			t.Errorf("%s: the queue has %q channels, and 8 GPUs", allocation, quota)
		}
	}
}

// What is true of all tenants is said once.
func TestUSAGERepeatsNothingForEachTenant(t *testing.T) {
	objects := renderedDespiteWarnings(t, wholeNICs, pool("q", "sharing: {strategy: time-slicing, replicas: 4}"), `scheduling: {queue: kueue}`, `tenants:
  a: {namespaces: [team-a], borrow: true, quota: {p: {gpus: 8}, q: {gpus: 4}}}
  b: {namespaces: [team-b], borrow: true, quota: {p: {gpus: 8}, q: {gpus: 4}}}`)
	_, text, _ := strings.Cut(at(objects["USAGE.md"], "text").(string), "## Tenants\n")
	said := map[string]int{}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "* ") {
			said[line]++
		}
	}
	for line, times := range said {
		if times > 1 {
			t.Errorf("%d times: %s", times, line)
		}
	}
	for _, once := range []string{"each GPU counts 4 times", "Kueue counts `nvidia.com/hostdev`", "by a, b"} {
		if strings.Count(text, once) != 1 {
			t.Errorf("%q is said %d times", once, strings.Count(text, once))
		}
	}
}

// list is a value that is a list; nil otherwise.
func list(v any) []any {
	out, _ := v.([]any)
	return out
}
