package source

import "github.com/gpugen/gpugen/schema/diag"

var (
	unreadable = diag.Kind{
		ID: "SPEC-001", Severity: diag.Error, Fatal: true,
		Title: "the spec cannot be read",
		Why:   "gpugen has nothing to work on",
		Fix:   "name a file, a directory that holds cluster.cue or cluster.yaml, or - for standard input",
	}
	emptySpec = diag.Kind{
		ID: "SPEC-002", Severity: diag.Error,
		Title: "the spec is empty",
		Why:   "a cluster needs at least a name, kubernetes, gitops and nodePools",
		Fix:   "start from `gpugen init`, or from one of the examples",
	}
	malformed = diag.Kind{
		ID: "SPEC-003", Severity: diag.Error,
		Title: "the file is not well-formed",
		Why:   "nothing after the fault can be understood",
		Fix:   "mend the syntax at this place",
	}
	tooLarge = diag.Kind{
		ID: "SPEC-004", Severity: diag.Error, Fatal: true,
		Title: "the input is too large",
		Why:   "a spec is written by people; what is larger is something else, or an accident",
		Fix:   "make the spec smaller, or say --max-size if it is as it should be",
	}
	notUTF8 = diag.Kind{
		ID: "SPEC-005", Severity: diag.Error,
		Title: "the file is not UTF-8",
		Why:   "text would be read differently on different machines",
		Fix:   "save the file as UTF-8",
	}
	severalDocuments = diag.Kind{
		ID: "SPEC-006", Severity: diag.Error,
		Title: "several documents in one file",
		Why:   "one spec is one cluster; the other documents would be ignored",
		Fix:   "put each cluster into a file of its own",
	}
	duplicateKey = diag.Kind{
		ID: "SPEC-007", Severity: diag.Error,
		Title: "a key is written twice",
		Why:   "YAML forbids it, and tools disagree about which one counts",
		Fix:   "keep one of them",
	}
	notAMapping = diag.Kind{
		ID: "SPEC-008", Severity: diag.Error,
		Title: "the top level is not a mapping",
		Why:   "a spec is a set of fields",
		Fix:   "write the fields of the spec at the top level, such as name: and nodePools:",
	}
	unknownFileType = diag.Kind{
		ID: "SPEC-009", Severity: diag.Error, Fatal: true,
		Title: "unknown kind of file",
		Why:   "gpugen reads CUE, YAML and JSON",
		Fix:   "rename the file to .cue, .yaml, .yml or .json",
	}
	twoSpecs = diag.Kind{
		ID: "SPEC-010", Severity: diag.Error, Fatal: true,
		Title: "two specs in one directory",
		Why:   "gpugen will not guess which one is meant",
		Fix:   "keep one of them, or name the file on the command line",
	}
	unresolvedImport = diag.Kind{
		ID: "SPEC-011", Severity: diag.Error,
		Title: "an import cannot be resolved",
		Why:   "the spec cannot be evaluated without it",
		Fix:   "correct the path; packages come from this module, from cue.mod/pkg, or from gpugen itself; nothing is downloaded",
	}
	base = diag.Kind{
		ID: "SPEC-041", Severity: diag.Error, Fatal: true,
		Title: "a base of clusters in the place of a cluster",
		Why:   "What clusters inherit from a parent directory is no spec by itself: what they say is missing.",
		Fix:   "name a cluster below it, or DIR/... for all of them",
	}
	outside = diag.Kind{
		ID: "SPEC-012", Severity: diag.Error,
		Title: "a file outside of the module",
		Why:   "what is outside of the module may be a secret, and must not end up in a manifest",
		Fix:   "copy the file into the module instead of linking to it",
	}
	staleCopy = diag.Kind{
		ID: "SPEC-013", Severity: diag.Error,
		Title: "another version of gpugen's schema in cue.mod/pkg",
		Why:   "other tools would judge the spec by another schema than gpugen does",
		Fix:   "run `gpugen init --schema` in the module to renew the copy, or delete it",
	}
	rulesOutsideOfCUE = diag.Kind{
		ID: "SPEC-016", Severity: diag.Error,
		Title: "site rules outside of CUE",
		Why:   "a rule is a CUE expression, which YAML and JSON cannot hold",
		Fix:   "write the rules into a CUE file; it can hold the spec as well",
	}
	badModuleFile = diag.Kind{
		ID: "SPEC-017", Severity: diag.Error,
		Title: "the module file cannot be read",
		Why:   "imports are resolved by cue.mod/module.cue",
		Fix:   "mend cue.mod/module.cue",
	}
	misplacedKnowledge = diag.Kind{
		ID: "SITE-001", Severity: diag.Error,
		Title: "a file that is no site knowledge",
		Why:   "site knowledge unifies with gpugen's own, file by file, so each file lies where it would lie in gpugen's repository, is of that package, and reads nothing else",
		Fix:   "move it to schema/facts, schema/facts/charts, schema/spec, schema/rules or templates of the folder, as package facts, charts, spec, rules or templates",
	}
	unsafeKnowledge = diag.Kind{
		ID: "SITE-002", Severity: diag.Error,
		Title: "a hidden character or a secret in site knowledge",
		Why:   "what it says goes into trees, pages and terminals of all clusters of the site",
		Fix:   "remove it",
	}
	unbounded = diag.Kind{
		ID: "SPEC-019", Severity: diag.Error,
		Title: "aliases or a nesting without bounds",
		Why:   "a few lines would be read as millions of values, or for ever",
		Fix:   "write the values out, or keep anchors and nesting small",
	}
)

// Kinds are the kinds of findings of this package.
var Kinds = []diag.Kind{
	unreadable, emptySpec, malformed, tooLarge, notUTF8, severalDocuments, duplicateKey, notAMapping,
	unknownFileType, twoSpecs, unresolvedImport, base, outside, staleCopy, rulesOutsideOfCUE, badModuleFile, unbounded,
	misplacedKnowledge, unsafeKnowledge,
}
