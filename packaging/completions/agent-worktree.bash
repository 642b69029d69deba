# bash completion for agent-worktree and its tools
# Written by make docs from the tools' own usage; change it there.

_agent_worktree_options() {
	case $1 in
	create) printf '%s\n' --from --branch --json --plain -z --help --version ;;
	init) printf '%s\n' --json --plain -z --help --version ;;
	remove) printf '%s\n' --force --dry-run --keep-branch --keep-remote --discard --json --plain -z --help --version ;;
	restore) printf '%s\n' --json --plain -z --help --version ;;
	prune) printf '%s\n' --dry-run --full --merged --yes --exit-code --json --plain -z --help --version ;;
	ls) printf '%s\n' --full -o --state --all --outside --fetch --summary --json --plain -z --help --version ;;
	path) printf '%s\n' --json --plain -z --help --version ;;
	install) printf '%s\n' --local --setup --teardown --ports --keep --trust --json --plain -z --help --version ;;
	doctor) printf '%s\n' --full --json --plain -z --help --version ;;
	hook) printf '%s\n' --help --version ;;
	latest) printf '%s\n' --help --version ;;
	*) printf '%s\n' create init remove restore prune ls path install doctor hook --json --plain -z --help --version ;;
	esac
}

# The rows a verb prints, by the dispatcher or by the tool alone.
_agent_worktree_rows() {
	AGENT_WORKTREE_NO_UPDATE_CHECK=1 agent-worktree "$@" --plain 2>/dev/null ||
		AGENT_WORKTREE_NO_UPDATE_CHECK=1 "aw-$@" --plain 2>/dev/null
}

_agent_worktree_names() { _agent_worktree_rows ls -o name; }

# What can come back: by name, and where a dot was typed by the entry, which has the
# time behind one.
_agent_worktree_removed() {
	local columns=1
	case $1 in
	*.*) columns=1,2 ;;
	esac
	_agent_worktree_rows restore | cut -f $columns | tr '\t' '\n' | sort -u
}

# The words that may come next in a list with commas, behind those that it has.
_agent_worktree_list() {
	local begun= word
	case $1 in
	*,*) begun=${1%,*}, ;;
	esac
	shift
	for word; do
		case ,$begun in
		*,$word,*) ;;
		*) printf '%s\n' "$begun$word" ;;
		esac
	done
}

# What may stand here: after the verb, the word begun, the word before it.
_agent_worktree_words() {
	case $3 in
	--from|--branch|--setup|--teardown|--ports|--keep) return ;;
	--yes) _agent_worktree_names; return ;;
	-o) _agent_worktree_list "$2" name state branch ports path head tree landed verdict reason active busy size project; return ;;
	--state) _agent_worktree_list "$2" ready pending orphaned unlisted unmanaged legacy outside lost foreign corrupt; return ;;
	esac
	case $2 in
	-*) _agent_worktree_options "$1"; return ;;
	esac
	case $1 in
	create) _agent_worktree_names "$2" ;;
	remove) _agent_worktree_names "$2" ;;
	restore) _agent_worktree_removed "$2" ;;
	path) _agent_worktree_names "$2" ;;
	'') _agent_worktree_options "" ;;
	esac
}

_agent_worktree() {
	local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
	local verb=${COMP_WORDS[0]##*/} word i
	COMPREPLY=()
	# What bash makes of --option=value is three words.
	case $before$current in
	--*=) current= ;;
	=*) before=${COMP_WORDS[COMP_CWORD-2]} ;;
	esac
	case $before in
	-o|--state) compopt -o nospace 2>/dev/null ;; # a list may go on
	esac
	case $verb in
	aw-*) verb=${verb#aw-} ;;
	*)
		verb=
		for ((i = 1; i < COMP_CWORD; i++)); do
			case ${COMP_WORDS[i]} in
			-*) ;;
			*) verb=${COMP_WORDS[i]}; break ;;
			esac
		done
		;;
	esac
	while IFS= read -r word; do
		case $word in
		*[!A-Za-z0-9._,-]*) ;;
		"$current"*) COMPREPLY[${#COMPREPLY[@]}]=$word ;;
		esac
	done < <(_agent_worktree_words "$verb" "$current" "$before")
}

complete -F _agent_worktree agent-worktree aw-create aw-init aw-remove aw-restore aw-prune aw-ls aw-path aw-install aw-doctor aw-hook aw-latest
