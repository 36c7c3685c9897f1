package tree

// Changes lists paths relative to the output directory, sorted, each in one
// list. The inventory counts as a file of the tree, so a run that finds nothing
// in the first three lists writes nothing.
type Changes struct {
	Created   []string
	Updated   []string
	Deleted   []string
	Unchanged []string
}

// Any reports whether there is a file to create, update or delete.
func (c Changes) Any() bool {
	return len(c.Created)+len(c.Updated)+len(c.Deleted) > 0
}
