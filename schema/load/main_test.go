package load

import (
	"sync"
	"testing"

	"github.com/gpugen/gpugen/schema/diag"
	"github.com/gpugen/gpugen/schema/knowledge"
	"github.com/gpugen/gpugen/schema/shape"
	"github.com/gpugen/gpugen/schema/source"
)

// testLoader loads specs, one after the other, with one engine.
type testLoader struct {
	engine *knowledge.Engine
	schema *shape.Schema
}

func newLoaderForTest() (*testLoader, error) {
	e, err := knowledge.New()
	if err != nil {
		return nil, err
	}
	return &testLoader{engine: e, schema: shape.New(e)}, nil
}

// sharedLoader compiles the schema once for all tests.
var sharedLoader = sync.OnceValues(newLoaderForTest)

func loaderForTest(t testing.TB) *testLoader {
	t.Helper()
	l, err := sharedLoader()
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func (l *testLoader) load(in source.Input) (*source.Spec, diag.List) {
	return Load(l.engine, l.schema, in)
}
