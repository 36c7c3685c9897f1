package source

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
)

// Hash is the SHA-256 of everything that was loaded. Neither the names nor the
// order of the files count, so that a checkout elsewhere gives the same.
func (s *Spec) Hash() string {
	var sums [][]byte
	for _, f := range s.files.Used() {
		sum := sha256.Sum256(f.Data)
		sums = append(sums, sum[:])
	}
	slices.SortFunc(sums, slices.Compare)
	all := sha256.New()
	for _, sum := range sums {
		all.Write(sum)
	}
	return hex.EncodeToString(all.Sum(nil))
}
