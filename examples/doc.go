// Package examples holds the example clusters and judges their rendered trees: it
// reads a tree back into objects, holds each example's expect.cue against them,
// and makes seeded edits that show whether those expectations would notice a
// change. It owns the language of expect.cue and must not render anything, know a
// component, or import the code that it judges.
//
// An expect.cue is package expect and imports nothing of ours:
//
//	tree: "plugin only where the pool asks for it": {
//		source: "https://github.com/NVIDIA/k8s-device-plugin/blob/v0.20.0/README.md"
//		objects: "values/gpu-operator": devicePlugin: enabled: false
//		absent: ["DaemonSet/*/nvidia-device-plugin*"]
//		count: "NVIDIADriver//*": 2
//		holds: [all["NVIDIADriver//train"].spec.default == false]
//	}
//	charts: ...
//
// What is true of many examples stands in NAME.expect.cue beside their folders, and
// holds for those that say @with(NAME) above their package clause.
//
// Expectations under tree hold over the objects of the rendered tree, those under
// charts over these together with what the real charts make of the values.
// Objects are keyed Kind/namespace/name (Kind//name without a namespace), the
// Helm values of a component values/<component>. Where two objects would share a
// key because only their API groups differ, both are keyed Kind.group/....
//
// A pattern must subsume the object: each field that it names has to be there
// with a value the pattern allows. To say something about some entry of a list,
// use holds with a comprehension.
package examples
