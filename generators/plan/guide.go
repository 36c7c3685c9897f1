package plan

// Page is a page of the tree's guides, as templates/guide.cue has it.
type Page struct {
	Title    string    `json:"title"`
	Intro    []Block   `json:"intro"`
	Sections []Section `json:"sections"`
}

// Section of a page.
type Section struct {
	Title  string  `json:"title"`
	Blocks []Block `json:"blocks"`
}

// Block is one part of a section: one of its fields is set. Text is plain, but for
// code between backticks.
type Block struct {
	Paragraph string   `json:"paragraph"`
	Table     *Table   `json:"table"`
	Bullets   []string `json:"bullets"`
	// Steps are a list with numbers.
	Steps []string `json:"steps"`
	// YAML are objects.
	YAML []map[string]any `json:"yaml"`
	Code *Code            `json:"code"`
	// Tree names what only the finished tree tells.
	Tree string `json:"tree"`
}

// Table of a section.
type Table struct {
	Columns []string   `json:"columns"`
	Rows    [][]string `json:"rows"`
}

// Code in some language.
type Code struct {
	Language string `json:"language"`
	Text     string `json:"text"`
}
