package importing

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/gpugen/gpugen/schema"
	"github.com/gpugen/gpugen/schema/bytesize"
	"github.com/gpugen/gpugen/schema/chartindex"
	"github.com/gpugen/gpugen/schema/diag"
)

// maxFile is the largest file that is read; a thousand nodes have 30 MiB.
const maxFile = 64 << 20

// Read is what the files hold.
type Read struct {
	// Objects of Kubernetes, lists taken apart.
	Objects []any
	// Values of charts by component.
	Values map[string]any
	// Releases of Helm.
	Releases []schema.Release
}

// Files reads files of YAML or JSON. A document with a kind is an object, or a list of
// them; one that is a list itself is what helm list shows; any other is Helm values: of the component that is named before the file, as
// in COMPONENT=FILE, else of the one whose chart knows most of them.
//
// The error holds one for each file that cannot be read.
func Files(args []string) (*Read, error) {
	out := &Read{Objects: []any{}, Values: map[string]any{}, Releases: []schema.Release{}}
	var problems []error
	for _, arg := range args {
		if err := out.add(arg); err != nil {
			problems = append(problems, err)
		}
	}
	return out, errors.Join(problems...)
}

func (r *Read) add(arg string) error {
	component, file := "", arg
	if name, rest, ok := strings.Cut(arg, "="); ok {
		if carried, err := carriedVersions(); err != nil {
			return err
		} else if _, known := carried[name]; known {
			component, file = name, rest
		}
	}
	data, err := readFile(file)
	if err != nil {
		return err
	}
	documents := yaml.NewDecoder(bytes.NewReader(data))
	for {
		var document any
		err := documents.Decode(&document)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		plain, err := plainJSON(document)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		switch plain := plain.(type) {
		case nil:
		case []any:
			err = r.releases(plain)
		case map[string]any:
			switch {
			case len(plain) == 0:
			case plain["kind"] != nil && plain["apiVersion"] != nil:
				err = r.object(plain)
			default:
				err = r.values(component, plain)
			}
		default:
			err = fmt.Errorf("%v is neither an object nor a list", plain)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
}

func readFile(file string) ([]byte, error) {
	info, err := os.Stat(file)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no file", file)
	case info.Size() > maxFile:
		return nil, fmt.Errorf("%s has %s, more than %s", file, bytesize.Text(uint64(info.Size())), bytesize.Text(maxFile))
	}
	return os.ReadFile(file)
}

// plainJSON is a document with the types that JSON has.
func plainJSON(document any) (any, error) {
	data, err := json.Marshal(document)
	if err != nil {
		return nil, err
	}
	var out any
	return out, json.Unmarshal(data, &out)
}

// object adds an object, or those of a list.
func (r *Read) object(o map[string]any) error {
	if items, ok := o["items"].([]any); ok {
		for _, item := range items {
			item, ok := item.(map[string]any)
			if !ok {
				return fmt.Errorf("an item of %v is no object", o["kind"])
			}
			if err := r.object(item); err != nil {
				return err
			}
		}
		return nil
	}
	metadata, _ := o["metadata"].(map[string]any)
	if name, _ := metadata["name"].(string); name == "" {
		return fmt.Errorf("a %v without metadata.name", o["kind"])
	}
	// What is large and says nothing of a platform.
	delete(metadata, "managedFields")
	if status, ok := o["status"].(map[string]any); ok {
		o["status"] = map[string]any{"nodeInfo": status["nodeInfo"]}
	}
	if annotations, ok := metadata["annotations"].(map[string]any); ok {
		// Anybody's texts: what no spec could say is no reason to refuse a node.
		maps.DeleteFunc(annotations, func(name string, value any) bool { return visible(map[string]any{name: value}, "") != nil })
	}
	if err := visible(o, ""); err != nil {
		return err
	}
	r.Objects = append(r.Objects, o)
	return nil
}

// visible refuses names and texts with characters that nobody sees, which no spec may
// have, by the first of them.
func visible(value any, at string) error {
	switch v := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			below := strings.TrimPrefix(at+"."+name, ".")
			if character := diag.Hidden(name); character != "" {
				return fmt.Errorf("the name %s holds %s, which nobody sees", diag.Visible(below), character)
			}
			if err := visible(v[name], below); err != nil {
				return err
			}
		}
	case []any:
		for i, e := range v {
			if err := visible(e, fmt.Sprintf("%s[%d]", at, i)); err != nil {
				return err
			}
		}
	case string:
		if character := diag.Hidden(v); character != "" {
			return fmt.Errorf("%s holds %s, which nobody sees", diag.Visible(at), character)
		}
	}
	return nil
}

// releases adds what `helm list` shows.
func (r *Read) releases(list []any) error {
	for _, item := range list {
		if err := visible(item, "the release"); err != nil {
			return err
		}
		item, _ := item.(map[string]any)
		text := func(key string) string { out, _ := item[key].(string); return out }
		release := schema.Release{Name: text("name"), Namespace: text("namespace"), Chart: text("chart")}
		if release.Name == "" || release.Namespace == "" || release.Chart == "" {
			return errors.New("a list whose items are no releases of Helm, as `helm list -A -o json` shows them; objects of Kubernetes are listed under items")
		}
		r.Releases = append(r.Releases, release)
	}
	return nil
}

// values adds Helm values of a component.
func (r *Read) values(component string, values map[string]any) error {
	// The title of `helm get values` without -o.
	delete(values, "USER-SUPPLIED VALUES")
	if err := visible(values, ""); err != nil {
		return err
	}
	delete(values, "COMPUTED VALUES")
	if component == "" {
		var err error
		if component, err = guess(values); err != nil {
			return err
		}
	}
	if r.Values[component] != nil {
		return fmt.Errorf("values of %s for the second time", component)
	}
	r.Values[component] = values
	return nil
}

// guess is the component whose chart knows most of the values.
func guess(values map[string]any) (string, error) {
	carried, err := carriedVersions()
	if err != nil {
		return "", err
	}
	known := map[string]int{}
	for component, versions := range carried {
		for _, version := range versions {
			index, err := schema.ChartIndex(component, version)
			if err != nil {
				continue
			}
			count := 0
			for _, leaf := range leaves(nil, values) {
				if index.Lookup(leaf.Path).Kind == chartindex.Known {
					count++
				}
			}
			known[component] = max(known[component], count)
		}
	}
	names := slices.SortedFunc(maps.Keys(known), func(a, b string) int { return known[b] - known[a] })
	switch {
	case known[names[0]] == 0:
		return "", errors.New("neither objects of Kubernetes nor values of a chart that gpugen carries; say whose values they are by COMPONENT=FILE")
	case len(names) > 1 && known[names[0]] == known[names[1]]:
		return "", fmt.Errorf("values that %s and %s have both; say whose they are by COMPONENT=FILE", min(names[0], names[1]), max(names[0], names[1]))
	}
	return names[0], nil
}
