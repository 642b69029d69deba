//go:build unix

package tests

// removalDeeds are about a removal that stops on its way.
var removalDeeds = []deed{
	{code: "archive_failed", world: keptWorld, run: "agent-worktree remove a", left: "not_registered",
		says: "move or remove …, change the keep hook, or run {}"},
	{code: "archive_failed", name: "moved", world: keptWorld, run: "agent-worktree remove a",
		says: "move or remove …, change the keep hook, or run …", hand: "mv $P/ignored $T/kept", why: whyWork},
	{code: "archive_failed", name: "hook", world: keptWorld, run: "agent-worktree remove a",
		says: "move or remove …, change the keep hook, or run …", hand: "echo other >.git/worktree-hooks/keep", why: whyMend},
	{code: "archive_failed", name: "discard", world: keptWorld, run: "agent-worktree remove --force --discard a", left: "not_registered",
		says: "move or remove …, change the keep hook, or run {}"},
	{code: "archive_failed", name: "several", world: "echo '*.db' >.gitignore; commit .; aw create a; cd $P; printf '\\0' >b.db; printf '\\0' >'c d.db'; mkdir -p $T/repo/.git/worktree-hooks; echo '*.db' >$T/repo/.git/worktree-hooks/keep",
		run: "agent-worktree remove a", says: "move or {}, change the keep hook, or run …", why: "rm is what removes", again: "agent-worktree remove a",
		hand: `printf '#!/bin/sh\nexec rm "$@"\n' >$T/bin/remove; chmod +x $T/bin/remove`},

	{code: "teardown_failed", world: "aw create a; " + brokenTeardown, run: "agent-worktree remove a", left: "not_registered",
		says: "mend … or what it needs, then {}", hand: mendTeardown, why: whyMend},
	{code: "teardown_failed", name: "gone", world: "aw create a; rm -r $P; remove_event $P; " + brokenTeardown, run: "agent-worktree hook <$T/event",
		says: "mend … or what it needs, then {}", hand: mendTeardown, why: whyMend},

	{code: "removals_failed", world: "aw create a; aw create b; touch $P/new", run: `printf 'a\nb\n' | agent-worktree remove -`,
		says: "for a: commit or discard them in …, or run {}; then run this again for what is left",
		why:  "b went the first time, and a with the act", again: "printf '' | agent-worktree remove -"},
	{code: "removals_failed", name: "committed", world: "aw create a; aw create b; touch $P/new", run: `printf 'a\nb\n' | agent-worktree remove -`,
		says: "for a: commit or discard them in …, or run …; then run this again for what is left",
		hand: "commit $P", why: "b went the first time", again: "printf 'a\\n' | agent-worktree remove -"},
	{code: "removals_failed", name: "prune", world: "aw create a; rm -r $P; " + brokenTeardown, run: "agent-worktree prune",
		says: "for a: mend … or what it needs, then {}; then {}", hand: mendTeardown, why: whyMend},
	{code: "removals_failed", name: "prune of two", run: "agent-worktree prune",
		world: "origin; aw create a; rm -r $P; aw create b; git -C ${P%a}b commit -q --allow-empty -m b; git -C ${P%a}b push -q -u origin b b:main; " + brokenTeardown,
		says:  "for a: mend … or what it needs, then agent-worktree prune; for b: mend … or what it needs, then {}; then {}", hand: mendTeardown, why: whyMend},
	{code: "removals_failed", name: "fault", world: "aw create a; echo '{' >.git/agent-worktrees/a.json", run: "echo a | agent-worktree remove -",
		says: "for a: hand it to the owner; then run this again for what is left", hand: `echo '{"setup":"finished"}' >.git/agent-worktrees/a.json`, why: whyOwner},

	{code: "foreign_path", name: "link", world: "aw create a; mv $P $T/elsewhere; ln -s $T/elsewhere $P", run: "agent-worktree remove a",
		says: "put the worktree's own directory back at …, or move what is there away and run …", hand: "rm $P; mv $T/elsewhere $P", why: whyPlace},
	{code: "foreign_path", name: "prune", world: "aw create a; mv $P $T/elsewhere; ln -s $T/elsewhere $P", run: "agent-worktree remove a", left: "not_registered",
		says: "put the worktree's own directory back at …, or move what is there away and run {}", hand: "rm $P", why: whyPlace},

	// What is met once the guards have passed. This git does what another process might.
	{code: "dirty", name: "meanwhile", world: "aw create a; " + meddler + `'*trash*status*' 'git update-ref refs/heads/a $(git commit-tree -p a -m b a^{tree})'`,
		run: "agent-worktree remove a", left: "not_registered"},
	{code: "not_deletable", name: "meanwhile", user: true, world: "aw create a; " + meddler + "'*update-ref*' 'chmod 500 ${P%/*}'",
		run: "agent-worktree remove a", left: "not_registered", says: "make … and … writable, then {}", hand: "chmod 700 ${P%/*}", why: "what the other process was, only a person knows"},
	{code: "not_deletable", name: "bind mount", world: "aw create a; " + mountWorld + "mkdir -p $STORE/trash; chmod 700 $STORE/trash; mkdir -m 700 $STORE/other; mount --bind $STORE/other $STORE/trash",
		run: "agent-worktree remove a", left: "not_registered"},
}

const whyOwner = "a fault is for the owner to look into"

const keptWorld = `aw create a
printf '\0' >$P/ignored
mkdir -p .git/worktree-hooks
echo ignored >.git/worktree-hooks/keep
`

const (
	brokenTeardown = "program .git/worktree-hooks/teardown false"
	mendTeardown   = "program .git/worktree-hooks/teardown true"
)

// meddler is a git that, once, when what it is asked is like the first word behind it, runs
// the second before.
const meddler = `real=$(command -v git)
meddle() { printf '#!/bin/sh\ncase "$GIT_WORK_TREE $*" in %s) [ -e $T/met ] || ( : >$T/met; unset GIT_DIR GIT_WORK_TREE; cd $T/repo; %s ) ;; esac\nexec %s "$@"\n' "$1" "$2" "$real" >$T/bin/git; chmod +x $T/bin/git; }
meddle `
