//go:build unix

package tests

const whyWork = "what is to become of the work is a person's to say"

// guardDeeds are about what keeps a worktree from going.
var guardDeeds = []deed{
	{code: "dirty", world: "aw create a; touch $P/new; echo b >$P/a", run: "agent-worktree remove a", left: "not_registered",
		says: "commit or discard them in …, or run {}"},
	{code: "dirty", name: "committed", world: "aw create a; touch $P/new; echo b >$P/a", run: "agent-worktree remove a",
		says: "commit or discard them in …, or run …", hand: "commit $P", why: whyWork},
	{code: "dirty", name: "discarded", world: "aw create a; touch $P/new; echo b >$P/a", run: "agent-worktree remove a",
		says: "commit or discard them in …, or run …", hand: "git -C $P stash -q -u", why: whyWork},
	{code: "dirty", name: "hidden", run: "agent-worktree remove a",
		world: "echo b >b; commit .; aw create a; cd $P; git update-index --assume-unchanged a; git update-index --skip-worktree b; echo c >a; echo c >b",
		says:  "run {} so that git shows the edits, commit or discard them in …, or run …", again: "commit $P; agent-worktree remove a", why: whyWork},
	{code: "dirty", name: "much hidden", run: "agent-worktree remove a",
		world: "for i in 0 1 2 3 4 5 6 7 8 9 10 11 12; do echo b >f$i; done; commit .; aw create a; cd $P; git update-index --assume-unchanged f*; for i in f*; do echo c >$i; done",
		says:  "run {} so that git shows the edits, commit or discard them in …, or run …", again: "commit $P; agent-worktree remove a", why: whyWork},
	{code: "dirty", name: "rebase", world: "aw create a; " + conflicting + "! git rebase -q main 2>/dev/null", run: "agent-worktree remove a",
		says: "… rebase --continue, or {}, or run …"},
	{code: "dirty", name: "rebase goes on", world: "aw create a; " + conflicting + "! git rebase -q main 2>/dev/null", run: "agent-worktree remove a",
		says: "{}, or … rebase --abort, or run …", hand: "echo d >$P/a; git -C $P add a", why: whyWork},
	{code: "dirty", name: "merge", world: "aw create a; " + conflicting + "! git merge -q main >/dev/null 2>&1", run: "agent-worktree remove a",
		says: "… merge --continue, or {}, or run …"},
	{code: "dirty", name: "cherry-pick", world: "aw create a; " + conflicting + "! git cherry-pick main >/dev/null 2>&1", run: "agent-worktree remove a",
		says: "… cherry-pick --continue, or {}, or run …"},
	{code: "dirty", name: "sequence", world: "aw create a; " + conflicting + "! git cherry-pick main~1 main >/dev/null 2>&1; git reset -q --hard", run: "agent-worktree remove a",
		says: "… cherry-pick --continue, or {}, or run …"},
	{code: "dirty", name: "revert", world: "aw create a; " + conflicting + "echo d >a; commit .; ! git revert --no-edit HEAD~1 >/dev/null 2>&1", run: "agent-worktree remove a",
		says: "… revert --continue, or {}, or run …"},
	{code: "dirty", name: "am", world: "aw create a; " + conflicting + "git format-patch -q -1 --stdout main >$T/patch; ! git am -q $T/patch >/dev/null 2>&1", run: "agent-worktree remove a",
		says: "… am --continue, or {}, or run …"},
	{code: "dirty", name: "bisect", world: "aw create a; " + conflicting + "git bisect start HEAD HEAD~1 >/dev/null 2>&1", run: "agent-worktree remove a",
		says: "{}, or run …"},
	{code: "dirty", name: "rebase and more", world: "aw create a; " + conflicting + "! git rebase -q main 2>/dev/null; touch new", run: "agent-worktree remove a",
		says: "… rebase --continue, or {}, and commit or discard them in …, or run …", hand: "rm $P/new", why: whyWork},
	{code: "dirty", name: "unjudged", world: "aw create a; echo x >.git/worktrees/a/index", run: "agent-worktree remove a", left: "not_registered",
		says: "… status to see what is wrong, or run {}"},
	{code: "dirty", name: "mended", world: "aw create a; cp .git/worktrees/a/index $T/index; echo x >.git/worktrees/a/index", run: "agent-worktree remove a",
		says: "… status to see what is wrong, or run …", hand: "cp $T/index .git/worktrees/a/index", why: "only a person knows what is wrong with the index"},

	{code: "submodules", world: submoduleWorld, run: "agent-worktree remove a", left: "not_registered",
		says: "push what the submodules in … alone have, then run {}, which moves them whole into the trash"},
	{code: "locked", world: "aw create a; git worktree lock --reason 'pid 1' $P", run: "agent-worktree remove --force a"},
	{code: "locked", name: "gone", world: "aw create a; git worktree lock $P; rm -r $P; remove_event $P", run: "agent-worktree hook <$T/event"},
	{code: "nested_repository", world: nestedWorld, run: "agent-worktree remove a", left: "not_registered",
		says: "git -C … status to see what it has, and push it or move it elsewhere, or run {}"},
	{code: "nested_repository", name: "moved", world: nestedWorld, run: "agent-worktree remove a",
		says: "{} to see what it has, and push it or move it elsewhere, or run …", why: whyWork, again: "mv $P/ignored $T/elsewhere; agent-worktree remove a"},
	{code: "nested_worktree", world: "aw create a; git worktree add -q $P/ignored/b", run: "agent-worktree remove --force a"},
	{code: "nested_worktree", name: "several", world: "aw create a; mkdir $T/b; for i in b c d; do git worktree add -q $P/ignored/$i; done", run: "agent-worktree remove a"},
	{code: "nested_worktree", name: "in one another", world: "aw create a; git worktree add -q $P/ignored/b; git worktree add -q $P/ignored/b/ignored/c", run: "agent-worktree remove a"},
	{code: "nested_worktree", name: "of one name", world: "aw create a; git worktree add -q -b b $P/ignored/x/b; git worktree add -q -b c $P/ignored/y/b", run: "agent-worktree remove a"},
	{code: "nested_worktree", name: "locked", world: "aw create a; git worktree add -q --lock $P/ignored/b", run: "agent-worktree remove a"},
	{code: "mount_inside", world: "aw create a; " + mountWorld + "bind $P/ignored/m", run: "agent-worktree remove --force a"},
	{code: "mount_inside", name: "several", world: "aw create a; " + mountWorld + "bind $P/ignored/m; bind $P/ignored/m/n; bind $P/ignored/o", run: "agent-worktree remove a"},
	{code: "mount_inside", name: "itself", world: "aw create a; " + mountWorld + "mount --bind $P $P", run: "agent-worktree remove a"},

	{code: "not_deletable", name: "parent", user: true, world: "aw create a; chmod 500 ${P%/*}", run: "agent-worktree remove a"},
	{code: "not_deletable", name: "mode", user: true, world: "aw create a; chmod 555 $P", run: "agent-worktree remove a"},
	{code: "not_deletable", name: "owner", world: "root; aw create a; chown 1234 $P; git config --global safe.directory '*'", run: "agent-worktree remove a", left: "not_registered",
		says: "{}, then {}"},
	{code: "not_deletable", name: "trash", user: true, world: "root; aw create a; mkdir $STORE/trash; chown 1234 $STORE/trash", run: "agent-worktree remove a"},
	{code: "not_deletable", name: "elsewhere", world: "aw create a; mkdir $STORE/trash; " + mountWorld + "mount -t tmpfs -o mode=700 none $STORE/trash", run: "agent-worktree remove a", left: "not_registered"},
	{code: "not_deletable", name: "read-only", world: "aw create a; " + mountWorld + "mount --bind ${P%/*} ${P%/*}; mount -o remount,bind,ro ${P%/*}", run: "agent-worktree remove a",
		says: "lift what else keeps … from being written to: a read-only mount, a flag, an access list", hand: "umount ${P%/*}", why: "only a person knows what it is for"},
	{code: "not_deletable", name: "immutable", world: "root; aw create a; chattr +i ${P%/*} 2>/dev/null || skip", run: "agent-worktree remove a",
		says: "lift what else keeps … from being written to: a read-only mount, a flag, an access list", hand: "chattr -i ${P%/*}", why: "only a person knows what it is for"},
}

// conflicting makes a commit in the worktree a and two on main that clash with it, and
// goes to the worktree.
const conflicting = "cd $P; echo b >a; commit .; cd $T/repo; echo c >a; commit .; echo d >>a; commit .; cd $P; "

const submoduleWorld = `git init -q $T/sub
git -C $T/sub commit -q --allow-empty -m sub
aw create a
git -C $P submodule --quiet add $T/sub sub
commit $P
`

const nestedWorld = `aw create a
git init -q $P/ignored
git -C $P/ignored commit -q --allow-empty -m work
`

const mountWorld = `root
unshare -m mount -t tmpfs none $T/bin 2>/dev/null || skip
bind() { mkdir -p $T/host/n $1; mount --bind $T/host $1; }
`
