package rendered

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/itchyny/gojq"
)

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

const (
	mostAnnotation = 262144
	mostObject     = 3 << 19 // 1.5 MiB, what etcd takes
	optionsKey     = "argocd.argoproj.io/sync-options"
)

// sizes checks that each object fits where it goes.
func (t *tree) sizes() {
	for _, a := range t.applications {
		for _, r := range a.resources {
			data, err := json.Marshal(r.object)
			if err != nil {
				continue
			}
			set := strings.Split(r.annotation(optionsKey), ",")
			has := func(option string) bool { return a.has(option) || slices.Contains(set, option) }
			at := r.at("metadata", "name")
			switch {
			case len(data) > mostObject:
				t.add(largeObject.At(at, "", "%s has %d bytes, more than etcd takes", r, len(data))).Fix = "split it"
			case len(data) > mostAnnotation && !has("ServerSideApply=true"):
				t.add(largeObject.At(at, "", "%s has %d bytes, and %s has no ServerSideApply=true", r, len(data), a))
			case has("Replace=true") && has("ServerSideApply=true") && (slices.Contains(set, "Replace=true") || len(data) > mostAnnotation):
				x := t.add(largeObject.At(at, "", "%s has Replace=true and ServerSideApply=true", r))
				x.Why, x.Fix = "Replace wins: the object is put in place of the live one, with all that controllers wrote there.", "keep one of the two"
			}
		}
	}
}

// hooks checks what Argo CD takes for hooks.
func (t *tree) hooks() {
	const helm, argo = "helm.sh/hook", "argocd.argoproj.io/hook"
	for _, a := range t.applications {
		for _, r := range a.resources {
			byHelm, byArgo := r.annotation(helm), r.annotation(argo)
			switch {
			case byHelm != "" && byArgo != "":
				t.add(leftoverHook.At(r.at("metadata", "annotations", helm), "", "%s is a hook of Helm and of Argo CD", r)).Fix = "keep the annotation of Argo CD, which wins"
			case byHelm != "":
				t.add(leftoverHook.At(r.at("metadata", "annotations", helm), "", "%s is a Helm hook (%s)", r, byHelm))
			}
			if byHelm == "" && byArgo == "" || byArgo == "Skip" {
				continue
			}
			account, _ := podSpec(r.object)["serviceAccountName"].(string)
			for _, other := range a.resources {
				if account != "" && other.gk().kind == "ServiceAccount" && other.name() == account && other.annotation(helm) == "" && other.annotation(argo) == "" && strings.HasPrefix(strings.ToLower(byHelm+byArgo), "pre") {
					x := t.add(leftoverHook.At(r.at("metadata", "annotations"), "", "hook %s runs before its ServiceAccount %s is there", r, account))
					x.Why, x.Fix = "What comes before the sync finds only other hooks of the same phase.", "make the ServiceAccount and its roles hooks of the same phase, with a lower wave"
				}
			}
		}
	}
}

// caBundles finds certificates that controllers fill in.
func (t *tree) caBundles() {
	for _, a := range t.applications {
		for _, r := range a.resources {
			gk := r.gk()
			var at []any
			switch {
			case strings.HasSuffix(gk.kind, "WebhookConfiguration"):
				for i, entry := range list(r.object, "webhooks") {
					w, _ := entry.(map[string]any)
					if bundle, ok := value(w, "clientConfig", "caBundle").(string); (!ok || bundle == "" || bundle == "Cg==") && value(w, "clientConfig", "service") != nil && at == nil {
						at = []any{"webhooks", i, "clientConfig"}
					}
				}
			case gk.kind == "CustomResourceDefinition" && text(r.object, "spec", "conversion", "strategy") == "Webhook":
				if text(r.object, "spec", "conversion", "webhook", "clientConfig", "caBundle") == "" {
					at = []any{"spec", "conversion", "webhook"}
				}
			case gk.kind == "APIService" && value(r.object, "spec", "service") != nil && text(r.object, "spec", "caBundle") == "" && !truth(r.object, "spec", "insecureSkipTLSVerify"):
				at = []any{"spec"}
			}
			if at == nil || t.ignored(a, r) {
				continue
			}
			t.add(changingField.At(r.at(at...), "", "%s has no caBundle, and %s does not ignore it", r, a))
		}
	}
}

// ignored tells whether an Application ignores differences of an object.
func (t *tree) ignored(a *application, r *resource) bool {
	for _, entry := range list(a.object, "spec", "ignoreDifferences") {
		e, _ := entry.(map[string]any)
		if ignores(e, r) {
			return true
		}
	}
	return false
}

func ignores(e map[string]any, r *resource) bool {
	return matches(text(e, "group"), r.gk().group, "") && matches(text(e, "kind"), r.gk().kind, "") &&
		(text(e, "name") == "" || text(e, "name") == r.name()) && (text(e, "namespace") == "" || text(e, "namespace") == r.text("metadata", "namespace"))
}

// differences checks ignoreDifferences.
func (t *tree) differences() {
	for _, a := range t.applications {
		entries := list(a.object, "spec", "ignoreDifferences")
		for i, entry := range entries {
			e, _ := entry.(map[string]any)
			at := func(path ...any) []any { return append([]any{"spec", "ignoreDifferences", i}, path...) }
			for k, expression := range list(e, "jqPathExpressions") {
				s, _ := expression.(string)
				if _, err := gojq.Parse("del(" + s + ")"); err != nil {
					x := t.add(idleDifference.At(a.at(at("jqPathExpressions", k)...), "", "%s: jq cannot read %q", a, s))
					x.Why, x.Fix = "Argo CD compiles it before it compares anything: the whole Application stays in ComparisonError.", "write a jq path, such as .spec.replicas"
				}
			}
			for k, pointer := range list(e, "jsonPointers") {
				if s, _ := pointer.(string); !strings.HasPrefix(s, "/") {
					t.add(idleDifference.At(a.at(at("jsonPointers", k)...), "", "%s: %q is no JSON pointer", a, s)).Fix = "begin with a slash, as in /spec/replicas"
				}
			}
			if len(list(e, "jqPathExpressions"))+len(list(e, "jsonPointers"))+len(list(e, "managedFieldsManagers")) == 0 {
				t.add(idleDifference.At(a.at(at()...), "", "%s: nothing is named that is to be ignored", a)).Fix = "add jsonPointers or jqPathExpressions"
			}
			if !a.open && !slices.ContainsFunc(a.resources, func(r *resource) bool { return ignores(e, r) }) {
				t.add(idleDifference.At(a.at(at("kind")...), "", "%s applies no %s", a, groupKind{text(e, "group"), text(e, "kind")}))
			}
		}
		if len(entries) > 0 && !a.has("RespectIgnoreDifferences=true") {
			t.add(idleDifference.At(a.at("spec", "ignoreDifferences"), "", "%s has no RespectIgnoreDifferences=true", a)).Fix = "add it to syncOptions: else each sync writes the fields that are ignored"
		}
	}
}

// deletions finds what goes with much, without asking.
func (t *tree) deletions() {
	for _, a := range t.applications {
		cascades := ""
		for i, entry := range list(a.object, "metadata", "finalizers") {
			if f, _ := entry.(string); strings.HasPrefix(f, "resources-finalizer.argocd.argoproj.io") {
				cascades = fmt.Sprint(i)
			}
		}
		prunes := truth(a.object, "spec", "syncPolicy", "automated", "prune")
		for _, r := range a.resources {
			if !slices.Contains(t.known.argocd.Holding, r.gk().String()) {
				continue
			}
			set := strings.Split(r.annotation(optionsKey), ",")
			guarded := func(what string) bool {
				return slices.ContainsFunc(append(set, a.options...), func(s string) bool {
					s = strings.TrimSpace(s)
					return s == what+"=confirm" || s == what+"=false"
				})
			}
			at := r.at("metadata", "name")
			switch {
			case prunes && !guarded("Prune"):
				t.add(unguardedDeletion.At(at, "", "%s is pruned without a confirmation as soon as it leaves git", r)).Fix = "annotate it with " + optionsKey + ": Prune=confirm"
			case cascades != "" && !guarded("Delete"):
				t.add(unguardedDeletion.At(at, "", "%s goes without a confirmation when %s is deleted", r, a)).Fix = "annotate it with " + optionsKey + ": Delete=confirm"
			}
		}
	}
}
