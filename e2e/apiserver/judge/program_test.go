package judge_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gpugen/gpugen/e2e/crd"
	"github.com/gpugen/gpugen/schema/upstreamtest"
)

// The program is what users run: with CRDs in a folder of their own.
func TestTheProgramPrintsALineForEachProblemAndASummary(t *testing.T) {
	definitions, tree := t.TempDir(), t.TempDir()
	for _, chart := range []crd.ChartVersion{
		crd.ArgoCD,
		{Name: "gpu-operator", Version: "v26.3.3"}, {Name: "kueue", Version: "0.19.2"}, {Name: "volcano", Version: "1.15.1"},
	} {
		files, err := crd.DefinitionFiles(upstreamtest.Dir(t), chart)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			// A rendered chart has more than CRDs in it.
			text := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n---\n" + string(readFile(t, file))
			write(t, filepath.Join(definitions, chart.Name, filepath.Base(file)), text)
		}
	}
	files := gpuOperatorOf(t, "onprem-h100")
	files[nodeLabels].Data = bytes.Replace(files[nodeLabels].Data, []byte("spec:"), []byte("spec:\n  other: 1"), 1)
	if err := os.CopyFS(tree, files); err != nil {
		t.Fatal(err)
	}

	out, code := runProgram(t, "-crds", definitions, tree)
	want := regexp.MustCompile(`(?m)\A` + regexp.QuoteMeta(nodeLabels+rule+`spec.other unknown field "spec.other"`) + `$
^taken to be in the cluster: Namespace//argocd$
^Kubernetes 1\.35: \d+ objects, 0 admitted from templates, \d+ CRDs: 1 problem, 0 warnings; [\d.]+ s, server \d+ MiB$
\z`)
	if code != 1 || !want.MatchString(out) {
		t.Errorf("ends with %d, says\n%s", code, out)
	}
}

func TestTheProgramSaysWhatItCannotJudge(t *testing.T) {
	for name, test := range map[string]struct {
		arguments []string
		want      string
	}{
		"no tree":      {nil, "say which tree"},
		"not a tree":   {[]string{t.TempDir()}, "not a rendered tree"},
		"no version":   {[]string{"-kubernetes", "lately", filepath.Join(goldenDir, "onprem-h100")}, `"lately" is not like 1.35`},
		"wrong flag":   {[]string{"-kubernets", "1.36", "."}, "-kubernets"},
		"not emulated": {[]string{"-kubernetes", "1.12", filepath.Join(goldenDir, "onprem-h100")}, "1.12"},
	} {
		t.Run(name, func(t *testing.T) {
			if out, code := runProgram(t, test.arguments...); code != 2 || !strings.Contains(out, test.want) {
				t.Errorf("ends with %d, says\n%s", code, out)
			}
		})
	}
}

func runProgram(t *testing.T, arguments ...string) (output string, code int) {
	t.Helper()
	out, err := exec.Command(program, arguments...).CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if exit != nil {
		code = exit.ExitCode()
	}
	return string(out), code
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}
