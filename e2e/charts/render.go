package charts

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/action"
	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/release"
	"sigs.k8s.io/yaml"

	"github.com/gpugen/gpugen/examples"
)

// Rendered is what a chart makes of its values.
type Rendered struct {
	// Objects are those that Argo CD would apply, hooks included, tests left out.
	Objects []map[string]any
	// Hooks say which of them are Helm hooks: "pre-upgrade Job/name".
	Hooks []string
}

// Render has Helm render the unpacked chart in dir as a first install of the
// release, without a cluster. The layers of values lie over the chart's own, later
// ones on top; the Kubernetes version counts where the release does not name one.
func Render(dir string, r examples.Release, layers []map[string]any, kubeVersion string) (Rendered, error) {
	chart, err := loader.LoadDir(dir)
	if err != nil {
		return Rendered{}, err
	}
	version, err := chartutil.ParseKubeVersion(cmp.Or(r.KubeVersion, kubeVersion))
	if err != nil {
		return Rendered{}, err
	}
	install := action.NewInstall(&action.Configuration{Log: func(string, ...any) {}})
	install.DryRun = true
	install.DryRunOption = "client"
	install.ClientOnly = true
	install.IncludeCRDs = !r.SkipCRDs
	install.SkipSchemaValidation = r.SkipSchemaValidation
	install.ReleaseName = r.Name
	install.Namespace = r.Namespace
	install.KubeVersion = version
	install.APIVersions = r.APIVersions

	values, err := readValues(layers)
	if err != nil {
		return Rendered{}, err
	}
	rendered, err := install.Run(chart, values)
	if err != nil {
		return Rendered{}, err
	}
	return collect(rendered)
}

func collect(r *release.Release) (Rendered, error) {
	var out Rendered
	objects, err := documents(r.Manifest)
	if err != nil {
		return out, err
	}
	out.Objects = objects
	for _, hook := range r.Hooks {
		if isTest(hook) {
			continue
		}
		objects, err := documents(hook.Manifest)
		if err != nil {
			return out, fmt.Errorf("%s: %w", hook.Path, err)
		}
		out.Objects = append(out.Objects, objects...)
		var events []string
		for _, event := range hook.Events {
			events = append(events, string(event))
		}
		out.Hooks = append(out.Hooks, strings.Join(events, ",")+" "+hook.Kind+"/"+hook.Name)
	}
	return out, nil
}

// isTest reports whether the hook is run by `helm test` alone, which Argo CD never
// does.
func isTest(hook *release.Hook) bool {
	for _, event := range hook.Events {
		if event != release.HookTest {
			return false
		}
	}
	return true
}

// documents reads manifests; a List stands for its items, as it does for Argo CD.
func documents(manifest string) ([]map[string]any, error) {
	objects, err := examples.Documents([]byte(manifest))
	if err != nil {
		return nil, err
	}
	var out []map[string]any
	for _, object := range objects {
		items, ok := object["items"].([]any)
		if object["kind"] != "List" || !ok {
			out = append(out, object)
			continue
		}
		for _, item := range items {
			if fields, ok := item.(map[string]any); ok {
				out = append(out, fields)
			}
		}
	}
	return out, nil
}

// readValues lays values over each other, later ones over earlier ones. Helm reads
// values from YAML, and templates see the number types that this makes.
func readValues(layers []map[string]any) (chartutil.Values, error) {
	out := chartutil.Values{}
	for _, layer := range slices.Backward(layers) {
		text, err := yaml.Marshal(layer)
		if err != nil {
			return nil, err
		}
		read, err := chartutil.ReadValues(text)
		if err != nil {
			return nil, err
		}
		out = chartutil.MergeTables(out, read)
	}
	return out, nil
}
