package settle

import (
	"context"
	"errors"
	"fmt"
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

func TestManyBranchesAtOnce(t *testing.T) {
	w := newWorld(t)
	names := []string{"feat/t0"}
	w.branch("feat/t0")
	for i := 1; i < 20; i++ {
		names = append(names, fmt.Sprintf("feat/t%d", i))
		// Each has a tip of its own, down the first one's line and beside it.
		w.git(w.clone, "branch", names[i], w.git(w.clone, "commit-tree", "-p", names[i-1], "-m", names[i], "main^{tree}"))
	}
	w.git(w.clone, append([]string{"push", "-q", "-u", "origin"}, names...)...)
	w.merge("refs/heads/" + names[19])
	for _, v := range w.settle(names...) {
		w.want(v, Deleted, Merged, main, "origin/"+v.Branch)
		w.has(w.clone, v.Branch, false)
		w.has(w.origin, v.Branch, false)
	}
	for words, want := range map[string]int{" ls-remote ": 1, " fetch ": 1, " push ": 1, "rev-list --parents --stdin": 1,
		"update-ref --no-deref": 1, " merge-base ": 0, " config ": 1} {
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
