#!/bin/sh
# The main job, from a fresh home to a branch that has landed and is gone:
#
#	tests/mainjob.sh [bindir]
#
# with the tools of bindir, or those on PATH. It makes a repository of more than
# a thousand files with branches and merges, a bare origin, and hooks that
# install something and start a server on the worktree's port; then an agent's
# day: create, ls, work, commit, push; a colleague merges; remove. It prints a
# transcript, reaches no network, leaves nothing behind and fails at the first
# thing that is not as it should be.
set -eu

scratch=$(cd "$(mktemp -d)" && pwd -P)
trap 'test ! -f "$scratch/server.pid" || kill "$(cat "$scratch/server.pid")" 2>/dev/null; rm -rf "$scratch"' EXIT
trap 'exit 1' HUP INT TERM

[ $# -eq 0 ] || PATH=$(cd "$1" && pwd):$PATH
for name in $(env | sed -n 's/^\(GIT_[A-Z_]*\)=.*/\1/p;s/^\(WORKTREE_[A-Z]*\)=.*/\1/p;s/^\(XDG_[A-Z_]*\)=.*/\1/p'); do
	unset "$name"
done
export PATH HOME="$scratch/home" GIT_CONFIG_NOSYSTEM=1 AGENT_WORKTREE_NO_UPDATE_CHECK=1
mkdir "$HOME"
git config --global user.name 'Ann Agent'
git config --global user.email ann@example.com
git config --global init.defaultBranch main

fail() {
	echo "mainjob: $*" >&2
	exit 1
}

# say runs a command and shows it.
say() {
	echo "\$ $*"
	"$@"
}

# want checks that a command succeeds; wantnot, that it fails.
want() { "$@" >/dev/null 2>&1 || fail "want: $*"; }
wantnot() { ! "$@" >/dev/null 2>&1 || fail "want not: $*"; }

# until_true polls a command for at most ten seconds.
until_true() {
	tries=0
	until "$@" 2>/dev/null; do
		tries=$((tries + 1))
		[ $tries -lt 200 ] || fail "never: $*"
		sleep 0.05
	done
}

# serves checks the worktree's block, and that its server answers on the first port.
serves() {
	ports=$(agent-worktree ls --plain -o ports)
	[ $((${ports#*-} - ${ports%-*})) = 9 ] || fail "ports $ports; want a block of ten"
	command -v python3 >/dev/null || return 0
	until_true answers "${ports%-*}"
	echo "# the server answers on port ${ports%-*}"
}
answers() {
	python3 -c 'import sys, socket; socket.create_connection(("127.0.0.1", int(sys.argv[1])), 2)' "$1"
}

echo "# a project of more than a thousand files, with branches and merges"
mkdir "$scratch/shop"
cd "$scratch/shop"
git init -q
d=0
while [ $d -lt 40 ]; do
	mkdir -p "src/part$d"
	f=0
	while [ $f -lt 26 ]; do
		printf 'part %s, file %s\nline two\n' $d $f >"src/part$d/file$f.txt"
		f=$((f + 1))
	done
	d=$((d + 1))
done
mkdir tools
cat >tools/setup.sh <<'SETUP'
# Installs the project's tool and starts its server, unless that is done.
set -e
mkdir -p .deps/bin
printf '#!/bin/sh\necho installed tool\n' >.deps/bin/tool
chmod +x .deps/bin/tool
if [ ! -f .deps/server.pid ] || ! kill -0 "$(cat .deps/server.pid)" 2>/dev/null; then
	if command -v python3 >/dev/null; then
		python3 -m http.server --bind 127.0.0.1 "$WORKTREE_PORT" >.deps/server.log 2>&1 </dev/null &
	else
		sleep 600 >.deps/server.log 2>&1 </dev/null &
	fi
	echo $! >.deps/server.pid
fi
echo "server $(cat .deps/server.pid) for $WORKTREE_NAME on port $WORKTREE_PORT"
SETUP
cat >tools/teardown.sh <<'TEARDOWN'
# Stops the server of a worktree, which may be gone already.
pid=${WORKTREE_PATH:+$WORKTREE_PATH/.deps/server.pid}
[ -n "$pid" ] && [ -f "$pid" ] || exit 0
kill "$(cat "$pid")" 2>/dev/null
rm "$pid"
echo "server of $WORKTREE_NAME stopped"
TEARDOWN
echo .deps/ >.gitignore
git add -A
git commit -q -m 'the project'
for topic in prices stock orders; do
	git checkout -q -b "$topic"
	for n in 1 2 3; do
		echo "$topic $n" >>"src/part$n/file$n.txt"
		git commit -q -a -m "$topic: step $n"
	done
	git checkout -q main
	echo "main beside $topic" >>README
	git add README
	git commit -q -m "main: beside $topic"
	git merge -q --no-ff -m "merge $topic" "$topic"
	git branch -q -d "$topic"
done

say agent-worktree install --setup 'sh tools/setup.sh' --teardown 'sh tools/teardown.sh' --ports 10
git add -A
git commit -q -m 'hooks for agent-worktree'
git init -q --bare "$scratch/shop.git"
git remote add origin "$scratch/shop.git"
git push -q -u origin main
git clone -q "$scratch/shop.git" "$scratch/colleague"
files=$(git ls-files | wc -l)
[ "$files" -ge 1000 ] || fail "$files files; want at least 1000"
echo "# $files files, $(git rev-list --count main) commits, $(git rev-list --count --merges main) merges"

echo "# the colleague is ahead of us; a task starts from where origin is"
git -C "$scratch/colleague" commit -q --allow-empty -m 'colleague: ahead'
git -C "$scratch/colleague" push -q origin main
say agent-worktree create fix-rounding
path=$(agent-worktree path --plain fix-rounding)
[ "$(git -C "$path" log -1 --format=%s)" = 'colleague: ahead' ] || fail "the worktree is not cut at origin's main"
want "$path/.deps/bin/tool"
cp "$path/.deps/server.pid" "$scratch/server.pid"
server=$(cat "$scratch/server.pid")
want kill -0 "$server"
say agent-worktree ls --full
serves

echo "# work, commit, push"
cd "$path"
for n in 7 8 9; do
	echo "rounded $n" >>"src/part$n/file$n.txt"
	git commit -q -a -m "rounding: part $n"
done
[ -z "$(git status --porcelain)" ] || fail "the worktree is not clean after a commit"
say git push -q -u origin fix-rounding

echo "# not landed yet: --dry-run says so, and changes nothing"
cd "$scratch/shop"
say agent-worktree remove --dry-run fix-rounding
want test -d "$path"
want kill -0 "$server"

echo "# the colleague merges it on origin"
cd "$scratch/colleague"
git fetch -q origin
git merge -q --no-ff -m 'merge fix-rounding' origin/fix-rounding
git push -q origin main

echo "# remove: the worktree, its server, its ports and both copies of its branch go"
cd "$scratch/shop"
say agent-worktree remove fix-rounding
wantnot test -e "$path"
until_true sh -c "! kill -0 $server"
rm "$scratch/server.pid"
wantnot git rev-parse --verify --quiet refs/heads/fix-rounding
wantnot git -C "$scratch/shop.git" rev-parse --verify --quiet refs/heads/fix-rounding
want git -C "$scratch/shop.git" rev-parse --verify --quiet refs/heads/main
[ -z "$(ls "$HOME/.local/share/agent-worktree/ports")" ] || fail "a port block is still claimed"
[ "$(git worktree list | wc -l)" -eq 1 ] || fail "git still lists a worktree"
[ -z "$(git status --porcelain)" ] || fail "the primary is not clean"
say agent-worktree ls
[ -z "$(agent-worktree ls --plain)" ] || fail "ls still lists a worktree"

echo "# and it can be brought back"
say agent-worktree restore fix-rounding
[ "$(git -C "$path" log -1 --format=%s)" = 'rounding: part 9' ] || fail "restore brought back another commit"
cp "$path/.deps/server.pid" "$scratch/server.pid"
serves
say agent-worktree remove --force fix-rounding
until_true sh -c "! kill -0 $(cat "$scratch/server.pid")"
rm "$scratch/server.pid"
echo "# done"
