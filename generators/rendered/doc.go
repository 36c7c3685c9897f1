// Package rendered owns what Argo CD or Flux would make of a directory of manifests,
// whoever rendered it: it reads the files, finds the Applications, or Flux's
// Kustomizations and HelmReleases, and what each would apply, and says what is wrong, at
// its line. It must not know how gpugen renders, evaluate
// a spec, write, or open a socket.
package rendered
