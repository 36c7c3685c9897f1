package judge_test

import (
	"context"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/gpugen/gpugen/e2e/apiserver/server"
	"github.com/gpugen/gpugen/generators"
)

// attempt is a request for GPUs in a tenant's namespace.
type attempt struct {
	name string
	// by is the user who makes it.
	by string
	// object is created, or patched if there is a patch; then it is there before.
	object, patch string
	// want is a part of the refusal; empty if the server admits it.
	want string
}

// quotas: whatever keeps a tenant's quota, the server refuses what asks for the
// tenant's GPUs past it, by what the tree brings and by nothing else.
func (k *kubernetes) quotas(t *testing.T) {
	// That of the examples: claims and device plugins do not go together on later ones.
	if k.minor != "1.35" {
		return
	}
	for _, kept := range keptQuotas {
		t.Run(kept.name, func(t *testing.T) {
			files := kept.files(t)
			k.attempts(t, files, kept.attempts, true)
			t.Run("without policies and quotas", func(t *testing.T) {
				k.attempts(t, withoutKeepers(t, files), kept.attempts, false)
			})
		})
	}
}

// attempts makes each of the requests in a cluster that has the tree. What the tree
// no longer holds, the server admits.
func (k *kubernetes) attempts(t *testing.T, files fstest.MapFS, attempts []attempt, held bool) {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	err := k.While(ctx, load(t, files), func(client *server.Client) {
		class := parsed(t, `{apiVersion: node.k8s.io/v1, kind: RuntimeClass, metadata: {name: nvidia}, handler: nvidia}`)
		if answer := send(ctx, client, class); answer.Err != nil {
			t.Error(answer.Err)
		}
		// What is refused first: until the server knows all policies it refuses nothing.
		for _, refused := range []bool{true, false} {
			for _, a := range attempts {
				if (a.want != "") == refused {
					a.try(t, ctx, client, held)
				}
			}
		}
		if err := client.Delete(ctx, class); err != nil {
			t.Error(err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
}

// try makes the request until the answer is the wanted one: a policy is in force
// some time after it is stored.
func (a attempt) try(t *testing.T, ctx context.Context, client *server.Client, held bool) {
	t.Helper()
	object := parsed(t, a.object)
	if a.patch != "" {
		if answer := send(ctx, client, object); answer.Err != nil {
			t.Errorf("%s cannot be there before: %v", a.name, answer.Err)
			return
		}
		defer func() {
			if err := client.Delete(ctx, object); err != nil {
				t.Error(err)
			}
		}()
	}
	want := a.want
	if !held {
		want = ""
	}
	var answer server.Answer
	err := wait.PollUntilContextTimeout(ctx, 50*time.Millisecond, 20*time.Second, true, func(ctx context.Context) (bool, error) {
		if a.patch != "" {
			answer = client.Patch(ctx, object, []byte(a.patch), server.DryRun, server.As(a.by))
		} else {
			answer = send(ctx, client, object, server.DryRun, server.As(a.by))
		}
		if want == "" {
			return answer.Err == nil, nil
		}
		return answer.Err != nil && strings.Contains(answer.Err.Error(), want), nil
	})
	if err != nil {
		t.Errorf("%s by %s: want %q, got %v", a.name, a.by, want, answer.Err)
	}
}

func parsed(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	return &unstructured.Unstructured{Object: fromYAML(t, []byte(text))}
}

func send(ctx context.Context, client *server.Client, object *unstructured.Unstructured, options ...server.Option) server.Answer {
	data, err := object.MarshalJSON()
	if err != nil {
		return server.Answer{Err: err}
	}
	return client.Create(ctx, object, data, options...)
}

// withoutKeepers is a tree whose admission policies are bound to nothing, and that has no
// ResourceQuota.
func withoutKeepers(t *testing.T, files fstest.MapFS) fstest.MapFS {
	t.Helper()
	keeper := regexp.MustCompile(`^(validatingadmissionpolicybinding|resourcequota)-.*\.yaml$`)
	out, found := fstest.MapFS{}, false
	for name, file := range files {
		if keeper.MatchString(filepath.Base(name)) {
			found = true
			continue
		}
		data := file.Data
		if filepath.Base(name) == "kustomization.yaml" {
			data = regexp.MustCompile(`(?m)^- (validatingadmissionpolicybinding|resourcequota)-.*\n`).ReplaceAll(data, nil)
		}
		out[name] = &fstest.MapFile{Data: data}
	}
	if !found {
		t.Fatal("the tree has nothing that keeps quotas")
	}
	return out
}

// renderedFrom renders the cluster with tenants, with more laid over it.
func renderedFrom(more string) func(*testing.T) fstest.MapFS {
	return func(t *testing.T) fstest.MapFS {
		t.Helper()
		result, findings := generators.Render(fromJSON(t, laidOver(fromYAML(t, []byte(tenantsOfTwoPools)), fromYAML(t, []byte(more)))))
		if result == nil {
			t.Fatal(findings)
		}
		return asFiles(result.Tree)
	}
}

func golden(name string) func(*testing.T) fstest.MapFS {
	return func(t *testing.T) fstest.MapFS { return copyOf(t, filepath.Join(goldenDir, name)) }
}
