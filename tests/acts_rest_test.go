//go:build unix

package tests

// otherDeeds are about the command line, the client's events, and the npm launcher.
var otherDeeds = []deed{
	{code: "usage", run: "agent-worktree create a b",
		says: "agent-worktree create [--from <ref>] [--branch <branch>] <name>", why: whyCaller, again: "agent-worktree create a"},
	{code: "usage", name: "command", run: "agent-worktree crate a",
		says: "agent-worktree (…) ..., or {}", why: whyCaller, again: "agent-worktree create a"},
	{code: "usage", name: "internal", run: "aw-latest now", why: "it asks the network", again: "aw-latest --version",
		says: "aw-latest"},
	{code: "tool_not_installed", world: "mkdir $T/lone; cp $BIN/agent-worktree $T/lone", run: "PATH=$T/bin:$T/lone:${PATH#*:*:} agent-worktree create a",
		says: "install aw-create beside agent-worktree, or put it on PATH", hand: "cp $BIN/aw-create $T/lone", why: "where tools come from only a person knows"},
	{code: "tool_not_installed", name: "path", world: "mkdir $T/lone; cp $BIN/agent-worktree $T/lone", run: "PATH=$T/bin:$T/lone:${PATH#*:*:} agent-worktree create a",
		says: "install aw-create beside agent-worktree, or put it on PATH", hand: "cp $BIN/aw-create $T/bin", why: "where tools come from only a person knows"},

	{code: "hook_input", run: "echo a | agent-worktree hook",
		says: "send the event as Claude Code does; by hand, {} and {} do the same", pick: "a a",
		why: "the event is the client's", again: "create_event a; agent-worktree hook <$T/event"},
	{code: "hook_event", run: `echo '{"hook_event_name":"Stop"}' | agent-worktree hook`,
		says: "register agent-worktree hook for WorktreeCreate and WorktreeRemove alone", why: "the event is the client's", again: "create_event a; agent-worktree hook <$T/event"},
	{code: "foreign_path", name: "event", world: "aw create a; remove_event $T/other", run: "agent-worktree hook <$T/event",
		says: "{} lists this project's worktrees and {} removes one; anything else is removed by hand", pick: "a",
		why: "the event is the client's", again: "remove_event $P; agent-worktree hook <$T/event"},

	{code: "no_build_for_platform", world: npmWorld + `printf '#!/bin/sh\necho Plan9\n' >$T/bin/uname; chmod +x $T/bin/uname`, run: launched,
		says: "run it on Linux or macOS, on x64 or arm64", hand: "rm $T/bin/uname", why: "another machine is for a person to find"},
	{code: "platform_package_missing", world: npmWorld + "mv $T/npm/node_modules $T/away", run: launched,
		says: "npm install -g @cniska/agent-worktree, without --omit=optional or --no-optional", hand: "mv $T/away $T/npm/node_modules", why: "no registry is to be asked here"},
	{code: "binary_not_executable", world: npmWorld + "chmod -x $build/*", run: launched,
		says: "{}, or npm install -g @cniska/agent-worktree"},
	{code: "binary_not_executable", name: "missing", world: npmWorld + "rm $build/*", run: launched,
		says: "…, or npm install -g @cniska/agent-worktree", hand: npmWorld, why: "no registry is to be asked here"},
}

// npmWorld is the npm package and that of its platform's build.
const npmWorld = `case $(uname -s) in Darwin) os=darwin ;; *) os=linux ;; esac
case $(uname -m) in arm64 | aarch64) arch=arm64 ;; *) arch=x64 ;; esac
build=$T/npm/node_modules/@cniska/agent-worktree-$os-$arch/bin
mkdir -p $T/npm/bin $build
cp $ROOT/packaging/npm/shim.sh $T/npm/bin/agent-worktree
chmod +x $T/npm/bin/agent-worktree
cp $BIN/agent-worktree $build
`

const launched = "$T/npm/bin/agent-worktree ls"

// faultDeeds are about what is no refusal. Its act is the owner's, who mends it here.
var faultDeeds = []deed{
	{code: "git_failed", world: "echo '[' >>.git/config", run: "agent-worktree create a",
		says: "hand this error to the owner", hand: "sed -i.old '$d' .git/config", why: whyOwner},
	{code: "ledger_corrupt", world: "aw create a; echo '{' >.git/agent-worktrees/a.json", run: "agent-worktree create a",
		says: "hand this error to the owner", hand: `echo '{"setup":"finished"}' >.git/agent-worktrees/a.json`, why: whyOwner},
	{code: "internal", world: "mkdir -p .git/agent-worktrees/.a.lock", run: "agent-worktree create a",
		says: "hand this error to the owner", hand: "rmdir .git/agent-worktrees/.a.lock", why: whyOwner},
}
