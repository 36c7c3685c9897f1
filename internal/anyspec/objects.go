package anyspec

import (
	"fmt"
	"slices"

	"sigs.k8s.io/yaml"
)

// usual are objects that users often add to a platform.
var usual = []string{
	`{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: b}, data: {a: "1", b.yaml: "x: [1]\n"}}`,
	`{apiVersion: v1, kind: Namespace, metadata: {name: a, labels: {pod-security.kubernetes.io/enforce: restricted}}}`,
	`{apiVersion: v1, kind: ServiceAccount, metadata: {name: a, namespace: b}}`,
	`{apiVersion: v1, kind: ResourceQuota, metadata: {name: a, namespace: b}, spec: {hard: {requests.nvidia.com/gpu: "8"}}}`,
	`{apiVersion: v1, kind: LimitRange, metadata: {name: a, namespace: b}, spec: {limits: [{type: Container, default: {cpu: "1"}}]}}`,
	`{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: a, namespace: b}, spec: {accessModes: [ReadWriteMany], resources: {requests: {storage: 1Ti}}}}`,
	`{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: a}, value: 1000, globalDefault: false}`,
	`{apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {name: a}, handler: nvidia}`,
	`{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: a, namespace: b}, spec: {podSelector: {}, policyTypes: [Ingress]}}`,
	`{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: a}, rules: [{apiGroups: [""], resources: [nodes], verbs: [get]}]}`,
	`{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: a, namespace: b}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: edit}, subjects: [{kind: Group, apiGroup: rbac.authorization.k8s.io, name: c}]}`,
	`{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: a, namespace: b}, spec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: "registry.example.com/a:1", resources: {limits: {nvidia.com/gpu: "1"}}}]}}}}`,
	`{apiVersion: batch/v1, kind: CronJob, metadata: {name: a, namespace: b}, spec: {schedule: "0 3 * * *", jobTemplate: {spec: {template: {spec: {restartPolicy: Never, containers: [{name: a, image: "registry.example.com/a:1"}]}}}}}}`,
	`{apiVersion: admissionregistration.k8s.io/v1, kind: ValidatingAdmissionPolicy, metadata: {name: a}, spec: {matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}, validations: [{expression: "true"}]}}`,
	`{apiVersion: external-secrets.io/v1, kind: ExternalSecret, metadata: {name: a, namespace: b}, spec: {refreshInterval: 1h, secretStoreRef: {kind: ClusterSecretStore, name: c}, target: {name: d}, dataFrom: [{extract: {key: e}}]}}`,
	`{apiVersion: nfd.k8s-sigs.io/v1alpha1, kind: NodeFeatureRule, metadata: {name: a}, spec: {rules: [{name: a, labels: {a: b}, matchFeatures: [{feature: cpu.model, matchExpressions: {vendor_id: {op: In, value: [Intel]}}}]}]}}`,
	`{apiVersion: monitoring.coreos.com/v1, kind: PrometheusRule, metadata: {name: a, namespace: b}, spec: {groups: [{name: a, rules: [{alert: A, expr: "up == 0"}]}]}}`,
	`{apiVersion: kueue.x-k8s.io/v1beta1, kind: WorkloadPriorityClass, metadata: {name: a}, value: 10, description: a}`,
	`{apiVersion: v1, kind: List, metadata: {name: a}, items: [{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: b}}]}`,
	`{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: as.example.com}, spec: {group: example.com, scope: Cluster, names: {kind: A, plural: as}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]}}`,
}

// Usual are objects that users often add to a platform.
func Usual() (out []map[string]any) {
	for _, text := range usual {
		var object map[string]any
		if err := yaml.Unmarshal([]byte(text), &object); err != nil {
			panic(err)
		}
		out = append(out, object)
	}
	return out
}

// Form is an object with another form of value at one place.
type Form struct {
	// What it is, for people.
	What   string
	Object map[string]any
}

// Forms are an object with another form of value at one place: a list for a text, and so
// on; at each place, and with each form.
func Forms(object map[string]any) (out []Form) {
	object = plain(object).(map[string]any)
	for _, path := range paths(object, nil) {
		if slices.ContainsFunc(path, func(key any) bool { n, ok := key.(int); return ok && n > 0 }) {
			continue // as the first of its list
		}
		has := at(object, path)
		for _, other := range []any{"x", int64(7), true, 1.5, nil, []any{}, []any{"x"}, []any{map[string]any{"x": "y"}}, map[string]any{}, map[string]any{"x": "y"}} {
			if fmt.Sprintf("%T", other) != fmt.Sprintf("%T", has) {
				what := fmt.Sprintf("%v %s: %v", object["kind"], pointer(path), other)
				out = append(out, Form{what, Change{path, other}.Apply(object)})
			}
		}
	}
	return out
}
