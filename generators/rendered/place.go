package rendered

import (
	"cmp"
	"maps"
	"path"
	"slices"
)

// place finds out which directories of the tree the sources name.
func (t *tree) place() {
	all := slices.Concat(t.applications, t.flux)
	agreed := t.agreedOn(all)
	t.placeAt(agreed, all)
	repo, stated := t.repoURL, t.options.Path
	if stated == "" || stated == agreed {
		return
	}
	t.placeAt(stated, all)
	for _, a := range all {
		for _, s := range a.sources {
			p, ok := inRepository(s)
			s.missed = ok && repository(s.repoURL) == repository(repo) && !within(p, stated) && within(p, agreed) && t.isDir(under(p, agreed))
		}
	}
}

// placeAt takes the tree to be at a path, and looks for the directories of sources.
func (t *tree) placeAt(at string, all []*application) {
	t.path = at
	for _, a := range all {
		for _, s := range a.sources {
			s.dir, s.here, s.missed = "", false, false
			if p, ok := inRepository(s); ok && within(p, at) {
				s.dir, s.here = under(p, at), true
			}
		}
	}
	if t.repoURL = t.options.RepoURL; t.repoURL == "" {
		t.repoURL = t.commonRepo(all)
	}
	for _, a := range all {
		for _, s := range a.sources {
			// Where Flux's GitRepository is not in the tree, it is taken for the tree's own.
			s.here = s.here && (repository(s.repoURL) == repository(t.repoURL) || a.kind != "" && s.repoURL == "")
		}
	}
}

// agreedOn is the path of the tree in its repository that makes most sources be there.
func (t *tree) agreedOn(all []*application) string {
	votes, whole, below, named := map[string]int{}, map[string]int{}, map[string]int{}, 0
	for _, a := range all {
		for _, s := range a.sources {
			p, ok := inRepository(s)
			if !ok {
				continue
			}
			named++
			for prefix := range prefixes(p) {
				below[prefix]++
				if t.isDir(under(p, prefix)) {
					votes[prefix]++
					if p == prefix {
						whole[p]++
					}
				}
			}
		}
	}
	// Any directory can be what a source names as a whole. That alone tells where the tree
	// is only if all that others name would be below, and of one source only if there is
	// nothing else to go by.
	for prefix, n := range whole {
		if votes[prefix] == n && (below[prefix] < named || named == 1 && t.options.Guess != "") {
			delete(votes, prefix)
		}
	}
	best := cmp.Or(t.options.Guess, ".")
	for _, prefix := range slices.Sorted(maps.Keys(votes)) {
		if votes[prefix] > votes[best] {
			best = prefix
		}
	}
	return best
}

// prefixes are the directories above a path, and itself.
func prefixes(p string) map[string]bool {
	out := map[string]bool{".": true, p: true}
	for p != "." && p != "/" {
		p = path.Dir(p)
		out[p] = true
	}
	return out
}

// commonRepo is the repository of most sources that name a directory of the tree.
func (t *tree) commonRepo(all []*application) string {
	votes, best := map[string]int{}, ""
	for _, a := range all {
		for _, s := range a.sources {
			if s.here && t.isDir(s.dir) {
				// The one that holds most of the tree wins.
				votes[s.repoURL] += t.filesIn(s.dir)
			}
		}
	}
	for _, url := range slices.Sorted(maps.Keys(votes)) {
		if votes[url] > votes[best] {
			best = url
		}
	}
	return best
}
