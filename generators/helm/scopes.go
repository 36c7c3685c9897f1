package helm

import (
	"strings"

	"github.com/gpugen/gpugen/schema/chartindex"
)

type groupKind struct{ group, kind string }

// builtinScopes holds the scope of the kinds that the API server brings
// (https://kubernetes.io/docs/reference/kubernetes-api/, v1.35, and kinds served
// by older versions that charts still render), and of those that charts for GPU
// clusters render although other charts or the distribution define them:
// prometheus-operator-crds 31.0.1, cert-manager v1.21.1 and node-feature-discovery
// 0.19.0 for their CRDs, https://docs.openshift.com/container-platform/4.20/rest_api/
// for OpenShift's. Other kinds are unknown unless the chart has the CRD.
var builtinScopes = scopeTable(map[string]string{
	"": "Namespace Node PersistentVolume ComponentStatus",

	"admissionregistration.k8s.io": "MutatingWebhookConfiguration ValidatingWebhookConfiguration ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding MutatingAdmissionPolicy MutatingAdmissionPolicyBinding",
	"apiextensions.k8s.io":         "CustomResourceDefinition",
	"apiregistration.k8s.io":       "APIService",
	"authentication.k8s.io":        "SelfSubjectReview TokenReview",
	"authorization.k8s.io":         "SelfSubjectAccessReview SelfSubjectRulesReview SubjectAccessReview",
	"certificates.k8s.io":          "CertificateSigningRequest ClusterTrustBundle",
	"flowcontrol.apiserver.k8s.io": "FlowSchema PriorityLevelConfiguration",
	"internal.apiserver.k8s.io":    "StorageVersion",
	"networking.k8s.io":            "IngressClass IPAddress ServiceCIDR",
	"node.k8s.io":                  "RuntimeClass",
	"policy":                       "PodSecurityPolicy",
	"rbac.authorization.k8s.io":    "ClusterRole ClusterRoleBinding",
	"resource.k8s.io":              "DeviceClass ResourceSlice DeviceTaintRule ResourceClass",
	"scheduling.k8s.io":            "PriorityClass",
	"storage.k8s.io":               "CSIDriver CSINode StorageClass VolumeAttachment VolumeAttributesClass",
	"storagemigration.k8s.io":      "StorageVersionMigration",

	"cert-manager.io":       "ClusterIssuer",
	"nfd.k8s-sigs.io":       "NodeFeatureRule",
	"security.openshift.io": "SecurityContextConstraints",
}, map[string]string{
	"": "Binding ConfigMap Endpoints Event LimitRange PersistentVolumeClaim Pod PodTemplate ReplicationController ResourceQuota Secret Service ServiceAccount",

	"apps":                      "ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet",
	"authorization.k8s.io":      "LocalSubjectAccessReview",
	"autoscaling":               "HorizontalPodAutoscaler",
	"batch":                     "CronJob Job",
	"certificates.k8s.io":       "PodCertificateRequest",
	"coordination.k8s.io":       "Lease LeaseCandidate",
	"discovery.k8s.io":          "EndpointSlice",
	"events.k8s.io":             "Event",
	"extensions":                "DaemonSet Deployment Ingress NetworkPolicy ReplicaSet",
	"networking.k8s.io":         "Ingress NetworkPolicy",
	"policy":                    "Eviction PodDisruptionBudget",
	"rbac.authorization.k8s.io": "Role RoleBinding",
	"resource.k8s.io":           "ResourceClaim ResourceClaimTemplate",
	"scheduling.k8s.io":         "Workload",
	"storage.k8s.io":            "CSIStorageCapacity",

	"cert-manager.io":       "Certificate CertificateRequest Issuer",
	"monitoring.coreos.com": "AlertmanagerConfig PodMonitor Probe PrometheusRule ServiceMonitor",
	"nfd.k8s-sigs.io":       "NodeFeature NodeFeatureGroup",
})

// scopeTable makes one table of the kinds, separated by spaces, of each group.
func scopeTable(cluster, namespaced map[string]string) map[groupKind]chartindex.Scope {
	out := map[groupKind]chartindex.Scope{}
	for scope, groups := range map[chartindex.Scope]map[string]string{
		chartindex.ScopeCluster: cluster, chartindex.ScopeNamespaced: namespaced,
	} {
		for group, kinds := range groups {
			for _, kind := range strings.Fields(kinds) {
				out[groupKind{group, kind}] = scope
			}
		}
	}
	return out
}
