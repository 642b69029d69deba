//go:build unix

package tests

// stateDeeds are about how a worktree stands.
var stateDeeds = []deed{
	{code: "not_registered", run: "agent-worktree remove a",
		says: "to see the registered ones, run agent-worktree ls; to make it, run {}"},
	{code: "not_registered", name: "ls", world: "aw create a", run: "agent-worktree remove b",
		says: "to see the registered ones, run {}; to make it, run …", why: whyName, again: "agent-worktree remove a"},
	{code: "not_registered", name: "yes", world: "aw create a", run: "agent-worktree prune --yes b",
		says: "{} lists the worktrees that --yes may name", why: whyName, again: "agent-worktree prune --yes a"},

	{code: "unmanaged", world: "mkdir -p $P; touch $P/file", run: "agent-worktree create a",
		says: "move it away, or when nothing in it is needed {}"},
	{code: "unmanaged", name: "moved away", world: "mkdir -p $P", run: "agent-worktree create a",
		says: "move it away, or when nothing in it is needed rm -r …", hand: "mv $P $T/away", why: whyPlace},
	{code: "unmanaged", name: "remove", world: "mkdir -p ${P%/*}; ln -s nowhere $P", run: "agent-worktree remove a", left: "not_registered",
		says: "move it away, or when nothing in it is needed {}"},
	{code: "unmanaged", name: "git's", world: "mkdir -m 700 -p $STORE ${P%/*}; git worktree add -q --lock $P", run: "agent-worktree create a",
		says: "move it away, or when nothing in it is needed {}"},

	{code: "not_a_worktree", world: "aw create a; git worktree remove $P; mkdir $P", run: "agent-worktree create a",
		says: "move its files away, or when nothing in it is needed {}; then {}"},
	{code: "not_a_worktree", name: "moved away", world: "aw create a; git worktree remove $P; mkdir $P", run: "agent-worktree remove a", left: "not_registered",
		says: "move its files away, or when nothing in it is needed rm -r …; then {}", hand: "mv $P $T/away", why: whyPlace},
	{code: "not_a_worktree", name: "broken", world: "aw create a; rm $P/.git", run: "agent-worktree create a",
		says: "move its files away, or when nothing in it is needed {}; then {}"},
	{code: "not_a_worktree", name: "client", run: "agent-worktree hook <$T/event",
		world: "git config extensions.worktreeConfig true; aw create a; git -C $P config --worktree core.worktree $T; create_event a",
		says:  "look for core.worktree in {} and unset it", hand: "git -C $P config --worktree --unset core.worktree", why: "the setting may be in any of git's files"},

	{code: "legacy_location", name: "keep", world: legacyWorld, run: "agent-worktree create a",
		says: "keep it: {}; or drop it: …"},
	{code: "legacy_location", name: "drop", world: legacyWorld, run: "agent-worktree remove a", left: "not_registered",
		says: "keep it: …; or drop it: {}"},

	{code: "legacy_location", name: "locked", world: legacyWorld + "git worktree lock .claude/worktrees/a", run: "agent-worktree create a",
		says: "keep it: {}; or drop it: …"},

	{code: "primary_copied", world: "aw create a; cp -a $T/repo $T/copy", in: "$T/copy", run: "agent-worktree create a",
		says: "work in …, or run {} here, which only drops this copy's own record"},
	{code: "primary_copied", name: "original", world: "aw create a; cp -a $T/repo $T/copy", in: "$T/copy", run: "agent-worktree remove a",
		says: "work in …, or run agent-worktree prune here, which only drops this copy's own record",
		why:  whyPlace, again: "cd $T/repo; agent-worktree remove a"},
	{code: "checked_out", name: "in a copy", world: "aw create a; cp -a $T/repo $T/copy", in: "$T/copy", run: "agent-worktree create --branch a b",
		says: "choose another name, or work in …, or run {} here, which only drops this copy's own record"},
	{code: "primary_moved", world: "aw create a; mv $T/repo $T/moved", in: "$T/moved", run: "agent-worktree create a",
		says: "move the clone back; or {}"},
	{code: "primary_moved", name: "locked", world: "aw create a; git worktree lock $P; mv $T/repo $T/moved", in: "$T/moved", run: "agent-worktree create a",
		says: "move the clone back; or {}"},
	{code: "primary_moved", name: "back", world: "aw create a; mv $T/repo $T/moved", in: "$T/moved", run: "agent-worktree remove a",
		says: "move the clone back; or …", hand: "mv $T/moved $T/repo; mkdir $T/moved", why: whyPlace, again: "cd $T/repo; agent-worktree remove a"},
	{code: "primary_moved", name: "and gone", world: "aw create a; rm -r $P; mv $T/repo $T/moved", run: "cd $T/moved || cd $T/repo; agent-worktree remove a",
		says: "move the clone back to …, and run {} there", hand: "mv $T/moved $T/repo", why: whyPlace, left: "not_registered"},
}

const legacyWorld = `mkdir -p .claude/worktrees .git/agent-worktrees
git worktree add -q .claude/worktrees/a
echo '{"setup":"finished"}' >.git/agent-worktrees/a.json
`

// goneDeeds are about a worktree whose directory is not to be had.
var goneDeeds = []deed{
	{code: "orphaned", world: "aw create a; rm -r $P", run: "agent-worktree create a",
		says: "if it was moved, …; if it is gone for good, run {}"},
	{code: "orphaned", name: "remove", world: "aw create a; git worktree remove $P", run: "agent-worktree remove a", left: "not_registered",
		says: "if it was moved, …; if it is gone for good, run {}"},
	{code: "orphaned", name: "moved", world: "aw create a; mv $P $T/new", run: "agent-worktree create a",
		says: "if it was moved, run {}; if it is gone for good, run …", pick: "$T/new $T/new"},
	{code: "orphaned", name: "locked", world: "aw create a; git worktree lock $P; rm -r $P", run: "agent-worktree remove a", left: "not_registered",
		says: "if it was moved, …; if it is gone for good, run {}"},
	{code: "orphaned", name: "torn", world: "aw create a; rm -r $P; program .git/worktree-hooks/teardown false", run: "agent-worktree remove a", left: "not_registered",
		says: "if it was moved, …; if it is gone for good, run {}", hand: "program .git/worktree-hooks/teardown true", why: whyMend},

	{code: "unreachable", name: "back", world: "aw create a; mv ${P%/*} $T/disk", run: "agent-worktree remove a",
		says: "bring it back; or, when it is gone for good, …", hand: "mv $T/disk ${P%/*}", why: "it is a disk to be mounted"},
	{code: "unreachable", name: "gone", world: "aw create a; mv ${P%/*} $T/disk", run: "agent-worktree create a",
		says: "bring it back; or, when it is gone for good, {}"},
	{code: "unreachable", name: "another's", world: "aw create a; rm -r $P; git init -q $P", run: "agent-worktree create a",
		says: "move … away, then {}", hand: "mv $P $T/away", why: whyPlace},
	{code: "unreachable", name: "moved", world: "aw create a; git worktree move $P $T/new", run: "agent-worktree create a"},
	{code: "unreachable", name: "moved and locked", world: "aw create a; git worktree move $P $T/new; git worktree lock $T/new", run: "agent-worktree create a"},

	{code: "exists", world: "aw create a; aw remove a; aw create a", run: "agent-worktree restore a",
		says: "{}, then agent-worktree restore with the entry's whole name from {}"},
	{code: "exists", name: "pending", world: "aw create a; aw remove a; program .git/worktree-hooks/setup false; ! aw create a; rm .git/worktree-hooks/setup", run: "agent-worktree restore a",
		says: "to finish it, run agent-worktree create a; to bring back another, {}, then agent-worktree restore with the entry's whole name from {}"},
	{code: "exists", name: "finished", world: "aw create a; aw remove a; aw create a; aw remove a; program .git/worktree-hooks/setup false; ! aw restore a; rm .git/worktree-hooks/setup", run: "agent-worktree restore a",
		says: "to finish it, run {}; to bring back another, …", why: "the restore is done by then", again: "agent-worktree create a"},
	{code: "exists", name: "gone", world: "aw create a; aw remove a; aw create a; rm -r $P", run: "agent-worktree restore a",
		says: "mend the teardown hook where that failed, then {}, then {}", why: "the act has done it", again: "agent-worktree create a"},
	{code: "exists", name: "locked", world: "aw create a; aw remove a; aw create a; git worktree lock $P; rm -r $P", run: "agent-worktree restore a",
		says: "mend the teardown hook where that failed, then {}, then {}", why: "the act has done it", again: "agent-worktree create a"},
	{code: "exists", name: "torn", world: "aw create a; aw remove a; aw create a; rm -r $P; program .git/worktree-hooks/teardown false; ! aw prune", run: "agent-worktree restore a",
		says: "mend the teardown hook where that failed, then {}, then {}", hand: "rm .git/worktree-hooks/teardown", why: whyMend, again: "agent-worktree create a"},
	{code: "exists", name: "unreachable", world: "aw create a; aw remove a; aw create a; rm -r ${P%/*}", run: "agent-worktree restore a",
		says: "bring it back; or, when it is gone for good, {}; then {}", why: "the act has done it", again: "agent-worktree create a"},
	{code: "exists", name: "unmanaged", world: "aw create a; aw remove a; mkdir $P", run: "agent-worktree restore a",
		says: "move it away, or when nothing in it is needed {}; then {}", why: "the act has done it", again: "agent-worktree create a"},
	{code: "exists", name: "listed", world: "aw create a; aw remove a; git worktree add -q $P a; rm -r $P", run: "agent-worktree restore a",
		says: "{}, then {}", why: "the act has done it", again: "agent-worktree create a"},

	{code: "not_removed", world: "aw create a; aw remove a", run: "agent-worktree restore b",
		says: "to see what can come back, run {}", why: whyName, again: "agent-worktree restore a"},
	{code: "not_removed", name: "pending", world: "program .git/worktree-hooks/setup false; ! aw create a; rm .git/worktree-hooks/setup", run: "agent-worktree restore a",
		says: "{} finishes the worktree of that name; to see what can come back, run {}", why: "nothing was removed, and the worktree is there", again: "agent-worktree create a"},
	{code: "not_removed", name: "commit", run: "agent-worktree restore a",
		world: "aw create a; cd $P; echo b >a; commit .; cd $T/repo; git clone -q --bare . $T/origin.git; git remote add origin $T/origin.git; aw remove a; " +
			"git branch -D a; git update-ref --stdin <<END\n$(git for-each-ref --format 'delete %(refname)' refs/agent-worktree)\nEND\n" +
			"git reflog expire --all --expire=now; git gc -q --prune=now",
		says: "fetch it into …, then run {}", hand: "git fetch -q origin a", why: "where the commit still is, only a person knows", again: "agent-worktree create a"},
}
