package helm

import (
	"strings"

	"github.com/gpugen/gpugen/schema/chartindex"
)

type groupKind struct{ group, kind string }

// builtinScopes holds the scope of the kinds that the API server brings, and of
// those that charts for GPU clusters render although another chart or the
// distribution defines them. Other kinds are unknown unless the chart has the CRD.
//
// Sources: the genclient markers of k8s.io/api v0.37.0 (and v0.36.3 for what that
// no longer has; PodSecurityPolicy and ResourceClass: the API references of 1.24
// and 1.30); the CRDs of cert-manager v1.21.1, node-feature-discovery 0.19.0 and
// prometheus-operator-crds 31.0.1; https://github.com/openshift/api,
// security/v1/types.go at 081b6d5b6182.
var builtinScopes = scopeTable(clusterKinds, namespacedKinds)

// clusterKinds are the kinds of each group, separated by spaces, that live
// outside of namespaces.
var clusterKinds = map[string]string{
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
	"resource.k8s.io":              "DeviceClass DeviceTaintRule ResourceClass ResourcePoolStatusRequest ResourceSlice",
	"scheduling.k8s.io":            "PriorityClass",
	"storage.k8s.io":               "CSIDriver CSINode StorageClass VolumeAttachment VolumeAttributesClass",
	"storagemigration.k8s.io":      "StorageVersionMigration",

	"cert-manager.io":       "ClusterIssuer",
	"nfd.k8s-sigs.io":       "NodeFeatureRule",
	"security.openshift.io": "SecurityContextConstraints",
}

// namespacedKinds are those that live in one.
var namespacedKinds = map[string]string{
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
	"lifecycle.k8s.io":          "Eviction EvictionRequest",
	"networking.k8s.io":         "Ingress NetworkPolicy",
	"policy":                    "Eviction PodDisruptionBudget",
	"rbac.authorization.k8s.io": "Role RoleBinding",
	"resource.k8s.io":           "ResourceClaim ResourceClaimTemplate",
	"scheduling.k8s.io":         "CompositePodGroup PodGroup Workload",
	"storage.k8s.io":            "CSIStorageCapacity",

	"cert-manager.io":       "Certificate CertificateRequest Issuer",
	"monitoring.coreos.com": "AlertmanagerConfig PodMonitor Probe PrometheusRule ServiceMonitor",
	"nfd.k8s-sigs.io":       "NodeFeature NodeFeatureGroup",
}

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
