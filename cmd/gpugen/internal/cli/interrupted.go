package cli

import (
	"context"
	"errors"

	"github.com/gpugen/gpugen/schema/diag"
	"github.com/gpugen/gpugen/schema/watchdog"
)

var errInterrupted = errors.New("interrupted; nothing was written")

// untilInterrupted runs what takes long and writes nothing, unless somebody ends the
// program first. It cannot be cancelled: it ends with the process.
func untilInterrupted[T any](ctx context.Context, f func() (T, error)) (T, error) {
	var (
		out T
		err error
	)
	if !watchdog.Until(ctx, func() { out, err = f() }) {
		var none T
		return none, errInterrupted
	}
	return out, err
}

// found is what a function returns that finds something.
type found[T any] struct {
	of       T
	findings diag.List
}

// findUntilInterrupted is untilInterrupted for what has findings as well.
func findUntilInterrupted[T any](ctx context.Context, f func() (T, diag.List, error)) (T, diag.List, error) {
	out, err := untilInterrupted(ctx, func() (found[T], error) {
		of, findings, err := f()
		return found[T]{of, findings}, err
	})
	return out.of, out.findings, err
}

// evaluateUntilInterrupted evaluates a spec, unless somebody ends the program first.
func evaluateUntilInterrupted[T any](ctx context.Context, evaluate func() (T, diag.List)) (T, diag.List, error) {
	return findUntilInterrupted(ctx, func() (T, diag.List, error) {
		out, findings := evaluate()
		return out, findings, nil
	})
}
