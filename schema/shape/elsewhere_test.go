package shape

import (
	"testing"

	"github.com/gpugen/gpugen/schema/source"
)

// What stands in the wrong place is told its own: a value of one other place, fields
// without the name that they belong to.
func TestWhatIsMisplacedIsToldItsPlace(t *testing.T) {
	schema := schemaForTest(t)
	for _, c := range []struct{ spec, message, fix string }{
		{
			`nodePools: a: sharing: mode: "timeSlicing"`,
			`mode: "timeSlicing" is not one of "single", "mixed"; "time-slicing" is a value of nodePools.a.sharing.strategy`,
			`write nodePools.a.sharing.strategy: "time-slicing", and remove mode`,
		},
		{
			`nodePools: a: mig: {}`,
			`unknown field "mig"; it is a value of nodePools.a.sharing.strategy`,
			`write nodePools.a.sharing.strategy: "mig", and remove the field`,
		},
		{
			`mps: true`,
			`unknown field "mps"; it is a value of nodePools.<pool>.sharing.strategy`,
			`write nodePools.<pool>.sharing.strategy: "mps", and remove the field`,
		},
		{
			// Several places have it.
			`nodePools: a: sharing: mode: "operator"`,
			`mode: "operator" is not one of "single", "mixed"`,
			`write "single" or "mixed"`,
		},
		{
			`tenants: [{namespaces: ["a"]}]`,
			`tenants: want fields; got a list`,
			`write fields with names of your choice instead of a list, such as tenants: example: {namespaces: ["team"]}`,
		},
		{
			`tenants: a: quota: gpus: 8`,
			`gpus: want fields (gpus, cpu, memory); got the number 8`,
			`name what it belongs to, as in NAME: gpus: 8`,
		},
	} {
		var spec any
		if err := schema.engine.Ctx.CompileString(c.spec).Decode(&spec); err != nil {
			t.Fatal(err)
		}
		v := schema.engine.Ctx.Encode(spec)
		found := schema.Compare(&source.Spec{}, v, Input{Lenient: true})
		ok := false
		for _, f := range found {
			ok = ok || f.Message == c.message && f.Fix == c.fix
		}
		if !ok {
			t.Errorf("%s: want %q, %q in\n%v", c.spec, c.message, c.fix, found)
		}
	}
}
