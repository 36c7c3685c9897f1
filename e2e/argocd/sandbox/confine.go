//go:build linux

package sandbox

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// Confinement is how a container runs a program: as a user without rights, with a
// root file system that is read-only, and without a network.
type Confinement struct {
	User int
	// Writable are folders that stay writable, Temporary one that is empty.
	Writable  []string
	Temporary string
	Program   string
	Arguments []string
}

// confined holds a Confinement for the program that is run again.
const confined = "GPUGEN_CONFINED"

// Confine returns a command that runs the program; ExecConfined must be the first
// that this program does.
func Confine(c Confinement, environment []string) (*exec.Cmd, error) {
	text, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	command := exec.Command(self)
	command.Env = append(environment, confined+"="+string(text))
	command.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET | syscall.CLONE_NEWNS}
	return command, nil
}

// ExecConfined becomes the program that a Confinement names, if there is one; it
// then returns only with an error.
func ExecConfined() error {
	text := os.Getenv(confined)
	if text == "" {
		return nil
	}
	var c Confinement
	if err := json.Unmarshal([]byte(text), &c); err != nil {
		return err
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return err
	}
	// A folder that is a mount by itself keeps its own flags.
	for _, folder := range c.Writable {
		if err := unix.Mount(folder, folder, "", unix.MS_BIND, ""); err != nil {
			return fmt.Errorf("%s: %w", folder, err)
		}
	}
	if err := unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}); err != nil {
		return fmt.Errorf("read-only: %w", err)
	}
	for _, folder := range c.Writable {
		if err := unix.MountSetattr(unix.AT_FDCWD, folder, 0, &unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY}); err != nil {
			return fmt.Errorf("%s: %w", folder, err)
		}
	}
	if err := unix.Mount("tmpfs", c.Temporary, "tmpfs", 0, "mode=1777"); err != nil {
		return fmt.Errorf("%s: %w", c.Temporary, err)
	}
	if err := errors.Join(syscall.Setgroups(nil), syscall.Setgid(c.User), syscall.Setuid(c.User), os.Unsetenv(confined), os.Chdir("/")); err != nil {
		return err
	}
	return syscall.Exec(c.Program, append([]string{c.Program}, c.Arguments...), os.Environ())
}

// Add has the machine hold a file at the path, beside what is in its folder.
func Add(path, file string) error {
	folder := filepath.Dir(path)
	entries, err := os.ReadDir(folder)
	if err != nil {
		return err
	}
	below := filepath.Join("/run", "below", folder)
	if err := errors.Join(os.MkdirAll(below, 0o755), unix.Mount(folder, below, "", unix.MS_BIND, "")); err != nil {
		return err
	}
	if err := unix.Mount("tmpfs", folder, "tmpfs", 0, "mode=0755"); err != nil {
		return err
	}
	for _, entry := range entries {
		if entry.Name() != filepath.Base(path) {
			if err := os.Symlink(filepath.Join(below, entry.Name()), filepath.Join(folder, entry.Name())); err != nil {
				return err
			}
		}
	}
	return Bind(path, file)
}

// Bind has a file appear at a path that others can reach.
func Bind(path, file string) error {
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, nil, 0o755)); err != nil {
		return err
	}
	return unix.Mount(file, path, "", unix.MS_BIND, "")
}
