package settle

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestSquashMerged(t *testing.T) {
	w := newWorld(t)
	w.pushed("t")
	w.advance("between", "x\n")
	id := w.squash("t")
	w.advance("after", "x\n")
	v := w.settle("t")[0]
	w.want(v, Deleted, SquashMerged, main, "")
	if v.Match != id {
		t.Errorf("match %s; want %s", v.Match, id)
	}
	w.has(w.clone, "t", false)
}

func TestSquashRevertedLater(t *testing.T) {
	w := newWorld(t)
	w.pushed("t")
	id := w.squash("t")
	peer := w.peer()
	w.git(peer, "revert", "--no-edit", id)
	w.git(peer, "push", "-q", "origin", "main")
	w.want(w.verdict("t"), Deleted, SquashMerged, main, "")
}

func TestSquashThenMore(t *testing.T) {
	w := newWorld(t)
	w.pushed("t")
	w.squash("t")
	w.git(w.clone, "checkout", "-q", "t")
	w.write(w.clone, "since", "x\n")
	w.commit(w.clone, "since")
	w.git(w.clone, "checkout", "-q", "main")
	w.want(w.settle("t")[0], Unmerged, "", main, "")
	w.has(w.clone, "t", true)
}

// While its upstream is there, or where it never had one, a squash is not looked for.
func TestSquashNeedsUpstreamGone(t *testing.T) {
	w := newWorld(t)
	w.pushed("t")
	w.squash("t")
	w.git(w.clone, "push", "-q", "origin", "refs/heads/t")
	w.want(w.verdict("t"), Unmerged, "", main, "")
	w.git(w.clone, "push", "-q", "origin", ":refs/heads/t")
	w.git(w.clone, "branch", "-q", "--unset-upstream", "t")
	w.want(w.verdict("t"), Unmerged, "", main, "")
}

func TestSquashThatDiffers(t *testing.T) {
	cases := map[string]func(w *world, peer string){
		"white space":  func(w *world, peer string) { w.write(peer, "t", "t one\n t two\n") },
		"tabs":         func(w *world, peer string) { w.write(peer, "t", "t one\nt\ttwo\n") },
		"another file": func(w *world, peer string) { w.write(peer, "beside", "x\n") },
		"mode":         func(w *world, peer string) { w.git(peer, "update-index", "--chmod=+x", "t") },
	}
	for name, change := range cases {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.pushed("t")
			peer := w.peer()
			w.git(peer, "merge", "-q", "--squash", "origin/t")
			change(w, peer)
			if name != "mode" {
				w.git(peer, "add", "-A")
			}
			w.git(peer, "commit", "-q", "-m", "squashed")
			w.git(peer, "push", "-q", "origin", "main")
			w.git(peer, "push", "-q", "origin", ":t")
			w.want(w.verdict("t"), Unmerged, "", main, "")
		})
	}
}

func TestEmptyChange(t *testing.T) {
	w := newWorld(t)
	w.git(w.clone, "checkout", "-q", "-b", "t")
	w.commit(w.clone, "nothing")
	w.git(w.clone, "push", "-q", "-u", "origin", "t")
	w.git(w.clone, "push", "-q", "origin", ":t")
	w.git(w.clone, "checkout", "-q", "main")
	peer := w.peer()
	w.commit(peer, "nothing either")
	w.git(peer, "push", "-q", "origin", "main")
	w.want(w.verdict("t"), Unmerged, "", main, "")
}

func TestUnrelatedHistory(t *testing.T) {
	w := newWorld(t)
	w.git(w.clone, "checkout", "-q", "--orphan", "t")
	w.write(w.clone, "base", "one\ntwo\nthree\n")
	w.commit(w.clone, "the same as main's first commit")
	w.git(w.clone, "push", "-q", "-u", "origin", "t")
	w.git(w.clone, "push", "-q", "origin", ":t")
	w.git(w.clone, "checkout", "-q", "main")
	w.want(w.verdict("t"), Unmerged, "", main, "")
}

// A branch that merged the default branch meanwhile leaves it in two places.
func TestSquashAfterMergingDefault(t *testing.T) {
	w := newWorld(t)
	w.pushed("t")
	w.advance("between", "x\n")
	w.git(w.clone, "fetch", "-q", "origin")
	w.git(w.clone, "checkout", "-q", "t")
	w.git(w.clone, "merge", "-q", "--no-edit", "origin/main")
	w.git(w.clone, "push", "-q", "origin", "t")
	w.git(w.clone, "checkout", "-q", "main")
	w.squash("t")
	w.want(w.verdict("t"), Deleted, SquashMerged, main, "")
}

func TestSquashBinaryAndSubmodule(t *testing.T) {
	w := newWorld(t)
	w.git(w.clone, "checkout", "-q", "-b", "t")
	w.write(w.clone, "bin", "a\x00b")
	w.git(w.clone, "add", "bin")
	w.git(w.clone, "update-index", "--add", "--cacheinfo", "160000,"+w.git(w.clone, "rev-parse", "HEAD")+",sub")
	w.git(w.clone, "commit", "-q", "-m", "t")
	w.git(w.clone, "push", "-q", "-u", "origin", "t")
	w.git(w.clone, "checkout", "-q", "main")
	w.squash("t")
	w.git(w.clone, "config", "diff.ignoreSubmodules", "all")
	w.want(w.verdict("t"), Deleted, SquashMerged, main, "")
}

// What configuration hides is part of the change all the same.
func TestSquashWithoutTheSubmodule(t *testing.T) {
	w := newWorld(t)
	w.pushed("t")
	w.squash("t")
	w.git(w.clone, "checkout", "-q", "t")
	w.git(w.clone, "update-index", "--add", "--cacheinfo", "160000,"+w.git(w.clone, "rev-parse", "HEAD")+",sub")
	w.git(w.clone, "commit", "-q", "-m", "sub")
	w.git(w.clone, "checkout", "-q", "main")
	w.git(w.clone, "config", "diff.ignoreSubmodules", "all")
	w.want(w.verdict("t"), Unmerged, "", main, "")
}

// The same change twice: the commit before the branch's own base does not carry it.
func TestMatchLiesBeyondOwnBase(t *testing.T) {
	w := newWorld(t)
	w.pushed("old")
	id := w.advance("x", "x\n")
	peer := w.peer()
	w.git(peer, "revert", "--no-edit", id)
	w.git(peer, "push", "-q", "origin", "main")
	w.git(w.clone, "pull", "-q", "--ff-only", "origin", "main")
	w.git(w.clone, "checkout", "-q", "-b", "again")
	w.write(w.clone, "x", "x\n")
	w.commit(w.clone, "again")
	w.git(w.clone, "push", "-q", "-u", "origin", "again")
	w.git(w.clone, "push", "-q", "origin", ":again")
	w.git(w.clone, "checkout", "-q", "main")
	w.squash("old")
	rows := w.settle("old", "again")
	w.want(rows[0], Deleted, SquashMerged, main, "")
	w.want(rows[1], Unmerged, "", main, "")
}

func TestManySquashes(t *testing.T) {
	w := newWorld(t)
	names := []string{"a", "b", "c", "d", "e"}
	for _, n := range names {
		w.pushed(n)
	}
	w.pushed("lost")
	w.git(w.clone, "push", "-q", "origin", ":lost")
	for _, n := range names {
		w.squash(n)
	}
	rows := w.settle(append(names, "lost")...)
	for _, v := range rows[:5] {
		w.want(v, Deleted, SquashMerged, main, "")
	}
	w.want(rows[5], Unmerged, "", main, "")
	if n := w.trace.count("patch-id") + w.trace.count("diff-tree") + w.trace.count("rev-list"); n > 7 {
		t.Errorf("%d calls for the squashes", n)
	}
}

func TestPathsThatAreOdd(t *testing.T) {
	w := newWorld(t)
	for i, path := range []string{"a*b", ":(top)x", "tab\there", "new\nline", "ü"} {
		name := string(rune('a' + i))
		w.git(w.clone, "checkout", "-q", "-b", name, "main")
		w.write(w.clone, path, "x\n")
		w.commit(w.clone, "odd")
		w.git(w.clone, "push", "-q", "-u", "origin", name)
		w.git(w.clone, "checkout", "-q", "main")
		w.squash(name)
		w.want(w.verdict(name), Deleted, SquashMerged, main, "")
	}
}

// A replacement shows this clone another history than the remote has.
func TestReplacedCommit(t *testing.T) {
	w := newWorld(t)
	tip := w.pushed("t")
	w.git(w.clone, "replace", w.git(w.clone, "rev-parse", "main"), tip)
	w.want(w.verdict("t"), Unmerged, "", main, "")
}

func TestPartialClone(t *testing.T) {
	w := newWorld(t)
	w.pushed("t")
	w.squash("t")
	w.git(w.origin, "config", "uploadpack.allowFilter", "true")
	w.git(w.origin, "config", "uploadpack.allowAnySHA1InWant", "true")
	tip := w.git(w.clone, "rev-parse", "t")
	partial := filepath.Join(w.dir, "partial")
	w.git(w.origin, "update-ref", "refs/heads/old", tip)
	w.git(w.dir, "clone", "-q", "--filter=blob:none", "file://"+w.origin, partial)
	w.clone = partial
	w.git(partial, "branch", "-q", "--no-track", "t", tip)
	w.git(partial, "config", "branch.t.remote", "origin")
	w.git(partial, "config", "branch.t.merge", "refs/heads/t")
	w.want(w.verdict("t"), Deleted, SquashMerged, main, "")
}

// What git cannot read, as where a partial clone's fetch fails, leaves it unmerged.
func TestSquashThatCannotBeRead(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	w.pushed("t")
	w.squash("t")
	j := w.judge()
	defer j.Close(ctx)
	if _, err := j.Base(ctx, "origin"); err != nil {
		t.Fatal(err)
	}
	blob := w.git(w.clone, "rev-parse", "t:t")
	if err := os.Remove(filepath.Join(w.clone, ".git/objects", blob[:2], blob[2:])); err != nil {
		t.Fatal(err)
	}
	rows, err := j.Judge(ctx, subjects("t"))
	if err != nil {
		t.Fatal(err)
	}
	w.want(rows[0], Unmerged, "", main, "")
	if rows[0].Detail == "" {
		t.Error("no detail")
	}
}

// One commit that cannot be walked fails no other branch's judgement.
func TestBrokenBranch(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	w.landed("t")
	gone := strings.Repeat("1", 40)
	j := w.judge()
	defer j.Close(ctx)
	rows, err := j.Judge(ctx, []Subject{{Branch: "broken", Tip: gone}, {Branch: "t"}})
	if err != nil {
		t.Fatal(err)
	}
	w.want(rows[0], Unmerged, "", main, "")
	w.want(rows[1], Deleted, Merged, main, "origin/t")
}
