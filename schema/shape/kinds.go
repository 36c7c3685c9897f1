package shape

import "github.com/gpugen/gpugen/schema/diag"

// NotComputed is the kind of what CUE says of the user's expressions.
var NotComputed = diag.Kind{
	ID: "SPEC-015", Severity: diag.Error,
	Title: "the spec cannot be evaluated",
	Why:   "CUE cannot compute this value",
	Fix:   "mend the expression at this place",
}

// ClosedOut is the kind of fields that a definition does not have.
var ClosedOut = diag.Kind{
	ID: "SPEC-040", Severity: diag.Error,
	Title: "a field that a definition of the site does not have",
	Why:   "a definition (#Name) is closed: whoever uses it may write the fields that it names, and no others",
	Fix:   "add the field to the definition, or open the definition with ...; for a base, a package without definitions is easier",
}

var (
	unknownField = diag.Kind{
		ID: "SPEC-020", Severity: diag.Error,
		Title: "unknown field",
		Why:   "it would have no effect",
		Fix:   "correct the name, or remove the field",
	}
	unknownComponent = diag.Kind{
		ID: "SPEC-021", Severity: diag.Error,
		Title: "unknown component",
		Why:   "gpugen knows how to render only the components that `gpugen components` lists, and those that the spec brings",
		Fix:   "use one of the names that `gpugen components` lists, or give the component a chart or objects",
	}
	missingField = diag.Kind{
		ID: "SPEC-022", Severity: diag.Error,
		Title: "a required field is missing",
		Why:   "there is no default that suits every cluster",
		Fix:   "add the field",
	}
	wrongType = diag.Kind{
		ID: "SPEC-023", Severity: diag.Error,
		Title: "wrong type of value",
		Why:   "the value cannot be used as it is",
		Fix:   "write a value of the wanted type",
	}
	notInSet = diag.Kind{
		ID: "SPEC-024", Severity: diag.Error,
		Title: "a value that is not one of those allowed",
		Why:   "gpugen would not know what to do",
		Fix:   "use one of the listed values",
	}
	wrongFormat = diag.Kind{
		ID: "SPEC-025", Severity: diag.Error,
		Title: "wrong format",
		Why:   "the value would be refused later, by Kubernetes, Argo CD or a chart",
		Fix:   "write the value in the wanted form",
	}
	outOfBounds = diag.Kind{
		ID: "SPEC-026", Severity: diag.Error,
		Title: "out of bounds",
		Why:   "no cluster has such a number",
		Fix:   "use a number within the bounds",
	}
	wrongName = diag.Kind{
		ID: "SPEC-027", Severity: diag.Error,
		Title: "a name of the wrong form",
		Why:   "names become part of the names of Kubernetes objects",
		Fix:   "rename it",
	}
	conflict = diag.Kind{
		ID: "SPEC-028", Severity: diag.Error,
		Title: "two places disagree",
		Why:   "CUE unifies all places, so none of them wins",
		Fix:   "change one of them, or remove it; what a base leaves to others is a default there, such as *\"main\" | string",
	}
	notConcrete = diag.Kind{
		ID: "SPEC-029", Severity: diag.Error,
		Title: "not a concrete value",
		Why:   "gpugen renders data; this is still a constraint",
		Fix:   "write the value itself; what a base leaves to its clusters, in each of them",
	}
	noValue = diag.Kind{
		ID: "SPEC-030", Severity: diag.Error,
		Title: "no value",
		Why:   "an empty field has no meaning here",
		Fix:   "write a value, or remove the field",
	}
	notSupported = diag.Kind{
		ID: "SPEC-031", Severity: diag.Error,
		Title: "not supported yet",
		Why:   "to ignore it in silence would leave the cluster without what the spec says",
		Fix:   "remove it, or use a release that supports it",
	}
	unknownModel = diag.Kind{
		ID: "SPEC-032", Severity: diag.Error,
		Title: "unknown GPU model",
		Why:   "sizes, architecture and MIG profiles follow from the model",
		Fix:   "use one of the names that `gpugen components` lists; or write \"other\", and beside it what you know of the GPU",
	}
	hiddenCharacter = diag.Kind{
		ID: "SPEC-035", Severity: diag.Error,
		Title: "a character that nobody sees",
		Why:   "control characters and those that turn the direction of a text make a file, a review or a terminal show something else than what is there",
		Fix:   "remove the character",
	}
	secretInSpec = diag.Kind{
		ID: "SPEC-037", Severity: diag.Error,
		Title: "a secret in the spec",
		Why:   "the spec and the tree are committed to git, where everybody who reads the repository has it, for good",
		Fix:   "revoke it; keep the new one in a Secret that is made on the cluster, or by an operator for external secrets, and name that Secret",
	}
	longName = diag.Kind{
		ID: "SPEC-036", Severity: diag.Error,
		Title: "a name that is too long",
		Why:   "YAML takes no key of more than 1024 characters on one line, and Kubernetes none of more than 317",
		Fix:   "shorten the name",
	}
	mergingName = diag.Kind{
		ID: "SPEC-042", Severity: diag.Error,
		Title: "a field that is called <<",
		Why:   "YAML reads that name as a merge: whoever reads the tree, Helm and kustomize among them, would find the fields below it one level higher, or nothing",
		Fix:   "write the fields that are meant; in YAML an alias of a map (<<: *name) is read as what it stands for",
	}
)

// Lacks tells whether a finding is about something that a spec must say and does not.
func Lacks(f diag.Finding) bool { return f.ID == missingField.ID || f.ID == notConcrete.ID }

// longestName that a map may have, in bytes.
const longestName = 1000

// Kinds are the kinds of findings of this package.
var Kinds = []diag.Kind{
	NotComputed, unknownField, unknownComponent, missingField, wrongType, notInSet, wrongFormat, outOfBounds,
	wrongName, conflict, notConcrete, noValue, notSupported, unknownModel,
	hiddenCharacter, longName, mergingName, secretInSpec, ClosedOut,
}
