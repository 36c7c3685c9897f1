package generators_test

import (
	"fmt"
	"slices"
	"testing"
)

// A tenant gets a ResourceClaimTemplate where a claim of it can be admitted: a ResourceQuota
// of none admits none; a queue may borrow what its quota has none of.
func TestATenantGetsTemplatesOfClaimsThatItsQuotaAdmits(t *testing.T) {
	const name = "team-t/ResourceClaimTemplate/p-gpu"
	for _, c := range []struct {
		quota, queue string
		borrow       bool
		want         bool
	}{
		{`{p: {gpus: 8}}`, "none", false, true},
		{`{}`, "none", false, true},
		{`{p: {}}`, "none", false, false},
		{`{p: {gpus: 0}}`, "none", false, false},
		{`{p: {}}`, "kueue", false, false},
		{`{p: {}}`, "kueue", true, false},
		{`{p: {gpus: 0}}`, "kueue", true, true},
	} {
		objects := rendered(t, `nodePools: {p: {allocation: dra}}`, `scheduling: {queue: `+c.queue+`}`,
			fmt.Sprintf(`tenants: {t: {namespaces: [team-t], borrow: %v, quota: %s}, u: {namespaces: [team-u], quota: {p: {gpus: 8}}}}`, c.borrow, c.quota))
		if _, got := objects[name]; got != c.want {
			t.Errorf("%+v: a template is %v", c, got)
		}
	}
}

// A tenant borrows what its quota names, if with none; what it does not name is closed, to
// its queue as to its namespaces: Kueue would admit a Job whose Pods the API server refuses.
func TestNoQueueBorrowsWhatTheResourceQuotaCloses(t *testing.T) {
	const mixed = `nodePools: {p: {sharing: {strategy: mig, mode: mixed, profiles: {1g.10gb: 2, 2g.20gb: 1}}}}`
	for _, c := range []struct {
		pool, quota      string
		borrowed, closed []string
	}{
		{`{}`, `{p: {}}`, nil, []string{"nvidia.com/gpu"}},
		{`{}`, `{p: {gpus: 0}}`, []string{"nvidia.com/gpu"}, nil},
		{mixed, `{p: {mig-1g.10gb: 2}}`, []string{"nvidia.com/mig-1g.10gb"}, []string{"nvidia.com/mig-2g.20gb"}},
		{mixed, `{p: {mig-1g.10gb: 2, mig-2g.20gb: 0}}`, []string{"nvidia.com/mig-1g.10gb", "nvidia.com/mig-2g.20gb"}, nil},
	} {
		objects := rendered(t, c.pool, `scheduling: {queue: kueue}`,
			fmt.Sprintf(`tenants: {t: {namespaces: [team-t], borrow: true, quota: %s}, u: {namespaces: [team-u], quota: %[1]s}}`, c.quota))
		hard, _ := at(objects["team-t/ResourceQuota/gpus"], "spec", "hard").(map[string]any)
		var borrowed, closed []string
		for _, r := range at(objects["ClusterQueue/t"], "spec", "resourceGroups", 0, "flavors", 0, "resources").([]any) {
			name := at(r, "name").(string)
			if at(r, "borrowingLimit") == "0" {
				closed = append(closed, name)
			} else {
				borrowed = append(borrowed, name)
			}
			if _, refused := hard["requests."+name]; refused != slices.Contains(c.closed, name) {
				t.Errorf("%+v: the ResourceQuota is %v", c, hard)
			}
		}
		if !slices.Equal(borrowed, c.borrowed) || !slices.Equal(closed, c.closed) {
			t.Errorf("%+v: the queue borrows %v, and does not borrow %v", c, borrowed, closed)
		}
	}
}
