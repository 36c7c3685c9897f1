package helm

import (
	"strings"

	"github.com/gpugen/gpugen/schema/chartindex"
)

// The keys by which charts name an image's parts, the usual ones first. What charts
// call repository is the whole name in some and the registry in others, which then
// have a name beside it.
var (
	imageRegistries = []string{"registry", "imageRegistry"}
	imageNames      = []string{"image", "name", "imageName"}
	imageTags       = []string{"tag", "version", "imageTag"}
)

// addImages lists the images that the default values at and below the node name.
func (n *node) addImages(x *chartindex.Index) {
	if image := n.image(); image != "" {
		x.Images = append(x.Images, chartindex.Image{Path: n.path(), Image: image})
	}
	for _, child := range n.sorted() {
		child.addImages(x)
	}
}

// image is the image that a map, or a text whose key says so, names; else empty.
func (n *node) image() string {
	if n.parent == nil {
		return ""
	}
	if text, ok := n.def.(string); ok {
		return n.whole(text)
	}
	name, repository := n.first(imageNames), n.text("repository")
	_, asked := n.children["repository"]
	switch {
	case asked && repository == "":
		return ""
	case repository != "" && name != "":
		name = repository + "/" + name
	case repository != "":
		name = repository
	case name != "" && (isImageKey(n.key) || n.first(imageRegistries) != ""):
	default:
		return ""
	}
	if strings.Contains(name, "://") {
		// The address of something else, such as a chart's repository.
		return ""
	}
	if registry := n.first(imageRegistries); registry != "" {
		name = registry + "/" + name
	}
	switch tag := n.first(imageTags); {
	case tag == "":
	case strings.Contains(tag, ":"):
		name += "@" + tag
	default:
		name += ":" + tag
	}
	return name
}

// whole returns a text that is the name of an image by its key, and no part of one.
func (n *node) whole(text string) string {
	named := isImageKey(n.key) || n.parent.key == "images" || strings.HasSuffix(n.key, "image_name")
	if !named || !strings.Contains(text, "/") || strings.Contains(text, "://") || n.parent.text("repository") != "" || n.parent.first(imageTags) != "" {
		return ""
	}
	return text
}

// isImageKey tells keys such as image and initImage.
func isImageKey(key string) bool { return strings.HasSuffix(strings.ToLower(key), "image") }

func (n *node) first(keys []string) string {
	for _, key := range keys {
		if text := n.text(key); text != "" {
			return text
		}
	}
	return ""
}

func (n *node) text(key string) string {
	child := n.children[key]
	if child == nil {
		return ""
	}
	text, _ := child.def.(string)
	return text
}
