// Package argocd turns a plan into Argo CD's objects: the root Application, one
// Application a component, and the AppProject that allows just what they need.
// It must not know what a component is for.
package argocd

import (
	"cmp"
	"maps"
	"path"
	"strconv"
	"strings"

	"github.com/gpugen/gpugen/generators/plan"
)

// object is a Kubernetes manifest.
type object = map[string]any

// hub is the cluster that Argo CD itself runs in; root and AppProject go there.
const hub = "https://kubernetes.default.svc"

// Fields that a CRD or the API server defaults are no difference.
const (
	compareOptions = "argocd.argoproj.io/compare-options"
	serverSideDiff = "ServerSideDiff=true"
)

const waveAnnotation = "argocd.argoproj.io/sync-wave"

// finalizers of an Application that takes what it made with it. The API server warns of
// the older name, without a path, which means the same.
var finalizers = []string{"resources-finalizer.argocd.argoproj.io/foreground"}

// MaxName is the longest Application name: where Argo CD tracks objects by a label,
// the name is the label's value (util/argo/resource_tracking.go, v3.5.1).
const MaxName = 63

// ApplicationName is the name of a component's Application.
func ApplicationName(p *plan.Plan, c plan.Component) string {
	return cmp.Or(c.ArgoCD.Name, p.Name+"-"+c.Name)
}

// automated tells whether Argo CD syncs a component without a person.
func automated(p *plan.Plan, c plan.Component) bool {
	if a := c.ArgoCD.Automated; a != nil {
		return *a
	}
	return p.GitOps.ArgoCD.Sync.Automated
}

// also are labels or annotations with those that the spec has for all Applications. Own
// ones win: the rules refuse what would be in their way.
func also(own object, every map[string]string) object {
	out := object{}
	for key, value := range every {
		out[key] = value
	}
	maps.Copy(out, own)
	return out
}

// setFinalizers are those of a root that takes an ApplicationSet with it. Deleted in the
// foreground, all its Applications would go at once, by Kubernetes' garbage collector;
// so its own controller deletes them, in the reverse order of their steps.
var setFinalizers = []string{"resources-finalizer.argocd.argoproj.io/background"}

// Root is the one Application that a person applies once. It lives in a project
// that exists before the tree does.
func Root(p *plan.Plan) map[string]any {
	a := p.GitOps.ArgoCD
	metadata := object{
		"name":        p.Name,
		"namespace":   a.Namespace,
		"labels":      also(object{plan.LabelCluster: p.Name}, a.Applications.Labels),
		"annotations": also(object{compareOptions: serverSideDiff}, a.Applications.Annotations),
	}
	if a.Deletion != "keep" {
		// The Applications go with it, the last wave first: their project stays to the end.
		metadata["finalizers"] = finalizers
		if a.Layout == "applicationset" {
			metadata["finalizers"] = setFinalizers
		}
	}
	return object{
		"apiVersion": "argoproj.io/v1alpha1",
		"kind":       "Application",
		"metadata":   metadata,
		"spec": object{
			"project":     a.RootProject,
			"source":      inRepository(p, ".", Dir),
			"destination": object{"server": hub, "namespace": a.Namespace},
			"syncPolicy":  syncPolicy(p, a.Sync.Automated, withoutEnd, nil),
		},
	}
}

// Application of a component: the chart, and the directory beside it, which also
// holds the chart's values.
func Application(p *plan.Plan, c plan.Component) map[string]any {
	metadata := object{
		"name":      ApplicationName(p, c),
		"namespace": p.GitOps.ArgoCD.Namespace,
		"labels":    also(also(object{plan.LabelCluster: p.Name, plan.LabelComponent: c.Of}, c.ArgoCD.Labels), p.GitOps.ArgoCD.Applications.Labels),
		"annotations": also(object{
			waveAnnotation: strconv.Itoa(c.Wave),
			compareOptions: serverSideDiff,
		}, p.GitOps.ArgoCD.Applications.Annotations),
	}
	annotations := metadata["annotations"].(object)
	for key, value := range c.ArgoCD.Annotations {
		if key == compareOptions {
			value = serverSideDiff + "," + value
		}
		// The rules refuse what would be in the way of our own.
		annotations[key] = value
	}
	if p.GitOps.ArgoCD.Deletion != "keep" {
		metadata["finalizers"] = finalizers
	}
	spec := object{
		"project":              p.GitOps.ArgoCD.Project.Name,
		"destination":          destination(p, c.Namespace),
		"sources":              sources(p, c),
		"syncPolicy":           syncPolicy(p, automated(p, c), withoutEnd, c.ArgoCD.SyncOptions),
		"revisionHistoryLimit": 5,
	}
	if differences := ignoreDifferences(c); len(differences) > 0 {
		spec["ignoreDifferences"] = differences
	}
	return object{
		"apiVersion": "argoproj.io/v1alpha1",
		"kind":       "Application",
		"metadata":   metadata,
		"spec":       spec,
	}
}

func ignoreDifferences(c plan.Component) []map[string]any {
	var out []map[string]any
	if c.Chart != nil {
		out = append(out, c.Chart.IgnoreDifferences...)
	}
	return append(out, c.ArgoCD.IgnoreDifferences...)
}

// destination is the workload cluster, by server or by name.
func destination(p *plan.Plan, namespace string) object {
	out := object{"namespace": namespace}
	if d := p.GitOps.ArgoCD.Destination; d.Name != "" {
		out["name"] = d.Name
	} else {
		out["server"] = d.Server
	}
	return out
}

// ValuesInFile tells whether a component's values are in a file of the tree.
func ValuesInFile(p *plan.Plan, c plan.Component) bool {
	return c.Chart != nil && p.GitOps.Values == "file" && p.GitOps.Plugin == nil
}

func sources(p *plan.Plan, c plan.Component) []any {
	var out []any
	inFile := ValuesInFile(p, c)
	if c.Chart != nil {
		helm := object{
			"releaseName": c.ReleaseName,
			// Charts look at the version; the spec's is the same for every reader.
			"kubeVersion": p.Kubernetes.Version,
		}
		if inFile {
			helm["valueFiles"] = []string{"$values/" + path.Join(p.GitOps.Path, c.Name, "values.yaml")}
		} else {
			helm["valuesObject"] = c.Values
		}
		out = append(out, object{
			"repoURL":        c.Chart.Repository,
			"chart":          c.Chart.Name,
			"targetRevision": c.Chart.Version,
			"helm":           helm,
		})
	}
	if !inFile && len(c.Objects) == 0 {
		return out
	}
	git := inRepository(p, c.Name, c.Name)
	if inFile {
		git["ref"] = "values"
	}
	if len(c.Objects) == 0 {
		delete(git, "path")
	}
	return append(out, git)
}

// inRepository is a source that is a directory of the tree, or what the plugin makes of
// a component.
func inRepository(p *plan.Plan, dir, component string) object {
	out := object{"repoURL": p.GitOps.RepoURL, "targetRevision": p.GitOps.Revision, "path": path.Join(p.GitOps.Path, dir)}
	if plugin := p.GitOps.Plugin; plugin != nil {
		out["path"] = plugin.Path
		out["plugin"] = object{
			"name":       plugin.Name,
			"parameters": []object{{"name": ComponentParameter, "string": component}},
		}
	}
	return out
}

// ComponentParameter is the parameter of the plugin that says what it is to render.
const ComponentParameter = "component"

// withoutEnd is how often a sync that failed is tried again: webhooks and CRDs of other
// components may come much later. Once a limit is reached, Argo CD tries again only
// after another commit.
const withoutEnd = -1

// syncPolicy tries a failed sync as often as limit says.
func syncPolicy(p *plan.Plan, automated bool, limit int, more []string) object {
	options := []string{
		// CRDs beyond the size of an annotation, and fields with several owners.
		"ServerSideApply=true",
		"RespectIgnoreDifferences=true",
		// An object in two Applications would be fought over.
		"FailOnSharedResource=true",
		// What replaces an object is there before the object goes.
		"PruneLast=true",
	}
	if p.GitOps.ArgoCD.Deletion == "confirm" {
		options = append(options, "Delete=confirm")
	}
	out := object{
		"syncOptions": append(options, more...),
		"retry": object{
			"limit":   limit,
			"refresh": true,
			"backoff": object{"duration": "15s", "factor": 2, "maxDuration": "5m"},
		},
	}
	if automated {
		sync := p.GitOps.ArgoCD.Sync
		out["automated"] = object{"prune": sync.Prune, "selfHeal": sync.SelfHeal}
	}
	return out
}

// fileName of an object in argocd/.
func fileName(name string) string { return strings.ToLower(name) + ".yaml" }
