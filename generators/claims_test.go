package generators_test

import (
	"fmt"
	"testing"
)

// A tenant gets a ResourceClaimTemplate where a claim of it can be admitted: a queue may
// borrow what its quota has none of, a ResourceQuota of none admits none.
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
		{`{p: {}}`, "kueue", true, true},
	} {
		objects := rendered(t, `nodePools: {p: {allocation: dra}}`, `scheduling: {queue: `+c.queue+`}`,
			fmt.Sprintf(`tenants: {t: {namespaces: [team-t], borrow: %v, quota: %s}, u: {namespaces: [team-u], quota: {p: {gpus: 8}}}}`, c.borrow, c.quota))
		if _, got := objects[name]; got != c.want {
			t.Errorf("%+v: a template is %v", c, got)
		}
	}
}

// Kueue hands out what a tenant borrows, also of kinds that its own quota has none of:
// the API server must not refuse those Pods.
func TestNoResourceQuotaClosesWhatATenantMayBorrow(t *testing.T) {
	const mixed = `nodePools: {p: {sharing: {strategy: mig, mode: mixed, profiles: {1g.10gb: 2, 2g.20gb: 1}}}}`
	for _, c := range []struct {
		pool, quota string
		borrow      bool
		closed      string
	}{
		{`{}`, `{p: {}}`, true, ""},
		{`{}`, `{p: {}}`, false, "requests.nvidia.com/gpu"},
		{mixed, `{p: {mig-1g.10gb: 2}}`, true, ""},
		{mixed, `{p: {mig-1g.10gb: 2}}`, false, "requests.nvidia.com/mig-2g.20gb"},
	} {
		objects := rendered(t, c.pool, `scheduling: {queue: kueue}`,
			fmt.Sprintf(`tenants: {t: {namespaces: [team-t], borrow: %v, quota: %s}, u: {namespaces: [team-u], quota: %s}}`, c.borrow, c.quota, c.quota))
		hard, _ := at(objects["team-t/ResourceQuota/gpus"], "spec", "hard").(map[string]any)
		if c.closed == "" && len(hard) > 0 || c.closed != "" && hard[c.closed] != "0" {
			t.Errorf("%+v: the ResourceQuota is %v", c, hard)
		}
	}
}
