package judge_test

import (
	"fmt"
	"testing"
	"testing/fstest"
)

// tenantsOfTwoPools has a pool with a device plugin, of which team has a quota, and
// one whose GPUs are claimed, of which other has one.
const tenantsOfTwoPools = `
name: research
kubernetes: {version: "1.35.8", distribution: kubeadm}
gitops: {repoURL: "https://git.example.com/platform/gpu.git", path: clusters/research/tree}
nodePools:
  p: {nodes: 4, nodeSelector: {pool: p}, gpu: {model: h100-sxm-80gb, count: 8}, os: {name: ubuntu, version: "24.04"}, driver: {source: operator}}
  d: {nodes: 4, nodeSelector: {pool: d}, gpu: {model: h100-sxm-80gb, count: 8}, os: {name: ubuntu, version: "24.04"}, driver: {source: operator}, allocation: dra}
tenants:
  team: {namespaces: [team], quota: {p: {gpus: 8}}}
  other: {namespaces: [other], quota: {d: {gpus: 8}}}
`

// Who asks for GPUs.
const (
	person     = "jane"
	jobs       = "system:serviceaccount:kube-system:job-controller"
	replicas   = "system:serviceaccount:kube-system:replicaset-controller"
	claims     = "system:serviceaccount:kube-system:resource-claim-controller"
	kueue      = "system:serviceaccount:kueue-system:kueue-controller-manager"
	kaiGrouper = "system:serviceaccount:kai-scheduler:pod-grouper"
	vcManager  = "system:serviceaccount:volcano-system:volcano-controllers"

	ofJob        = `ownerReferences: [{apiVersion: batch/v1, kind: Job, name: j, uid: u, controller: true}]`
	ofReplicaSet = `ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: r, uid: u, controller: true}]`
	gate         = `schedulingGates: [{name: kueue.x-k8s.io/admission}],`
	oneGPU       = `limits: {nvidia.com/gpu: 1}`
	ungate       = `{"spec":{"schedulingGates":null}}`
	unsuspend    = `{"spec":{"suspend":false}}`
)

// keptQuotas are trees, each with another keeper of quotas.
var keptQuotas = []struct {
	name     string
	files    func(*testing.T) fstest.MapFS
	attempts []attempt
}{
	{"Kueue", renderedFrom(`scheduling: {queue: kueue}`), append(underKueue("team", oneGPU),
		attempt{name: "a GPU of a pool without a quota", by: kueue, object: askingPod("other", "", gate, oneGPU), want: "exceeded quota"},
		attempt{name: "a claim of a pool without a quota", by: person, object: claim("team", 1), want: "exceeded quota"},
		attempt{name: "a claim of a template", by: claims, object: claim("team", 1), want: "exceeded quota"},
		attempt{name: "a claim", by: person, object: claim("other", 1)},
	)},
	{"Kueue, in the example with slices, shares and claims", golden("mixed-pools"), append(underKueue("team-b-batch", `limits: {nvidia.com/mig-1g.10gb: 1}`), underKueue("team-a", oneGPU)...)},
	{"Kueue beside Volcano, in the example", golden("onprem-h100"), append(underKueue("product", `limits: {nvidia.com/mig-1g.10gb: 1}`),
		attempt{name: "a slice of a pool without a quota", by: person, object: askingPod("research", "", gate, `limits: {nvidia.com/mig-1g.10gb: 1}`), want: "exceeded quota"},
	)},
	{"Volcano", renderedFrom(`scheduling: {gang: volcano}`), append(underScheduler("volcano", "team", oneGPU),
		attempt{name: "a PodGroup", by: vcManager, object: podGroup("scheduling.volcano.sh/v1beta1", "team", "team")},
		attempt{name: "a PodGroup in another tenant's queue", by: vcManager, object: podGroup("scheduling.volcano.sh/v1beta1", "team", "other"), want: "called like its tenant"},
		attempt{name: "a GPU of a pool without a quota", by: person, object: askingPod("other", "", "schedulerName: volcano,", oneGPU), want: "exceeded quota"},
	)},
	{"KAI", renderedFrom(`scheduling: {gang: kai}`), append(underScheduler("kai-scheduler", "team", oneGPU),
		attempt{name: "a PodGroup", by: kaiGrouper, object: podGroup("scheduling.run.ai/v2alpha2", "team", "team")},
		attempt{name: "a PodGroup in another tenant's queue", by: kaiGrouper, object: podGroup("scheduling.run.ai/v2alpha2", "team", "other"), want: "called like its tenant"},
		attempt{name: "a claim of a pool without a quota", by: person, object: claim("team", 1), want: "exceeded quota"},
	)},
	{"KAI, in the example with claims", golden("dra-h100"), underScheduler("kai-scheduler", "vision", "")},
	{"Kubernetes", renderedFrom(``), []attempt{
		{name: "a Pod past the quota", by: person, object: askingPod("team", "", "", `limits: {nvidia.com/gpu: 9}`), want: "exceeded quota"},
		{name: "a Deployment's Pod past the quota", by: replicas, object: askingPod("team", ofReplicaSet, "", `limits: {nvidia.com/gpu: 9}`), want: "exceeded quota"},
		{name: "a Job's Pod past the quota", by: jobs, object: askingPod("team", ofJob, "", `limits: {nvidia.com/gpu: 9}`), want: "exceeded quota"},
		{name: "a claim past the quota", by: person, object: claim("other", 9), want: "exceeded quota"},
		{name: "a claim of a template, past the quota", by: claims, object: claim("other", 9), want: "exceeded quota"},
		{name: "a GPU of a pool without a quota", by: person, object: askingPod("other", "", "", oneGPU), want: "exceeded quota"},
		{name: "a claim of a pool without a quota", by: person, object: claim("team", 1), want: "exceeded quota"},
		{name: "all GPUs of a node", by: person, object: askingPod("team", "", "runtimeClassName: nvidia,", ""), want: "RuntimeClass"},
		{name: "a Pod within the quota", by: person, object: askingPod("team", "", "", `limits: {nvidia.com/gpu: 8}`)},
		{name: "a Deployment's Pod within the quota", by: replicas, object: askingPod("team", ofReplicaSet, "", `limits: {nvidia.com/gpu: 8}`)},
		{name: "a Job's Pod within the quota", by: jobs, object: askingPod("team", ofJob, "", `limits: {nvidia.com/gpu: 8}`)},
		{name: "a claim within the quota", by: person, object: claim("other", 8)},
	}},
}

// underKueue are ways past Kueue, and the way through it, which the test goes in its
// place.
func underKueue(namespace, resources string) []attempt {
	const past, alone = "Kueue does not hold it", "Kueue alone lets this"
	return []attempt{
		{name: "a Pod", by: person, object: askingPod(namespace, "", "", resources), want: past},
		{name: "a Deployment's Pod", by: replicas, object: askingPod(namespace, ofReplicaSet, "", resources), want: past},
		{name: "a Pod that says it is a Job's", by: person, object: askingPod(namespace, ofJob, "", resources), want: past},
		{name: "a Pod that claims", by: person, object: claiming(namespace, "", "resourceClaimName", ""), want: past},
		{name: "a Deployment's Pod that claims by a template", by: replicas, object: claiming(namespace, ofReplicaSet, "resourceClaimTemplateName", ""), want: past},
		{name: "a Job", by: person, object: job(namespace, false, resources), want: past},
		{name: "all GPUs of a node", by: person, object: askingPod(namespace, "", "runtimeClassName: nvidia,", ""), want: "RuntimeClass"},
		{name: "a Pod that is let go", by: person, object: askingPod(namespace, "", gate, resources), patch: ungate, want: alone},
		{name: "a Job that is let go", by: person, object: job(namespace, true, resources), patch: unsuspend, want: alone},
		{name: "a Pod that Kueue holds back", by: person, object: askingPod(namespace, "", gate, resources)},
		{name: "a Deployment's Pod that Kueue holds back", by: replicas, object: askingPod(namespace, ofReplicaSet, gate, resources)},
		{name: "a Job's Pod", by: jobs, object: askingPod(namespace, ofJob, "", resources)},
		{name: "a Job that Kueue holds back", by: person, object: job(namespace, true, resources)},
		{name: "a Pod that Kueue lets go", by: kueue, object: askingPod(namespace, "", gate, resources), patch: ungate},
		{name: "a Job that Kueue lets go", by: kueue, object: job(namespace, true, resources), patch: unsuspend},
		{name: "a Pod without GPUs", by: person, object: askingPod(namespace, "", "", "limits: {cpu: 1}")},
	}
}

// underScheduler are ways past a gang scheduler, and those through it. Without
// resources, GPUs are claimed.
func underScheduler(scheduler, namespace, resources string) []attempt {
	const past = "does not schedule it"
	named := "schedulerName: " + scheduler + ","
	asks := func(metadata, more string) string { return askingPod(namespace, metadata, more, resources) }
	if resources == "" {
		asks = func(metadata, more string) string {
			return claiming(namespace, metadata, "resourceClaimTemplateName", more)
		}
	}
	return []attempt{
		{name: "a Pod", by: person, object: asks("", ""), want: past},
		{name: "a Deployment's Pod", by: replicas, object: asks(ofReplicaSet, ""), want: past},
		{name: "a Job's Pod", by: jobs, object: asks(ofJob, ""), want: past},
		{name: "a Pod that claims", by: person, object: claiming(namespace, "", "resourceClaimName", ""), want: past},
		{name: "a Pod that names a node", by: person, object: asks("", named+" nodeName: node-1,"), want: "names no node"},
		{name: "all GPUs of a node", by: person, object: askingPod(namespace, "", named+" runtimeClassName: nvidia,", ""), want: "RuntimeClass"},
		{name: "a Pod that names the scheduler", by: person, object: asks("", named)},
		{name: "a Deployment's Pod that names it", by: replicas, object: asks(ofReplicaSet, named)},
		{name: "a Job's Pod that names it", by: jobs, object: asks(ofJob, named)},
		{name: "a Pod without GPUs", by: person, object: askingPod(namespace, "", "", "limits: {cpu: 1}")},
	}
}

func askingPod(namespace, metadata, spec, resources string) string {
	return fmt.Sprintf(`{apiVersion: v1, kind: Pod, metadata: {name: try, namespace: %s, %s}, spec: {%s containers: [{name: a, image: registry.example.com/a:1, resources: {%s}}]}}`, namespace, metadata, spec, resources)
}

func claiming(namespace, metadata, field, spec string) string {
	return fmt.Sprintf(`{apiVersion: v1, kind: Pod, metadata: {name: try, namespace: %s, %s}, spec: {%s resourceClaims: [{name: gpu, %s: one}], containers: [{name: a, image: registry.example.com/a:1, resources: {claims: [{name: gpu}]}}]}}`, namespace, metadata, spec, field)
}

func job(namespace string, suspend bool, resources string) string {
	return fmt.Sprintf(`{apiVersion: batch/v1, kind: Job, metadata: {name: try, namespace: %s}, spec: {suspend: %t, template: {spec: {restartPolicy: Never, containers: [{name: a, image: registry.example.com/a:1, resources: {%s}}]}}}}`, namespace, suspend, resources)
}

func claim(namespace string, devices int) string {
	return fmt.Sprintf(`{apiVersion: resource.k8s.io/v1, kind: ResourceClaim, metadata: {name: try, namespace: %s}, spec: {devices: {requests: [{name: gpu, exactly: {deviceClassName: gpu.nvidia.com, count: %d}}]}}}`, namespace, devices)
}

func podGroup(apiVersion, namespace, queue string) string {
	return fmt.Sprintf(`{apiVersion: %s, kind: PodGroup, metadata: {name: try, namespace: %s}, spec: {minMember: 1, queue: %s}}`, apiVersion, namespace, queue)
}
