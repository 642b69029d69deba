package settle

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRemoteRefuses(t *testing.T) {
	w := newWorld(t)
	w.landed("t")
	w.git(w.origin, "config", "receive.denyDeletes", "true")
	v := w.settle("t")[0]
	w.want(v, RemoteBranchKept, Merged, main, "origin/t")
	if v.Detail == "" || strings.Contains(v.Detail, "\n") {
		t.Errorf("detail: %q", v.Detail)
	}
	w.has(w.clone, "t", true)
	w.has(w.origin, "t", true)
}

func TestRemoteRefusesOne(t *testing.T) {
	w := newWorld(t)
	w.landed("a")
	w.landed("b")
	hook := filepath.Join(w.origin, "hooks", "update")
	w.write(w.origin, "hooks/update", "#!/bin/sh\ntest \"$1\" != refs/heads/a\n")
	if err := os.Chmod(hook, 0o755); err != nil {
		t.Fatal(err)
	}
	rows := w.settle("a", "b")
	w.want(rows[0], RemoteBranchKept, Merged, main, "origin/a")
	w.want(rows[1], Deleted, Merged, main, "origin/b")
	w.has(w.clone, "a", true)
	w.has(w.clone, "b", false)
}

func TestRemoteGoneBeforePush(t *testing.T) {
	w := newWorld(t)
	w.landed("t")
	rows := w.settleWith(w.judge(), Options{}, func() {
		w.git(w.clone, "remote", "set-url", "origin", filepath.Join(w.dir, "nothing.git"))
	}, "t")
	w.want(rows[0], RemoteBranchKept, Merged, main, "origin/t")
	w.has(w.clone, "t", true)
}

func TestRemoteBranchMovedMeanwhile(t *testing.T) {
	w := newWorld(t)
	w.landed("t")
	w.landed("u")
	rows := w.settleWith(w.judge(), Options{}, func() {
		peer := w.peer()
		w.git(peer, "checkout", "-q", "t", "--")
		w.commit(peer, "theirs")
		w.git(peer, "push", "-q", "origin", "t", ":u")
	}, "t", "u")
	w.want(rows[0], RemoteBranchAhead, Merged, main, "origin/t")
	w.want(rows[1], Deleted, Merged, main, "origin/u")
	w.has(w.clone, "t", true)
	w.has(w.origin, "t", true)
	w.has(w.clone, "u", false)
}

func TestBranchMovedMeanwhile(t *testing.T) {
	w := newWorld(t)
	tip := w.landed("t")
	w.landed("u")
	rows := w.settleWith(w.judge(), Options{}, func() {
		w.git(w.clone, "checkout", "-q", "t", "--")
		w.commit(w.clone, "late")
		w.git(w.clone, "checkout", "-q", "main")
	}, "t", "u")
	w.want(rows[0], Unmerged, "", main, "")
	w.want(rows[1], Deleted, Merged, main, "origin/u")
	w.has(w.clone, "t", true)
	w.has(w.origin, "t", true)

	// The same known at the judgement.
	list, err := w.judge().Judge(context.Background(), []Subject{{Branch: "t", Tip: tip}})
	if err != nil {
		t.Fatal(err)
	}
	w.want(list[0], Unmerged, "", main, "")
}

// Another process holds one branch's lock for good: the others go all the same.
func TestBranchLocked(t *testing.T) {
	w := newWorld(t)
	w.landed("t")
	w.landed("u")
	j := w.judge()
	rows, err := j.Judge(context.Background(), subjects("t", "u"))
	if err != nil {
		t.Fatal(err)
	}
	w.write(w.clone, ".git/refs/heads/t.lock", "")
	rows, err = j.Settle(context.Background(), rows, Options{})
	if err == nil {
		t.Error("no error")
	}
	w.want(rows[0], "", Merged, main, "origin/t")
	w.want(rows[1], Deleted, Merged, main, "origin/u")
	w.has(w.clone, "t", true)
	w.has(w.clone, "u", false)
}

func TestCheckedOutElsewhere(t *testing.T) {
	w := newWorld(t)
	w.landed("t")
	own, other := filepath.Join(w.dir, "own"), filepath.Join(w.dir, "other")
	w.git(w.clone, "worktree", "add", "-q", own, "t")
	judge := func() Verdict {
		t.Helper()
		j := w.judge()
		defer j.Close(context.Background())
		rows, err := j.Judge(context.Background(), []Subject{{Branch: "t", Path: own}})
		if err != nil {
			t.Fatal(err)
		}
		return rows[0]
	}
	w.want(judge(), Deleted, Merged, main, "origin/t")
	w.git(w.clone, "worktree", "add", "-q", "--force", other, "t")
	v := judge()
	w.want(v, CheckedOut, Merged, main, "")
	if v.At != other {
		t.Errorf("at %s", v.At)
	}
	if v := w.settle("t")[0]; v.Outcome != CheckedOut {
		t.Errorf("%+v", v)
	}
	w.has(w.clone, "t", true)
	w.has(w.origin, "t", true)
}

func TestHeldByPausedOperation(t *testing.T) {
	pause := map[string]func(w *world, dir string){
		"rebase": func(w *world, dir string) { w.try(dir, "rebase", "-x", "false", "HEAD~1") },
		"apply":  func(w *world, dir string) { w.try(dir, "rebase", "--apply", "clash") },
		"bisect": func(w *world, dir string) { w.git(dir, "bisect", "start", "HEAD", "HEAD~2") },
		"stack": func(w *world, dir string) {
			w.git(dir, "checkout", "-q", "-b", "top")
			w.commit(dir, "top")
			w.try(dir, "rebase", "--update-refs", "-x", "false", "HEAD~2")
		},
	}
	for name, do := range pause {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.landed("t")
			w.git(w.clone, "checkout", "-q", "-b", "clash")
			w.write(w.clone, "t", "clash\n")
			w.commit(w.clone, "clash")
			w.git(w.clone, "checkout", "-q", "main")
			other := filepath.Join(w.dir, "other")
			w.git(w.clone, "worktree", "add", "-q", other, "t")
			do(w, other)
			if at := w.git(w.clone, "for-each-ref", "--format=%(worktreepath)", "refs/heads/t"); at != "" {
				t.Fatalf("still checked out at %s", at)
			}
			v := w.settle("t")[0]
			if v.Outcome != CheckedOut || v.At != other {
				t.Errorf("%+v", v)
			}
			w.has(w.clone, "t", true)
			w.has(w.origin, "t", true)
		})
	}
}

// checked_out is said only of a branch that would otherwise go.
func TestCheckedOutAndUnmerged(t *testing.T) {
	w := newWorld(t)
	w.branch("t")
	w.git(w.clone, "checkout", "-q", "t")
	w.want(w.settle("t")[0], Unmerged, "", main, "")
}

func TestPushURL(t *testing.T) {
	set := map[string][]string{
		"pushurl":       {"remote.origin.pushurl", "%fork"},
		"second url":    {"remote.origin.url", "%fork"},
		"pushInsteadOf": {"url.%fork.pushInsteadOf", "%origin"},
	}
	for name, kv := range set {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.landed("t")
			fork := filepath.Join(w.dir, "fork.git")
			w.git(w.dir, "clone", "-q", "--bare", w.origin, fork)
			fill := strings.NewReplacer("%fork", fork, "%origin", w.origin)
			w.git(w.clone, "config", "--add", fill.Replace(kv[0]), fill.Replace(kv[1]))
			v := w.settle("t")[0]
			w.want(v, RemoteBranchKept, Merged, main, "origin/t")
			if v.Detail == "" {
				t.Error("no detail")
			}
			w.has(w.origin, "t", true)
			w.has(fork, "t", true)
			w.has(w.clone, "t", true)
		})
	}
}

func TestPushURLThatIsTheSame(t *testing.T) {
	w := newWorld(t)
	w.landed("t")
	w.git(w.clone, "config", "url."+w.dir+"/.insteadOf", "here:")
	w.git(w.clone, "config", "remote.origin.url", "here:origin.git")
	w.git(w.clone, "config", "remote.origin.pushurl", w.origin)
	w.want(w.settle("t")[0], Deleted, Merged, main, "origin/t")
}

// A hook or a signature setting of the user's is no obstacle, and no hook of theirs runs.
func TestUserSettings(t *testing.T) {
	w := newWorld(t)
	w.landed("t")
	for _, hook := range []string{"pre-push", "reference-transaction"} {
		w.write(w.clone, ".git/hooks/"+hook, "#!/bin/sh\necho ran >>\""+w.dir+"/ran\"\nexit 1\n")
		if err := os.Chmod(filepath.Join(w.clone, ".git/hooks", hook), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	w.git(w.clone, "config", "push.gpgSign", "true")
	w.git(w.clone, "config", "push.followTags", "true")
	w.git(w.clone, "config", "diff.noprefix", "true")
	w.want(w.settle("t")[0], Deleted, Merged, main, "origin/t")
	if _, err := os.Stat(filepath.Join(w.dir, "ran")); err == nil {
		t.Error("a hook of the user's ran")
	}
}

func TestClearDead(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	tip := w.advance("more", "x\n")
	j := w.judge()
	b, err := j.Base(ctx, "origin")
	if err != nil {
		t.Fatal(err)
	}
	w.git(w.clone, "update-ref", "refs/agent-worktree/fetch/4194999/abc", tip)
	w.git(w.clone, "update-ref", "refs/agent-worktree/fetch/4194998", tip)
	if err := ClearDead(ctx, j.repo); err != nil {
		t.Fatal(err)
	}
	if left := w.git(w.clone, "for-each-ref", "--format=%(refname)", "refs/agent-worktree"); left != b.Fetched {
		t.Errorf("left: %s", left)
	}
	j.Close(ctx)
	if err := ClearDead(ctx, j.repo); err != nil {
		t.Fatal(err)
	}
}
