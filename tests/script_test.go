// Package tests drives the built tools as a user would: against real git, real
// hooks and a real origin, in scratch homes and without a network.
package tests

import (
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// scratch holds the built tools and every script's own directory. Its symlinks
// are resolved, because the tools print resolved paths.
var scratch string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "agent-worktree-tests-")
	if err == nil {
		scratch, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	status := m.Run()
	os.RemoveAll(dir)
	os.Exit(status)
}

// buildTools compiles every tool once for the whole run.
var buildTools = sync.OnceValues(func() (string, error) {
	bin := filepath.Join(scratch, "bin") + string(filepath.Separator)
	if err := os.Mkdir(bin, 0o755); err != nil {
		return "", err
	}
	build := exec.Command("go", "build", "-o", bin, "./cmd/...")
	build.Dir = ".."
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build ./cmd/...: %v\n%s", err, out)
	}
	return filepath.Clean(bin), nil
})

// goPaths holds the module and build caches, which scripts that build need
// since their HOME is not ours.
var goPaths = sync.OnceValue(func() []string {
	var vars []string
	for _, name := range []string{"GOCACHE", "GOMODCACHE"} {
		out, _ := exec.Command("go", "env", name).Output()
		vars = append(vars, name+"="+strings.TrimSpace(string(out)))
	}
	return append(vars, "GOPROXY=off", "GOTOOLCHAIN=local")
})

// tools returns the directory of the built tools.
func tools(t *testing.T) string {
	t.Helper()
	watch(t)
	bin, err := buildTools()
	if err != nil {
		t.Fatal(err)
	}
	return bin
}

// watch looks at every source file from inside the test, which is what makes go
// test's cache depend on them; what go build reads it does not see.
func watch(t *testing.T) {
	t.Helper()
	for _, dir := range []string{"../cmd", "../lib"} {
		err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			_, err = os.Stat(path)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestScripts runs every script that has its machine to itself only as far as
// its own directory goes.
func TestScripts(t *testing.T) {
	testscript.Run(t, params(t, "testdata"))
}

// TestPorts runs the scripts that claim or hold loopback ports, one after
// another.
func TestPorts(t *testing.T) {
	alone(t)
	testscript.RunT(serial{t}, params(t, "testdata/ports"))
}

// alone keeps the machine's ports for t: another run of these tests waits here
// until t ends. A port just below the blocks is the lock.
func alone(t *testing.T) {
	t.Helper()
	for {
		l, err := net.Listen("tcp", "127.0.0.1:23999")
		if err == nil {
			t.Cleanup(func() { l.Close() })
			return
		}
		if end, ok := t.Deadline(); ok && time.Until(end) < time.Minute {
			t.Fatalf("another run holds the ports: %v", err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// serial is a test whose subtests do not overlap; testscript would run them in
// parallel.
type serial struct{ *testing.T }

func (serial) Parallel()     {}
func (serial) Verbose() bool { return testing.Verbose() }
func (s serial) Run(name string, f func(testscript.T)) {
	s.T.Run(name, func(t *testing.T) { f(serial{t}) })
}

func params(t *testing.T, dir string) testscript.Params {
	bin := tools(t)
	root, err := os.MkdirTemp(scratch, "run-") // its own, so that -count works
	if err != nil {
		t.Fatal(err)
	}
	return testscript.Params{
		Dir:                dir,
		WorkdirRoot:        root,
		RequireUniqueNames: true,
		Cmds:               commands,
		Setup:              func(env *testscript.Env) error { return setup(env, bin) },
	}
}

// gitconfig is the only configuration git has in a script.
const gitconfig = `[user]
	name = Ann Agent
	email = ann@example.com
[init]
	defaultBranch = main
[protocol "file"]
	allow = always
[gc]
	auto = 0
[maintenance]
	auto = false
[advice]
	detachedHead = false
`

// setup gives a script a home and stores of its own. testscript starts from a
// small fixed environment, so nothing inherited (GIT_*, WORKTREE_*, CI) is left
// to unset.
func setup(env *testscript.Env, bin string) error {
	home := filepath.Join(env.WorkDir, "home")
	if err := os.MkdirAll(home, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(gitconfig), 0o644); err != nil {
		return err
	}
	root, err := filepath.Abs("..")
	if err != nil {
		return err
	}
	account := "/"
	if u, err := user.Current(); err == nil {
		account = u.HomeDir
	}
	env.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	env.Setenv("BIN", bin)
	env.Setenv("ROOT", root)
	env.Setenv("ACCOUNT", account)
	env.Setenv("HOME", home)
	env.Setenv("XDG_DATA_HOME", filepath.Join(env.WorkDir, "data"))
	env.Setenv("XDG_STATE_HOME", filepath.Join(env.WorkDir, "state"))
	env.Setenv("XDG_CONFIG_HOME", filepath.Join(env.WorkDir, "config"))
	env.Setenv("STORE", filepath.Join(env.WorkDir, "data", "agent-worktree"))
	env.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	env.Setenv("GIT_ALLOW_PROTOCOL", "file") // a slip cannot reach the network
	env.Setenv("AGENT_WORKTREE_NO_UPDATE_CHECK", "1")
	env.Vars = append(env.Vars, goPaths()...)
	return nil
}
