//go:build unix

package tests

const (
	whyMachine = "what is installed on the machine is a person's to say"
	withoutGit = "PATH=$T/bin:$BIN agent-worktree doctor"
)

// doctorDeeds are about what doctor finds, each with a fix, and about the quiet
// worktrees that prune names, each with an advice.
var doctorDeeds = []deed{
	{row: "result.checks.git.fix", name: "git", run: withoutGit,
		says: "install git, or put its directory on PATH", hand: "ln -s $(command -v git) $T/bin/git", why: whyMachine},
	{row: "result.checks.project.fix", name: "git of project", run: withoutGit,
		says: "clear the check git, then {}", hand: "ln -s $(command -v git) $T/bin/git", why: whyMachine},
	{row: "result.checks.git.fix", name: "git fails", world: `printf '#!/bin/sh\nexit 1\n' >$T/bin/git; chmod +x $T/bin/git`, run: "agent-worktree doctor",
		says: "mend what … --version says, or install git anew", hand: "rm $T/bin/git", why: whyMachine},
	{row: "result.checks.git.fix", name: "git is old", run: "agent-worktree doctor",
		world: `printf '#!/bin/sh\ncase $* in *version) echo git version 2.30.0 ;; *) exec %s "$@" ;; esac\n' $(command -v git) >$T/bin/git; chmod +x $T/bin/git`,
		says:  "install git 2.39 or newer", hand: "rm $T/bin/git", why: whyMachine},
	{row: "result.checks.agent-worktree.fix", name: "not on PATH", world: "mkdir $T/tools; cp $BIN/* $T/tools", run: "PATH=$T/bin:${PATH#*:*:} $T/tools/aw-doctor",
		says: "install agent-worktree, and put its directory on the PATH Claude Code starts with", hand: "cp $BIN/* $T/bin", why: whyMachine},
	{row: "result.checks.agent-worktree.fix", name: "not whole", world: "mkdir $T/tools; cp $BIN/aw-doctor $T/tools; cp $BIN/agent-worktree $T/bin", run: "PATH=$T/bin:${PATH#*:*:} $T/tools/aw-doctor",
		says: "install all of agent-worktree … in one directory, which comes first on the PATH Claude Code starts with (now … does)", hand: "cp $BIN/* $T/bin", why: whyMachine},

	{row: "result.checks.port-blocks.fix", name: "gone", world: claimWorld + "claim $T/repo/.git/agent-worktrees/b.json", run: "agent-worktree doctor"},
	{row: "result.checks.port-blocks.fix", name: "gone, from outside", world: claimWorld + "claim $T/repo/.git/agent-worktrees/b.json", in: "$T", run: "agent-worktree doctor",
		pick: "$T/repo"},
	{row: "result.checks.port-blocks.fix", name: "corrupt", world: claimWorld + "echo x >$STORE/ports/24000", run: "agent-worktree doctor",
		says: "when no worktree's programs use those ports, {}"},
	{row: "result.checks.port-blocks.fix", name: "unreadable", user: true, world: claimWorld + "chmod 0 $STORE/ports", run: "agent-worktree doctor"},
	{row: "result.checks.ports a.fix", name: "unreadable", user: true, world: "aw create a; " + claimWorld + "chmod 0 $STORE/ports", run: "agent-worktree doctor",
		says: "clear the check port-blocks", hand: "chmod 700 $STORE/ports", why: "the other check has the act"},

	{row: "result.checks.project.fix", name: "outside", in: "$T", run: "agent-worktree doctor",
		says: "cd to a git checkout and run the command again", why: whyPlace, again: "cd $T/repo; agent-worktree doctor"},
	{row: "result.checks.project.fix", name: "git", world: "echo '[' >>.git/config", run: "agent-worktree doctor",
		says: "mend what git -C … worktree list says", hand: "sed -i.old '$d' .git/config", why: whyOwner},
	{row: "result.checks.project.fix", name: "file system", world: "mkdir -p $STORE/trash; chmod 700 $STORE/trash; key=${P%/a}; mkdir -m 700 $STORE/trash/${key##*/}; chmod 0 $STORE/trash/${key##*/}",
		user: true, run: "agent-worktree doctor", says: "mend what it names, or hand this to the owner", hand: "chmod -R u+rwx $STORE/trash", why: whyOwner},
	{row: "result.checks.project.fix", name: "copied", world: "aw create a; cp -a $T/repo $T/copy", in: "$T/copy", run: "agent-worktree doctor",
		says: "{}, which drops only this copy's own record of them"},
	{row: "result.checks.project.fix", name: "moved", world: "aw create a; mv $T/repo $T/moved", in: "$T/moved", run: "agent-worktree doctor",
		says: "move it back, or clear the checks of these worktrees", hand: "mv $T/moved $T/repo; mkdir $T/moved", why: whyPlace, again: "cd $T/repo; agent-worktree doctor"},
	{row: "result.checks.worktree a.fix", name: "moved", world: "aw create a; mv $T/repo $T/moved", in: "$T/moved", run: "agent-worktree doctor",
		says: "move the clone back; or {}"},
	{row: "result.checks.project.fix", name: "half made", world: "mkdir .git/agent-worktrees; echo '{\"setup\":\"making\",\"branch\":\"a\",\"cut\":true,\"base\":\"'$(git rev-parse HEAD)'\"}' >.git/agent-worktrees/a.json", run: "agent-worktree doctor"},
	{row: "result.checks.project.fix", name: "large", world: largeWorld, run: "agent-worktree doctor",
		says: "agent-worktree prune, which drops the old ones; or {}", why: "what is needed no more is a person's to say", pick: "", hand: "rm -rf $STORE/trash/*/*"},
	{row: "result.checks.project.fix", name: "large and old", world: largeWorld + "for e in $STORE/trash/*/*; do mv $e ${e%.*}.20200101T000000Z; done", run: "agent-worktree doctor",
		says: "{}, which drops the old ones; or rm -rf what you need no more in …"},
	{row: "result.checks.project.fix", name: "cut short", world: "aw create a; aw remove a; sed -i.old s/removed/removing/ $STORE/trash/*/*/entry.json", run: "agent-worktree doctor"},
	{row: "result.checks.project.fix", name: "cut short before", world: "aw create a; aw remove a; aw create a; rm -r $STORE/trash/*/*/tree; sed -i.old s/removed/removing/ $STORE/trash/*/*/entry.json", run: "agent-worktree doctor"},
	{row: "result.checks.project.fix", name: "coming back", world: "aw create a; touch $P/new; aw remove --force a; sed -i.old s/removed/restoring/ $STORE/trash/*/*/entry.json", run: "agent-worktree doctor"},

	{row: "result.checks.worktree a.fix", name: "pending", world: "aw create a; echo '{\"setup\":\"pending\"}' >.git/agent-worktrees/a.json", run: "agent-worktree doctor"},
	{row: "result.checks.worktree a.fix", name: "corrupt", world: "aw create a; echo '{' >.git/agent-worktrees/a.json", run: "agent-worktree doctor",
		says: "mend it; or {}"},
	{row: "result.checks.worktree a.fix", name: "corrupt and gone", world: "mkdir .git/agent-worktrees; echo '{' >.git/agent-worktrees/a.json", run: "agent-worktree doctor",
		says: "mend it; or {}"},
	{row: "result.checks.ports a.fix", name: "too many", world: "aw create a; " + claimWorld + "claim $T/repo/.git/agent-worktrees/a.json", run: "agent-worktree doctor"},
	{row: "result.checks.ports a.fix", name: "none", world: "aw create a; mkdir .git/worktree-hooks; echo 10 >.git/worktree-hooks/ports", run: "agent-worktree doctor"},
	{row: "result.checks.ports a.fix", name: "too few", world: "aw create a; mkdir .git/worktree-hooks; echo 20 >.git/worktree-hooks/ports; " + claimWorld + "claim $T/repo/.git/agent-worktrees/a.json", run: "agent-worktree doctor"},
	{row: "result.checks.ports a.fix", name: "invalid", world: "aw create a; mkdir $P/.worktree-hooks; echo ten >$P/.worktree-hooks/ports", run: "agent-worktree doctor",
		says: "in …: write the number anew with {}", pick: "10"},

	{row: "result.quiet.a.advice", name: "quiet", world: quietWorld + "age", run: "agent-worktree prune --dry-run",
		says: "open a pull request if the work is wanted, else {}"},
	{row: "result.quiet.a.advice", name: "quiet with caches", world: quietWorld + "touch ignored; age", run: "agent-worktree prune --dry-run",
		says: "open a pull request if the work is wanted, else {}; its 1 ignored paths go to the trash with it"},
	{row: "result.quiet.a.advice", name: "quiet and dirty", world: quietWorld + "echo >new; touch -t 202001010000 new; age", run: "agent-worktree prune --dry-run",
		says: "commit or discard them in …, or run {}"},
	{row: "result.quiet.a.advice", name: "quiet and full", world: quietWorld + "git worktree add -q $P/ignored/b; age", run: "agent-worktree prune --dry-run",
		says: "{}, then {}"},
	{row: "result.quiet.a.advice", name: "quiet with no remote", world: "aw create a; cd $P; " + age + "age", run: "agent-worktree prune --dry-run",
		says: "check its branch for work first, then {}"},
}

// claimWorld can claim the first unit of ports for a ledger entry.
const claimWorld = `mkdir -p -m 700 $STORE $STORE/ports
claim() { printf '{"version":1,"entry":"%s"}\n' $1 >$STORE/ports/24000; }
`

// largeWorld has much in the trash, which the process that slims it is done with.
const largeWorld = `aw create a
truncate -s 3G $P/new
aw remove --force a
i=0
while grep -q '"slim": true' $STORE/trash/*/*/entry.json && [ $i -lt 500 ]; do
	sleep 0.02
	i=$((i + 1))
done
`

const age = `age() { GIT_COMMITTER_DATE=2020-01-01T00:00:00 git commit -q --amend --allow-empty --no-edit; touch -t 202001010000 .git; }
`

const quietWorld = `origin
aw create a
cd $P
git commit -q --allow-empty -m work
` + age
