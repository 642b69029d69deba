//go:build unix

package tests

// Why a shell cannot do an act, where several have one reason.
const (
	whyName   = "the name is a person's to choose, and the command another one then"
	whyPlace  = "where to go, or what to put there, is a person's to know"
	whyMend   = "only a person knows what is wrong with the hook"
	whyCaller = "the command line is wrong, so another one is run"
)

// nameDeeds are about names, places and repositories.
var nameDeeds = []deed{
	{code: "invalid_name", run: "agent-worktree create bad/name",
		says: "choose a name of letters, digits, dots, underscores and dashes, such as task-a",
		why:  whyName, again: "agent-worktree create task-a"},
	{code: "case_collision", name: "worktree", world: "aw create a", run: "agent-worktree create A",
		says: "use a, or choose another name", why: whyName, again: "agent-worktree create a"},
	{code: "case_collision", name: "branch", world: "git branch feat/x", run: "agent-worktree create --from HEAD --branch Feat/x a",
		says: "use feat/x, or choose another name", why: whyName, again: "agent-worktree create --from HEAD --branch other a"},

	{code: "unsupported_layout", name: "link", world: "mv .git $T/git; ln -s $T/git .git", run: "agent-worktree ls",
		says: "run it in an ordinary clone, whose .git is a directory in the checkout",
		hand: "git clone -q $T/repo $T/clone", why: whyPlace, again: "cd $T/clone; agent-worktree ls"},
	{code: "unsupported_layout", name: "inside", in: "$T/repo/.git/refs", run: "agent-worktree ls",
		says: "{} and run the command again", goes: true},
	{code: "unsupported_layout", name: "bare", world: "git config core.bare true", run: "agent-worktree create a"},
	{code: "unsupported_layout", name: "worktree", world: "git config --add core.worktree $T; git config --add core.worktree $T/bin",
		run: "agent-worktree create a"},
	{code: "unsupported_layout", name: "control byte", world: `mv $T/repo "$T/re	po"; printf '{"hook_event_name":"WorktreeCreate","cwd":"%s","name":"a"}' "$T/re\\tpo" >$T/event`,
		in: "$T", run: "agent-worktree hook <$T/event", says: "give the directory a name without control bytes",
		hand: `mv "$T/re	po" $T/repo; create_event a`, why: whyName},

	{code: "not_a_checkout", name: "outside", in: "$T", run: "agent-worktree ls",
		says: "cd to a git checkout and run the command again", why: whyPlace, again: "cd $T/repo; agent-worktree ls"},
	{code: "not_a_checkout", name: "gone", run: "mkdir $T/dir; cd $T/dir; rmdir $T/dir; agent-worktree ls",
		says: "cd to a git checkout and run the command again", why: whyPlace, again: "cd $T/repo; agent-worktree ls"},
	{code: "not_a_checkout", name: "repair", world: "aw create a; mv $T/repo $T/moved", in: "$P", run: "agent-worktree ls",
		says: "run {} in the clone it belongs to, or cd to another checkout",
		hand: "git -C $T/moved worktree repair $P", why: whyPlace},
	{code: "not_a_checkout", name: "trash", world: "aw create a; touch $P/new; aw remove --force a", in: "$(echo $STORE/trash/*/a.*/tree)",
		run: "agent-worktree ls", says: "{} and run the command again", goes: true},

	{code: "not_a_managed_checkout", name: "primary", world: "git worktree add -q $T/other", in: "$T/other", run: "agent-worktree init",
		says: "{}, or make a worktree with agent-worktree create <name>", goes: true},
	{code: "not_a_managed_checkout", name: "create", world: "git worktree add -q $T/other", in: "$T/other", run: "agent-worktree init",
		says: "cd … && agent-worktree init, or make a worktree with {}", pick: "a",
		why: whyPlace, again: "cd $P; agent-worktree init"},

	{code: "unsafe_store", name: "control byte", world: `printf 'export XDG_DATA_HOME="%s"' "$T/da	ta" >$T/profile`,
		run: ". $T/profile; agent-worktree create a", says: "set XDG_DATA_HOME to a path without control bytes",
		hand: "echo export XDG_DATA_HOME=$T/data >$T/profile", why: whyName},
	{code: "unsafe_store", name: "no directory above", world: "touch $T/data", run: "agent-worktree create a",
		says: "move it out of the way with {}"},
	{code: "unsafe_store", name: "unwritable", user: true, world: "mkdir $T/data; chmod 555 $T/data", run: "agent-worktree create a"},
	{code: "unsafe_store", name: "not ours to write", user: true, world: "root; mkdir $T/data; chown 1234 $T/data", run: "agent-worktree create a",
		says: "make … a directory that you can write to, or set XDG_DATA_HOME to one", hand: "chown 0 $T/data", why: "the account that has it is to be asked"},
	{code: "unsafe_store", name: "link", world: "mkdir -p $STORE $T/elsewhere; ln -s $T/elsewhere ${P%/*}", run: "agent-worktree create a",
		says: "put a real directory in its place, or set XDG_DATA_HOME to another directory", hand: "rm ${P%/*}", why: whyPlace},
	{code: "unsafe_store", name: "file", world: "mkdir -p $STORE; touch ${P%/*}", run: "agent-worktree create a",
		says: "move it out of the way with {}"},
	{code: "unsafe_store", name: "owner", world: "root; mkdir -p $STORE; chown 1234 $STORE", run: "agent-worktree create a"},
	{code: "unsafe_store", name: "mode", world: "mkdir -p $STORE; chmod 777 $STORE", run: "agent-worktree create a"},

	{code: "invalid_config", name: "keepDays", world: "git config agent-worktree.keepDays soon", run: "agent-worktree prune"},
	{code: "invalid_config", name: "quietDays", world: "git config agent-worktree.quietDays 0", run: "agent-worktree prune --dry-run"},
	{code: "invalid_config", name: "deleteRemoteBranch", run: "agent-worktree remove a",
		world: "origin; aw create a; git config agent-worktree.deleteRemoteBranch perhaps"},
	{code: "invalid_config", name: "trust", run: "agent-worktree create a",
		world: "git branch a; program .worktree-hooks/setup true; commit .; git branch -f a; program .worktree-hooks/setup :; git config agent-worktree.trust no", left: "untrusted_hook"},
	{code: "invalid_config", name: "twice", run: "agent-worktree prune",
		world: "git config --add agent-worktree.keepDays soon; git config --add agent-worktree.keepDays later"},

	{code: "in_hook", name: "itself", world: `program .git/worktree-hooks/setup 'agent-worktree create a 2>$T/inner'`,
		run: "agent-worktree create a >/dev/null 2>&1; cat $T/inner >&2; false", says: "leave agent-worktree out of the hook, or run it there for another worktree",
		hand: "program .git/worktree-hooks/setup true", why: whyMend, again: "agent-worktree create a"},
	{code: "in_hook", name: "another", world: `program .git/worktree-hooks/setup 'agent-worktree create a 2>$T/inner'`,
		run: "agent-worktree create a >/dev/null 2>&1; cat $T/inner >&2; false", says: "leave agent-worktree out of the hook, or run it there for another worktree",
		hand: `program .git/worktree-hooks/setup '[ $WORKTREE_NAME = b ] || agent-worktree create b'`, why: whyMend, again: "agent-worktree create a"},
}
