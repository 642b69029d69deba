//go:build unix

package hooks

import (
	"io/fs"
	"os"
	"strconv"
	"syscall"
	"time"
)

const (
	errFileBusy = syscall.ETXTBSY
	// dontWait keeps an open from hanging on a FIFO.
	dontWait = syscall.O_NONBLOCK
	// groupPoll is how often a group that was told to stop is looked at.
	groupPoll = 5 * time.Millisecond
)

// ownSession makes the hook the leader of a session, and so of a process group, of its own. In a
// mere group of its own, a hook that reads the terminal would be stopped and never continued.
func ownSession() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setsid: true}
}

// stopGroup passes a signal to the group and waits until it is empty; when it is not within the
// grace, the rest is killed. ended yields once the leader has been waited for.
func stopGroup(group int, sig os.Signal, ended <-chan error) {
	number, ok := sig.(syscall.Signal)
	if !ok {
		number = syscall.SIGTERM
	}
	syscall.Kill(-group, number)
	deadline := time.After(grace)
	select {
	case <-ended:
		for alive := true; alive; alive = syscall.Kill(-group, 0) == nil {
			select {
			case <-deadline:
				syscall.Kill(-group, syscall.SIGKILL)
				return
			case <-time.After(groupPoll):
			}
		}
	case <-deadline:
		syscall.Kill(-group, syscall.SIGKILL)
		<-ended
	}
}

// executable reports whether the mode gives this account the right to execute the file. The
// system may still refuse, on a file system mounted noexec for one.
func executable(info fs.FileInfo) bool {
	bits := fs.FileMode(0o111)
	stat, ok := info.Sys().(*syscall.Stat_t)
	if user := os.Geteuid(); ok && user != 0 {
		bits = 0o011
		if stat.Uid == uint32(user) {
			bits = 0o100
		}
	}
	return info.Mode()&bits != 0
}

// killedBy returns the shells' exit status for the signal that ended the process and its name,
// "" when it exited by itself.
func killedBy(state *os.ProcessState) (status int, name string) {
	wait, ok := state.Sys().(syscall.WaitStatus)
	if !ok || !wait.Signaled() {
		return 0, ""
	}
	return 128 + int(wait.Signal()), signalName(wait.Signal())
}

func signalName(s syscall.Signal) string {
	names := map[syscall.Signal]string{
		syscall.SIGABRT: "SIGABRT", syscall.SIGALRM: "SIGALRM", syscall.SIGBUS: "SIGBUS",
		syscall.SIGFPE: "SIGFPE", syscall.SIGHUP: "SIGHUP", syscall.SIGILL: "SIGILL",
		syscall.SIGINT: "SIGINT", syscall.SIGKILL: "SIGKILL", syscall.SIGPIPE: "SIGPIPE",
		syscall.SIGQUIT: "SIGQUIT", syscall.SIGSEGV: "SIGSEGV", syscall.SIGSYS: "SIGSYS",
		syscall.SIGTERM: "SIGTERM", syscall.SIGTRAP: "SIGTRAP", syscall.SIGUSR1: "SIGUSR1",
		syscall.SIGUSR2: "SIGUSR2", syscall.SIGXCPU: "SIGXCPU", syscall.SIGXFSZ: "SIGXFSZ",
	}
	if name, ok := names[s]; ok {
		return name
	}
	return "signal " + strconv.Itoa(int(s))
}
