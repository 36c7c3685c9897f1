package gpugen_test

import (
	"bytes"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Nothing in the repository may say where somebody keeps it, or which mirror
// their machine installs packages from. What to look for is asked of the machine
// itself, so that it is written down nowhere.
func TestNoFileNamesThisMachine(t *testing.T) {
	secrets := append(machinePaths(t), packageHosts(t)...)
	for _, file := range trackedFiles(t) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, secret := range secrets {
			if bytes.Contains(data, []byte(secret)) {
				t.Errorf("%s names %s", file, secret)
			}
		}
	}
}

// What a compiler made holds the paths of the machine that it ran on.
func TestNoFileIsAProgram(t *testing.T) {
	for _, file := range trackedFiles(t) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.IndexByte(data, 0) >= 0 {
			t.Errorf("%s is no text", file)
		}
	}
}

func trackedFiles(t *testing.T) []string {
	t.Helper()
	out, err := exec.Command("git", "ls-files", "-z", "--cached").Output()
	if err != nil {
		t.Skipf("not a git work tree: %v", err)
	}
	files := strings.Split(strings.TrimRight(string(out), "\x00"), "\x00")
	return slices.DeleteFunc(files, func(file string) bool {
		info, err := os.Lstat(file)
		return err != nil || !info.Mode().IsRegular()
	})
}

// machinePaths are the directories of this checkout and of its user. A path of
// one element, such as that of a container's user, is too common a word.
func machinePaths(t *testing.T) []string {
	t.Helper()
	checkout, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	home, _ := os.UserHomeDir()
	for _, dir := range []string{checkout, home} {
		if strings.Count(filepath.Clean(dir), string(filepath.Separator)) > 1 {
			out = append(out, dir+string(filepath.Separator))
		}
	}
	return out
}

var aptSource = regexp.MustCompile(`https?://[^\s/:]+`)

// packageHosts are the hosts that this machine installs Go modules, Debian
// packages and Python packages from, as far as it says so.
func packageHosts(t *testing.T) []string {
	t.Helper()
	proxies, err := exec.Command("go", "env", "GOPROXY").Output()
	if err != nil {
		t.Fatal(err)
	}
	places := strings.FieldsFunc(string(proxies), func(r rune) bool { return strings.ContainsRune(",| \n", r) })
	for _, variable := range []string{"PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "NPM_CONFIG_REGISTRY", "npm_config_registry"} {
		places = append(places, strings.Fields(os.Getenv(variable))...)
	}
	for _, pattern := range []string{"sources.list", "sources.list.d/*"} {
		lists, _ := fs.Glob(os.DirFS("/etc/apt"), pattern)
		for _, list := range lists {
			data, _ := os.ReadFile(filepath.Join("/etc/apt", list))
			places = append(places, aptSource.FindAllString(string(data), -1)...)
		}
	}
	var hosts []string
	for _, place := range places {
		if at, err := url.Parse(place); err == nil && at.Hostname() != "" {
			hosts = append(hosts, at.Hostname())
		}
	}
	slices.Sort(hosts)
	return slices.Compact(hosts)
}
