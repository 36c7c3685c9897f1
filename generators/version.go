package generators

// Version is gpugen's release. It is a constant, so that the same spec gives the
// same bytes from any build of a release.
const Version = "0.1.0"
