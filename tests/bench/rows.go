package main

import (
	"fmt"
	"os/exec"
)

// A section is a table of rows.
type section struct {
	title   string
	columns []column
	rows    []row
}

var sections = []section{
	{"Beside plain git", ratioTable, slicesOf(starts, lists, creates, removes, prunes, ports)},
	{"The least that it takes", leastTable, least},
	{"As the work grows", growthTable, growing},
	{"Memory", memoryTable, memories},
	{"The tools", toolTable, tools},
}

func slicesOf(groups ...[]row) (all []row) {
	for _, g := range groups {
		all = append(all, g...)
	}
	return all
}

const refused = `{"hook_event_name":"SessionStart"}`

var starts = []row{
	{name: "path", target: 1.5, short: true, setup: versus("aw-path", "task")},
	{name: "--version", target: 2, short: true, setup: versus("aw-create", "--version")},
	{name: "--help", target: 2, short: true, setup: versus("aw-create", "--help")},
	{name: "a refused hook event", target: 2, short: true, setup: func(r *repo) trial {
		r.files(10)
		return trial{floor: r.version(), ours: side{exit: 1, run: func(int) *exec.Cmd { return r.hook(refused) }}}
	}},
	{name: "the dispatcher's hop", target: 1.4, short: true, setup: func(r *repo) trial {
		r.files(10)
		return trial{floor: r.version(), less: r.plain("aw-path", "task"), ours: r.plain("agent-worktree", "path", "task")}
	}},
	{name: "create when ready", target: 2, short: true, setup: func(r *repo) trial {
		r.files(10)
		r.sh("aw-create task 2>/dev/null")
		return trial{floor: r.version(), ours: r.plain("aw-create", "task")}
	}},
}

// version is the least that git does.
func (r *repo) version() side { return r.plain("git", "--version") }

func versus(name string, args ...string) func(*repo) trial {
	return func(r *repo) trial {
		r.files(10)
		return trial{floor: r.version(), ours: r.plain(name, args...)}
	}
}

// hook is the tool for Claude Code with that event on its standard input.
func (r *repo) hook(event string) *exec.Cmd {
	cmd := r.cmd("aw-hook")
	cmd.Stdin = r.input(event)
	return cmd
}

var lists = []row{
	{name: "ls over 1", target: 2.8, short: true, setup: listing(1)},
	{name: "ls over 10", target: 2.5, short: true, setup: listing(10)},
	{name: "ls over 100", target: 1.9, short: true, setup: listing(100)},
	{name: "ls over 1000", target: 1.6, setup: listing(1000)},
	{name: "ls --full over 100 / ls", target: 1.08, short: true, setup: func(r *repo) trial {
		r.many(100)
		return trial{floor: r.plain("aw-ls"), ours: r.plain("aw-ls", "--full")}
	}},
	{name: "ls -o name,tree over 100", target: 0.6, setup: func(r *repo) trial {
		r.many(100)
		return trial{floor: r.script(statuses, ""), ours: r.script("exec aw-ls -o name,tree", "")}
	}},
	{name: "ls -o name,landed, near", target: 0.10, setup: landed(100, work)},
	{name: "ls -o name,landed, near, worked on elsewhere", target: 0.10, setup: landed(100, fetched)},
	{name: "ls -o name,landed, far", target: 0.05, setup: landed(5000, work)},
}

// statuses asks for the status of every worktree, one after the other.
const statuses = `while read -r w; do git -C "$w" status --porcelain -z --untracked-files=all >/dev/null; done <../paths`

func listing(n int) func(*repo) trial {
	return func(r *repo) trial {
		r.many(n)
		return trial{floor: r.plain("git", "worktree", "list", "--porcelain", "-z"), ours: r.plain("aw-ls")}
	}
}

// judge is what a person would write to find the branches that have landed: by ancestry,
// then each whole change against every commit since it began.
const judge = `main=refs/remotes/origin/main
for b in $(git for-each-ref --format='%(refname)' 'refs/heads/b*'); do
	if git merge-base --is-ancestor $b $main; then echo "$b merged"; continue; fi
	base=$(git merge-base $main $b)
	id=$(git diff $base $b | git patch-id --stable | cut -d' ' -f1)
	if git log -p --no-merges $base..$main | git patch-id --stable | grep -q "^$id"; then echo "$b squash-merged"; else echo "$b no"; fi
done`

// How a branch came to its commits: they were made in its worktree, or came from another
// clone. The first shows in its reflog.
const (
	work    = `cherry-pick --ff refs/bench/base..refs/bench/`
	fetched = `reset -q --hard refs/bench/`
)

// landed judges 50 branches, each in a worktree, that began so many commits ago. Before
// anything is timed it sees that they are judged rightly.
func landed(behind int, how string) func(*repo) trial {
	const worktrees = `git fetch -q origin 'refs/bench/*:refs/bench/*'
for n in $(seq 50); do
	at=$(aw-create --plain --from refs/bench/base b$n 2>/dev/null)
	git -C "$at" $1b$n
done
git for-each-ref --format='delete %(refname)' refs/bench | git update-ref --stdin
found=$(aw-ls --plain -o landed | sort | uniq -c | tr -s ' \n' ' ')
test "$found" = " 20 merged 10 no 10 rebased 10 squash-merged " || { echo "judged: $found"; exit 1; }`
	return func(r *repo) trial {
		r.history(behind)
		r.sh(worktrees, how)
		return trial{floor: r.script(judge, ""), ours: r.script("exec aw-ls -o name,landed", "")}
	}
}

var creates = []row{
	{name: "create --from HEAD, 10 files", target: 1.8, setup: creating(10)},
	{name: "create --from HEAD, 1700 files", target: 1.10, setup: creating(1700)},
	{name: "create --from HEAD, 20000 files", setup: creating(20_000)},
	{name: "create --from HEAD, 50000 files", target: 1.03, setup: creating(50_000)},
	{name: "create with origin, fetch and add", target: 1.05, setup: creatingFrom(fetchAdd, "", false)},
	{name: "create with origin, ls-remote, fetch and add", target: 1.05, setup: creatingFrom(askFetchAdd, "", false)},
	{name: "create with origin, 200 ms, fetch and add", target: 0.6, setup: creatingFrom(fetchAdd, "0.2", false)},
	{name: "create with origin, 200 ms, ls-remote, fetch and add", target: 0.6, setup: creatingFrom(askFetchAdd, "0.2", false)},
	{name: "create with origin moved, 200 ms, ls-remote, fetch and add", setup: creatingFrom(askFetchAdd, "0.2", true)},
	{name: "hook create, 10 files / create", target: 1.10, setup: hooking(10)},
	{name: "hook create, 1700 files / create", target: 1.10, setup: hooking(1700)},
	{name: "32 creates at once, ls and prune / in a row", target: 1.0, setup: storm},
}

// What is made is taken away again, so that each run meets as many worktrees.
const (
	forgetPlain = `git worktree remove --force "../plain/$1"; git update-ref -d "refs/heads/$1"`
	forget      = `aw-remove --force --discard --keep-branch "$1" >/dev/null; git update-ref -d "refs/heads/$1"; ` + dropAnchors
	dropAnchors = `git for-each-ref --format='delete %(refname)' refs/agent-worktree/removed | git update-ref --stdin`
)

func (r *repo) creates(plain, ours side) trial {
	plain.after, ours.after = r.do(forgetPlain, "p"), r.do(forget, "x")
	return trial{floor: plain, ours: ours}
}

func creating(files int) func(*repo) trial {
	return func(r *repo) trial { r.files(files); return r.creating() }
}

func (r *repo) creating() trial {
	return r.creates(side{run: func(i int) *exec.Cmd {
		name := named("p", i)
		return r.cmd("git", "worktree", "add", "-q", "--no-track", "-b", name, r.path("plain", name), "HEAD")
	}}, side{run: func(i int) *exec.Cmd { return r.cmd("aw-create", "--from", "HEAD", named("x", i)) }})
}

const (
	fetchAdd    = `git fetch -q origin main; exec git worktree add -q --no-track -b "$1" "../plain/$1" origin/main`
	askFetchAdd = `git ls-remote --symref origin HEAD >/dev/null; ` + fetchAdd
	moveOrigin  = `git -C ../o.git update-ref refs/heads/main "$(git -C ../o.git commit-tree -p main -m more main^{tree})"`
)

// creatingFrom holds a create from origin to a script. Each connection takes delay
// seconds, if any; moved has origin gain a commit before each run.
func creatingFrom(plain, delay string, moved bool) func(*repo) trial {
	return func(r *repo) trial {
		r.files(10)
		if delay != "" {
			r.connect(delay)
		}
		t := r.creates(r.script(plain, "p"), r.script(`exec aw-create "$1"`, "x"))
		if moved {
			t.floor.prepare, t.ours.prepare = r.do(moveOrigin, ""), r.do(moveOrigin, "")
		}
		return t
	}
}

func hooking(files int) func(*repo) trial {
	return func(r *repo) trial {
		r.files(files)
		create := side{after: r.do(forget, "p"), run: func(i int) *exec.Cmd { return r.cmd("aw-create", named("p", i)) }}
		event := func(i int) string {
			return fmt.Sprintf(`{"hook_event_name":"WorktreeCreate","cwd":%q,"name":%q}`, r.path("r"), named("x", i))
		}
		return trial{floor: create, ours: side{after: r.do(forget, "x"), run: func(i int) *exec.Cmd { return r.hook(event(i)) }}}
	}
}

const addsInARow = `for n in $(seq 32); do git worktree add -q --no-track -b "$1-$n" "../plain/$1-$n" HEAD; done`

// storm holds 32 creates at once, with an ls and a prune beside them, to the same adds
// one after another. One that fails fails the row.
func storm(r *repo) trial {
	const (
		once = `for n in $(seq 32); do aw-create --from HEAD "$1-$n" >/dev/null || touch ../failed & done
aw-ls >/dev/null || touch ../failed & aw-prune >/dev/null || touch ../failed & wait; test ! -e ../failed`
		forgetRow  = `for n in $(seq 32); do git worktree remove --force "../plain/$1-$n"; git update-ref -d "refs/heads/$1-$n"; done`
		forgetOnce = `test "$(aw-ls --plain --state ready | wc -l)" -eq 32
seq -f "$1-%g" 32 | aw-remove --force --discard --keep-branch - >/dev/null
git for-each-ref --format='delete %(refname)' "refs/heads/$1-*" | git update-ref --stdin; ` + dropAnchors
	)
	r.files(300)
	plain, ours := r.script(addsInARow, "p"), r.script(once, "x")
	plain.after, ours.after = r.do(forgetRow, "p"), r.do(forgetOnce, "x")
	return trial{floor: plain, ours: ours}
}
