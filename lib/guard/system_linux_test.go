package guard_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/cniska/agent-worktree/lib/guard"
	"github.com/cniska/agent-worktree/lib/refuse"
)

func TestMountInside(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("mounting needs root")
	}
	for name, c := range map[string]struct{ at, want string }{
		"inside": {"ignored/a mount\\", "has a mount inside it"},
		"itself": {".", "is itself a mount point"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScratch(t)
			s.write("host/precious", "x")
			target := s.at(c.at)
			os.MkdirAll(target, 0o755)
			source := filepath.Join(s.dir, "host")
			if c.at == "." {
				source = s.Path
			}
			if err := syscall.Mount(source, target, "", syscall.MS_BIND, ""); err != nil {
				t.Skip("no bind mounts here: ", err)
			}
			t.Cleanup(func() { syscall.Unmount(target, syscall.MNT_DETACH) })
			r := s.want(s.ask(), refuse.MountInside)
			if !strings.Contains(r.Message, c.want) || fact(r, "at") != filepath.Clean(target) {
				t.Errorf("%q %v", r.Message, r.Meta)
			}
			if !isRefusal(s.forced().First(true), refuse.MountInside) {
				t.Error("--force overrides it")
			}
			s.shell(r.Resolve)
			s.want(s.ask())
		})
	}
}

// A file system of its own is none of ours to look into, and keeps the tree.
func TestOtherFileSystem(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("mounting needs root")
	}
	s := newScratch(t)
	os.MkdirAll(s.Trash, 0o755)
	if err := syscall.Mount("tmpfs", s.Trash, "tmpfs", 0, "size=64k"); err != nil {
		t.Skip("no mounts here: ", err)
	}
	trash := s.Trash
	t.Cleanup(func() { syscall.Unmount(trash, syscall.MNT_DETACH) })
	r := s.want(s.forced(), refuse.NotDeletable)
	if !strings.Contains(r.Resolve, "--discard") {
		t.Errorf("resolve %q", r.Resolve)
	}
	s.Trash = ""
	s.want(s.forced())
}

// As root nothing is barred, so the question is put by a child that is not.
func TestNotDeletable(t *testing.T) {
	for name, c := range map[string]struct {
		at   string // whose mode it is, relative to the data directory
		mode os.FileMode
		path string // meta path; "" when nothing refuses
	}{
		"parent":    {"key", 0o555, "key"},
		"itself":    {"key/task-a", 0o555, "key/task-a"},
		"inside":    {"key/task-a/ignored/d", 0o555, ""},
		"unread":    {"key/task-a/ignored/d", 0, ""},
		"trash":     {"trash", 0o555, "trash"},
		"untouched": {"key", 0o755, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScratch(t)
			s.put("ignored/d/f", "x")
			data := filepath.Join(s.dir, "data")
			os.Mkdir(filepath.Join(data, "trash"), 0o755)
			s.disown()
			os.Chmod(filepath.Join(data, c.at), c.mode)
			t.Cleanup(func() { os.Chmod(filepath.Join(data, c.at), 0o755) })
			got := s.askAsNobody()
			want := "clean"
			if c.path != "" {
				want = "not_deletable " + filepath.Join(data, c.path)
			}
			if name == "unread" {
				want = "clean unread=ignored/d"
			}
			if got != want {
				t.Errorf("answer %q, want %q", got, want)
			}
		})
	}
}

// git warns of a directory that it cannot read, and calls the tree clean.
func TestUnreadDirectory(t *testing.T) {
	s := newScratch(t)
	s.put("secret/f", "x")
	s.disown()
	os.Chmod(s.at("secret"), 0)
	t.Cleanup(func() { os.Chmod(s.at("secret"), 0o755) })
	if got := s.askAsNobody(); !strings.HasPrefix(got, "dirty ") {
		t.Errorf("answer %q", got)
	}
}

func TestSticky(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("giving files away needs root")
	}
	s := newScratch(t)
	s.disown()
	key := filepath.Dir(s.Path)
	os.Chown(key, 0, 0)
	os.Chmod(key, 0o777|os.ModeSticky)
	if got := s.askAsNobody(); got != "clean" {
		t.Errorf("its own: %q", got)
	}
	os.Chown(s.Path, 0, 0)
	os.Chmod(s.Path, 0o777)
	if got := s.askAsNobody(); got != "not_deletable "+s.Path {
		t.Errorf("another's: %q", got)
	}
}

const nobody = 65534

// disown gives everything to an account that is not root, where we are root.
func (s *scratch) disown() {
	if os.Geteuid() != 0 {
		return
	}
	filepath.WalkDir(s.dir, func(path string, _ os.DirEntry, _ error) error { return os.Lchown(path, nobody, nobody) })
	for dir := filepath.Dir(s.dir); strings.HasPrefix(dir, os.TempDir()+"/"); dir = filepath.Dir(dir) {
		os.Chmod(dir, 0o755)
	}
}

// askAsNobody asks in a process without root's rights.
func (s *scratch) askAsNobody() string {
	s.Helper()
	self, err := os.Executable() // whose place may be closed to others
	if err != nil {
		s.Fatal(err)
	}
	// Copied by another process: one forked here meanwhile would hold the file open.
	tool := filepath.Join(s.dir, "ask")
	if out, err := exec.Command("cp", self, tool).CombinedOutput(); err != nil {
		s.Fatalf("%v\n%s", err, out)
	}
	os.Chmod(tool, 0o755)
	cmd := exec.Command(tool)
	cmd.Dir = s.dir
	cmd.Env = append(s.env, "AGENT_WORKTREE_TRACE=0", "GUARD_ASK="+strings.Join([]string{s.repo.Primary, s.Path, s.Admin, s.Trash}, "\n"))
	if os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	out, err := cmd.Output()
	if err != nil {
		s.Fatalf("%v\n%s", err, out)
	}
	return strings.TrimSpace(string(out))
}

// TestMain is also the child of askAsNobody.
func TestMain(m *testing.M) {
	ask := os.Getenv("GUARD_ASK")
	if ask == "" {
		os.Exit(m.Run())
	}
	at := strings.Split(ask, "\n")
	s := &scratch{repo: repoAt(at[0], os.Environ()), Subject: guard.Subject{
		Name: "task-a", Path: at[1], Admin: at[2], Trash: at[3]}}
	a := s.ask()
	if len(a.Refusals) == 0 {
		fmt.Print("clean")
	}
	for _, r := range a.Refusals {
		fmt.Println(r.Code, fact(r, "path"))
	}
	if len(a.Unread) > 0 {
		fmt.Print(" unread=", strings.Join(a.Unread, ","))
	}
}

// A child that stands in the tree counts as another's process only when it is not
// ours; so one is started that we do not stay the parent of.
func TestProcesses(t *testing.T) {
	s := newScratch(t)
	inside := s.at("lib")
	out, err := exec.Command("sh", "-c", `cd "$1" || exit; sleep 60 >/dev/null 2>&1 & echo $!`, "sh", inside).Output()
	if err != nil {
		t.Fatal(err)
	}
	var pid int
	fmt.Sscan(string(out), &pid)
	t.Cleanup(func() { syscall.Kill(pid, syscall.SIGKILL) })
	child := exec.Command("sleep", "60")
	child.Dir = inside
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { child.Process.Kill(); child.Wait() })

	check := func(path string, want bool) {
		t.Helper()
		got := guard.Processes(path)
		if !want && len(got) == 0 {
			return
		}
		if !want || len(got) != 1 || got[0].PID != pid || got[0].Command != "sleep" {
			t.Errorf("processes in %s: %v, want %d", path, got, pid)
		}
	}
	check(s.Path, true)
	check(inside, true)
	check(s.repo.Primary, false)
	check(s.at("gone"), false)
	s.toTrash()
	check(s.At, true)
	check(s.Path, false)
	os.Mkdir(s.Path, 0o755) // another directory at the same path
	check(s.Path, false)
	os.RemoveAll(s.At)
	check(s.Path, false)
}

// The test's own directory has its ancestors in it: the tool that runs it, a shell.
func TestAncestorsDoNotCount(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range guard.Processes(here) {
		if p.PID == os.Getpid() || p.PID == os.Getppid() {
			t.Errorf("counted %v", p)
		}
	}
}
