package watchdog

import "context"

// Until runs f, and returns false if ctx ends first. CUE cannot be cancelled: f goes on
// then, nothing that it uses may be touched again, and the process should report and exit.
func Until(ctx context.Context, f func()) bool {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-ctx.Done():
		return false
	case <-done:
		return ctx.Err() == nil
	}
}
