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

// setFile is the ApplicationSet's, without its ending.
const setFile = "applicationset"

// byPerson is the step of Applications that only a person syncs.
const byPerson = "by-person"

// ApplicationSet makes the Applications of all components, and syncs them step by step.
// What they have in common is its template; what only one has, as data in its element,
// is laid over that by templatePatch, so that no text of a spec is ever read as a
// template.
func ApplicationSet(p *plan.Plan) (map[string]any, error) {
	a := p.GitOps.ArgoCD
	keep := a.Deletion == "keep"
	var elements []any
	steps := map[string]bool{}
	var order []string
	for _, c := range p.Components {
		e, err := element(p, c)
		if err != nil {
			return nil, err
		}
		elements = append(elements, e)
		if name := stepOf(c); !steps[name] {
			steps[name] = true
			order = append(order, name)
		}
	}
	// Nobody waits for what a person syncs: its step is the last.
	if i := slices.Index(order, byPerson); i >= 0 {
		order = append(slices.Delete(order, i, i+1), byPerson)
	}
	var rollout []any
	for _, name := range order {
		step := object{"matchExpressions": []object{{"key": LabelStep, "operator": "In", "values": []string{name}}}}
		if name == byPerson || !a.Sync.Automated {
			step["maxUpdate"] = 0
		}
		rollout = append(rollout, step)
	}
	policy := syncPolicy(p, nil)
	delete(policy, "automated")
	if a.Sync.Automated && a.Sync.Prune {
		// The controller turns automated sync off, and syncs by itself; whether it prunes
		// it reads here.
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
			"name": ApplicationName(p.Name, "{{.component}}"),
			"labels": object{
				LabelCluster:   p.Name,
				LabelComponent: "{{.of}}",
				LabelStep:      "{{.step}}",
			},
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
			"rollingSync":   object{"steps": rollout},
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
			"labels":    object{LabelCluster: p.Name},
		},
		"spec": spec,
	}, nil
}

// element of the list generator: the template's parameters, and what the component's
// Application has besides.
func element(p *plan.Plan, c plan.Component) (object, error) {
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
	if len(c.ArgoCD.SyncOptions) > 0 {
		more["syncPolicy"] = object{"syncOptions": spec["syncPolicy"].(object)["syncOptions"]}
	}
	patch := object{"spec": more}
	metadata := app["metadata"].(object)
	annotations := metadata["annotations"].(object)
	// A wave orders what one Application applies; these are applied by none.
	delete(annotations, "argocd.argoproj.io/sync-wave")
	if annotations[compareOptions] == serverSideDiff {
		delete(annotations, compareOptions)
	}
	if len(annotations) > 0 {
		patch["metadata"] = object{"annotations": annotations}
	}
	return object{
		"component": c.Name,
		"of":        c.Of,
		"step":      stepOf(c),
		"namespace": c.Namespace,
		"patch":     patch,
	}, nil
}

func stepOf(c plan.Component) string { return strconv.Itoa(c.Wave) }
