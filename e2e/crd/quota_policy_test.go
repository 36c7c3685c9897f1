package crd_test

import (
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	"sigs.k8s.io/yaml"

	"github.com/gpugen/gpugen/schema"
)

// tenantsOf is a cluster with a tenant called team and a quota; each keeper is laid after it.
const tenantsOf = `
name: research
kubernetes: {version: "1.34.2", distribution: kubeadm}
gitops: {repoURL: "https://git.example.com/platform/gpu.git", path: clusters/research/tree}
nodePools: {p: {gpu: {model: h100-sxm-80gb, count: 8}, os: {name: ubuntu, version: "24.04"}, driver: {source: operator}}}
tenants: {team: {namespaces: [team], quota: {p: {gpus: 8}}}}
`

// Who creates what, in namespaces of tenants.
const (
	person     = "jane"
	account    = "system:serviceaccount:team:default"
	jobs       = "system:serviceaccount:kube-system:job-controller"
	manager    = "system:kube-controller-manager"
	kueue      = "system:serviceaccount:kueue-system:kueue-controller-manager"
	gpu        = `resources: {limits: {nvidia.com/gpu: 1}}`
	gate       = `schedulingGates: [{name: kueue.x-k8s.io/admission}]`
	ofJob      = `ownerReferences: [{apiVersion: batch/v1, kind: Job, name: j, uid: u, controller: true}]`
	ofReplicas = `ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: r, uid: u, controller: true}]`
)

// decision is a request, and a part of what is said of it; nothing if it passes.
type decision struct {
	admissionRequest
	name, want string
}

func created(by, name, want, object string) decision {
	return decision{admissionRequest{user: by, object: object}, name, want}
}

func changed(by, name, want, old, object string) decision {
	return decision{admissionRequest{user: by, object: object, old: old}, name, want}
}

// Whatever keeps the quotas, what asks for GPUs without it is refused, by
// Kubernetes' own evaluation of the policies, and all else passes.
func TestNoGPUsPastTheKeeperOfTheQuotas(t *testing.T) {
	for _, keeper := range []struct {
		name, spec string
		policy     string
		decisions  []decision
	}{
		{"Pods under Kueue", `scheduling: {queue: kueue}`, "gpugen-gpu-pods", []decision{
			created(person, "a Pod that Kueue holds back", "", `spec: {`+gate+`, containers: [{name: a, `+gpu+`}]}`),
			created(person, "a Pod without GPUs", "", `spec: {containers: [{name: a, resources: {limits: {cpu: 1}}}]}`),
			created(jobs, "a Pod of a Job", "", `{metadata: {`+ofJob+`}, spec: {containers: [{name: a, `+gpu+`}]}}`),
			created(manager, "a Pod of a Job, where controllers are one user", "", `{metadata: {`+ofJob+`}, spec: {containers: [{name: a, `+gpu+`}]}}`),
			created(person, "a Pod", "does not hold it", `spec: {containers: [{name: a, `+gpu+`}]}`),
			created(person, "a slice", "does not hold it", `spec: {containers: [{name: a, resources: {limits: {nvidia.com/mig-1g.10gb: 1}}}]}`),
			created(person, "a share", "does not hold it", `spec: {containers: [{name: a, resources: {limits: {nvidia.com/gpu.shared: 1}}}]}`),
			created(person, "a DeviceClass by its resource", "does not hold it", `spec: {containers: [{name: a, resources: {limits: {deviceclass.resource.kubernetes.io/gpu.nvidia.com: 1}}}]}`),
			created(person, "an init container", "does not hold it", `spec: {initContainers: [{name: i, `+gpu+`}], containers: [{name: a}]}`),
			created(person, "a claim", "does not hold it", `spec: {resourceClaims: [{name: gpu, resourceClaimName: mine}], containers: [{name: a, resources: {claims: [{name: gpu}]}}]}`),
			created(person, "a claim of a template", "does not hold it", `spec: {resourceClaims: [{name: gpu, resourceClaimTemplateName: mine}], containers: [{name: a}]}`),
			created("system:serviceaccount:kube-system:replicaset-controller", "a Pod of a Deployment", "does not hold it", `{metadata: {`+ofReplicas+`}, spec: {containers: [{name: a, `+gpu+`}]}}`),
			created(person, "a Pod that says it is a Job's", "does not hold it", `{metadata: {`+ofJob+`}, spec: {containers: [{name: a, `+gpu+`}]}}`),
			created(account, "the same by the tenant's account", "does not hold it", `{metadata: {`+ofJob+`}, spec: {containers: [{name: a, `+gpu+`}]}}`),
			created(person, "an owner that is no controller", "does not hold it", `{metadata: {ownerReferences: [{apiVersion: batch/v1, kind: Job, name: j, uid: u}]}, spec: {containers: [{name: a, `+gpu+`}]}}`),
			created(person, "NVIDIA's RuntimeClass", "RuntimeClass", `spec: {runtimeClassName: nvidia, containers: [{name: a, env: [{name: NVIDIA_VISIBLE_DEVICES, value: all}]}]}`),
			created(person, "its older mode", "RuntimeClass", `spec: {runtimeClassName: nvidia-legacy, containers: [{name: a}]}`),
			created(person, "another RuntimeClass", "", `spec: {runtimeClassName: kata, containers: [{name: a}]}`),
			changed(kueue, "Kueue lets it start", "", `{metadata: {labels: {kueue.x-k8s.io/managed: "true"}}, spec: {`+gate+`, containers: [{name: a, `+gpu+`}]}}`, `{metadata: {labels: {kueue.x-k8s.io/managed: "true"}}, spec: {containers: [{name: a, `+gpu+`}]}}`),
			changed(person, "a tenant lets it start", "Kueue alone", `spec: {`+gate+`, containers: [{name: a, `+gpu+`}]}`, `spec: {containers: [{name: a, `+gpu+`}]}`),
			changed(account, "its account lets it start", "Kueue alone", `spec: {`+gate+`, containers: [{name: a, `+gpu+`}]}`, `spec: {containers: [{name: a, `+gpu+`}]}`),
			changed(person, "a tenant hides it from Kueue", "stays as it is", `{metadata: {labels: {kueue.x-k8s.io/managed: "true"}}, spec: {containers: [{name: a, `+gpu+`}]}}`, `spec: {containers: [{name: a, `+gpu+`}]}`),
			changed(person, "another label", "", `{metadata: {labels: {kueue.x-k8s.io/managed: "true"}}, spec: {containers: [{name: a, `+gpu+`}]}}`, `{metadata: {labels: {a: b, kueue.x-k8s.io/managed: "true"}}, spec: {containers: [{name: a, `+gpu+`}]}}`),
			changed(manager, "a finalizer of a Pod from before the policy", "", `{metadata: {finalizers: [a]}, spec: {runtimeClassName: nvidia, containers: [{name: a, `+gpu+`}]}}`, `spec: {runtimeClassName: nvidia, containers: [{name: a, `+gpu+`}]}`),
		}},
		{"Jobs under Kueue", `scheduling: {queue: kueue}`, "gpugen-gpu-jobs", []decision{
			created(person, "a Job that Kueue holds back", "", job(`suspend: true,`, gpu)),
			created(person, "a Job without GPUs", "", job(``, `image: a`)),
			created(person, "a Job", "does not hold it", job(``, gpu)),
			created("system:serviceaccount:kube-system:cronjob-controller", "a Job of a CronJob", "does not hold it", job(`suspend: false,`, gpu)),
			changed(kueue, "Kueue lets it start", "", job(`suspend: true,`, gpu), job(`suspend: false,`, gpu)),
			changed(person, "a tenant lets it start", "Kueue alone", job(`suspend: true,`, gpu), job(`suspend: false,`, gpu)),
			changed(person, "a tenant stops it", "", job(`suspend: false,`, gpu), job(`suspend: true,`, gpu)),
		}},
		{"Pods of frameworks", `scheduling: {queue: kueue, frameworks: [batch/job, pod, ray.io/rayjob, sparkoperator.k8s.io/sparkapplication]}`, "gpugen-gpu-pods", []decision{
			created("system:serviceaccount:kuberay:operator", "a Ray worker", "", `{metadata: {ownerReferences: [{apiVersion: ray.io/v1, kind: RayCluster, name: j, uid: u, controller: true}]}, spec: {containers: [{name: a, `+gpu+`}]}}`),
			created(account, "an executor, which its driver makes", "", `{metadata: {ownerReferences: [{apiVersion: v1, kind: Pod, name: j, uid: u, controller: true}]}, spec: {containers: [{name: a, `+gpu+`}]}}`),
			created(jobs, "what Kueue was not told of", "does not hold it", `{metadata: {ownerReferences: [{apiVersion: kubeflow.org/v1, kind: PyTorchJob, name: j, uid: u, controller: true}]}, spec: {containers: [{name: a, `+gpu+`}]}}`),
		}},
		{"Pods under Volcano", `scheduling: {gang: volcano}`, "gpugen-gpu-pods", scheduled("volcano")},
		{"Pods under KAI", `scheduling: {gang: kai}`, "gpugen-gpu-pods", scheduled("kai-scheduler")},
		{"queues of Volcano", `scheduling: {gang: volcano}`, "gpugen-gpu-queues", inQueue("scheduling.volcano.sh/v1beta1")},
		{"queues of KAI", `scheduling: {gang: kai}`, "gpugen-gpu-queues", inQueue("scheduling.run.ai/v2alpha2")},
		{"Kubernetes alone", ``, "gpugen-gpu-pods", []decision{
			created(person, "a Pod, which a ResourceQuota counts", "", `spec: {containers: [{name: a, `+gpu+`}]}`),
			created(person, "NVIDIA's RuntimeClass", "RuntimeClass", `spec: {runtimeClassName: nvidia, containers: [{name: a}]}`),
		}},
		{"nodes whose runtime nobody configures", `components: {gpu-operator: {state: "off"}}
nodePools: {p: {host: {driver: "580.95.05", toolkit: true, fabricManager: true}, driver: {source: host}}}`, "gpugen-gpu-pods", []decision{
			created(person, "a Pod that asks", "", `spec: {runtimeClassName: nvidia, containers: [{name: a, `+gpu+`}]}`),
			created(person, "a Pod that does not", "each container asks", `spec: {runtimeClassName: nvidia, containers: [{name: a}]}`),
			created(person, "a container that does not", "each container asks", `spec: {runtimeClassName: nvidia, containers: [{name: a, `+gpu+`}, {name: b}]}`),
			created(person, "one that names devices", "each container asks", `spec: {runtimeClassName: nvidia, containers: [{name: a, `+gpu+`, env: [{name: NVIDIA_VISIBLE_DEVICES, value: all}]}]}`),
		}},
	} {
		t.Run(keeper.name, func(t *testing.T) {
			decide := admissionDecision(t, policyOf(t, keeper.policy, keeper.spec))
			for _, d := range keeper.decisions {
				d.labels = map[string]string{"gpugen.github.io/tenant": "team"}
				got := decide(d.admissionRequest)
				if d.want == "" && len(got) > 0 || d.want != "" && (len(got) != 1 || !strings.Contains(got[0], d.want)) {
					t.Errorf("%s: %q, want %q", d.name, got, d.want)
				}
			}
		})
	}
}

func job(more, container string) string {
	return `{apiVersion: batch/v1, kind: Job, spec: {` + more + ` template: {spec: {containers: [{name: a, ` + container + `}]}}}}`
}

// scheduled are Pods where a gang scheduler keeps the quotas.
func scheduled(scheduler string) []decision {
	return []decision{
		created(person, "a Pod that names it", "", `spec: {schedulerName: `+scheduler+`, containers: [{name: a, `+gpu+`}]}`),
		created(person, "a Pod without GPUs", "", `spec: {schedulerName: default-scheduler, containers: [{name: a}]}`),
		created(person, "a Pod", "does not schedule it", `spec: {schedulerName: default-scheduler, containers: [{name: a, `+gpu+`}]}`),
		created(jobs, "a Pod of a Job", "does not schedule it", `{metadata: {`+ofJob+`}, spec: {schedulerName: default-scheduler, containers: [{name: a, `+gpu+`}]}}`),
		created(person, "a claim", "does not schedule it", `spec: {schedulerName: default-scheduler, resourceClaims: [{name: gpu, resourceClaimName: mine}], containers: [{name: a}]}`),
		created(person, "a Pod that names a node", "names no node", `spec: {schedulerName: `+scheduler+`, nodeName: n, containers: [{name: a, `+gpu+`}]}`),
		created(person, "NVIDIA's RuntimeClass", "RuntimeClass", `spec: {runtimeClassName: nvidia-cdi, containers: [{name: a}]}`),
	}
}

// inQueue are PodGroups of a namespace of tenant team.
func inQueue(apiVersion string) []decision {
	group := func(spec string) string {
		return `{apiVersion: ` + apiVersion + `, kind: PodGroup, spec: ` + spec + `}`
	}
	return []decision{
		created(manager, "its own queue", "", group(`{queue: team}`)),
		created(manager, "another tenant's", "called like its tenant", group(`{queue: other}`)),
		created(manager, "none", "called like its tenant", group(`{}`)),
		changed(manager, "another tenant's later", "called like its tenant", group(`{queue: team}`), group(`{queue: other}`)),
	}
}

// policyOf renders the spec with tenants, and returns one of its policies.
func policyOf(t *testing.T, name, more string) admissionv1.ValidatingAdmissionPolicy {
	t.Helper()
	var spec, upper map[string]any
	for text, into := range map[string]*map[string]any{tenantsOf: &spec, more: &upper} {
		if err := yaml.Unmarshal([]byte(text), into); err != nil {
			t.Fatal(err)
		}
	}
	over(spec, upper)
	text, err := yaml.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	cluster, findings := schema.Evaluate(schema.Input{Path: "-", Stdin: strings.NewReader(string(text))})
	if cluster == nil || findings.HasErrors() {
		t.Fatal(findings)
	}
	var components map[string]struct{ Objects map[string]map[string]any }
	if err := cluster.Decode("components", &components); err != nil {
		t.Fatal(err)
	}
	var policy admissionv1.ValidatingAdmissionPolicy
	for _, object := range components["tenants"].Objects {
		text, err := yaml.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		if metadata := object["metadata"].(map[string]any); object["kind"] == "ValidatingAdmissionPolicy" && metadata["name"] == name {
			if err := yaml.UnmarshalStrict(text, &policy); err != nil {
				t.Fatal(err)
			}
			return policy
		}
	}
	t.Fatalf("no policy %s", name)
	return policy
}

// over lays upper over lower; maps merge.
func over(lower, upper map[string]any) {
	for key, value := range upper {
		below, ok := lower[key].(map[string]any)
		if above, both := value.(map[string]any); ok && both {
			over(below, above)
			continue
		}
		lower[key] = value
	}
}
