package helm

import (
	"fmt"
	"path"
	"strings"
	"text/template/parse"
)

// scanner walks the templates of a chart and of its sub-charts.
type scanner struct {
	root *unit
	// named holds the bodies of define blocks and of whole files, by name, as one
	// set for all charts, as in Helm.
	named map[string]*parse.ListNode
	files []templateFile

	documents []*document
	// included remembers what an include of a name with a chart's top object
	// gives, within one pass.
	included map[string]value
	// depth and nested count the includes that the walk is in, includes those of
	// the pass.
	depth    int
	nested   map[string]int
	includes int

	functions map[string]func(*scanner, []value) value
	// guards counts the enclosing tests of a value's type.
	guards map[*node]int
}

// templateFile is a file that Helm renders.
type templateFile struct {
	name string
	unit *unit
	body *parse.ListNode
}

// maxPasses is enough for values that one template makes known and another goes
// through; each pass but the last finds a path, so that it is hardly reached.
const maxPasses = 5

// scan notes in the tree of values what the templates of the charts read, and
// returns the documents that they can render.
func scan(root *unit) ([]*document, error) {
	s := &scanner{
		root: root, named: map[string]*parse.ListNode{}, functions: functionTable(),
		nested: map[string]int{}, guards: map[*node]int{},
	}
	for _, u := range root.all() {
		if err := s.parse(u); err != nil {
			return nil, err
		}
	}
	before := 0
	for range maxPasses {
		s.documents, s.included, s.includes = nil, map[string]value{}, 0
		for _, file := range s.files {
			s.render(file)
		}
		count := root.values.count()
		if count == before {
			break
		}
		before = count
	}
	return s.documents, nil
}

// parse reads the templates of one chart.
func (s *scanner) parse(u *unit) error {
	library := strings.EqualFold(u.chart.Metadata.Type, "library")
	for _, file := range u.chart.Templates {
		name := path.Join(u.path(), file.Name)
		partial := strings.HasPrefix(path.Base(name), "_")
		if library && !partial {
			continue
		}
		trees, err := parseTemplate(name, string(file.Data))
		if err != nil {
			return err
		}
		for defined, tree := range trees {
			// An empty file does not replace a definition.
			if _, exists := s.named[defined]; !exists || !parse.IsEmptyTree(tree.Root) {
				s.named[defined] = tree.Root
			}
		}
		if tree := trees[name]; tree != nil && !partial {
			s.files = append(s.files, templateFile{name: name, unit: u, body: tree.Root})
		}
	}
	return nil
}

// parseTemplate parses one file without asking for its functions. Errors start
// with file:line.
func parseTemplate(name, content string) (map[string]*parse.Tree, error) {
	trees := map[string]*parse.Tree{}
	tree := parse.New(name)
	tree.Mode = parse.SkipFuncCheck
	if _, err := tree.Parse(content, "", "", trees); err != nil {
		return nil, fmt.Errorf("unreadable template: %s", strings.TrimPrefix(err.Error(), "template: "))
	}
	return trees, nil
}

// render walks one file and keeps the documents in it.
func (s *scanner) render(file templateFile) {
	top := value{units: []*unit{file.unit}}
	printed := s.walk(file.body, &frame{dot: top, vars: newScope(nil, top), file: file})
	if strings.HasSuffix(file.name, "NOTES.txt") {
		return
	}
	s.documents = append(s.documents, documentsOf(file.name, printed)...)
}
