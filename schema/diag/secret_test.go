package diag

import (
	"strings"
	"testing"
)

// examples are put together, so that no scanner takes this file for a leak.
var examples = map[string]string{
	"a private key":         "-----BEGIN " + "RSA PRIVATE KEY-----\nMIIE",
	"an NGC API key":        "nvapi" + "-" + strings.Repeat("aB3_", 12),
	"a GitHub token":        "ghp" + "_" + strings.Repeat("a1", 18),
	"a GitLab token":        "glpat" + "-" + strings.Repeat("a1", 10),
	"a Hugging Face token":  "hf" + "_" + strings.Repeat("aB", 17),
	"an AWS access key":     "AKIA" + strings.Repeat("A1", 8),
	"a Google API key":      "AIza" + strings.Repeat("a", 35),
	"a Slack token":         "xoxb" + "-" + strings.Repeat("1", 12),
	"a JSON Web Token":      "eyJ" + strings.Repeat("a", 12) + ".eyJ" + strings.Repeat("b", 12) + "." + strings.Repeat("c", 12),
	"a URL with a password": "https://me:" + "secret@git.example.com/x.git",
}

func TestSecretsAreKnownByTheirForm(t *testing.T) {
	for want, text := range examples {
		if got := Secret("before " + text); got != want {
			t.Errorf("%q is taken for %q, want %q", text, got, want)
		}
	}
	if len(examples) != len(secrets) {
		t.Errorf("%d examples of %d forms", len(examples), len(secrets))
	}
	for _, text := range []string{
		"https://git.example.com/platform/gpu.git", "ssh://git@git.example.com:22/x.git", "git@git.example.com:platform/gpu.git",
		"nvcr.io/nvidia/cloud-native/gpu-operator:v26.3.3", "sha256:" + strings.Repeat("7c7540bd", 8), "oci://registry.example.com:5000/charts",
		"nvapi-key", "hf_transformers", "http://[fd00::1]:8080/x",
	} {
		if got := Secret(text); got != "" {
			t.Errorf("%q is taken for %s", text, got)
		}
	}
}

func TestNoSecretIsQuoted(t *testing.T) {
	for name, secret := range examples {
		f := Finding{Message: "got " + secret, Position: Position{Text: "x: " + secret}, Also: []Place{{Note: secret, Position: Position{Text: secret}}}}
		masked := List{f}.Masked()[0]
		for _, text := range []string{masked.Message, masked.Position.Text, masked.Also[0].Note, masked.Also[0].Position.Text} {
			if strings.Contains(text, secret) || !strings.Contains(text, "*****") {
				t.Errorf("%s is quoted: %q", name, text)
			}
		}
		if len([]rune(masked.Position.Text)) != len([]rune(f.Position.Text)) {
			t.Errorf("%s: marks would move", name)
		}
		if f.Also[0].Note != secret {
			t.Error("the findings themselves are changed")
		}
	}
}
