package tree

import (
	"errors"

	"github.com/Masterminds/semver/v3"

	"github.com/gpugen/gpugen/schema/diag"
)

// olderRelease reports whether release a came before b. What is no version is older
// than any that is.
func olderRelease(a, b string) bool {
	then, err := semver.NewVersion(b)
	if err != nil {
		return a == "" && b != ""
	}
	now, err := semver.NewVersion(a)
	return err != nil || now.LessThan(then)
}

// unusable is the finding about an inventory that was read with an error.
func (p place) unusable(err error) diag.Finding {
	var newer *newerError
	if errors.As(err, &newer) {
		return p.finding(kindNewer, inventoryPath, "%v", newer)
	}
	return p.finding(kindInventory, inventoryPath, "the inventory cannot be used: %v", err)
}
