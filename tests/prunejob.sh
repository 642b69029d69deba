#!/bin/sh
# A prune on real input:
#
#	tests/prunejob.sh [bindir]
#
# Two clones of one repository with one data directory, six worktrees whose servers
# listen on their ports: two landed by a merge, one by a squash whose branch on origin
# was deleted, one never pushed, one dirty, one with its directory deleted. One prune:
# the right four go, and ls says why the others stay. It reaches no network, leaves
# nothing behind and fails at the first thing that is not as it should be.
set -eu

scratch=$(cd "$(mktemp -d)" && pwd -P)
stop() {
	for pid in $(cat "$scratch"/pids/* 2>/dev/null); do kill "$pid" 2>/dev/null || true; done
	rm -rf "$scratch"
}
trap stop EXIT
trap 'exit 1' HUP INT TERM

[ $# -eq 0 ] || PATH=$(cd "$1" && pwd):$PATH
for name in $(env | sed -n 's/^\(GIT_[A-Z_]*\)=.*/\1/p;s/^\(WORKTREE_[A-Z]*\)=.*/\1/p;s/^\(XDG_[A-Z_]*\)=.*/\1/p'); do
	unset "$name"
done
export PATH HOME="$scratch/home" GIT_CONFIG_NOSYSTEM=1 AGENT_WORKTREE_NO_UPDATE_CHECK=1 PIDS="$scratch/pids"
mkdir "$HOME" "$PIDS"
git config --global user.name 'Ann Agent'
git config --global user.email ann@example.com
git config --global init.defaultBranch main

fail() {
	echo "prunejob: $*" >&2
	exit 1
}
say() {
	echo "\$ $*"
	"$@"
}
gone() { [ ! -e "$(agent-worktree path --plain "$1")" ] || fail "$1 is still there"; }
stays() { [ -d "$(agent-worktree path --plain "$1")" ] || fail "$1 is gone"; }
no_branch() { ! git rev-parse -q --verify "refs/heads/$1" >/dev/null || fail "branch $1 is still here"; }

echo "# a repository with history, its origin, and two clones"
mkdir "$scratch/first"
cd "$scratch/first"
git init -q
for n in 1 2 3 4 5 6 7 8; do
	seq "$n" 40 >"file$n"
	git add . && git commit -q -m "file $n"
done
cat >serve.sh <<'SERVE'
# Starts the worktree's server on its port.
if command -v python3 >/dev/null; then
	python3 -m http.server --bind 127.0.0.1 "$WORKTREE_PORT" >/dev/null 2>&1 </dev/null &
else
	sleep 600 >/dev/null 2>&1 </dev/null &
fi
echo $! >"$PIDS/$WORKTREE_NAME"
SERVE
cat >halt.sh <<'HALT'
# Stops it; run again, it has nothing to stop.
[ ! -f "$PIDS/$WORKTREE_NAME" ] || kill "$(cat "$PIDS/$WORKTREE_NAME")" 2>/dev/null || true
rm -f "$PIDS/$WORKTREE_NAME"
echo "server of $WORKTREE_NAME stopped"
HALT
agent-worktree install --setup 'cd / && . "$WORKTREE_PATH/serve.sh"' --teardown 'sh halt.sh' --ports 10 >/dev/null
git add . && git commit -q -m hooks
git init -q --bare "$scratch/origin.git"
git remote add origin "$scratch/origin.git"
git push -q -u origin main
git clone -q "$scratch/origin.git" "$scratch/second"

echo "# six worktrees in the two clones, each with its own ports"
printf 'merged-one\nmerged-two\nsquashed\nnever-pushed\ndirty\n' | agent-worktree create - >/dev/null 2>&1
(cd "$scratch/second" && agent-worktree create elsewhere >/dev/null 2>&1)
agent-worktree create deleted >/dev/null 2>&1
[ "$(ls "$HOME/.local/share/agent-worktree/ports" | wc -l)" -eq 7 ] || fail "seven worktrees do not hold seven units"
for w in merged-one merged-two squashed never-pushed dirty deleted; do
	cd "$(agent-worktree path --plain "$w")"
	echo "$w" >>file3 && git commit -q -a -m "$w: one"
	echo "$w" >>file5 && git commit -q -a -m "$w: two"
	[ "$w" = never-pushed ] || git push -q -u origin "$w"
	cd "$scratch/first"
done

echo "# on origin: two merged, one squashed and its branch deleted, one merged whose worktree is dirty"
git clone -q "$scratch/origin.git" "$scratch/colleague"
cd "$scratch/colleague"
for w in merged-one merged-two dirty deleted; do git merge -q -s ort -X ours --no-ff -m "merge $w" "origin/$w"; done
git push -q origin main
cd "$(cd "$scratch/first" && agent-worktree path --plain squashed)"
git fetch -q origin && git rebase -q -X theirs origin/main && git push -q -f origin squashed
cd "$scratch/colleague"
git fetch -q origin && git merge -q --squash origin/squashed >/dev/null && git commit -q -m 'squashed' && git push -q origin main
git push -q origin :squashed
cd "$scratch/first"
echo scratch >"$(agent-worktree path --plain dirty)/notes"
rm -rf "$(agent-worktree path --plain deleted)"

say agent-worktree prune
for w in merged-one merged-two squashed deleted; do gone $w && no_branch $w; done
for w in never-pushed dirty; do stays $w && kill -0 "$(cat "$PIDS/$w")" || fail "the server of $w is gone"; done
(cd "$scratch/second" && stays elsewhere)
for w in merged-one merged-two squashed deleted; do
	[ ! -e "$PIDS/$w" ] || fail "the server of $w was not stopped"
	! git -C "$scratch/origin.git" rev-parse -q --verify "refs/heads/$w" >/dev/null || fail "origin still has $w"
done
[ "$(ls "$HOME/.local/share/agent-worktree/ports" | wc -l)" -eq 3 ] || fail "the ports of those that went are not free"

echo "# what stays, and why"
say agent-worktree ls --fetch -o name,state,reason
[ "$(agent-worktree ls --fetch --plain -o name,reason)" = "$(printf 'dirty\tdirty\nnever-pushed\tno_upstream')" ] || fail "ls does not say why"
echo "# done"
