package schema

import (
	"fmt"

	"github.com/gpugen/gpugen/schema/diag"
)

// ID describes one kind of finding that Go code makes; findings of rules are
// described by the rules themselves.
type ID struct {
	// ID is stable, such as "SPEC-020".
	ID string
	// Title names the fault in a few words.
	Title string
	// Why says what it would lead to.
	Why string
	// Fix says what to do; a finding may know better.
	Fix string
}

// IDs of what can be wrong with a spec before any rule is asked.
const (
	idUnreadable  = "SPEC-001"
	idEmpty       = "SPEC-002"
	idSyntax      = "SPEC-003"
	idTooLarge    = "SPEC-004"
	idEncoding    = "SPEC-005"
	idDocuments   = "SPEC-006"
	idDuplicate   = "SPEC-007"
	idNotAMapping = "SPEC-008"
	idFileType    = "SPEC-009"
	idTwoSpecs    = "SPEC-010"
	idImport      = "SPEC-011"
	idOutside     = "SPEC-012"
	idStaleCopy   = "SPEC-013"
	idEndless     = "SPEC-014"
	idEvaluation  = "SPEC-015"
	idYAMLRules   = "SPEC-016"
	idModuleFile  = "SPEC-017"
	idEvaluator   = "SPEC-018"

	idUnknownField     = "SPEC-020"
	idUnknownComponent = "SPEC-021"
	idMissing          = "SPEC-022"
	idType             = "SPEC-023"
	idEnum             = "SPEC-024"
	idFormat           = "SPEC-025"
	idBounds           = "SPEC-026"
	idKey              = "SPEC-027"
	idConflict         = "SPEC-028"
	idNotConcrete      = "SPEC-029"
	idNull             = "SPEC-030"
	idNotYet           = "SPEC-031"
	idModel            = "SPEC-032"
	idNeed             = "SPEC-033"
	idNowhere          = "SPEC-034"
)

// SpecIDs lists every kind of finding about the shape of a spec, by ID.
func SpecIDs() []ID { return specIDs }

var specIDs = []ID{
	{idUnreadable, "the spec cannot be read", "gpugen has nothing to work on", "name a file, a directory that holds cluster.cue or cluster.yaml, or - for standard input"},
	{idEmpty, "the spec is empty", "a cluster needs at least a name, kubernetes, gitops and nodePools", "start from `gpugen init`, or from one of the examples"},
	{idSyntax, "the file is not well-formed", "nothing after the fault can be understood", "mend the syntax at this place"},
	{idTooLarge, "the input is too large", "a spec is written by people; what is larger than 1 MiB is something else, or an accident", "keep the spec under 1 MiB in all"},
	{idEncoding, "the file is not UTF-8", "text would be read differently on different machines", "save the file as UTF-8"},
	{idDocuments, "several documents in one file", "one spec is one cluster; the other documents would be ignored", "put each cluster into a file of its own"},
	{idDuplicate, "a key is written twice", "YAML forbids it, and tools disagree about which one counts", "keep one of them"},
	{idNotAMapping, "the top level is not a mapping", "a spec is a set of fields", "write the fields of the spec at the top level, such as name: and nodePools:"},
	{idFileType, "unknown kind of file", "gpugen reads CUE, YAML and JSON", "rename the file to .cue, .yaml, .yml or .json"},
	{idTwoSpecs, "two specs in one directory", "gpugen will not guess which one is meant", "keep one of them, or name the file on the command line"},
	{idImport, "an import cannot be resolved", "the spec cannot be evaluated without it", "correct the path; packages come from this module, from cue.mod/pkg, or from gpugen itself; nothing is downloaded"},
	{idOutside, "a file outside of the module", "what is outside of the module may be a secret, and must not end up in a manifest", "copy the file into the module instead of linking to it"},
	{idStaleCopy, "another version of gpugen's schema in cue.mod/pkg", "other tools would judge the spec by another schema than gpugen does", "run `gpugen init --schema` in the module to renew the copy, or delete it"},
	{idEndless, "the spec does not finish evaluating", "a comprehension, list or string grows without end", "make ranges and repetitions smaller"},
	{idEvaluation, "the spec cannot be evaluated", "CUE cannot compute this value", "mend the expression at this place"},
	{idYAMLRules, "site rules outside of CUE", "a rule is a CUE expression, which YAML and JSON cannot hold", "write the rules into a CUE file; it can hold the spec as well"},
	{idModuleFile, "the module file cannot be read", "imports are resolved by cue.mod/module.cue", "mend cue.mod/module.cue"},
	{idEvaluator, "the CUE evaluator failed", "this is a defect of gpugen or CUE, not of the spec", "report it with the spec that shows it"},

	{idUnknownField, "unknown field", "it would have no effect", "correct the name, or remove the field"},
	{idUnknownComponent, "unknown component", "gpugen knows how to render only the components that `gpugen components` lists, and those that the spec brings", "use one of the names that `gpugen components` lists, or give the component a chart or objects"},
	{idMissing, "a required field is missing", "there is no default that suits every cluster", "add the field"},
	{idType, "wrong type of value", "the value cannot be used as it is", "write a value of the wanted type"},
	{idEnum, "a value that is not one of those allowed", "gpugen would not know what to do", "use one of the listed values"},
	{idFormat, "wrong format", "the value would be refused later, by Kubernetes, Argo CD or a chart", "write the value in the wanted form"},
	{idBounds, "out of bounds", "no cluster has such a number", "use a number within the bounds"},
	{idKey, "a name of the wrong form", "names become part of the names of Kubernetes objects", "rename it"},
	{idConflict, "two places disagree", "CUE unifies all places, so none of them wins", "change one of them, or remove it"},
	{idNotConcrete, "not a concrete value", "gpugen renders data; this is still a constraint", "write the value itself"},
	{idNull, "no value", "an empty field has no meaning here", "write a value, or remove the field"},
	{idNotYet, "not supported yet", "to ignore it in silence would leave the cluster without what the spec says", "remove it, or use a release that supports it"},
	{idModel, "unknown GPU model", "sizes, architecture and MIG profiles follow from the model", "use one of the names that `gpugen components` lists"},
	{idNeed, "a component that cannot come first", "components come one after the other, as far as they need each other; what is not rendered, or needs the component itself, never comes before it", "name components that are rendered, or remove the need"},
	{idNowhere, "additions to a component that is not rendered", "they would have no effect", "remove them, or let the component be managed"},
}

// describe fills in what the table knows about a finding's kind.
func describe(f diag.Finding) diag.Finding {
	for _, d := range specIDs {
		if d.ID == f.ID {
			if f.Why == "" {
				f.Why = d.Why
			}
			if f.Fix == "" {
				f.Fix = d.Fix
			}
		}
	}
	if f.Severity == "" {
		f.Severity = diag.Error
	}
	return f
}

func findingf(id string, at diag.Position, format string, args ...any) diag.Finding {
	return describe(diag.Finding{ID: id, Position: at, Message: fmt.Sprintf(format, args...)})
}

func fatalf(id string, at diag.Position, format string, args ...any) diag.Finding {
	f := findingf(id, at, format, args...)
	f.Fatal = true
	return f
}
