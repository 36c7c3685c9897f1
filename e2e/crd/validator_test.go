package crd_test

import (
	"errors"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/gpugen/gpugen/e2e/crd"
	"github.com/gpugen/gpugen/schema/upstreamtest"
)

// newest are the charts whose kinds the minimal examples use.
var newest = []crd.ChartVersion{
	{"gpu-operator", "v26.7.0"},
	{"network-operator", "26.4.1"},
	{"kueue", "0.19.2"},
	{"volcano", "1.15.1"},
	{"kai-scheduler", "v0.17.0"},
	{"argo-cd-manifests", "v3.5.1"},
}

func TestMinimalExamplesAreValid(t *testing.T) {
	validator := newValidator(t, newest...)
	for _, name := range []string{"minimal.yaml", "resource-k8s-io.yaml"} {
		// Every document in these files is a Kubernetes object; none is left out.
		objects := documentsIn(t, upstreamtest.Dir(t, "examples", name))
		if len(objects) == 0 {
			t.Errorf("%s has no objects", name)
		}
		for _, object := range objects {
			for _, err := range validator.Validate(object) {
				t.Errorf("%s: %v %v: %v", name, object["kind"], object["metadata"], err)
			}
		}
	}
}

// Upstream's own samples, as far as the data has them, with what is wrong in them.
func TestUpstreamSamples(t *testing.T) {
	wrong := map[string]string{
		// The GPUCluster CRD at v26.7.0 has no such field.
		"nvidia_v1alpha1_gpucluster.yaml": "spec.hostPaths.rootFS",
	}
	validator := newValidator(t, newest...)
	files, err := filepath.Glob(filepath.Join(upstreamtest.Dir(t, "gpu-operator-samples", "v26.7.0", "samples"), "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no samples: %v", err)
	}
	for _, file := range files {
		var said []string
		for _, object := range documentsIn(t, file) {
			for _, err := range validator.Validate(object) {
				said = append(said, err.Error())
			}
		}
		all := strings.Join(said, "\n")
		switch want := wrong[filepath.Base(file)]; {
		case want == "" && all != "":
			t.Errorf("%s: %s", filepath.Base(file), all)
		case !strings.Contains(all, want) || want != "" && len(said) != 1:
			t.Errorf("%s: want only a finding about %s, got %q", filepath.Base(file), want, said)
		}
	}
}

func TestWrongObjectsAreRefused(t *testing.T) {
	validator := newValidator(t, newest...)
	for name, test := range map[string]struct{ object, want string }{
		"unknown field": {
			`{apiVersion: nvidia.com/v1alpha1, kind: NVIDIADriver, metadata: {name: a}, spec: {driverType: gpu, image: driver, nodeSelectors: {a: b}}}`,
			`unknown field "spec.nodeSelectors"`},
		"unknown field in metadata": {
			`{apiVersion: nvidia.com/v1alpha1, kind: NVIDIADriver, metadata: {name: a, label: {}}, spec: {driverType: gpu, image: driver}}`,
			`unknown field "metadata.label"`},
		"value outside an enum": {
			`{apiVersion: nvidia.com/v1alpha1, kind: NVIDIADriver, metadata: {name: a}, spec: {driverType: cpu, image: driver}}`,
			`supported values: "gpu"`},
		"CEL rule: default driver with a node selector": {
			`{apiVersion: nvidia.com/v1alpha1, kind: NVIDIADriver, metadata: {name: a}, spec: {driverType: gpu, image: driver, default: true, nodeSelector: {a: b}}}`,
			`default NVIDIADriver must not use nodeSelector`},
		"CEL rule: borrowing without a cohort": {
			`{apiVersion: kueue.x-k8s.io/v1beta2, kind: ClusterQueue, metadata: {name: a}, spec: {namespaceSelector: {}, resourceGroups: [{coveredResources: [cpu], flavors: [{name: f, resources: [{name: cpu, nominalQuota: 1, borrowingLimit: 1}]}]}]}}`,
			`borrowingLimit must be nil when`},
		"wrong type": {
			`{apiVersion: nvidia.com/v1alpha1, kind: NVIDIADriver, metadata: {name: a}, spec: {driverType: gpu, image: driver, default: "false"}}`,
			`spec.default: Invalid value: "string"`},
		"missing required field": {
			`{apiVersion: nvidia.com/v1, kind: ClusterPolicy, metadata: {name: a}, spec: {operator: {}}}`,
			`spec.daemonsets: Required value`},
		"label value that is a number": {
			`{apiVersion: nvidia.com/v1, kind: ClusterPolicy, metadata: {name: a, labels: {a: 1}}, spec: {}}`,
			`labels`},
		"name that is no DNS name": {
			`{apiVersion: nvidia.com/v1alpha1, kind: NVIDIADriver, metadata: {name: A_b}, spec: {driverType: gpu, image: driver}}`,
			`metadata.name: Invalid value`},
		"version that is not served": {
			`{apiVersion: nvidia.com/v2, kind: ClusterPolicy, metadata: {name: a}, spec: {}}`,
			`not served in version "v2"`},
		"unknown field of a built-in kind": {
			`{apiVersion: apps/v1, kind: DaemonSet, metadata: {name: a, namespace: b}, spec: {selectors: {}}}`,
			`unknown field "spec.selectors"`},
		"unknown field of an APIService": {
			`{apiVersion: apiregistration.k8s.io/v1, kind: APIService, metadata: {name: v1.a}, spec: {groupName: a}}`,
			`unknown field "spec.groupName"`},
		"wrong type in a built-in kind": {
			`{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: b}, data: {a: 1}}`,
			`cannot unmarshal number`},
		"removed version of a built-in kind": {
			`{apiVersion: policy/v1beta1, kind: PodDisruptionBudget, metadata: {name: a, namespace: b}}`,
			`not served since Kubernetes 1.25`},
		"unknown version of a built-in kind": {
			`{apiVersion: apps/v3, kind: DaemonSet, metadata: {name: a, namespace: b}}`,
			`unknown kind`},
		"no name": {
			`{apiVersion: v1, kind: ConfigMap, metadata: {namespace: b}}`,
			`metadata.name: Required value`},
		"label of a built-in kind": {
			`{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: b, labels: {a: "b c"}}}`,
			`metadata.labels: Invalid value`},
		"not an object": {
			`{replicas: 3}`,
			`not a Kubernetes object`},
	} {
		t.Run(name, func(t *testing.T) {
			var said []string
			for _, err := range validator.Validate(documents(t, test.object)[0]) {
				said = append(said, err.Error())
			}
			if !strings.Contains(strings.Join(said, "\n"), test.want) {
				t.Errorf("want %q, got %q", test.want, said)
			}
		})
	}
}

func TestWhatTheServerAcceptsIsAccepted(t *testing.T) {
	validator := newValidator(t, newest...)
	for name, object := range map[string]string{
		"required field with a default":        `{apiVersion: nvidia.com/v1alpha1, kind: NVIDIADriver, metadata: {name: a}, spec: {driverType: gpu, image: driver}}`,
		"null on a field that is not nullable": `{apiVersion: nvidia.com/v1alpha1, kind: NVIDIADriver, metadata: {name: a}, spec: {driverType: gpu, image: driver, version: null}}`,
		"namespace left to who applies it":     `{apiVersion: nv-ipam.nvidia.com/v1alpha1, kind: IPPool, metadata: {name: a}, spec: {subnet: 192.168.0.0/16, perNodeBlockSize: 50, gateway: 192.168.0.1}}`,
		"generated name":                       `{apiVersion: batch/v1, kind: Job, metadata: {generateName: a-, namespace: b}}`,
		"RBAC name with colons":                `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: "system:a:b"}}`,
		"built-in kind of Kubernetes 1.34":     `{apiVersion: resource.k8s.io/v1, kind: DeviceClass, metadata: {name: gpu.nvidia.com}, spec: {selectors: [{cel: {expression: "true"}}]}}`,
	} {
		t.Run(name, func(t *testing.T) {
			given := documents(t, object)[0]
			for _, err := range validator.Validate(given) {
				t.Error(err)
			}
			if !reflect.DeepEqual(given, documents(t, object)[0]) {
				t.Error("the object was changed")
			}
		})
	}
}

func TestUnknownKindsAreMarked(t *testing.T) {
	validator, err := crd.New()
	if err != nil {
		t.Fatal(err)
	}
	errs := validator.Validate(documents(t, `{apiVersion: nvidia.com/v1, kind: ClusterPolicy, metadata: {name: a}}`)[0])
	if len(errs) != 1 || !errors.Is(errs[0], crd.ErrUnknownKind) {
		t.Errorf("got %v", errs)
	}
}

func TestANamespaceOnAClusterScopedObjectIsMarked(t *testing.T) {
	validator := newValidator(t, newest...)
	for _, object := range []string{
		`{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: a, namespace: b}}`,
		`{apiVersion: nvidia.com/v1alpha1, kind: NVIDIADriver, metadata: {name: a, namespace: b}, spec: {driverType: gpu, image: driver}}`,
	} {
		errs := validator.Validate(documents(t, object)[0])
		if len(errs) != 1 || !errors.Is(errs[0], crd.ErrNamespaceIgnored) {
			t.Errorf("%s: got %v", object, errs)
		}
	}
}

func TestScopesOfKinds(t *testing.T) {
	validator := newValidator(t, newest...)
	for kind, want := range map[schema.GroupKind]bool{
		{Kind: "Namespace"}:                false,
		{Kind: "Node"}:                     false,
		{Kind: "Pod"}:                      true,
		{Kind: "Event"}:                    true,
		{Group: "apps", Kind: "DaemonSet"}: true,
		{Group: "resource.k8s.io", Kind: "DeviceClass"}:                            false,
		{Group: "resource.k8s.io", Kind: "ResourceClaimTemplate"}:                  true,
		{Group: "scheduling.k8s.io", Kind: "PriorityClass"}:                        false,
		{Group: "apiextensions.k8s.io", Kind: "CustomResourceDefinition"}:          false,
		{Group: "apiregistration.k8s.io", Kind: "APIService"}:                      false,
		{Group: "admissionregistration.k8s.io", Kind: "ValidatingAdmissionPolicy"}: false,
		{Group: "nvidia.com", Kind: "ClusterPolicy"}:                               false,
		{Group: "kueue.x-k8s.io", Kind: "LocalQueue"}:                              true,
	} {
		if got, err := validator.Namespaced(kind); err != nil || got != want {
			t.Errorf("%s: namespaced %v, %v", kind, got, err)
		}
	}
	if _, err := validator.Namespaced(schema.GroupKind{Kind: "ClusterPolicy"}); !errors.Is(err, crd.ErrUnknownKind) {
		t.Errorf("unknown kind: %v", err)
	}
}

func TestDefinitionsOfTheChartsAreValidThemselves(t *testing.T) {
	validator := newValidator(t)
	files := definitions(t, newest...)
	if len(files) == 0 {
		t.Fatal("no CRDs")
	}
	for _, file := range files {
		for _, object := range documentsIn(t, file) {
			for _, err := range validator.Validate(object) {
				t.Errorf("%s: %v", file, err)
			}
		}
	}
}

func TestABrokenDefinitionIsRefused(t *testing.T) {
	validator := newValidator(t)
	for schema, want := range map[string]string{
		`{type: object, properties: {count: {type: integer, default: "x"}}}`:                                        "must be of type integer",
		`{type: object, properties: {count: {type: integer}}, x-kubernetes-validations: [{rule: self.number > 1}]}`: "undefined field 'number'",
		`{properties: {count: {type: integer}}}`:                                                                    "type: Required value",
	} {
		broken := `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: things.example.com}, spec: {
			group: example.com, scope: Cluster, names: {plural: things, kind: Thing}, versions: [{name: v1, served: true, storage: true,
			schema: {openAPIV3Schema: {type: object, properties: {spec: ` + schema + `}}}}]}}`
		var said []string
		for _, err := range validator.Validate(documents(t, broken)[0]) {
			said = append(said, err.Error())
		}
		if !strings.Contains(strings.Join(said, "\n"), want) {
			t.Errorf("want %q, got %q", want, said)
		}
	}
}

func TestEachOfTwoDefinitionsIsAsked(t *testing.T) {
	thing := func(field string) map[string]any {
		return documents(t, `{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: things.example.com}, spec: {
			group: example.com, scope: Cluster, names: {plural: things, kind: Thing}, versions: [{name: v1, served: true, storage: true,
			schema: {openAPIV3Schema: {type: object, properties: {`+field+`: {type: string}}}}}]}}`)[0]
	}
	validator := newValidator(t)
	for source, field := range map[string]string{"first chart": "old", "second chart": "new", "third chart": "new"} {
		if err := validator.Add(source, thing(field)); err != nil {
			t.Fatal(err)
		}
	}
	errs := validator.Validate(documents(t, `{apiVersion: example.com/v1, kind: Thing, metadata: {name: a}, new: b}`)[0])
	if len(errs) != 1 || !strings.Contains(errs[0].Error(), "first chart") {
		t.Errorf("got %v", errs)
	}
}
