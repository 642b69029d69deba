//go:build unix

package tests

// hookDeeds are about setup, hooks and ports.
var hookDeeds = []deed{
	{code: "setup_failed", world: "program .git/worktree-hooks/setup false", run: "agent-worktree create a",
		says: "mend … or what it needs, then {}", hand: "program .git/worktree-hooks/setup true", why: whyMend},
	{code: "setup_failed", name: "primary", world: "program .git/worktree-hooks/setup false", run: "agent-worktree init",
		says: "mend … or what it needs, then {}", hand: "program .git/worktree-hooks/setup true", why: whyMend},
	{code: "setup_failed", name: "restore", world: "aw create a; aw remove a; program .git/worktree-hooks/setup false", run: "agent-worktree restore a", left: "not_removed",
		says: "mend … or what it needs, then {}", hand: "program .git/worktree-hooks/setup true", why: whyMend},
	{code: "creates_failed", world: "program .git/worktree-hooks/setup '[ $WORKTREE_NAME = b ]'", run: `printf 'a\nb\n' | agent-worktree create -`,
		says: "for a: mend … or what it needs, then {}; then run this again", hand: "program .git/worktree-hooks/setup true", why: whyMend},

	{code: "hook_not_executable", world: "program .git/worktree-hooks/setup true; chmod -x .git/worktree-hooks/setup", run: "agent-worktree create a",
		says: "make it executable with {}"},
	{code: "hook_not_executable", name: "teardown", world: "aw create a; program .worktree-hooks/teardown true; chmod -x .worktree-hooks/teardown", run: "agent-worktree remove a",
		says: "make it executable with {}"},
	{code: "hook_not_executable", name: "directory", world: "mkdir -p .git/worktree-hooks/setup", run: "agent-worktree create a",
		says: "move it out of the way with {}"},
	{code: "hook_not_executable", name: "fifo", world: "mkdir .git/worktree-hooks; mkfifo .git/worktree-hooks/setup", run: "agent-worktree init",
		says: "move it out of the way with {}"},

	{code: "hook_unrunnable", name: "dangling", world: "mkdir .git/worktree-hooks; ln -s nothing .git/worktree-hooks/setup", run: "agent-worktree create a",
		says: "remove it with {}, or put the file it leads to in place"},
	{code: "hook_unrunnable", name: "in place", world: "mkdir .git/worktree-hooks; ln -s nothing .git/worktree-hooks/setup", run: "agent-worktree create a",
		says: "remove it with …, or put the file it leads to in place", hand: "program .git/worktree-hooks/nothing true", why: whyMend},
	{code: "hook_unrunnable", name: "folder", user: true, world: "program .git/worktree-hooks/setup true; chmod 0 .git/worktree-hooks", run: "agent-worktree init",
		says: "make it readable with {}"},
	{code: "hook_unrunnable", name: "loop", world: "mkdir .git/worktree-hooks; ln -s setup .git/worktree-hooks/setup", run: "agent-worktree create a",
		says: "remove it with {}, or put the file it leads to in place"},
	{code: "hook_unrunnable", name: "interpreter", world: "program .git/worktree-hooks/setup true; sed -i.old 1s:/bin/sh:/bin/nosuch: .git/worktree-hooks/setup", run: "agent-worktree create a",
		says: "mend its first line, such as #!/bin/sh, then try {}", hand: "program .git/worktree-hooks/setup true", why: whyMend},
	{code: "hook_unrunnable", name: "no first line", world: "program .git/worktree-hooks/setup true; sed -i.old 1d .git/worktree-hooks/setup", run: "agent-worktree create a",
		says: "mend its first line, such as #!/bin/sh, then try {}", hand: "program .git/worktree-hooks/setup true", why: whyMend},
	{code: "hook_unrunnable", name: "carriage return", run: "agent-worktree create a",
		world: `command -v perl >$T/out || skip; mkdir .git/worktree-hooks; printf '#!/bin/sh\r\ntrue\r\n' >.git/worktree-hooks/setup; chmod +x .git/worktree-hooks/setup`,
		says:  "give it plain line ends with {}"},
	{code: "hook_unrunnable", name: "loader", run: "agent-worktree create a",
		world: `command -v cc >$T/out || skip; mkdir .git/worktree-hooks; cd .git/worktree-hooks; echo 'int main(void) { return 0; }' >x.c; cc -o setup -Wl,--dynamic-linker=/nosuch x.c || skip`,
		says:  "build it for this system", hand: "cd .git/worktree-hooks; cc -o setup x.c", why: "how it is built only a person knows"},
	{code: "hook_unrunnable", name: "permission", user: true, run: "agent-worktree create a",
		world: `root; program .git/worktree-hooks/setup true; chown 1234:1234 .git/worktree-hooks/setup; chmod 654 .git/worktree-hooks/setup`,
		says:  "make it executable for this account with {}, or mount its file system without noexec", hand: "chown 0 .git/worktree-hooks/setup", why: "that the hook is its owner's to change"},
	{code: "hook_unrunnable", name: "noexec", run: "agent-worktree create a",
		world: mountWorld + "program .git/worktree-hooks/setup true; mount --bind .git/worktree-hooks .git/worktree-hooks; mount -o remount,bind,noexec .git/worktree-hooks",
		says:  "make it executable for this account with …, or mount its file system without noexec", hand: "mount -o remount,bind,exec .git/worktree-hooks", why: "how it is mounted only a person knows"},

	{code: "hook_unwritable", world: "mkdir -p .worktree-hooks/setup", run: "agent-worktree install --setup true",
		says: "move it out of the way with {}"},
	{code: "hook_unwritable", name: "link", world: "ln -s $T .worktree-hooks", run: "agent-worktree install --setup true",
		says: "move it out of the way with {}"},
	{code: "hook_unwritable", name: "file", world: "touch .worktree-hooks", run: "agent-worktree install --setup true",
		says: "move it out of the way with {}"},

	{code: "untrusted_hook", world: strangersWorld, run: "agent-worktree create a", says: "read it, then {}"},
	{code: "untrusted_hook", name: "ports", world: "git config agent-worktree.trust strict; git switch -q -c a; mkdir .worktree-hooks; echo 10 >.worktree-hooks/ports; commit .; git switch -q main",
		run: "agent-worktree create a", says: "read it, then {}"},

	{code: "invalid_ports", world: "mkdir .worktree-hooks; echo ten >.worktree-hooks/ports; commit .", run: "agent-worktree create a",
		says: "write the number anew with {}", pick: "10"},
	{code: "invalid_ports", name: "local", world: "mkdir .git/worktree-hooks; echo 1001 >.git/worktree-hooks/ports", run: "agent-worktree create a",
		says: "write the number anew with {}", pick: "10"},
	{code: "invalid_ports", name: "directory", world: "mkdir -p .git/worktree-hooks/ports", run: "agent-worktree create a",
		says: "move it out of the way with {}, then write the number anew with {}", pick: "10"},
	{code: "invalid_ports", name: "folder", user: true, world: "mkdir .git/worktree-hooks; echo 10 >.git/worktree-hooks/ports; chmod 0 .git/worktree-hooks", run: "agent-worktree create a",
		says: "make it readable with {}"},
	{code: "invalid_ports", name: "unreadable", user: true, world: "mkdir .git/worktree-hooks; echo 10 >.git/worktree-hooks/ports; chmod 0 .git/worktree-hooks/ports", run: "agent-worktree create a",
		says: "write the number anew with {}", pick: "10"},

	{code: "no_free_ports", name: "remove", world: "aw create b; " + fullWorld, run: "agent-worktree create a",
		says: "{} of one that is done, mend … and agent-worktree prune, or agent-worktree prune in another clone; then {}", pick: "b"},
	{code: "no_free_ports", name: "teardown", world: "aw create b; rm -r ${P%a}b; " + brokenTeardown + "; " + fullWorld, run: "agent-worktree create a",
		says: "agent-worktree remove <name> of one that is done, mend the teardown of one whose directory is gone and {}, or agent-worktree prune in another clone; then {}",
		hand: mendTeardown, why: whyMend},
	{code: "no_free_ports", name: "clone", run: "agent-worktree create a",
		world: "git clone -q . $T/clone; cd $T/clone; aw create b; rm -r $(path b); cd $T/repo; c=$T/clone/.git/agent-worktrees/b.json; " + fullWorld,
		says:  "agent-worktree remove <name> of one that is done, mend … and agent-worktree prune, or agent-worktree prune in another clone; then {}",
		hand:  "cd $T/clone; agent-worktree prune", why: whyPlace},
}

// strangersWorld is a branch a whose setup hook is not the primary's, where trust is strict.
const strangersWorld = `git config agent-worktree.trust strict
git switch -q -c a
program .worktree-hooks/setup true
commit .
git switch -q main
`

// fullWorld has every unit of ports held by the worktree b, or by the entry $c.
const fullWorld = `mkdir -p -m 700 $STORE/ports .git/worktree-hooks
echo 10 >.git/worktree-hooks/ports
i=24000
while [ $i -lt 25000 ]; do
	printf '{"version":1,"entry":"%s"}\n' ${c:-$T/repo/.git/agent-worktrees/b.json} >$STORE/ports/$i
	i=$((i + 10))
done
`
