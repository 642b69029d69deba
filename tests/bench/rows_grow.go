package main

import (
	"fmt"
	"os/exec"
	"path/filepath"

	"github.com/cniska/agent-worktree/lib/verbs"
)

var sizes = []int{10, 100, 1000}

// growing are the rows about how cost grows with the number of worktrees there are.
var growing = slicesOf(
	grow("create beside", func(r *repo, n int) trial { r.many(n); return r.creating() }),
	grow("remove beside", func(r *repo, n int) trial { r.many(n); return r.removing() }),
	grow("ls over", func(r *repo, n int) trial { return listing(n)(r) }),
	grow("prune --merged, nothing to do, over", nothingToDo),
	grow("prune of 10 landed beside", func(r *repo, n int) trial { r.many(n); return r.pruning(10, false) }),
	grow("port claim beside", func(r *repo, n int) trial { return claiming(r, n, min(n, 100)-1) }),
	grow("remove after removals of", removedBefore),
)

func grow(name string, setup func(r *repo, n int) trial) (rows []row) {
	for _, n := range sizes {
		rows = append(rows, row{name: fmt.Sprintf("%s %d", name, n), size: n, setup: func(r *repo) trial { return setup(r, n) }})
	}
	return rows
}

// nothingToDo holds a prune whose worktrees all have work that has not landed to what a
// script would ask to find that out.
func nothingToDo(r *repo, n int) trial {
	const ask = `git ls-remote --symref origin HEAD >/dev/null; git worktree list --porcelain -z >/dev/null
exec git for-each-ref --merged=refs/remotes/origin/main refs/heads`
	r.many(n)
	return trial{floor: r.script(ask, ""), ours: r.script("exec aw-prune --merged", "")}
}

// claiming sets a worktree up again, which claims its ports, with the claims of held
// other worktrees there. The same without any claim is taken off.
func claiming(r *repo, n, held int) trial {
	const (
		hold = `mkdir -p .git/worktree-hooks; echo 10 >.git/worktree-hooks/ports
for n in $(seq "$1"); do (cd "$(aw-path --plain w$n)" && aw-init >/dev/null 2>&1); done
test "$(ls ../data/agent-worktree/ports | wc -l)" -eq "$1"; mv ../data/agent-worktree/ports ../held; rm .git/worktree-hooks/ports`
		with    = `rm -rf ../data/agent-worktree/ports; cp -R ../held ../data/agent-worktree/ports; echo 10 >.git/worktree-hooks/ports`
		without = `rm -rf ../data/agent-worktree/ports; rm -f .git/worktree-hooks/ports`
		claimed = `test "$(ls ../data/agent-worktree/ports | wc -l)" -eq "$1"`
	)
	r.many(n)
	r.sh(hold, fmt.Sprint(held))
	last := fmt.Sprintf("w%d", held+1)
	init := func(prepare string) side {
		return side{prepare: r.do(prepare, ""), run: func(int) *exec.Cmd {
			cmd := r.cmd("aw-init")
			cmd.Dir = r.worktree(last)
			return cmd
		}}
	}
	ours, less := init(with), init(without)
	ours.after = func(int) error { return r.sh(claimed, fmt.Sprint(held+1)) }
	return trial{less: less, ours: ours}
}

// worktree is where one of ours is.
func (r *repo) worktree(name string) string {
	found, _ := filepath.Glob(r.path("data", "agent-worktree", "*", name))
	if len(found) != 1 {
		return r.path("missing")
	}
	return found[0]
}

// removedBefore removes a worktree when the trash and the anchors of n others are there.
func removedBefore(r *repo, n int) trial {
	const clear = `rm -rf ../data/agent-worktree/trash/*/"$1".*; git update-ref -d "refs/heads/$1"
git for-each-ref --format='delete %(refname)' "refs/agent-worktree/removed/$1" | git update-ref --stdin`
	r.removed(n)
	t := r.removing()
	t.ours.after = r.do(clear, "x")
	return t
}

// memories are the rows about memory; only our own process counts, not the git it starts.
var memories = []row{
	{name: "ls over 1000, memory", target: 40, unit: "MB", setup: func(r *repo) trial {
		r.many(1000)
		return trial{memory: true, ours: r.plain("aw-ls")}
	}},
	{name: "prune over 200, memory", target: 40, unit: "MB", setup: func(r *repo) trial {
		r.files(10)
		t := r.pruning(200, false)
		t.ours.run = func(int) *exec.Cmd { return r.cmd("aw-prune") }
		return trial{memory: true, ours: t.ours}
	}},
}

var ports = []row{
	{name: "port claim, 99 of 100 units held", target: 30, unit: "ms", short: true,
		setup: func(r *repo) trial { return claiming(r, 100, 99) }},
}

// tools are one row for each tool: its start beside hello's.
var tools = starting()

func starting() (rows []row) {
	names := []string{"agent-worktree", "aw-latest"}
	for _, v := range verbs.All {
		names = append(names, v.Binary)
	}
	for _, tool := range names {
		rows = append(rows, row{name: "start of " + tool, tool: tool, target: 2, short: true, setup: func(r *repo) trial {
			return trial{floor: r.plain("hello"), ours: r.plain(tool, "--version")}
		}})
	}
	return rows
}
