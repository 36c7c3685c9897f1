package cli

import (
	"context"
	"errors"

	"github.com/gpugen/gpugen/generators"
	"github.com/gpugen/gpugen/schema/diag"
)

var errInterrupted = errors.New("interrupted; nothing was written")

// untilInterrupted evaluates a spec, unless somebody ends the program first. An
// evaluation cannot be cancelled: it ends with the process.
func untilInterrupted(ctx context.Context, evaluate func() (*generators.Result, diag.List)) (*generators.Result, diag.List, error) {
	var (
		result   *generators.Result
		findings diag.List
		done     = make(chan struct{})
	)
	go func() {
		defer close(done)
		result, findings = evaluate()
	}()
	select {
	case <-ctx.Done():
		return nil, nil, errInterrupted
	case <-done:
		return result, findings, nil
	}
}
