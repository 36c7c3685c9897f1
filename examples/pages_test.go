package examples

import (
	"strings"
	"testing"
)

func TestObjectsOfAPage(t *testing.T) {
	const page = "# A page\n\n```sh\nkind: none\n```\n\n```yaml\nkind: Pod\n---\nkind: Job\n```\n\ntext\n\n```yaml\nkind: Service\n```\n"
	objects, err := PageObjects(page)
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, o := range objects {
		kinds = append(kinds, o["kind"].(string))
	}
	if got := strings.Join(kinds, " "); got != "Pod Job Service" {
		t.Errorf("objects %s", got)
	}
	for want, page := range map[string]string{"line 1: the code does not end": "```yaml\nkind: Pod\n", "line 3: document 1": "\n\n```yaml\n- a\n```\n"} {
		if _, err := PageObjects(page); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
