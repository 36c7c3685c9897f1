// Package helm owns what gpugen knows of Helm charts as files: here, making the
// facts of a chart version (schema/chartindex) from a chart. It must not talk to
// a cluster or a registry, and does not render to find the facts: a rendering
// shows one set of values, a walk of the templates shows all branches.
//
// The walk (scan.go, walk.go, eval.go and the tables of functions) follows the
// dot through with, range, define and include, variables, $, index, get, dig,
// hasKey, default, dict and list, toYaml and back, tpl of constant text and of
// default values, and .Files.Get and .Files.Glob. It takes every branch, so that
// what it finds is what a template may read or render for some values.
//
// A helper that nothing includes is not walked: what only it reads has no effect.
//
// What the walk cannot see:
//   - keys that are computed (index .Values .Values.which): the map then counts as
//     gone through, and any of its known keys as meant;
//   - values that reach a function it does not know: they count as rendered whole,
//     so that maps are open rather than closed by mistake;
//   - templates that a user puts into values (tpl), templates included under a
//     computed name, and what a template that includes itself does from the third
//     round on: what they are given counts as rendered whole;
//   - what fromYaml and fromJson find in a string of the values, and the fields of
//     the elements of an array;
//   - kinds, API versions and namespaces that are computed by anything but
//     constants, defaults of values, printf, default, ternary and branches: they
//     are "*";
//   - metadata in a nesting of braces, and objects inside a string (a ConfigMap
//     with manifests for somebody else).
package helm
