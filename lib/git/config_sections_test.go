package git

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// pieces are lines that a configuration may be made of.
var pieces = []string{
	"[core]\n", "\tbare = false\n", "[branch \"a\"]\n", "  [branch \"a\"] ; of mine\n", "[branch \"b c\"]\n", "[branch  \"a\"]\n",
	"[branch \"q\\\"\\\\\"]\n", "[branch \"A\"]\n", "[branch]\n", "[branch \"a.b\"]\n", "[branch \"a\"] remote = x\n", "[remote \"a\"]\n",
	"\tremote = origin\n", "\tmerge = refs/heads/a\n", "\tdescription = one \\\n", "[branch \"a\"]\r\n", "\n", "# [branch \"a\"]\n",
	"; comment\n", "\tnote = \"[branch \\\"a\\\"]\"\n", "[alias]\n", "\tl = !git log # x\n", "key = without = end",
}

// TestWithoutBranches: a section goes as `git config --remove-section` takes it.
func TestWithoutBranches(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config")
	pick := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		var text strings.Builder
		for range 1 + pick.IntN(12) {
			text.WriteString(pieces[pick.IntN(len(pieces))])
		}
		for _, branch := range []string{"a", "b c", `q"\`, "a.b", "none"} {
			if err := os.WriteFile(file, []byte(text.String()), 0o600); err != nil {
				t.Fatal(err)
			}
			out, err := exec.Command("git", "config", "--file", file, "--remove-section", "branch."+branch).CombinedOutput()
			if found := len(mentioned(text.String(), "branch", []string{branch})) > 0; found != (err == nil) {
				t.Fatalf("mentioned(%q, %q) = %v; git: %v %s", text.String(), branch, found, err, out)
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got := withoutBranches(text.String(), []string{branch}); got != string(want) {
				t.Fatalf("withoutBranches(%q, %q) = %q; git makes it %q", text.String(), branch, got, want)
			}
		}
	}
}

func forgetful(t *testing.T, config string) *Repo {
	t.Helper()
	r := &Repo{Git: New(os.Environ(), os.Stderr, false), Primary: t.TempDir()}
	r.Common = r.Primary
	if err := os.WriteFile(r.configFile(), []byte(config), 0o640); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestForgetBranchesKeepsTheFile: its mode, and the link that it may be.
func TestForgetBranchesKeepsTheFile(t *testing.T) {
	r := forgetful(t, "[branch \"a\"]\n\tremote = o\n[branch \"b\"]\n[branch \"c\"]\n")
	real := filepath.Join(t.TempDir(), "real")
	if err := os.Rename(r.configFile(), real); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, r.configFile()); err != nil {
		t.Fatal(err)
	}
	if err := r.ForgetBranches(t.Context(), "a", "none", "c"); err != nil {
		t.Fatal(err)
	}
	data, _ := os.ReadFile(real)
	info, _ := os.Stat(real)
	link, _ := os.Readlink(r.configFile())
	if string(data) != "[branch \"b\"]\n" || info.Mode().Perm() != 0o640 || link != real {
		t.Errorf("%q, %v, link to %q; want only b's section, 0640, the link as it was", data, info.Mode(), link)
	}
}

// TestForgetBranchesWaits: a lock that another process holds is waited for, and when it
// stays the fault names it and the file is as it was.
func TestForgetBranchesWaits(t *testing.T) {
	r := forgetful(t, "[branch \"a\"]\n")
	lock := r.configFile() + ".lock"
	if err := os.WriteFile(lock, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	err := r.ForgetBranches(t.Context(), "a")
	if err == nil || !strings.Contains(err.Error(), lock) || !r.MentionsBranch("a") {
		t.Errorf("%v; want a fault that names %s, and the section kept", err, lock)
	}
	if _, err := os.Stat(lock); err != nil {
		t.Errorf("another process's lock is gone: %v", err)
	}
	time.AfterFunc(50*time.Millisecond, func() { os.Remove(lock) })
	if err := r.ForgetBranches(t.Context(), "a"); err != nil || r.MentionsBranch("a") {
		t.Errorf("%v, mentioned %v; want it gone once the lock is", err, r.MentionsBranch("a"))
	}
}

// TestForgetBranchesBesideGit: what git writes meanwhile stays.
func TestForgetBranchesBesideGit(t *testing.T) {
	const n = 60
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "[branch \"b%d\"]\n\tremote = o\n", i)
	}
	r := forgetful(t, text.String())
	var all sync.WaitGroup
	all.Go(func() {
		for i := range n {
			set := func() error {
				return exec.Command("git", "config", "--file", r.configFile(), fmt.Sprintf("kept.k%d", i), "v").Run()
			}
			for set() != nil {
			}
		}
	})
	for i := range n {
		if err := r.ForgetBranches(t.Context(), fmt.Sprintf("b%d", i)); err != nil {
			t.Error(err)
		}
	}
	all.Wait()
	data, _ := os.ReadFile(r.configFile())
	if strings.Count(string(data), " = v") != n || strings.Contains(string(data), "branch") {
		t.Errorf("%s\nwant the %d settings that git wrote and no branch", data, n)
	}
}
