package main

import (
	"fmt"
	"os/exec"
)

// rows are the comparisons of the design's section 9, in its order.
var rows = []row{
	{"start of a tool / hello", 2, func(b *bench, r *repo) (side, side) {
		r.make(1)
		return r.plain("hello"), r.plain("aw-path", "--version")
	}},
	{"--version", 2, func(b *bench, r *repo) (side, side) { r.make(1); return r.version(), r.plain("aw-create", "--version") }},
	{"--help", 2, func(b *bench, r *repo) (side, side) { r.make(1); return r.version(), r.plain("aw-create", "--help") }},
	{"path", 1.5, func(b *bench, r *repo) (side, side) { r.make(1); return r.version(), r.plain("aw-path", "task") }},
	{"dispatcher, whole", 2.9, func(b *bench, r *repo) (side, side) {
		r.make(1)
		return r.version(), r.plain("agent-worktree", "path", "task")
	}},
	{"ls over 1", 2.8, lists(1)},
	{"ls over 10", 2.5, lists(10)},
	{"ls over 100", 1.9, lists(100)},
	{"ls over 1000", 1.6, lists(1000)},
	{"ls --full over 100 / ls", 1.08, func(b *bench, r *repo) (side, side) {
		r.many(100)
		return r.plain("aw-ls"), r.plain("aw-ls", "--full")
	}},
	{"ls -o name,tree over 100", 0.6, trees},
	{"create --from HEAD, 10 files", 1.8, creates(10)},
	{"create --from HEAD, 1700 files", 1.10, creates(1700)},
	{"create --from HEAD, 50000 files", 1.03, creates(50000)},
	{"create when ready", 2, func(b *bench, r *repo) (side, side) {
		r.make(10)
		r.sh("aw-create task 2>/dev/null")
		return r.version(), r.plain("aw-create", "task")
	}},
	{"create with origin, 10 files", 1.05, originCreates},
	{"remove --keep-branch, 10 files", 2.6, removes(10)},
	{"remove --keep-branch, 1700 files", 1.0, removes(1700)},
	{"remove --keep-branch, 50000 files", 0.5, removes(50000)},
	{"remove with origin, 10 files", 1.3, originRemoves},
	{"prune of 50 landed, small", 0.45, prunes(3)},
	{"prune of 50 landed, 1700 files", 0.35, prunes(1700)},
	{"32 creates at once / in a row", 1.0, storm},
}

func (r *repo) plain(name string, args ...string) side {
	return side{run: func(int) *exec.Cmd { return r.cmd(name, args...) }}
}

func (r *repo) version() side { return r.plain("git", "--version") }

// many makes n worktrees of a small repository.
func (r *repo) many(n int) {
	r.make(3)
	r.sh(fmt.Sprintf("seq -f w%%g %d | aw-create - >/dev/null 2>&1", n))
}

func lists(n int) func(*bench, *repo) (side, side) {
	return func(b *bench, r *repo) (side, side) {
		r.many(n)
		return r.plain("git", "worktree", "list", "--porcelain"), r.plain("aw-ls")
	}
}

func trees(b *bench, r *repo) (side, side) {
	r.many(100)
	return r.plain("sh", "-c", `for w in $(aw-ls --plain -o path 2>/dev/null); do git -C "$w" status --porcelain >/dev/null; done`),
		r.plain("aw-ls", "-o", "name,tree")
}

func creates(files int) func(*bench, *repo) (side, side) {
	return func(b *bench, r *repo) (side, side) {
		r.make(files)
		return side{run: func(i int) *exec.Cmd {
				n := fmt.Sprintf("p%d", i)
				return r.cmd("git", "worktree", "add", "-q", "--no-track", "-b", n, r.path("plain", n), "HEAD")
			}},
			side{run: func(i int) *exec.Cmd { return r.cmd("aw-create", "--from", "HEAD", fmt.Sprintf("w%d", i)) }}
	}
}

func originCreates(b *bench, r *repo) (side, side) {
	r.make(10)
	return side{run: func(i int) *exec.Cmd {
			n := fmt.Sprintf("p%d", i)
			return r.cmd("sh", "-ec", "git fetch -q origin main && git worktree add -q --no-track -b "+n+" "+r.path("plain", n)+" origin/main")
		}},
		side{run: func(i int) *exec.Cmd { return r.cmd("sh", "-ec", fmt.Sprintf("exec aw-create w%d", i)) }}
}

func removes(files int) func(*bench, *repo) (side, side) {
	return func(b *bench, r *repo) (side, side) {
		r.make(files)
		settled := "; sleep 1.1; git -C %s status >/dev/null" // past the second in which git hashes every file again
		return side{
				prepare: func(i int) error {
					at := r.path("plain", fmt.Sprintf("p%d", i))
					return r.sh(fmt.Sprintf("git worktree add -q -b p%d %s"+settled, i, at, at))
				},
				run: func(i int) *exec.Cmd {
					return r.cmd("git", "worktree", "remove", r.path("plain", fmt.Sprintf("p%d", i)))
				}},
			side{
				prepare: func(i int) error {
					return r.sh(fmt.Sprintf("at=$(aw-create --plain --from HEAD w%d 2>/dev/null)"+settled, i, `"$at"`))
				},
				run: func(i int) *exec.Cmd { return r.cmd("aw-remove", "--keep-branch", fmt.Sprintf("w%d", i)) }}
	}
}

func originRemoves(b *bench, r *repo) (side, side) {
	r.make(10)
	landed := "git -C %s commit -q --allow-empty -m own; git -C %s push -q -u origin %s; git push -q origin %s:main"
	plain := `git ls-remote --symref origin >/dev/null; git fetch -q origin main; git worktree remove "$1"
git merge-base --is-ancestor "$2" origin/main; git branch -q -D "$2"; git push -q origin --delete "$2"`
	return side{
			prepare: func(i int) error {
				n, at := fmt.Sprintf("p%d", i), r.path("plain", fmt.Sprintf("p%d", i))
				return r.sh(fmt.Sprintf("git fetch -q; git worktree add -q --no-track -b %s %s origin/main; "+landed, n, at, at, at, n, n))
			},
			run: func(i int) *exec.Cmd {
				n := fmt.Sprintf("p%d", i)
				return r.cmd("sh", "-ec", plain, "sh", r.path("plain", n), n)
			}},
		side{
			prepare: func(i int) error {
				n := fmt.Sprintf("w%d", i)
				return r.sh(fmt.Sprintf("at=$(aw-create --plain %s 2>/dev/null); "+landed, n, `"$at"`, `"$at"`, n, n))
			},
			run: func(i int) *exec.Cmd { return r.cmd("sh", "-ec", fmt.Sprintf("exec aw-remove w%d", i)) }}
}

func prunes(files int) func(*bench, *repo) (side, side) {
	const plain = `git ls-remote --symref origin >/dev/null; git fetch -q origin main
for b in $(git for-each-ref --format='%(refname:short)' 'refs/heads/p-*'); do
	test -z "$(git -C ../plain/$b status --porcelain)"; git merge-base --is-ancestor $b origin/main
	git worktree remove ../plain/$b; git branch -q -D $b; git push -q origin --delete $b
done`
	const land = `n=0; while [ $n -lt 50 ]; do n=$((n+1)); b=%s-$n; %s
git -C "$at" commit -q --allow-empty -m own; git -C "$at" push -q -u origin $b; git fetch -q
git merge -q -m merge $b; done; git push -q origin HEAD:main`
	return func(b *bench, r *repo) (side, side) {
		r.make(files)
		return side{
				prepare: func(i int) error {
					return r.sh(fmt.Sprintf(land, "p", `at=../plain/$b; git worktree add -q --no-track -b $b $at main`))
				},
				run: func(int) *exec.Cmd { return r.cmd("sh", "-ec", plain) }},
			side{
				prepare: func(i int) error { return r.sh(fmt.Sprintf(land, "w", `at=$(aw-create --plain $b 2>/dev/null)`)) },
				run:     func(int) *exec.Cmd { return r.cmd("aw-prune") }}
	}
}

func storm(b *bench, r *repo) (side, side) {
	r.make(300)
	return side{run: func(i int) *exec.Cmd {
			return r.cmd("sh", "-ec", fmt.Sprintf(`for n in $(seq 32); do git worktree add -q --no-track -b p%d-$n ../plain/p%d-$n HEAD; done`, i, i))
		}},
		side{run: func(i int) *exec.Cmd {
			return r.cmd("sh", "-c", fmt.Sprintf(`for n in $(seq 32); do aw-create --from HEAD w%d-$n >/dev/null 2>&1 || touch ../failed & done
aw-ls >/dev/null 2>&1 || touch ../failed & aw-prune >/dev/null 2>&1 || touch ../failed & wait; test ! -e ../failed`, i))
		}}
}
