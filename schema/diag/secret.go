package diag

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// secrets are texts that are keys or tokens by their form: their makers gave them
// prefixes so that tools find them. The forms are those that
// https://github.com/gitleaks/gitleaks/blob/b58d3f102cf3a2c84cb7f923d05c25c9b1aed84b/config/gitleaks.toml
// (2026-07-22) looks for, and besides keys of NGC, by their prefix, and passwords in
// URLs.
var secrets = []struct {
	name string
	form *regexp.Regexp
}{
	{"a private key", regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*`)},
	{"an NGC API key", regexp.MustCompile(`\bnvapi-[A-Za-z0-9_-]{40,}`)},
	{"a GitHub token", regexp.MustCompile(`\b(gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{22,})`)},
	{"a GitLab token", regexp.MustCompile(`\bglpat-[A-Za-z0-9_-]{20,}`)},
	{"a Hugging Face token", regexp.MustCompile(`\bhf_[A-Za-z0-9]{34,}`)},
	{"an AWS access key", regexp.MustCompile(`\b(AKIA|ASIA)[A-Z0-9]{16}\b`)},
	{"a Google API key", regexp.MustCompile(`\bAIza[A-Za-z0-9_-]{35}`)},
	{"a Slack token", regexp.MustCompile(`\bxox[abeoprs]-[A-Za-z0-9-]{10,}`)},
	{"a JSON Web Token", regexp.MustCompile(`\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}`)},
	{"a URL with a password", regexp.MustCompile(`[a-z]://[^/\s:@]*:[^/\s:@]+@`)},
}

// Secret names what sort of key or token a text holds; "" if it holds none.
func Secret(text string) string {
	for _, s := range secrets {
		if s.form.MatchString(text) {
			return s.name
		}
	}
	return ""
}

// Masked is a text of the same length with stars in place of keys and tokens.
func Masked(text string) string {
	for _, s := range secrets {
		text = s.form.ReplaceAllStringFunc(text, func(found string) string {
			return strings.Repeat("*", utf8.RuneCountInString(found))
		})
	}
	return text
}

// Masked returns the findings without the keys and tokens that they quote.
func (l List) Masked() List {
	out := make(List, len(l))
	// Findings of one line, which may be the whole of a JSON file, quote it each.
	known := map[string]string{}
	masked := func(text string) string {
		without, ok := known[text]
		if !ok {
			without = Masked(text)
			known[text] = without
		}
		return without
	}
	for i, f := range l {
		f.Message, f.Position.Text = masked(f.Message), masked(f.Position.Text)
		f.Also = append([]Place(nil), f.Also...)
		for k := range f.Also {
			f.Also[k].Note, f.Also[k].Position.Text = masked(f.Also[k].Note), masked(f.Also[k].Position.Text)
		}
		out[i] = f
	}
	return out
}
