package override

import "github.com/gpugen/gpugen/schema/diag"

var (
	contradiction = diag.Kind{
		ID: "VALUES-001", Severity: diag.Error,
		Title: "A value contradicts what follows from the spec",
		Why:   "Values unify with what follows from the spec; neither side wins in silence.",
		Fix:   "remove the value, or change the field of the spec that it contradicts",
	}
	noSuchValue = diag.Kind{
		ID: "VALUES-002", Severity: diag.Error,
		Title: "The chart has no such value",
		Why:   "Helm accepts keys that a chart never reads: the setting would have no effect, in silence.",
		Fix:   "remove the value, or write the name that the chart has",
	}
	wrongType = diag.Kind{
		ID: "VALUES-003", Severity: diag.Error,
		Title: "A value of the wrong type",
		Why:   "A value of another type renders to something that the API server refuses, or that nobody meant.",
		Fix:   "give the value the type that the chart has",
	}
	notRendered = diag.Kind{
		ID: "VALUES-004", Severity: diag.Error,
		Title: "Values of a component that is not rendered",
		Why:   "Values are given to the chart that gpugen renders; there is none.",
		Fix:   "remove the values, or let the component be managed",
	}
	misspeltKey = diag.Kind{
		ID: "VALUES-005", Severity: diag.Warning,
		Title: "A key that looks misspelt",
		Why:   "The map takes any key, so that a misspelt one has no effect, in silence.",
		Fix:   "write the name that the chart has, if that is what you mean",
	}
	unreadValue = diag.Kind{
		ID: "VALUES-006", Severity: diag.Warning,
		Title: "A value that no template reads",
		Why:   "The chart lists the value, but it has no effect.",
		Fix:   "remove the value",
	}
	movesObjects = diag.Kind{
		ID: "VALUES-008", Severity: diag.Error,
		Title: "A value that moves objects into another namespace",
		Why:   "The Namespace, its Pod Security labels and what the AppProject allows follow from the component's namespace: Argo CD refuses objects in another, or the Namespace is not there.",
		Fix:   "remove the value, and set the component's namespace",
	}
	badText = diag.Kind{
		ID: "VALUES-007", Severity: diag.Error,
		Title: "A text in the values that cannot be read",
		Why:   "The chart passes the text on; what reads it refuses it and restarts for ever.",
		Fix:   "mend the text",
	}
)

// Kinds are the kinds of findings of this package.
var Kinds = []diag.Kind{contradiction, noSuchValue, wrongType, notRendered, misspeltKey, unreadValue, movesObjects, badText}
