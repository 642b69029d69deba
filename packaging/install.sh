#!/bin/sh
# Installs the latest release of agent-worktree into ~/.local/bin, or replaces
# the one there:
#
#   curl -fsSL https://github.com/cniska/agent-worktree/releases/latest/download/install.sh | sh
#
# It downloads this platform's archive, checks it against its published sha256,
# runs every tool in it for its version, and then puts all of them in place, or
# none. AGENT_WORKTREE_RELEASES moves the address, for a test.
#
# All of it is in functions, so that half a download runs nothing.

set -u
umask 022

say() { printf 'agent-worktree: %s\n' "$*" >&2; }

# fail leaves everything as it was found; leave does so on every way out.
fail() {
	say "$*; nothing was installed"
	exit 1
}

leave() {
	status=$?
	trap - EXIT
	[ -z "$work" ] || rm -rf "$work"
	[ -z "$stage" ] || rm -rf "$stage"
	[ "$status" -eq 0 ] || for made in $made_dirs; do
		(cd "$HOME" && rmdir "$made") 2>/dev/null
	done
	exit "$status"
}

platform() {
	case $(uname -s) in
	Linux) os=linux ;;
	Darwin) os=darwin ;;
	*) fail "there is no build for $(uname -s)" ;;
	esac
	case $(uname -m) in
	x86_64 | amd64) arch=amd64 ;;
	arm64 | aarch64) arch=arm64 ;;
	*) fail "there is no build for $(uname -s) on $(uname -m)" ;;
	esac
	# A shell that Rosetta runs says x86_64 on a Mac that is not.
	if [ "$os$arch" = darwinamd64 ] && [ "$(sysctl -n sysctl.proc_translated 2>/dev/null)" = 1 ]; then
		arch=arm64
	fi
}

# download URL FILE
download() {
	if command -v curl >/dev/null 2>&1; then
		curl -fsSL --retry 2 -o "$2" "$1"
	elif command -v wget >/dev/null 2>&1; then
		wget -q -O "$2" "$1"
	else
		fail "neither curl nor wget is on PATH"
	fi || fail "cannot download $1"
}

# sum FILE prints its sha256.
sum() {
	if command -v sha256sum >/dev/null 2>&1; then
		sha256sum <"$1"
	elif command -v shasum >/dev/null 2>&1; then
		shasum -a 256 <"$1"
	elif command -v openssl >/dev/null 2>&1; then
		openssl dgst -sha256 -r <"$1"
	else
		fail "none of sha256sum, shasum and openssl is on PATH"
	fi
}

# fetch leaves the archive, checked, at $work/$name.
fetch() {
	name=agent-worktree-$os-$arch.tar.gz
	from=${AGENT_WORKTREE_RELEASES:-https://github.com}/cniska/agent-worktree/releases/latest/download
	download "$from/$name" "$work/$name"
	download "$from/$name.sha256" "$work/$name.sha256"
	read -r want _ <"$work/$name.sha256" || [ -n "${want:-}" ] || fail "$name.sha256 is empty"
	got=$(sum "$work/$name") || exit 1
	got=${got%% *}
	[ "$got" = "$want" ] || fail "$name has the checksum $got and not the published $want"
}

# make_bin makes ~/.local/bin and remembers which directories it had to make.
make_bin() {
	for dir in .local .local/bin; do
		[ -d "$HOME/$dir" ] && continue
		mkdir "$HOME/$dir" || fail "cannot make $HOME/$dir"
		made_dirs="$dir $made_dirs"
	done
}

# unpack puts the tools beside the place they are for, where what is executable
# in the end is executable now, and checks what each says its version is.
unpack() {
	stage=$bin/.agent-worktree.$$
	mkdir -m 700 "$stage" && mkdir "$stage/old" || fail "cannot write to $bin"
	gzip -dc "$work/$name" | (cd "$stage" && tar -xf - agent-worktree/bin) ||
		fail "cannot unpack $name"
	new=$stage/agent-worktree/bin
	[ -f "$new/agent-worktree" ] || fail "$name holds no agent-worktree"
	version=
	for path in "$new"/*; do
		tool=${path##*/}
		said=$(AGENT_WORKTREE_NO_UPDATE_CHECK=1 "$path" --version) || fail "$tool does not run here"
		is_version "$said" || fail "$tool says its version is \"$said\", which is not x.y.z"
		[ "$said" = "${version:=$said}" ] || fail "$tool is of version $said among tools of $version"
		[ ! -d "$bin/$tool" ] || fail "$bin/$tool is a directory"
	done
}

# is_version WORD: three numbers with dots between them and nothing else.
is_version() {
	case $1 in
	*[!0-9.]* | .* | *. | *..* | *.*.*.*) return 1 ;;
	*.*.*) return 0 ;;
	esac
	return 1
}

# place renames all tools into place, the dispatcher last, and puts the old ones
# back when one cannot be.
place() {
	trap '' HUP INT TERM
	for path in "$new"/aw-* "$new/agent-worktree"; do
		tool=${path##*/}
		if [ -e "$bin/$tool" ] || [ -h "$bin/$tool" ]; then
			cp -pP "$bin/$tool" "$stage/old/$tool" || undo "$tool"
		fi
		mv -f "$path" "$bin/$tool" || undo "$tool"
		placed="$placed $tool"
	done
}

undo() {
	for tool in $placed; do
		if [ -e "$stage/old/$tool" ] || [ -h "$stage/old/$tool" ]; then
			mv -f "$stage/old/$tool" "$bin/$tool"
		else
			rm -f "$bin/$tool"
		fi
	done
	fail "cannot replace $bin/$1"
}

main() {
	work='' stage='' made_dirs='' placed=''
	[ -n "${HOME:-}" ] && [ -d "$HOME" ] || fail "HOME is not a directory"
	bin=$HOME/.local/bin
	trap leave EXIT
	trap 'exit 130' HUP INT TERM
	platform
	work=$(mktemp -d "${TMPDIR:-/tmp}/agent-worktree.XXXXXX") || fail "cannot make a temporary directory"
	fetch
	make_bin
	unpack
	place
	say "$version is installed in $bin"
	case :$PATH: in
	*":$bin:"*) ;;
	*) say "$bin is not on PATH; put it there in your shell's profile" ;;
	esac
}

main
