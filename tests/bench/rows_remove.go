package main

import (
	"fmt"
	"os"
	"os/exec"
	"time"
)

var removes = []row{
	{name: "remove --keep-branch, 10 files", target: 2.6, setup: removing(10)},
	{name: "remove --keep-branch, 1700 files", target: 1.0, setup: removing(1700)},
	{name: "remove --keep-branch, 20000 files", setup: removing(20_000)},
	{name: "remove --keep-branch, 50000 files", target: 0.5, setup: removing(50_000)},
	{name: "remove --keep-branch, ext4, 1700 files", target: 0.3, disk: true, setup: removingAhead(1700)},
	{name: "remove --keep-branch, ext4, 50000 files", target: 0.1, disk: true, setup: removingAhead(50_000)},
	{name: "remove with much to anchor / clean", setup: anchoring},
	{name: "remove with origin", target: 1.3, setup: removingFrom("")},
	{name: "remove with origin, 200 ms", target: 0.75, setup: removingFrom("0.2")},
}

// What a removal leaves: its entry in the trash, its anchors, the branch.
const emptyTrash = `rm -rf ../data/agent-worktree/trash/*/*; git update-ref -d "refs/heads/$1"; ` + dropAnchors

// look has git look at a worktree's files twice: once to hash the young ones, once to
// find that it need not.
const (
	lookPlain = `git -C "../plain/$1" status --short; git -C "../plain/$1" status --short`
	look      = `at=$(aw-path --plain "$1"); git -C "$at" status --short; git -C "$at" status --short`
)

func removing(files int) func(*repo) trial {
	return func(r *repo) trial {
		r.files(files)
		t := r.removing()
		if files > 100 {
			t.floor.settle, t.ours.settle = r.do(lookPlain, "p"), r.do(look, "x")
		}
		return t
	}
}

const addPlain = `git worktree add -q --no-track -b "$1" "../plain/$1" HEAD`

func (r *repo) removing() trial {
	return trial{
		floor: side{
			prepare: r.do(addPlain, "p"),
			run:     func(i int) *exec.Cmd { return r.cmd("git", "worktree", "remove", r.path("plain", named("p", i))) },
			after:   r.do(`git update-ref -d "refs/heads/$1"`, "p"),
		},
		ours: side{
			prepare: r.do(`aw-create --from HEAD "$1" >/dev/null`, "x"),
			run:     func(i int) *exec.Cmd { return r.cmd("aw-remove", "--keep-branch", named("x", i)) },
			after:   r.do(emptyTrash, "x"),
		},
	}
}

// removingAhead makes all worktrees before the first is removed, and deletes nothing in
// between: ext4 makes files slowly where some were deleted in the last minutes. All of them
// are on the disk by then, as those of a worktree that somebody worked in are.
func removingAhead(files int) func(*repo) trial {
	return func(r *repo) trial {
		r.files(files)
		t := r.removing()
		t.ahead, t.floor.after, t.ours.after = true, nil, nil
		t.floor.settle, t.ours.settle = r.do(lookPlain+"; sync", "p"), r.do(look+"; sync", "x")
		return t
	}
}

// anchoring holds a removal with a staged file, an amended commit and a detached HEAD,
// which all get refs of their own first, to the removal of a clean worktree.
func anchoring(r *repo) trial {
	const work = `aw-create --from HEAD "$1" >/dev/null; cd "$(aw-path --plain "$1")"
echo one >new.txt; git add new.txt; git commit -qm one; git commit -q --amend -m two
git checkout -q --detach; git commit -q --allow-empty -m three; echo two >staged.txt; git add staged.txt`
	r.files(300)
	clean, full := r.removing().ours, r.removing().ours
	clean.prepare, full.prepare = r.do(`aw-create --from HEAD "$1" >/dev/null`, "p"), r.do(work, "x")
	clean.run = func(i int) *exec.Cmd { return r.cmd("aw-remove", "--keep-branch", "--force", named("p", i)) }
	full.run = func(i int) *exec.Cmd { return r.cmd("aw-remove", "--keep-branch", "--force", named("x", i)) }
	clean.after = r.do(emptyTrash, "p")
	return trial{floor: clean, ours: full}
}

// removingFrom removes a worktree whose branch was merged on origin, and its branch here
// and there. Each connection takes delay seconds, if any.
func removingFrom(delay string) func(*repo) trial {
	const (
		plain = `git ls-remote --symref origin >/dev/null; git fetch -q origin main; git worktree remove "../plain/$1"
git merge-base --is-ancestor "$1" origin/main; git branch -q -D "$1"; exec git push -q origin --delete "$1"`
		land = `git -C "$at" commit -q --allow-empty -m own; git -C "$at" push -q -u origin "$1"; git push -q origin "$1:main"`
	)
	return func(r *repo) trial {
		r.files(10)
		if delay != "" {
			r.connect(delay)
		}
		floor, ours := r.script(plain, "p"), r.script(`exec aw-remove "$1"`, "x")
		floor.prepare = r.do(`git fetch -q; at=../plain/$1; git worktree add -q --no-track -b "$1" "$at" origin/main; `+land, "p")
		ours.prepare = r.do(`at=$(aw-create --plain "$1" 2>/dev/null); `+land, "x")
		ours.after = r.do(`test -z "$(git ls-remote --heads origin "$1")"; `+emptyTrash, "x")
		return trial{floor: floor, ours: ours}
	}
}

var prunes = []row{
	{name: "prune of 50 landed, 10 files", target: 0.45, setup: func(r *repo) trial { r.files(10); return r.pruning(50, false) }},
	{name: "prune of 50 landed, 1700 files", target: 0.35, setup: func(r *repo) trial { r.files(1700); return r.pruning(50, true) }},
}

// pruneByHand is a careful script that reads the remote once.
const pruneByHand = `git ls-remote --symref origin >/dev/null; git fetch -q origin main
for b in $(git for-each-ref --format='%(refname:short)' 'refs/heads/p-*'); do
	test -z "$(git -C "../plain/$b" status --porcelain)"; git merge-base --is-ancestor "$b" origin/main
	git worktree remove "../plain/$b"; git branch -q -D "$b"; git push -q origin --delete "$b"
done`

// Worktrees $2-1 to $2-$1, and a commit in each of all that there are.
const (
	addMerged = `for n in $(seq "$1"); do git worktree add -q --no-track -b "$2-$n" "../plain/$2-$n" main; done`
	workInAll = `; for b in $(git for-each-ref --format='%(worktreepath)' "refs/heads/?-*"); do git -C "$b" commit -q --allow-empty -m own; done`
)

// pruning removes n worktrees whose branches were merged on origin.
func (r *repo) pruning(n int, settle bool) trial {
	const (
		create = `seq -f x-%g "$1" | aw-create - >/dev/null`
		gone   = `test -z "$(git for-each-ref "refs/heads/$1-*")"; rm -rf ../data/agent-worktree/trash/*/*; ` + dropAnchors
		looks  = `for w in "$1"/?-*; do git -C "$w" status --short; git -C "$w" status --short; done`
	)
	gives := func(script, arg string) func(int) error { return func(int) error { return r.sh(script, arg) } }
	floor, ours := r.script(pruneByHand, ""), r.script("exec aw-prune", "")
	floor.prepare, ours.prepare = r.landing(addMerged, "p", n), r.landing(create, "x", n)
	floor.after, ours.after = gives(gone, "p"), gives(gone, "x")
	if settle {
		floor.settle = gives(looks, "../plain")
		ours.settle = gives(`set -- "$(dirname "$(aw-path --plain any)")"; `+looks, "")
	}
	return trial{floor: floor, ours: ours}
}

// landing makes n worktrees, named by a letter, and has the work in each merged on origin.
func (r *repo) landing(script, letter string, n int) func(int) error {
	return func(int) error {
		r.sh(script+workInAll, fmt.Sprint(n), letter)
		return r.land(letter+"-", n)
	}
}

// land merges n branches into main and pushes it all, as a host would have it once their
// work is done.
func (r *repo) land(prefix string, n int) error {
	if r.err != nil {
		return r.err
	}
	names := r.path("landed")
	r.err = r.stream(r.path("r"), func(s *stream) {
		list, from := "main\n", "refs/heads/main^0"
		for i := 1; i <= n; i++ {
			from = s.commit("refs/heads/main", time.Now().Unix(), from, fmt.Sprintf("refs/heads/%s%d^0", prefix, i))
			list += fmt.Sprintf("%s%d\n", prefix, i)
		}
		os.WriteFile(names, []byte(list), 0o600)
	})
	return r.sh(`xargs git push -q -u origin <"$1"`, names)
}
