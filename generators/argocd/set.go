package argocd

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/gpugen/gpugen/generators/plan"
)

// LabelStep says in which step of the roll-out an Application is.
const LabelStep = "gpugen.github.io/step"

// triesInSet is how often a sync that failed is tried again. What it needs is there,
// since the steps before it are Healthy. The controller may begin to sync an Application
// whose directory the same commit takes away, before it learns that the Application is
// to go; Argo CD deletes it only once that sync has ended, which must not be never.
const triesInSet = 5

// setFile is the ApplicationSet's, without its ending.
const setFile = "applicationset"

// ApplicationSet makes the Applications of all components, and syncs them step by step.
// What they have in common is its template; what only one has, as data in its element,
// is laid over that by templatePatch, so that no text of a spec is ever read as a
// template.
func ApplicationSet(p *plan.Plan) (map[string]any, error) {
	a := p.GitOps.ArgoCD
	keep := a.Deletion == "keep"
	// The controller turns automated sync off, and syncs by itself; whether it prunes it
	// reads there.
	prunes := a.Sync.Prune && slices.ContainsFunc(p.Components, func(c plan.Component) bool { return automated(p, c) })
	var elements, rollout, last []any
	seen := map[string]bool{}
	for _, c := range p.Components {
		e, err := element(p, c, prunes)
		if err != nil {
			return nil, err
		}
		elements = append(elements, e)
		name := stepOf(p, c)
		if seen[name] {
			continue
		}
		seen[name] = true
		step := object{"matchExpressions": []object{{"key": LabelStep, "operator": "In", "values": []string{name}}}}
		if automated(p, c) {
			rollout = append(rollout, step)
			continue
		}
		// Nobody waits for what a person syncs.
		step["maxUpdate"] = 0
		last = append(last, step)
	}
	policy := syncPolicy(p, false, triesInSet, nil)
	if prunes {
		policy["automated"] = object{"prune": true}
	}
	where := destination(p, "{{.namespace}}")
	for _, key := range []string{"server", "name"} {
		if text, ok := where[key].(string); ok {
			where[key] = strings.ReplaceAll(text, "{{", "{{`{{`}}")
		}
	}
	template := object{
		"metadata": object{
			"name":        "{{.name}}",
			"labels":      object{plan.LabelCluster: p.Name, plan.LabelComponent: "{{.of}}", LabelStep: "{{.step}}"},
			"annotations": object{compareOptions: serverSideDiff},
		},
		"spec": object{
			"project":              a.Project.Name,
			"destination":          where,
			"syncPolicy":           policy,
			"revisionHistoryLimit": 5,
		},
	}
	if !keep {
		template["metadata"].(object)["finalizers"] = finalizers
	}
	spec := object{
		"goTemplate":        true,
		"goTemplateOptions": []string{"missingkey=error"},
		"generators":        []object{{"list": object{"elements": elements}}},
		"template":          template,
		"templatePatch":     "{{ toJson .patch }}",
		"strategy": object{
			"type":          "RollingSync",
			"rollingSync":   object{"steps": append(rollout, last...)},
			"deletionOrder": "Reverse",
		},
		"syncPolicy": object{"preserveResourcesOnDeletion": keep},
	}
	return object{
		"apiVersion": "argoproj.io/v1alpha1",
		"kind":       "ApplicationSet",
		"metadata": object{
			"name":      p.Name,
			"namespace": a.Namespace,
			"labels":    object{plan.LabelCluster: p.Name},
		},
		"spec": spec,
	}, nil
}

// element of the list generator: the template's parameters, and what the component's
// Application has besides.
func element(p *plan.Plan, c plan.Component, prunes bool) (object, error) {
	app := Application(p, c)
	spec := app["spec"].(object)
	more := object{"sources": spec["sources"]}
	for _, source := range more["sources"].([]any) {
		helm, _ := source.(object)["helm"].(object)
		values, ok := helm["valuesObject"]
		if !ok {
			continue
		}
		// A patch would take a null out, which to Helm means that a default goes.
		text, err := yaml.Marshal(values)
		if err != nil {
			return nil, fmt.Errorf("values of %s: %w", c.Name, err)
		}
		delete(helm, "valuesObject")
		helm["values"] = string(text)
	}
	if d, ok := spec["ignoreDifferences"]; ok {
		more["ignoreDifferences"] = d
	}
	policy := object{}
	if len(c.ArgoCD.SyncOptions) > 0 {
		policy["syncOptions"] = spec["syncPolicy"].(object)["syncOptions"]
	}
	if prunes && !automated(p, c) {
		// Also where nobody turned progressive syncs on.
		policy["automated"] = object{"enabled": false}
	}
	if len(policy) > 0 {
		more["syncPolicy"] = policy
	}
	metadata := app["metadata"].(object)
	annotations, labels := metadata["annotations"].(object), metadata["labels"].(object)
	// A wave orders what one Application applies; these are applied by none.
	delete(annotations, waveAnnotation)
	if annotations[compareOptions] == serverSideDiff {
		delete(annotations, compareOptions)
	}
	delete(labels, plan.LabelCluster)
	delete(labels, plan.LabelComponent)
	own := object{}
	if len(annotations) > 0 {
		own["annotations"] = annotations
	}
	if len(labels) > 0 {
		own["labels"] = labels
	}
	patch := object{"spec": more}
	if len(own) > 0 {
		patch["metadata"] = own
	}
	return object{
		"name":      metadata["name"],
		"of":        c.Of,
		"step":      stepOf(p, c),
		"namespace": c.Namespace,
		"patch":     patch,
	}, nil
}

// stepOf is the value of the label that says in which step a component is.
func stepOf(p *plan.Plan, c plan.Component) string {
	step := strconv.Itoa(c.Wave)
	if automated(p, c) {
		return step
	}
	return "by-person-" + step
}
