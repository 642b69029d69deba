#!/bin/sh
# Runs the tool it is called as, agent-worktree or aw-<verb>, from the build that
# npm or bun installed for this platform. It takes a shell and nothing else: no
# node, no bun.

# refuse CODE MESSAGE KEY VALUE RESOLVE prints the refusal as the tools print
# theirs.
refuse() {
	printf 'command: %s\nok: false\nerror:\n  kind: refusal\n  code: %s\n  message: "%s"\n  meta:\n    %s: "%s"\n  resolve: "%s"\n' \
		"${tool#aw-}" "$1" "$2" "$3" "$4" "$5" >&2
	exit 1
}

# quoted TEXT is the inside of a quoted string; a control byte becomes a ?.
quoted() {
	printf '%s' "$1" | LC_ALL=C tr '\000-\037\177' '?' | LC_ALL=C sed 's/[\\"]/\\&/g'
}

# home PATH is the directory of the file that PATH leads to, through any links.
home() {
	file=$1
	while [ -h "$file" ]; do
		to=$(readlink "$file") || return 1
		case $to in
		/*) file=$to ;;
		*) file=${file%/*}/$to ;;
		esac
	done
	CDPATH='' cd -P -- "${file%/*}" && pwd -P
}

# find_build PACKAGE is the nearest node_modules with it, from the shim's own up:
# nested under the shim, beside it, or hoisted.
find_build() {
	at=$root
	while :; do
		if [ -d "$at/node_modules/$1" ]; then
			printf '%s\n' "$at/node_modules/$1"
			return
		fi
		[ -n "$at" ] || return 1
		at=${at%/*}
	done
}

tool=${0##*/}
case $0 in
*/*) invoked=$0 ;;
*) invoked=$(command -v -- "$0") ;;
esac
root=$(home "$invoked") || exit 1
root=${root%/*}

system=$(uname -s) machine=$(uname -m)
case $system in
Linux) os=linux ;;
Darwin) os=darwin ;;
*) os= ;;
esac
case $machine in
x86_64 | amd64) arch=x64 ;;
arm64 | aarch64) arch=arm64 ;;
*) arch= ;;
esac
if [ -z "$os" ] || [ -z "$arch" ]; then
	here=$(quoted "$system $machine")
	refuse no_build_for_platform "agent-worktree has no build for $here" platform "$here" \
		"run it on Linux or macOS, on x64 or arm64"
fi

package=@cniska/agent-worktree-$os-$arch
build=$(find_build "$package") ||
	refuse platform_package_missing "the package $package is not installed" package "$package" \
		"npm install -g @cniska/agent-worktree, without --omit=optional or --no-optional"

binary=$build/bin/$tool
[ -f "$binary" ] && [ -x "$binary" ] ||
	refuse binary_not_executable "$(quoted "$binary") is not an executable file" path "$(quoted "$binary")" \
		"chmod +x '$(quoted "$binary")', or npm install -g @cniska/agent-worktree"
exec "$binary" "$@"
