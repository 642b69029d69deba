package main

import (
	"fmt"
	"os/exec"
	"runtime"
)

// least are the floors of rows that stand above their target: against the same plain git,
// what git and a Go program need for what is asked, without anything of ours. A script
// begins with bare, as a tool begins with its own start.
var least = []row{
	{name: "path, create when ready: a start", short: true, setup: func(r *repo) trial {
		r.files(10)
		return trial{floor: r.version(), ours: r.plain("bare")}
	}},
	{name: "ls over 1: a start, one git", short: true, setup: leastListing(1)},
	{name: "ls over 10: a start, one git", short: true, setup: leastListing(10)},
	{name: "ls over 100: a start, one git", short: true, setup: leastListing(100)},
	{name: "ls -o name,tree over 100: the statuses, all cores", setup: func(r *repo) trial {
		r.many(100)
		const each = `xargs -P "$1" -I{} git -C {} status --porcelain -z --untracked-files=all <../paths >/dev/null`
		cores := fmt.Sprint(runtime.NumCPU())
		return trial{floor: r.script(statuses, ""), ours: side{run: func(int) *exec.Cmd { return r.cmd("sh", "-ec", each, "sh", cores) }}}
	}},
	{name: "create --from HEAD, 10 files: a start, its four gits", setup: func(r *repo) trial {
		r.files(10)
		t := r.creating()
		return leastCreating(r, t.floor, leastCreate)
	}},
	{name: "create with origin: a start, ls-remote, four gits", setup: leastCreatingFrom("")},
	{name: "create with origin, 200 ms: a start, ls-remote, four gits", setup: leastCreatingFrom("0.2")},
	{name: "32 creates at once: 32 adds at once", setup: leastStorm},
	{name: "remove --keep-branch, 10 files: a start, its four gits", setup: leastRemoving},
	{name: "prune of 50 landed, 10 files: a start, its gits, all cores", setup: func(r *repo) trial {
		r.files(10)
		return r.leastPruning(50)
	}},
}

func leastListing(n int) func(*repo) trial {
	return func(r *repo) trial {
		r.many(n)
		list := []string{"worktree", "list", "--porcelain", "-z"}
		return trial{floor: r.plain("git", list...), ours: r.plain("bare", list...)}
	}
}

const (
	leastStart  = `bare >/dev/null; `
	leastCreate = leastStart + `tip=$(git rev-parse HEAD); ` + leastMake
	leastAsk    = leastStart + `git ls-remote --symref origin HEAD 'refs/heads/*' >/dev/null; tip=$(git rev-parse origin/main); ` + leastMake
	leastMake   = `echo "create refs/heads/$1 $tip" | git update-ref --stdin
git worktree add -q --no-checkout "../plain/$1" "$1"; cd "../plain/$1"; exec git reset -q --hard`
)

func leastCreating(r *repo, plain side, script string) trial {
	ours := r.script(script, "x")
	plain.after, ours.after = r.do(forgetPlain, "p"), r.do(forgetPlain, "x")
	return trial{floor: plain, ours: ours}
}

func leastCreatingFrom(delay string) func(*repo) trial {
	return func(r *repo) trial {
		r.files(10)
		if delay != "" {
			r.connect(delay)
		}
		return leastCreating(r, r.script(fetchAdd, "p"), leastAsk)
	}
}

// leastStorm lets git race itself, which fails now and then.
func leastStorm(r *repo) trial {
	const (
		once = `for n in $(seq 32); do git worktree add -q --no-track -b "$1-$n" "../plain/$1-$n" HEAD 2>/dev/null & done; wait`
		gone = `for n in $(seq 32); do git worktree remove --force "../plain/$1-$n" || true; git update-ref -d "refs/heads/$1-$n"; done 2>/dev/null
rm -rf ../plain/"$1"-*; git worktree prune`
	)
	r.files(300)
	plain, ours := r.script(addsInARow, "p"), r.script(once, "x")
	plain.after, ours.after = r.do(gone, "p"), r.do(gone, "x")
	return trial{floor: plain, ours: ours}
}

// leastRemove takes the worktree $1 away as remove does: looked at, its commit kept, moved,
// looked at again, dropped from git's list. Of those side by side one at a time drops.
const leastRemove = `git -C "../plain/$1" status --porcelain=v2 -z --untracked-files=all >/dev/null
echo "create refs/kept/$1 refs/heads/$1" | git update-ref --stdin; mv "../plain/$1" "../moved/$1"
git -C "../moved/$1" status --porcelain=v2 -z --untracked-files=all >/dev/null
flock ../lock git worktree remove --force "../plain/$1"`

const leastGone = `rm -rf ../moved ../lock; mkdir ../moved; git for-each-ref --format='delete %(refname)' refs/kept | git update-ref --stdin`

func leastRemoving(r *repo) trial {
	const gone = leastGone + `; git update-ref -d "refs/heads/$1"`
	r.files(10)
	r.sh(leastGone)
	t := r.removing()
	t.ours = r.script(leastStart+leastRemove, "x")
	t.ours.prepare, t.ours.after = r.do(addPlain, "x"), r.do(gone, "x")
	return t
}

func (r *repo) leastPruning(n int) trial {
	const all = leastStart + `git ls-remote --symref origin HEAD 'refs/heads/*' >/dev/null; git worktree list --porcelain -z >/dev/null
branches=$(git for-each-ref --merged=origin/main --format='%(refname:short)' 'refs/heads/x-*')
echo "$branches" | xargs -P "$1" -I{} sh -ec '` + leastRemove + `' sh {}
git push -q origin --delete $branches; for b in $branches; do echo "delete refs/heads/$b"; done | git update-ref --stdin`
	r.sh(leastGone)
	t := r.pruning(n, false)
	t.ours.run = func(int) *exec.Cmd { return r.cmd("sh", "-ec", all, "sh", fmt.Sprint(runtime.NumCPU())) }
	t.ours.prepare = r.landing(addMerged, "x", n)
	t.ours.after = r.do(`test -z "$(git for-each-ref 'refs/heads/x-*')"; `+leastGone, "")
	return t
}
