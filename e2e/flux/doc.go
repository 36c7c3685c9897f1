// Package flux has Flux's own controllers reconcile trees, on a Kubernetes
// cluster without machines. What a tree should come to, its test says; the cluster and
// the hosts are those of e2e/argocd.
package flux
