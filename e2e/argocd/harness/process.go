package harness

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// process is a child with a log.
type process struct {
	name  string
	cmd   *exec.Cmd
	log   string
	ended chan struct{}
}

// start runs a program until stop. Its log is in dir.
func start(dir, name string, environment []string, program string, arguments ...string) (*process, error) {
	p := &process{name: name, log: filepath.Join(dir, name+".log"), ended: make(chan struct{})}
	log, err := os.Create(p.log)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	p.cmd = exec.Command(program, arguments...)
	p.cmd.Env, p.cmd.Stdout, p.cmd.Stderr, p.cmd.Dir = environment, log, log, dir
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		// The exit code of a process that is told to end says nothing.
		_ = p.cmd.Wait()
		close(p.ended)
	}()
	return p, nil
}

// running returns the end of the log of a process that ended by itself.
func (p *process) running() error {
	select {
	case <-p.ended:
		return fmt.Errorf("%s ended: %s", p.name, endOf(p.log))
	default:
		return nil
	}
}

// stop ends the process and returns the most memory that it had, in bytes.
func (p *process) stop() int64 {
	_ = p.cmd.Process.Kill()
	<-p.ended
	if usage, ok := p.cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		return usage.Maxrss * 1024
	}
	return 0
}

func endOf(file string) []byte {
	const enough = 4000
	text, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	return bytes.TrimSpace(text[max(0, len(text)-enough):])
}
