//go:build unix

package tests

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A mutant is one edit that takes a safeguard out, and the tests that must notice.
type mutant struct {
	name     string
	file     string
	old, new string
	pkg, run string
	env      []string
}

// mutants are seeded by hand: each safeguard once.
var mutants = []mutant{
	{name: "each process has a repository lock of its own", file: "lib/ledger/lock.go",
		old: `lock, err := l.lock(ctx, ".lock", nil)`, new: `lock, err := l.lock(ctx, fmt.Sprint(".lock", os.Getpid()), nil)`,
		pkg: "./tests", run: "TestSoakLocks"},
	{name: "each process has a worktree lock of its own", file: "lib/ledger/lock.go",
		old: `return l.lock(ctx, "."+name+".lock", func`, new: `return l.lock(ctx, fmt.Sprint(".", name, os.Getpid(), ".lock"), func`,
		pkg: "./tests", run: "TestSoakLocks|TestSoakOneName"},
	{name: "ports are claimed without a lock", file: "lib/ports/lock_unix.go",
		old: `err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)`, new: `var err error`,
		pkg: "./tests", run: "TestSoakLocks"},
	{name: "no judgement after the tree was moved", file: "lib/task/bury.go",
		old: `err = r.askMoved(ctx, tree)`, new: `_, err = r.askMoved, error(nil)`,
		pkg: "./tests", run: "TestFaultMeddled", env: []string{"AW_FAULT=full"}},
	{name: "branches are deleted wherever they are", file: "lib/git/settle_drop.go",
		old: `b.Name, b.Tip)`, new: `b.Name, "")`,
		pkg: "./tests", run: "TestFaultMeddled", env: []string{"AW_FAULT=full"}},
	{name: "remote branches are deleted wherever they are", file: "lib/git/remote.go",
		old: `args = append(args, "--force-with-lease="+d.Ref+":"+d.Lease)`, new: `args = append(args, "--force")`,
		pkg: "./lib/settle", run: "."},
	{name: "git's environment is the caller's", file: "lib/git/env.go",
		old: `if LocalVar(name) || slices.Contains(pathspecVars, name) {`, new: `if false && slices.Contains(pathspecVars, name) {`,
		pkg: "./tests", run: "TestScripts/case_b45"},
	{name: "mounts are not looked for", file: "lib/guard/mount.go",
		old: `if len(mounts) == 0 {`, new: `if len(mounts) >= 0 {`,
		pkg: "./tests", run: "TestLossMount"},
	{name: "a user's lock is none", file: "lib/guard/locked.go",
		old: `if !s.Locked {`, new: `if true || !s.Locked {`,
		pkg: "./tests", run: "TestScripts/ac11"},
	{name: "git meets a half-made worktree once", file: "lib/git/error.go",
		old: `return strings.Contains(stderr, "commondir") ||`, new: `return strings.Contains(stderr, "no such words") ||`,
		pkg: "./tests", run: "TestScripts/(ac57|case_b03)"},
	{name: "a killed removal is not recovered", file: "lib/task/journal.go",
		old: `return j.recoverRemoval(ctx, entry, record)`, new: `return nil`,
		pkg: "./tests", run: "TestFault/points/remove_force", env: []string{"AW_FAULT=full", "AW_FAULT_PART=points", "AW_FAULT_KINDS=kill"}},
	{name: "a killed making leaves its entry", file: "lib/task/build.go",
		old: `if making || !locked && a.Path == path`, new: `if making && false || !locked && a.Path == path && false`,
		pkg: "./tests", run: "TestFault/points/create_from", env: []string{"AW_FAULT=full", "AW_FAULT_PART=points", "AW_FAULT_KINDS=kill"}},
	{name: "a half-made checkout is taken for whole", file: "lib/task/resume.go",
		old: `return ok && err == nil, nil`, new: `return ok || true, nil`,
		pkg: "./tests", run: "TestFaultHalfMade"},
	{name: "no anchors", file: "lib/task/bury.go",
		old: `if len(changes) > 0 {`, new: `if len(changes) > 1000 {`,
		pkg: "./tests", run: "TestLossMatrix|TestLossCommitsOnly"},
	{name: "a new branch inherits the settings of an old one", file: "lib/git/config_sections.go",
		old: `if len(left) == 0 {`, new: `if true {`,
		pkg: "./tests", run: "TestFault/points/remove$"},
	{name: "store levels are trusted", file: "lib/store/store.go",
		old: `case info.Mode().Perm()&0o022 != 0:`, new: `case false:`,
		pkg: "./tests", run: "TestScripts/s(03|12)"},
	{name: "a worktree's ports outlive it", file: "lib/task/removal.go",
		old: `if _, err := r.ports.Free(ctx, r.ledger.File(r.name), nil); err != nil {`, new: `if err := error(nil); err != nil {`,
		pkg: "./tests", run: "TestPorts/ac31"},
	{name: "worktrees are listed by lines", file: "lib/git/worktrees.go",
		old: `Args: Quiet("worktree", "list", "--porcelain", "-z")})`, new: `Args: Quiet("worktree", "list", "--porcelain")})`,
		pkg: "./tests", run: "TestScripts/(s06|s07|ac27|ac45|case_b10)|TestTerminalSafety"},
	{name: "a killed process's draft is written over", file: "lib/ledger/ledger.go",
		old: `if err := os.Remove(l.draft(name)); err != nil`, new: `if err := os.Remove(l.draft(name) + "x"); err != nil`,
		pkg: "./tests", run: "TestFault/points/create_from", env: []string{"AW_FAULT=full", "AW_FAULT_PART=points", "AW_FAULT_KINDS=kill"}},
}

// TestMutants applies each edit to a copy of the project and checks that the suite
// fails for it. Only the long form (AW_MUTANTS=full) has time for that.
func TestMutants(t *testing.T) {
	for _, m := range mutants {
		text, err := os.ReadFile(filepath.Join("..", m.file))
		if err != nil || strings.Count(string(text), m.old) != 1 {
			t.Errorf("%s: %s holds %q %d times; want once", m.name, m.file, m.old, strings.Count(string(text), m.old))
		}
	}
	if !full("AW_MUTANTS") || t.Failed() {
		return
	}
	dir := projectCopy(t)
	for _, m := range mutants {
		if only := os.Getenv("AW_MUTANT"); only != "" && !strings.Contains(m.name, only) {
			continue
		}
		t.Run(m.name, func(t *testing.T) { m.try(t, dir) })
	}
}

// projectCopy copies the project's own files to a place where they can be changed.
func projectCopy(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(scratch, "mutants")
	files := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	files.Dir = ".."
	out, err := files.Output()
	if err != nil {
		t.Skip("not in a git checkout")
	}
	for _, name := range strings.Split(strings.TrimRight(string(out), "\x00"), "\x00") {
		from, to := filepath.Join("..", name), filepath.Join(dir, name)
		info, err := os.Stat(from)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		data, err := os.ReadFile(from)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(to), 0o755)
		}
		if err == nil {
			err = os.WriteFile(to, data, info.Mode().Perm())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// try changes the copy, checks that it builds and that its tests fail, and puts it back.
func (m mutant) try(t *testing.T, dir string) {
	path := filepath.Join(dir, m.file)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer os.WriteFile(path, text, 0o644)
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), m.old, m.new, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	goIn := func(args ...string) (string, error) {
		cmd := exec.Command("go", args...)
		cmd.Dir = dir
		cmd.Env = append(append(os.Environ(), "AW_FAULT=", "AW_SOAK=", "AW_MUTANTS="), m.env...)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := goIn("build", "./..."); err != nil {
		t.Fatalf("the mutant does not build: %v\n%s", err, out)
	}
	start := time.Now()
	out, err := goIn("test", "-count=1", "-run", m.run, m.pkg)
	if err == nil || !strings.Contains(out, "--- FAIL") {
		t.Errorf("survived %s -run %s (%v):\n%s", m.pkg, m.run, err, out)
		return
	}
	fmt.Printf("killed in %4.1f s: %s\n", time.Since(start).Seconds(), m.name)
}
