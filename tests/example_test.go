package tests

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestExample builds the example program and has it make, list and remove a worktree.
func TestExample(t *testing.T) {
	watch(t)
	dir := scratchDir(t)
	program := filepath.Join(dir, "example")
	build := exec.Command("go", "build", "-o", program, "./example")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	env := scratchEnv(t, dir)
	clone := filepath.Join(dir, "clone")
	command(t, env, dir, "git", "init", "-q", clone)
	command(t, env, clone, "git", "commit", "-q", "--allow-empty", "-m", "first")
	path := strings.TrimSpace(command(t, env, clone, program, "make", "task-a"))
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		t.Fatalf("make printed %q; want a directory", path)
	}
	if got := command(t, env, clone, program, "list"); got != "task-a ready\n" {
		t.Errorf("list printed %q", got)
	}
	command(t, env, clone, program, "remove", "task-a")
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("%s is there after remove", path)
	}
	if got := command(t, env, clone, program, "list"); got != "" {
		t.Errorf("list printed %q after remove", got)
	}
}

// scratchDir is a directory of the test's own, links resolved.
func scratchDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp(scratch, "test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// scratchEnv is an environment with a home and a store below dir.
func scratchEnv(t *testing.T, dir string) []string {
	t.Helper()
	home := filepath.Join(dir, "home")
	if err := os.MkdirAll(home, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(gitconfig), 0o644); err != nil {
		t.Fatal(err)
	}
	return []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_DATA_HOME=" + filepath.Join(dir, "data"),
		"XDG_STATE_HOME=" + filepath.Join(dir, "state"), "GIT_CONFIG_NOSYSTEM=1", "GIT_ALLOW_PROTOCOL=file",
		"AGENT_WORKTREE_NO_UPDATE_CHECK=1"}
}

// command runs a program in dir and returns what it printed.
func command(t *testing.T, env []string, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env, cmd.Stderr = dir, env, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %v: %v", name, args, err)
	}
	return string(out)
}
