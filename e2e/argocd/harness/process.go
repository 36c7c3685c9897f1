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

// startProgram runs a program until stop. Its log is in dir.
func startProgram(dir, name string, environment []string, program string, arguments ...string) (*process, error) {
	command := exec.Command(program, arguments...)
	command.Env, command.Dir = environment, dir
	return startCommand(dir, name, command)
}

func startCommand(dir, name string, command *exec.Cmd) (*process, error) {
	p := &process{name: name, cmd: command, log: filepath.Join(dir, name+".log"), ended: make(chan struct{})}
	log, err := os.Create(p.log)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	command.Stdout, command.Stderr = log, log
	if err := command.Start(); err != nil {
		return nil, err
	}
	go func() {
		// The exit code of a process that is told to end says nothing.
		_ = command.Wait()
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
