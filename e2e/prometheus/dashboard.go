package prometheus

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/promqltest"
)

// Dashboard is what the judge looks at of a Grafana dashboard.
type Dashboard struct {
	UID        string `json:"uid"`
	Title      string `json:"title"`
	Templating struct {
		List []struct {
			Name  string `json:"name"`
			Type  string `json:"type"`
			Query any    `json:"query"`
		} `json:"list"`
	} `json:"templating"`
	Panels []Panel `json:"panels"`
}

// Panel is one picture of it.
type Panel struct {
	ID          int    `json:"id"`
	Type        string `json:"type"`
	Title       string `json:"title"`
	Description string `json:"description"`
	GridPos     struct {
		X, Y, W, H int
	} `json:"gridPos"`
	Targets []struct {
		RefID  string `json:"refId"`
		Expr   string `json:"expr"`
		Legend string `json:"legendFormat"`
	} `json:"targets"`
	FieldConfig struct {
		Defaults struct {
			Unit string   `json:"unit"`
			Max  *float64 `json:"max"`
		} `json:"defaults"`
	} `json:"fieldConfig"`
}

// gridWidth is the number of columns of Grafana's grid.
const gridWidth = 24

var variable = regexp.MustCompile(`\$\{?([a-zA-Z_]+)\}?`)

// ReadDashboard reads a dashboard, and refuses what Grafana would show as empty
// space or errors: panels that overlap or stick out, doubled ids, variables that
// nobody declares, and queries that do not parse.
func ReadDashboard(text string) (*Dashboard, error) {
	var d Dashboard
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		return nil, err
	}
	var errs []error
	declared := map[string]bool{}
	for _, v := range d.Templating.List {
		declared[v.Name] = true
	}
	if len(d.UID) == 0 || len(d.UID) > 40 || d.Title == "" {
		errs = append(errs, fmt.Errorf("uid %q or title %q does not do", d.UID, d.Title))
	}
	taken := map[[2]int]string{}
	ids := map[int]bool{}
	for _, p := range d.Panels {
		if ids[p.ID] {
			errs = append(errs, fmt.Errorf("%s: id %d is another panel's", p.Title, p.ID))
		}
		ids[p.ID] = true
		g := p.GridPos
		if g.X < 0 || g.W < 1 || g.H < 1 || g.X+g.W > gridWidth {
			errs = append(errs, fmt.Errorf("%s: sticks out of the grid: %+v", p.Title, g))
		}
		for x := g.X; x < g.X+g.W; x++ {
			for y := g.Y; y < g.Y+g.H; y++ {
				if other := taken[[2]int{x, y}]; other != "" {
					errs = append(errs, fmt.Errorf("%s: lies over %s", p.Title, other))
				}
				taken[[2]int{x, y}] = p.Title
			}
		}
		if p.Type != "row" && (len(p.Targets) == 0 || p.Description == "") {
			errs = append(errs, fmt.Errorf("%s: has no query, or no description", p.Title))
		}
		refs := map[string]bool{}
		for _, target := range p.Targets {
			if refs[target.RefID] {
				errs = append(errs, fmt.Errorf("%s: two queries %s", p.Title, target.RefID))
			}
			refs[target.RefID] = true
			for _, used := range variable.FindAllStringSubmatch(target.Expr, -1) {
				if !declared[used[1]] {
					errs = append(errs, fmt.Errorf("%s: nobody declares $%s", p.Title, used[1]))
				}
			}
			if _, err := Metrics(Shown(target.Expr)); err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", p.Title, err))
			}
		}
	}
	return &d, errors.Join(errs...)
}

// Shown is a query as Grafana sends it while a viewer has chosen nothing.
func Shown(expr string) string { return variable.ReplaceAllString(expr, ".*") }

// Query evaluates a query at a time over series in the language of promqltest.
func Query(series, expr string, at time.Duration) (result promql.Vector, err error) {
	loader, err := promqltest.NewLazyLoader(series, promqltest.LazyLoaderOpts{EnableAtModifier: true, EnableNegativeOffset: true})
	if err != nil {
		return nil, err
	}
	defer func() { err = firstOf(err, loader.Close()) }()
	now := time.Unix(0, 0).UTC().Add(at)
	loader.WithSamplesTill(now, func(e error) {
		if err = e; err != nil {
			return
		}
		q, e := loader.QueryEngine().NewInstantQuery(loader.Context(), loader.Queryable(), nil, expr, now)
		if err = e; err != nil {
			return
		}
		answer := q.Exec(loader.Context())
		if err = answer.Err; err != nil {
			return
		}
		result, err = answer.Vector()
	})
	return result, err
}

// isDashboard tells the keys of a ConfigMap that Grafana's sidecar writes to disk.
func isDashboard(key string) bool { return strings.HasSuffix(key, ".json") }
