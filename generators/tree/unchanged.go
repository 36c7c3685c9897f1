package tree

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// InventoryHash tells the tree that Write would make from any other.
//
// An error means that the inventory cannot be encoded.
func InventoryHash(t *Tree, m Meta) (string, error) {
	data, err := newInventory(t.Files(), m).encode()
	if err != nil {
		return "", err
	}
	return hashOf(data), nil
}

// Holds tells whether a directory holds the tree of this InventoryHash to the last
// byte, and nothing of an unfinished run: then Compare would find nothing, and Write
// would do nothing but what Changes says. A tree that another run is writing is none,
// unless onlyCompare says that it shall not be locked.
func Holds(dir, inventory string, onlyCompare bool) (Changes, bool) {
	dir = filepath.Clean(dir)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return Changes{}, false // to open a pipe would wait for who writes into it
	}
	if !onlyCompare {
		lock, err := lockDir(dir, false)
		if err != nil {
			return Changes{}, false
		}
		defer lock.release()
	}
	if _, err := os.Lstat(sibling(dir)); err == nil {
		return Changes{}, false // a killed run left it for the next one
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return Changes{}, false
	}
	defer root.Close()
	return holds(root, inventory)
}

func holds(root *os.Root, inventory string) (Changes, bool) {
	if info, err := root.Lstat(metaDir); err != nil || !info.IsDir() {
		return Changes{}, false
	}
	own, err := fs.ReadDir(root.FS(), metaDir)
	if err != nil || slices.ContainsFunc(own, func(e fs.DirEntry) bool {
		return metaDir+"/"+e.Name() != inventoryPath && metaDir+"/"+e.Name() != lockPath
	}) {
		return Changes{}, false
	}
	if now, err := look(root, inventoryPath); err != nil || now.kind != regular || now.hash != inventory {
		return Changes{}, false
	}
	inv, err := readInventory(root)
	if err != nil {
		return Changes{}, false
	}
	c := Changes{Unchanged: append(slices.Collect(maps.Keys(inv.Files)), inventoryPath)}
	for p, hashes := range inv.Files {
		if now, err := look(root, p); err != nil || now.kind != regular || now.hash != hashes[0] {
			return Changes{}, false
		}
	}
	slices.Sort(c.Unchanged)
	return c, true
}
