#compdef agent-worktree aw-create aw-init aw-remove aw-restore aw-prune aw-ls aw-path aw-install aw-doctor aw-hook aw-latest
# Written by make docs from the tools' own usage; change it there.

# The rows a verb prints, by the dispatcher or by the tool alone.
_agent_worktree_rows() {
	AGENT_WORKTREE_NO_UPDATE_CHECK=1 agent-worktree "$@" --plain 2>/dev/null ||
		AGENT_WORKTREE_NO_UPDATE_CHECK=1 "aw-$1" "${@:2}" --plain 2>/dev/null
}

# Offers those of the words that need no quotes.
_agent_worktree_offer() {
	local -aU words
	words=(${(M)@:#[A-Za-z0-9._-]##})
	compadd -a words
}

_agent_worktree_names() { _agent_worktree_offer ${(f)"$(_agent_worktree_rows ls -o name)"} }

# What can come back: by name, and where a dot was typed by the entry, which has the
# time behind one.
_agent_worktree_removed() {
	local columns=1
	[[ $PREFIX == *.* ]] && columns=1,2
	_agent_worktree_offer ${(f)"$(_agent_worktree_rows restore | cut -f $columns | tr '\t' '\n')"}
}

_agent_worktree_verb() {
	case $1 in
	create)
		_arguments -s \
			'--from=[cut a new branch from a ref of this checkout]:ref: ' \
			'--branch=[name the branch, where it is not <name>]:branch: ' \
			'--json[print one JSON document]' \
			'--plain[print the main values alone, a row a line, cells parted by tabs]' \
			'-z[as --plain, with rows ended by NUL and cells as they are]' \
			'--help[print the usage and the summary; -h does too]' \
			'--version[print the version]' \
			'1:name:_agent_worktree_names'
		;;
	init)
		_arguments -s \
			'--json[print one JSON document]' \
			'--plain[print the main values alone, a row a line, cells parted by tabs]' \
			'-z[as --plain, with rows ended by NUL and cells as they are]' \
			'--help[print the usage and the summary; -h does too]' \
			'--version[print the version]'
		;;
	remove)
		_arguments -s \
			'--force[remove although there is uncommitted work or the teardown fails]' \
			'--dry-run[say what would happen]' \
			'--keep-branch[leave the branch alone]' \
			'--keep-remote[leave the remote branch alone]' \
			'--discard[skip the trash]' \
			'--json[print one JSON document]' \
			'--plain[print the main values alone, a row a line, cells parted by tabs]' \
			'-z[as --plain, with rows ended by NUL and cells as they are]' \
			'--help[print the usage and the summary; -h does too]' \
			'--version[print the version]' \
			'1:name:_agent_worktree_names'
		;;
	restore)
		_arguments -s \
			'--json[print one JSON document]' \
			'--plain[print the main values alone, a row a line, cells parted by tabs]' \
			'-z[as --plain, with rows ended by NUL and cells as they are]' \
			'--help[print the usage and the summary; -h does too]' \
			'--version[print the version]' \
			'1:name:_agent_worktree_removed'
		;;
	prune)
		_arguments -s \
			'--dry-run[say what would happen]' \
			'--full[print a row for every worktree]' \
			'--merged[also take branches without an upstream that landed]' \
			'*--yes=[also remove the quiet worktree of that name; may be repeated]:name:_agent_worktree_names' \
			'--exit-code[exit 1 when nothing was removed]' \
			'--json[print one JSON document]' \
			'--plain[print the main values alone, a row a line, cells parted by tabs]' \
			'-z[as --plain, with rows ended by NUL and cells as they are]' \
			'--help[print the usage and the summary; -h does too]' \
			'--version[print the version]'
		;;
	ls)
		_arguments -s \
			'--full[add branch and ports]' \
			'-o[print these instead\: a list of columns]:columns:_values -s , columns name state branch ports path head tree landed verdict reason active busy size project' \
			'--state=[keep the rows in a list of states]:states:_values -s , states ready pending orphaned unlisted unmanaged legacy outside lost foreign corrupt' \
			'--all[cover every project of the machine]' \
			'--outside[add git'\''s other worktrees]' \
			'--fetch[ask the remote and the forge what has landed]' \
			'--summary[print one line, or nothing]' \
			'--json[print one JSON document]' \
			'--plain[print the main values alone, a row a line, cells parted by tabs]' \
			'-z[as --plain, with rows ended by NUL and cells as they are]' \
			'--help[print the usage and the summary; -h does too]' \
			'--version[print the version]'
		;;
	path)
		_arguments -s \
			'--json[print one JSON document]' \
			'--plain[print the main values alone, a row a line, cells parted by tabs]' \
			'-z[as --plain, with rows ended by NUL and cells as they are]' \
			'--help[print the usage and the summary; -h does too]' \
			'--version[print the version]' \
			'1:name:_agent_worktree_names'
		;;
	install)
		_arguments -s \
			'--local[write into the clone'\''s git directory]' \
			'--setup=[set a worktree up with this shell command]:command: ' \
			'--teardown=[tear a worktree down with this shell command]:command: ' \
			'--ports=[give each worktree that number of ports]:n: ' \
			'*--keep=[archive ignored files that match the pattern; may be repeated]:pattern: ' \
			'--trust[record this checkout'\''s hooks as read]' \
			'--json[print one JSON document]' \
			'--plain[print the main values alone, a row a line, cells parted by tabs]' \
			'-z[as --plain, with rows ended by NUL and cells as they are]' \
			'--help[print the usage and the summary; -h does too]' \
			'--version[print the version]'
		;;
	doctor)
		_arguments -s \
			'--full[print the checks that pass, too]' \
			'--json[print one JSON document]' \
			'--plain[print the main values alone, a row a line, cells parted by tabs]' \
			'-z[as --plain, with rows ended by NUL and cells as they are]' \
			'--help[print the usage and the summary; -h does too]' \
			'--version[print the version]'
		;;
	hook)
		_arguments -s \
			'--help[print the usage and the summary; -h does too]' \
			'--version[print the version]'
		;;
	latest)
		_arguments -s \
			'--help[print the usage and the summary; -h does too]' \
			'--version[print the version]'
		;;
	esac
}

_agent_worktree() {
	setopt local_options extended_glob
	local -a verbs
	verbs=(
		'create:make a worktree on its own branch, or finish making it, and print its path'
		'init:run the project'\''s setup in the checkout you are in'
		'remove:tear a worktree down, keep what restore needs, and delete its branch if it landed'
		'restore:list the removed worktrees that can come back, or bring one back'
		'prune:clear worktrees that are gone, and those whose branch has landed'
		'ls:list the project'\''s worktrees and the state of each'
		'path:print where a worktree lives, or would live'
		'install:write the project'\''s setup, teardown, ports and keep hooks'
		'doctor:check the machine, the project and its worktrees, changing nothing'
		'hook:answer a Claude Code WorktreeCreate or WorktreeRemove event on standard input'
	)
	if [[ ${service:-$words[1]} == aw-* ]]; then
		_agent_worktree_verb ${${service:-$words[1]}#aw-}
	elif (( CURRENT == 2 )); then
		if [[ $words[2] == -* ]]; then
			compadd -- --json --plain -z --help --version
		else
			_describe verb verbs
		fi
	else
		local verb=$words[2]
		shift words
		(( CURRENT-- ))
		_agent_worktree_verb $verb
	fi
}

if [[ $funcstack[1] == _agent-worktree ]]; then
	_agent_worktree "$@"
else
	compdef _agent_worktree agent-worktree aw-create aw-init aw-remove aw-restore aw-prune aw-ls aw-path aw-install aw-doctor aw-hook aw-latest
fi
