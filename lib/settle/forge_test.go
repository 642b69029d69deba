package settle

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/cniska/agent-worktree/lib/git"
)

// forge is a judge whose gh is the script, "" for none at all.
func forge(t *testing.T, script string) (*Judge, []string) {
	dir := t.TempDir()
	if script != "" {
		if err := os.WriteFile(filepath.Join(dir, "gh"), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	} else {
		t.Setenv("PATH", dir)
	}
	env := []string{"PATH=" + os.Getenv("PATH"), "GIT_DIR=/elsewhere"}
	return New(&git.Repo{Git: git.New(env, os.Stderr, false), Primary: dir, Common: dir}), env
}

func TestPulls(t *testing.T) {
	j, env := forge(t, `test -z "$GIT_DIR" || exit 9
test "$*" = "pr list --state all --limit 300 --json state,headRefName,headRefOid" || exit 8
echo '[{"state":"MERGED","headRefName":"a","headRefOid":"1"},{"state":"CLOSED","headRefName":"a","headRefOid":"2"},
{"state":"OPEN","headRefName":"b","headRefOid":"3"},{"state":"CLOSED","headRefName":"c","headRefOid":"4"}]'`)
	pulls, err := j.Pulls(context.Background(), env)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		branch, tip  string
		merged, open bool
	}{{"a", "1", true, false}, {"a", "2", false, false}, {"b", "3", false, true}, {"c", "4", false, false}, {"d", "1", false, false}} {
		if got := pulls.Merged(c.branch, c.tip); got != c.merged {
			t.Errorf("Merged(%s, %s) = %v", c.branch, c.tip, got)
		}
		if got := pulls.Open(c.branch); got != c.open {
			t.Errorf("Open(%s) = %v", c.branch, got)
		}
	}
}

func TestNoForge(t *testing.T) {
	for name, c := range map[string]struct{ script, why string }{
		"no gh":     {"", "gh is not on PATH"},
		"no login":  {"echo 'please run: gh auth login' >&2; exit 4", "gh: please run: gh auth login"},
		"escapes":   {`printf 'a\033[31m\nb' >&2; exit 1`, `gh: a\x1b[31m`},
		"a secret":  {"echo 'cannot parse \"https://u:TOKEN@h/x\"' >&2; exit 1", `gh: cannot parse "https://…"`},
		"silent":    {"exit 1", "gh: exit status 1"},
		"no list":   {"echo hello", "gh answered with something else than a list"},
		"no remote": {"echo 'no git remotes found' >&2; exit 1", "gh: no git remotes found"},
	} {
		t.Run(name, func(t *testing.T) {
			j, env := forge(t, c.script)
			pulls, err := j.Pulls(context.Background(), env)
			var none *NoForge
			if pulls != nil || !errors.As(err, &none) || none.Why != c.why {
				t.Errorf("Pulls = %v, %v; want %q", pulls, err, c.why)
			}
			if pulls.Open("a") || pulls.Merged("a", "") {
				t.Error("an answer from nobody")
			}
		})
	}
}

// A forge that hangs, and what it started, are ended.
func TestForgeHangs(t *testing.T) {
	mark := filepath.Join(t.TempDir(), "pid")
	j, env := forge(t, "sleep 600 & echo $! >"+mark+"; wait")
	defer func(limit time.Duration) { forgeLimit = limit }(forgeLimit)
	forgeLimit = 300 * time.Millisecond
	start := time.Now()
	_, err := j.Pulls(context.Background(), env)
	if err == nil || !strings.Contains(err.Error(), "did not answer") || time.Since(start) > 5*time.Second {
		t.Errorf("Pulls = %v after %s", err, time.Since(start))
	}
	pid, err := os.ReadFile(mark)
	if err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(5 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		stat, err := os.ReadFile("/proc/" + strings.TrimSpace(string(pid)) + "/stat")
		if err != nil || strings.Contains(string(stat), ") Z ") {
			break
		}
		if time.Now().After(end) {
			t.Fatal("what gh started lives on")
		}
	}
}
