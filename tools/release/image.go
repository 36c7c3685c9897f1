package main

import (
	"archive/tar"
	"bytes"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// imageDir holds the image, below -out.
const imageDir = "image"

// user that the image runs as: that of Argo CD's containers, so that it can be a sidecar
// of the repo server.
const user = "999"

// image writes an image of each architecture of Linux, and the index of them. There is
// nothing in one but both programs: they are static, and open no socket.
func (r *release) image() error {
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, arch := range slices.Sorted(maps.Keys(r.images)) {
		one, err := r.imageOf(arch)
		if err != nil {
			return err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{
			Add: one, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: arch}},
		})
	}
	_, err := layout.Write(filepath.Join(r.out, imageDir), index)
	return err
}

func (r *release) imageOf(arch string) (v1.Image, error) {
	files, err := layerOf(r.images[arch], r.at)
	if err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(files)), nil }, tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return nil, err
	}
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	image, err = mutate.Append(image, mutate.Addendum{Layer: layer, History: v1.History{Created: v1.Time{Time: r.at}, CreatedBy: "make release"}})
	if err != nil {
		return nil, err
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Created = "linux", arch, v1.Time{Time: r.at}
	config.Config = v1.Config{
		User: user, Entrypoint: []string{"/usr/local/bin/gpugen"}, Env: []string{"PATH=/usr/local/bin"},
		Labels: map[string]string{
			"org.opencontainers.image.source":   "https://" + module,
			"org.opencontainers.image.version":  r.version,
			"org.opencontainers.image.revision": r.commit,
			"org.opencontainers.image.licenses": "Apache-2.0",
		},
	}
	return mutate.ConfigFile(image, config)
}

// layerOf is the file system of an image.
func layerOf(programs []entry, at time.Time) ([]byte, error) {
	var out bytes.Buffer
	archive := tar.NewWriter(&out)
	for _, dir := range []string{"usr/", "usr/local/", "usr/local/bin/"} {
		if err := archive.WriteHeader(&tar.Header{Format: tar.FormatUSTAR, Typeflag: tar.TypeDir, Name: dir, Mode: 0o755, ModTime: at}); err != nil {
			return nil, err
		}
	}
	for _, p := range programs {
		header := &tar.Header{Format: tar.FormatUSTAR, Typeflag: tar.TypeReg, Name: "usr/local/bin/" + p.name, Mode: int64(p.mode), Size: int64(len(p.data)), ModTime: at}
		if err := archive.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := archive.Write(p.data); err != nil {
			return nil, err
		}
	}
	err := archive.Close()
	return out.Bytes(), err
}

// push sends the image in a directory to a registry, with the credentials that
// `docker login` left, and prints its digest.
func push(dir, to string) error {
	reference, err := name.ParseReference(to)
	if err != nil {
		return err
	}
	there, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		return err
	}
	if err := remote.WriteIndex(reference, there, remote.WithAuthFromKeychain(authn.DefaultKeychain)); err != nil {
		return err
	}
	digest, err := there.Digest()
	fmt.Println(digest)
	return err
}
