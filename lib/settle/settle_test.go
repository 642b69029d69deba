package settle

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cniska/agent-worktree/lib/refuse"
)

const main = "origin/main"

func TestMergedGoesHereAndThere(t *testing.T) {
	w := newWorld(t)
	w.landed("t")
	v := w.settle("t")[0]
	w.want(v, Deleted, Merged, main, "origin/t")
	if v.IntoCommit != w.git(w.origin, "rev-parse", "main") || !v.HasUpstream || v.Remote != "origin" {
		t.Errorf("facts: %+v", v)
	}
	w.has(w.clone, "t", false)
	w.has(w.origin, "t", false)
	if out, ok := w.try(w.clone, "config", "--get-regexp", `^branch\.t\.`); ok {
		t.Errorf("settings left: %s", out)
	}
	if at := w.git(w.clone, "rev-parse", "origin/main"); at == v.IntoCommit {
		t.Error("the tracking ref was moved")
	}
}

func TestFastForwardedWithoutUpstream(t *testing.T) {
	w := newWorld(t)
	w.branch("t")
	w.git(w.clone, "push", "-q", "origin", "t", "t:main")
	w.want(w.settle("t")[0], Deleted, Merged, main, "origin/t")
	w.has(w.origin, "t", false)
}

func TestUnmergedStays(t *testing.T) {
	w := newWorld(t)
	w.pushed("t")
	w.git(w.clone, "push", "-q", "origin", ":t") // gone is not landed
	w.want(w.settle("t")[0], Unmerged, "", main, "")
	w.has(w.clone, "t", true)
}

func TestDefaultBranchOfOriginStays(t *testing.T) {
	w := newWorld(t)
	w.git(w.clone, "checkout", "-q", "--detach")
	w.want(w.settle("main")[0], Deleted, Merged, main, "")
	w.has(w.clone, "main", false)
	w.has(w.origin, "main", true)
}

func TestTracksDefault(t *testing.T) {
	w := newWorld(t)
	w.git(w.clone, "branch", "-q", "--track", "t", "origin/main")
	w.want(w.settle("t")[0], TracksDefault, Merged, main, "")
	w.has(w.clone, "t", true)
}

func TestRemoteBranchAhead(t *testing.T) {
	w := newWorld(t)
	w.landed("t")
	peer := w.peer()
	w.git(peer, "checkout", "-q", "t", "--")
	w.commit(peer, "theirs")
	w.git(peer, "push", "-q", "origin", "t")
	w.want(w.settle("t")[0], RemoteBranchAhead, Merged, main, "origin/t")
	w.git(w.clone, "fetch", "-q", "origin") // the object is here, and no commit of the branch
	w.want(w.settle("t")[0], RemoteBranchAhead, Merged, main, "origin/t")
	w.has(w.clone, "t", true)

	w.want(w.settleWith(w.judge(), Options{KeepRemote: true}, func() {}, "t")[0], Deleted, Merged, main, "")
	w.has(w.clone, "t", false)
	w.has(w.origin, "t", true)
}

func TestRemoteBranchBehind(t *testing.T) {
	w := newWorld(t)
	w.pushed("t")
	w.git(w.clone, "checkout", "-q", "t")
	w.commit(w.clone, "more")
	w.git(w.clone, "checkout", "-q", "main")
	w.merge("refs/heads/t")
	w.want(w.settle("t")[0], Deleted, Merged, main, "origin/t")
	w.has(w.origin, "t", false)
}

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

func TestTagOfTheSameName(t *testing.T) {
	w := newWorld(t)
	w.git(w.clone, "tag", "t", "main")
	w.git(w.clone, "push", "-q", "origin", "refs/tags/t")
	w.branch("t")
	w.want(w.settle("t")[0], Unmerged, "", main, "")
	w.git(w.clone, "push", "-q", "origin", "refs/heads/t")
	w.merge("refs/heads/t")
	w.want(w.settle("t")[0], Deleted, Merged, main, "origin/t")
	w.has(w.origin, "t", false)
	w.git(w.origin, "rev-parse", "-q", "--verify", "refs/tags/t")
	w.git(w.clone, "rev-parse", "-q", "--verify", "refs/tags/t")
}

func TestRefspecs(t *testing.T) {
	for name, specs := range map[string][]string{
		"narrow": {"+refs/heads/other:refs/remotes/origin/other"},
		"mirror": {"+refs/heads/*:refs/heads/*"},
		"none":   nil,
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.landed("t")
			local := w.git(w.clone, "rev-parse", "main")
			w.git(w.clone, "config", "--unset-all", "remote.origin.fetch")
			for _, s := range specs {
				w.git(w.clone, "config", "remote.origin.fetch", s)
			}
			if name == "mirror" {
				w.git(w.clone, "config", "remote.origin.mirror", "true")
			}
			w.want(w.settle("t")[0], Deleted, Merged, main, "origin/t")
			w.has(w.origin, "t", false)
			w.has(w.origin, "main", true)
			if at := w.git(w.clone, "rev-parse", "main"); at != local {
				t.Error("the local main moved")
			}
		})
	}
}

func TestSHA256(t *testing.T) {
	w := newWorld(t, "--object-format=sha256")
	w.landed("t")
	w.pushed("s")
	w.squash("s")
	rows := w.settle("t", "s")
	w.want(rows[0], Deleted, Merged, main, "origin/t")
	w.want(rows[1], Deleted, SquashMerged, main, "")
	w.has(w.clone, "s", false)
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

func TestManyBranchesAtOnce(t *testing.T) {
	w := newWorld(t)
	var names []string
	for i := range 20 {
		names = append(names, fmt.Sprintf("feat/t%d", i))
		w.landed(names[i])
	}
	for _, v := range w.settle(names...) {
		w.want(v, Deleted, Merged, main, "origin/"+v.Branch)
		w.has(w.clone, v.Branch, false)
		w.has(w.origin, v.Branch, false)
	}
	for words, want := range map[string]int{" ls-remote ": 1, " fetch ": 1, " push ": 1, "rev-list --stdin": 1,
		"update-ref --no-deref": 1, " merge-base ": 0, "--remove-section": 20} {
		if n := w.trace.count(words); n != want {
			t.Errorf("%d calls of%s; want %d", n, words, want)
		}
	}
}

func TestShallow(t *testing.T) {
	w := newWorld(t)
	w.advance("more", "x\n")
	shallow := filepath.Join(w.dir, "shallow")
	w.git(w.dir, "clone", "-q", "--depth=1", "file://"+w.origin, shallow)
	w.clone = shallow
	w.pushed("t")
	w.squash("t")
	w.want(w.verdict("t"), Deleted, SquashMerged, main, "")
	w.pushed("u")
	v := w.settle("u")[0]
	w.want(v, Unmerged, "", main, "")
	if !strings.Contains(v.Detail, "shallow") {
		t.Errorf("detail: %q", v.Detail)
	}
	if out := w.git(shallow, "rev-parse", "--is-shallow-repository"); out != "true" {
		t.Error("the clone was deepened")
	}
}

func TestBadSetting(t *testing.T) {
	w := newWorld(t)
	w.landed("t")
	w.git(w.clone, "config", "agent-worktree.deleteRemoteBranch", "perhaps")
	var no *refuse.Refusal
	if err := w.judge().Check(context.Background()); !errors.As(err, &no) || no.Code != refuse.InvalidConfig {
		t.Errorf("%v", err)
	}
	if _, err := w.judge().Judge(context.Background(), subjects("t")); !errors.As(err, &no) || !strings.Contains(no.Message, deleteRemoteKey) {
		t.Errorf("%v", err)
	}
	w.git(w.clone, "config", "agent-worktree.deleteRemoteBranch", "off")
	w.want(w.settle("t")[0], Deleted, Merged, main, "")
	w.has(w.clone, "t", false)
	w.has(w.origin, "t", true)
}

func TestNoSuchBranch(t *testing.T) {
	w := newWorld(t)
	tip := w.landed("t")
	w.want(w.settle("nothing")[0], "", "", "", "")
	// One that vanished is settled at its remote.
	j := w.judge()
	w.git(w.clone, "update-ref", "-d", "refs/heads/t")
	rows, err := j.Judge(context.Background(), []Subject{{Branch: "t", Tip: tip}})
	if err != nil {
		t.Fatal(err)
	}
	if rows, err = j.Settle(context.Background(), rows, Options{}); err != nil {
		t.Fatal(err)
	}
	w.want(rows[0], Deleted, Merged, main, "origin/t")
	w.has(w.origin, "t", false)
}

// A symbolic branch goes itself, not the branch it leads to.
func TestSymbolicBranch(t *testing.T) {
	w := newWorld(t)
	w.branch("real")
	w.git(w.clone, "push", "-q", "origin", "real:main")
	w.git(w.clone, "symbolic-ref", "refs/heads/alias", "refs/heads/real")
	w.want(w.settle("alias")[0], Deleted, Merged, main, "")
	w.has(w.clone, "alias", false)
	w.has(w.clone, "real", true)
}
