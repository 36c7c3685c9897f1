//go:build linux

// Package sandbox runs a program in network, mount and process namespaces of its
// own: it may answer for any host, on any port, and put files where programs look
// for them, and nothing of it is left on the machine. It must not know what runs
// inside.
package sandbox

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// inside marks the program that runs in the namespaces.
const inside = "GPUGEN_IN_SANDBOX"

// Inside tells whether this program is in a sandbox.
func Inside() bool { return os.Getenv(inside) != "" }

// Root tells whether the sandbox was made by root, so that it knows other users.
func Root() bool { return os.Getenv(inside) == "root" }

// Possible returns why no sandbox can be made here, or nil.
func Possible() error {
	command := exec.Command("/bin/true")
	command.SysProcAttr = namespaces()
	if err := command.Run(); err != nil {
		return fmt.Errorf("no network, mount and process namespaces of its own, which need root or user namespaces: %w", err)
	}
	return nil
}

// Rerun runs this program again, with the same arguments, in a sandbox, and
// returns its exit code.
func Rerun(environment ...string) (int, error) {
	// The signal comes when the thread ends that started the process.
	runtime.LockOSThread()
	program, err := os.Executable()
	if err != nil {
		return 0, err
	}
	command := exec.Command(program, os.Args[1:]...)
	command.Stdin, command.Stdout, command.Stderr = os.Stdin, os.Stdout, os.Stderr
	command.Env = append(append(os.Environ(), inside+"="+maker()), environment...)
	command.SysProcAttr = namespaces()
	command.SysProcAttr.Pdeathsig = syscall.SIGKILL
	err = command.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return max(1, exit.ExitCode()), nil
	}
	return 0, err
}

func maker() string {
	if os.Geteuid() == 0 {
		return "root"
	}
	return "user"
}

func namespaces() *syscall.SysProcAttr {
	// What is process 1 there takes all others with it when it ends.
	out := &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNET | syscall.CLONE_NEWNS | syscall.CLONE_NEWPID}
	if os.Geteuid() != 0 {
		out.Cloneflags |= syscall.CLONE_NEWUSER
		out.UidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Geteuid(), Size: 1}}
		out.GidMappings = []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getegid(), Size: 1}}
	}
	return out
}

// Prepare brings up loopback with one more address, and has the hosts answer
// there. Files appear below /run, which is empty otherwise.
func Prepare(address netip.Addr, hosts []string, files map[string][]byte) error {
	if err := loopback(address); err != nil {
		return fmt.Errorf("loopback: %w", err)
	}
	// What is mounted here must not appear outside.
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("private mounts: %w", err)
	}
	// Programs that look for their own process need the numbers of this namespace.
	if err := unix.Mount("proc", "/proc", "proc", 0, ""); err != nil {
		return fmt.Errorf("/proc: %w", err)
	}
	if err := unix.Mount("tmpfs", "/run", "tmpfs", 0, "mode=0755"); err != nil {
		return fmt.Errorf("/run: %w", err)
	}
	own, err := os.Hostname()
	if err != nil {
		return err
	}
	const table = "/run/hosts"
	if err := os.WriteFile(table, []byte("127.0.0.1 localhost "+own+" "+strings.Join(hosts, " ")+"\n"), 0o644); err != nil {
		return err
	}
	if err := unix.Mount(table, "/etc/hosts", "", unix.MS_BIND, ""); err != nil {
		return fmt.Errorf("/etc/hosts: %w", err)
	}
	return Write(files)
}

// Write writes files below /run.
func Write(files map[string][]byte) error {
	for name, content := range files {
		name = filepath.Join("/run", name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, content, 0o644)); err != nil {
			return err
		}
	}
	return nil
}

func loopback(address netip.Addr) error {
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(socket)
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	request.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	if err := unix.IoctlIfreq(socket, unix.SIOCSIFFLAGS, request); err != nil {
		return err
	}
	if request, err = unix.NewIfreq("lo:1"); err != nil {
		return err
	}
	octets := address.As4()
	if err := request.SetInet4Addr(octets[:]); err != nil {
		return err
	}
	return unix.IoctlIfreq(socket, unix.SIOCSIFADDR, request)
}
