package schema

import (
	"fmt"
	"strings"
	"testing"
)

// Users' objects are of any shape, and rules that look into them come to a decision.
func TestRulesAreDecidedOnObjectsOfAnyShape(t *testing.T) {
	const beside = "components: {mine: {chart: {repository: \"https://charts.example.com\", name: thing, version: 1.2.3}, values: {extraObjects: x}, objects: {a: %s}}}\nscheduling: {queue: kueue}\nkubernetes: {version: 1.36.0}\ntenants: {t: {namespaces: [team-t], quota: {p: {gpus: 4}}}}"
	for _, object := range []string{
		"{apiVersion: example.com/v1, kind: Thing, metadata: {name: a}, spec: {sources: x, template: {spec: {containers: x}}, chart: 5, hard: [1], nodeLabels: [1], jobTemplate: 5}}",
		"{apiVersion: example.com/v1, kind: ResourceQuota, metadata: {name: a}, spec: {hard: [1], source: {chart: 5}, sources: [x]}}",
		"{apiVersion: example.com/v1, kind: Pod, metadata: {name: a}, spec: {containers: {a: 1}, nodeSelector: [a]}}",
		"{apiVersion: kueue.x-k8s.io/v1beta2, kind: ClusterQueue, metadata: {name: a}, spec: {resourceGroups: x}}",
		"{apiVersion: kueue.x-k8s.io/v1beta2, kind: ClusterQueue, metadata: {name: a}, spec: {resourceGroups: [{flavors: x}, {coveredResources: 5, flavors: [{resources: 5}]}]}}",
		"{apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: a}, spec: {nodeLabels: x}}",
		"{apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue, metadata: {name: a}, spec: x}",
		"{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: a}, spec: {extendedResourceName: 5}}",
		"{apiVersion: batch/v1, kind: Job, metadata: {name: a, namespace: x}, spec: {tasks: x, template: {spec: {containers: [{name: c, image: 5, resources: {limits: [a]}}, 5], nodeSelector: x}}}}",
		"{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, metadata: {name: a, namespace: x}, spec: {replicatedJobs: 5}}",
		"{apiVersion: scheduling.run.ai/v2, kind: Queue, metadata: {name: a}, spec: {resources: 5}}",
		"{apiVersion: scheduling.volcano.sh/v1beta1, kind: Queue, metadata: {name: a}, spec: {capability: 5}}",
		"{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: x}, spec: null}",
		"{apiVersion: v1, kind: List, metadata: {name: a}, items: []}",
	} {
		t.Run(object, func(t *testing.T) {
			t.Parallel()
			d := single("yaml", overlaid(t, fmt.Sprintf(beside, object)))
			_, found := d.judge(t)
			for _, f := range found {
				if strings.HasPrefix(f.ID, "RULE-") {
					t.Errorf("%s\n%v", describe1(f), d)
				}
			}
		})
	}
}
