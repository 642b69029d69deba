package settle

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestNoRemote(t *testing.T) {
	w := newWorld(t)
	w.branch("t")
	w.git(w.clone, "remote", "remove", "origin")
	v := w.settle("t")[0]
	w.want(v, NoRemote, "", "", "")
	if v.Remote != "origin" || v.HasUpstream {
		t.Errorf("facts: %+v", v)
	}
	if _, err := w.judge().Base(context.Background(), "origin"); !errors.Is(err, ErrNoRemote) {
		t.Errorf("Base: %v", err)
	}
}

// A directory of the remote's name is what git would ask in its place.
func TestDirectoryIsNoRemote(t *testing.T) {
	w := newWorld(t)
	w.branch("t")
	w.git(w.clone, "remote", "remove", "origin")
	w.git(w.dir, "clone", "-q", "--bare", w.origin, filepath.Join(w.clone, "origin"))
	w.want(w.settle("t")[0], NoRemote, "", "", "")
}

func TestUpstreamIsURL(t *testing.T) {
	w := newWorld(t)
	w.branch("t")
	for _, url := range []string{w.origin, "https://me:secret@example.com/x", "../origin.git", "me@host:x"} {
		w.git(w.clone, "config", "branch.t.remote", url)
		w.git(w.clone, "config", "branch.t.merge", "refs/heads/t")
		v := w.settle("t")[0]
		w.want(v, NoRemote, "", "", "")
		if v.Remote != "an unnamed remote" || !v.HasUpstream {
			t.Errorf("%s: %+v", url, v)
		}
	}
}

func TestUpstreamIsLocal(t *testing.T) {
	w := newWorld(t)
	w.branch("t")
	w.git(w.clone, "push", "-q", "origin", "t", "t:main")
	w.git(w.clone, "branch", "-q", "--set-upstream-to=main", "t")
	v := w.settle("t")[0]
	w.want(v, Deleted, Merged, main, "")
	if v.HasUpstream {
		t.Error("a local upstream counts as one on a remote")
	}
	w.has(w.origin, "t", true)
}

func TestLastUpstreamCounts(t *testing.T) {
	w := newWorld(t)
	w.landed("t")
	w.git(w.clone, "config", "--unset", "branch.t.merge")
	w.git(w.clone, "config", "--add", "branch.t.merge", "refs/heads/main")
	w.git(w.clone, "config", "--add", "branch.t.merge", "refs/heads/t")
	w.want(w.settle("t")[0], Deleted, Merged, main, "origin/t")
}

func TestNoDefaultBranch(t *testing.T) {
	w := newWorld(t)
	w.branch("t")
	empty := filepath.Join(w.dir, "empty.git")
	w.git(w.dir, "init", "-q", "--bare", empty)
	w.git(w.clone, "remote", "set-url", "origin", empty)
	w.want(w.settle("t")[0], NoDefaultBranch, "", "", "")
	if _, err := w.judge().Base(context.Background(), "origin"); !errors.Is(err, ErrNoDefault) {
		t.Errorf("Base: %v", err)
	}
}

func TestUnreachable(t *testing.T) {
	w := newWorld(t)
	w.branch("t")
	w.git(w.clone, "remote", "set-url", "origin", filepath.Join(w.dir, "nothing.git"))
	v := w.settle("t")[0]
	w.want(v, RemoteUnreachable, "", "", "")
	if v.Detail == "" || strings.Contains(v.Detail, "\n") {
		t.Errorf("detail: %q", v.Detail)
	}
	var away *Unreachable
	if _, err := w.judge().Base(context.Background(), "origin"); !errors.As(err, &away) || away.Remote != "origin" {
		t.Errorf("Base: %v", err)
	}
}

func TestBase(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	j := w.judge()
	b, err := j.Base(ctx, "origin")
	if err != nil || b.Ref != "refs/heads/main" || b.Tracking != "refs/remotes/origin/main" || b.Fetched != "" {
		t.Fatalf("%+v, %v", b, err)
	}
	if n := w.trace.count(" fetch "); n != 0 {
		t.Errorf("%d fetches of what is here", n)
	}
	tip := w.advance("more", "x\n")
	j = w.judge()
	for range 2 {
		b, err = j.Base(ctx, "origin")
		if err != nil || b.Commit != tip || b.Heads["refs/heads/main"] != tip || b.Fetched == "" {
			t.Fatalf("%+v, %v", b, err)
		}
	}
	if at := w.git(w.clone, "rev-parse", b.Fetched); at != tip {
		t.Errorf("fetched ref at %s", at)
	}
	if n, m := w.trace.count(" fetch "), w.trace.count(" ls-remote "); n != 1 || m != 2 {
		t.Errorf("%d fetches, %d reads", n, m)
	}
	j.Close(ctx)
	if left := w.git(w.clone, "for-each-ref", "refs/agent-worktree"); left != "" {
		t.Error(left)
	}
}

// That the commit exists is not enough: a killed fetch leaves commits without trees.
func TestBaseFetchesLooseCommit(t *testing.T) {
	w := newWorld(t)
	tip := w.advance("more", "x\n")
	w.git(w.clone, "fetch", "-q", "--refmap=", "origin", "main")
	w.git(w.clone, "update-ref", "-d", "refs/remotes/origin/main")
	os.Remove(filepath.Join(w.clone, ".git", "FETCH_HEAD"))
	b, err := w.judge().Base(context.Background(), "origin")
	if err != nil || b.Commit != tip || w.trace.count(" fetch ") != 1 {
		t.Errorf("%+v, %v, %d fetches", b, err, w.trace.count(" fetch "))
	}
}

func TestHeldTipIsNotFetched(t *testing.T) {
	w := newWorld(t)
	w.git(w.clone, "commit", "-q", "--allow-empty", "-m", "ahead")
	w.git(w.clone, "update-ref", "-d", "refs/remotes/origin/main")
	w.want(w.verdict("main"), Unmerged, "", main, "")
	if n := w.trace.count(" fetch "); n != 0 {
		t.Errorf("%d fetches", n)
	}
}

func TestOddRemoteName(t *testing.T) {
	for _, name := range []string{"-x", "a=b", "team/fork", "--upload-pack=touch x"} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.branch("t")
			w.git(w.clone, "push", "-q", "origin", "t", "t:main")
			w.git(w.clone, "config", "remote."+name+".url", w.origin)
			w.git(w.clone, "config", "remote."+name+".mirror", "true")
			w.git(w.clone, "config", "branch.t.remote", name)
			w.git(w.clone, "config", "branch.t.merge", "refs/heads/t")
			w.want(w.settle("t")[0], Deleted, Merged, name+"/main", name+"/t")
			w.has(w.origin, "t", false)
			w.has(w.origin, "main", true)
		})
	}
}

func TestTwoRemotes(t *testing.T) {
	w := newWorld(t)
	fork := filepath.Join(w.dir, "fork.git")
	w.git(w.dir, "clone", "-q", "--bare", w.origin, fork)
	w.git(w.clone, "remote", "add", "fork", fork)
	w.landed("a")
	w.branch("b")
	w.git(w.clone, "push", "-q", "-u", "fork", "b")
	w.git(w.clone, "push", "-q", "fork", "b:main")
	w.branch("c")
	w.git(w.clone, "push", "-q", "-u", "fork", "c")
	rows := w.settle("a", "b", "c")
	w.want(rows[0], Deleted, Merged, main, "origin/a")
	w.want(rows[1], Deleted, Merged, "fork/main", "fork/b")
	w.want(rows[2], Unmerged, "", "fork/main", "")
	w.has(fork, "b", false)
	w.has(w.origin, "a", false)
}
