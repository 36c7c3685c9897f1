package judge_test

import (
	"slices"
	"testing"

	"github.com/gpugen/gpugen/e2e/apiserver/judge"
)

// leftToTheServer are the fields that trees neither set nor let Argo CD ignore,
// each with the value that the server gives it ("" for any) and the reason. Every
// other one fails the tests.
var leftToTheServer = []struct{ kind, path, value, why string }{
	{"v1 Namespace", "metadata.labels[kubernetes.io/metadata.name]", "", "the server's own label: it keeps anybody else from setting another value"},
	{"v1 Namespace", "spec", `{"finalizers":["kubernetes"]}`, "belongs to the namespace controller, and changes when the Namespace goes"},
	{"resource.k8s.io/v1 ResourceClaimTemplate", "spec.metadata", "{}", emptyStruct},
	{"v1 Service", "spec.ipFamilies", "", "IPv4 or IPv6: what the cluster's own network has"},
	{"v1 Service", "spec.ipFamilies", `["IPv4"]`, "what the cluster's network speaks, which no tree knows"},
	{"batch/v1 CronJob", "spec.jobTemplate.metadata", "{}", emptyStruct},
	{"batch/v1 CronJob", ofPods + "metadata", "{}", emptyStruct},
	{"batch/v1 CronJob", ofPods + "spec.containers[].imagePullPolicy", `"IfNotPresent"`, "what follows from a tag other than latest"},
	{"batch/v1 CronJob", ofPods + "spec.containers[].terminationMessagePath", `"/dev/termination-log"`, ofEveryPod},
	{"batch/v1 CronJob", ofPods + "spec.containers[].terminationMessagePolicy", `"File"`, ofEveryPod},
	{"batch/v1 CronJob", ofPods + "spec.containers[].resources", "{}", emptyStruct},
	{"batch/v1 CronJob", ofPods + "spec.dnsPolicy", `"ClusterFirst"`, ofEveryPod},
	{"batch/v1 CronJob", ofPods + "spec.schedulerName", `"default-scheduler"`, ofEveryPod},
	{"batch/v1 CronJob", ofPods + "spec.securityContext", "{}", emptyStruct},
	{"batch/v1 CronJob", ofPods + "spec.terminationGracePeriodSeconds", "30", ofEveryPod},
	{"batch/v1 CronJob", ofPods + "spec.volumes[].configMap.defaultMode", "420", ofEveryPod},
}

const (
	ofPods      = "spec.jobTemplate.spec.template."
	emptyStruct = "an empty struct that the server writes out and that says nothing"
	ofEveryPod  = "a constant of the Pod API, and no choice of ours: Argo CD asks the server what it would make of the object (ServerSideDiff), and the server's answer does not change (second apply)"
)

func undeclared(defaulted []judge.Default) []judge.Default {
	return slices.DeleteFunc(slices.Clone(defaulted), func(d judge.Default) bool {
		for _, one := range leftToTheServer {
			if d.Kind == one.kind && d.Path == one.path && (one.value == "" || d.Value == one.value) {
				return true
			}
		}
		return false
	})
}

// fieldsOfCharts: objects of charts leave fields to the server too. gpugen neither
// renders them nor ignores them: to ignore a field would keep a change of its value
// from the cluster (RespectIgnoreDifferences). Argo CD compares these objects with
// what a server-side apply would make of them (ServerSideDiff), which the judge
// has done when it applied each a second time: it changes nothing.
func (k *kubernetes) fieldsOfCharts(t *testing.T) {
	if k.minor != newest {
		return
	}
	objects := map[string]string{
		"clusterpolicy.yaml": clusterPolicy,
		"priorityclass.yaml": "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: train}\nvalue: 50\ndescription: train\n",
		"policy.yaml": "apiVersion: admissionregistration.k8s.io/v1\nkind: ValidatingAdmissionPolicy\nmetadata: {name: slices}\n" +
			"spec: {failurePolicy: Fail, matchConstraints: {resourceRules: [{apiGroups: [resource.k8s.io], apiVersions: [v1], operations: [CREATE], resources: [resourceslices]}]}, validations: [{expression: \"true\"}]}\n",
	}
	files := treeFor(clusterPolicy)
	for name, text := range objects {
		add(files, name, text)
	}
	report := k.judge(t, load(t, files))
	for _, problem := range report.Problems {
		t.Error(problem)
	}
	for kind, path := range map[string]string{
		"nvidia.com/v1 ClusterPolicy":                               "spec.cdi.nriPluginEnabled",
		"scheduling.k8s.io/v1 PriorityClass":                        "preemptionPolicy",
		"admissionregistration.k8s.io/v1 ValidatingAdmissionPolicy": "spec.matchConstraints.matchPolicy",
	} {
		if !slices.ContainsFunc(report.Defaulted, func(d judge.Default) bool { return d.Kind == kind && d.Path == path }) {
			t.Errorf("the server does not fill in %s of %s: %v", path, kind, report.Defaulted)
		}
	}
}
