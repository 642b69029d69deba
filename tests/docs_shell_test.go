package tests

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/cniska/agent-worktree/lib/task"
)

const written = "# Written by make docs from the tools' own usage; change it there."

// operands is the function that lists what a verb takes; prune takes a name after
// --yes. Each runs a tool that only reads.
var operands = map[string]string{
	"create": "names", "remove": "names", "path": "names", "restore": "removed",
}

// lists is the words of an option's comma-separated value, by its placeholder.
var lists = map[string][]string{"columns": task.ListColumns, "states": task.States}

// listed is the words an option's value is made of, parted by blanks, or "".
func listed(o option) string { return strings.Join(lists[o.value], " ") }

// toolNames is the name of every tool, with a verb or without.
func toolNames(list []manual) string {
	var names []string
	for _, m := range list {
		names = append(names, m.tool)
	}
	return strings.Join(names, " ")
}

func verbNames(list []manual) string {
	var names []string
	for _, m := range list {
		if m.verb != "" {
			names = append(names, m.verb)
		}
	}
	return strings.Join(names, " ")
}

func optionNames(m manual) string {
	var names []string
	for _, o := range m.all() {
		names = append(names, o.name)
	}
	return strings.Join(names, " ")
}

// valued is the options that take a value and what a shell offers for each: names,
// the words of a list, or nothing.
func valued(list []manual) (names, words, other []option) {
	seen := map[string]bool{}
	for _, m := range list {
		for _, o := range m.options {
			switch {
			case o.value == "" || seen[o.name]:
			case o.value == "name":
				names = append(names, o)
			case listed(o) != "":
				words = append(words, o)
			default:
				other = append(other, o)
			}
			seen[o.name] = true
		}
	}
	return names, words, other
}

// cases is the options as a pattern of the shell's case.
func cases(options []option) string {
	var names []string
	for _, o := range options {
		names = append(names, o.name)
	}
	return strings.Join(names, "|")
}

// bashCompletion works from bash 3.2 on. Nothing it reads is expanded: compgen -W
// would, and anybody can give a directory in the store a name.
func bashCompletion(list []manual) string {
	options, values, takers := strings.Builder{}, strings.Builder{}, strings.Builder{}
	for _, m := range list[1:] {
		word := strings.TrimPrefix(m.tool, "aw-")
		fmt.Fprintf(&options, "\t%s) printf '%%s\\n' %s ;;\n", word, optionNames(m))
		if operands[m.verb] != "" {
			fmt.Fprintf(&takers, "\t%s) _agent_worktree_%s \"$2\" ;;\n", word, operands[m.verb])
		}
	}
	names, words, other := valued(list)
	fmt.Fprintf(&values, "\t%s) return ;;\n", cases(other))
	fmt.Fprintf(&values, "\t%s) _agent_worktree_names; return ;;\n", cases(names))
	for _, o := range words {
		fmt.Fprintf(&values, "\t%s) _agent_worktree_list \"$2\" %s; return ;;\n", o.name, listed(o))
	}
	return fmt.Sprintf(`# bash completion for agent-worktree and its tools
%s

_agent_worktree_options() {
	case $1 in
%s	*) printf '%%s\n' %s %s ;;
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
	*,*) begun=${1%%,*}, ;;
	esac
	shift
	for word; do
		case ,$begun in
		*,$word,*) ;;
		*) printf '%%s\n' "$begun$word" ;;
		esac
	done
}

# What may stand here: after the verb, the word begun, the word before it.
_agent_worktree_words() {
	case $3 in
%s	esac
	case $2 in
	-*) _agent_worktree_options "$1"; return ;;
	esac
	case $1 in
%s	'') _agent_worktree_options "" ;;
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
	%s) compopt -o nospace 2>/dev/null ;; # a list may go on
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

complete -F _agent_worktree %s
`, written, options.String(), verbNames(list), optionNames(list[0]),
		values.String(), takers.String(), cases(words), toolNames(list))
}

// zshCompletion gives each verb its options with what they are for.
func zshCompletion(list []manual) string {
	summaries, arguments := strings.Builder{}, strings.Builder{}
	for _, m := range list[1:] {
		word := strings.TrimPrefix(m.tool, "aw-")
		if m.verb != "" {
			fmt.Fprintf(&summaries, "\t\t%s\n", zshQuote(word+":"+m.summary))
		}
		fmt.Fprintf(&arguments, "\t%s)\n\t\t_arguments -s", word)
		for _, o := range m.all() {
			fmt.Fprintf(&arguments, " \\\n\t\t\t%s", zshOption(o))
		}
		if function := operands[m.verb]; function != "" {
			fmt.Fprintf(&arguments, " \\\n\t\t\t'1:name:_agent_worktree_%s'", function)
		}
		arguments.WriteString("\n\t\t;;\n")
	}
	return fmt.Sprintf(`#compdef %s
%s

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
%s	esac
}

_agent_worktree() {
	setopt local_options extended_glob
	local -a verbs
	verbs=(
%s	)
	if [[ ${service:-$words[1]} == aw-* ]]; then
		_agent_worktree_verb ${${service:-$words[1]}#aw-}
	elif (( CURRENT == 2 )); then
		if [[ $words[2] == -* ]]; then
			compadd -- %s
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
	compdef _agent_worktree %s
fi
`, toolNames(list), written, arguments.String(), summaries.String(), optionNames(list[0]), toolNames(list))
}

func zshOption(o option) string {
	spec := o.name
	if o.value != "" && strings.HasPrefix(o.name, "--") {
		spec += "="
	}
	spec += "[" + regexp.MustCompile(`[\[\]:\\]`).ReplaceAllString(o.help, `\$0`) + "]"
	switch {
	case o.value == "":
	case o.value == "name":
		spec += ":name:_agent_worktree_names"
	case listed(o) != "":
		spec += ":" + o.value + ":_values -s , " + o.value + " " + listed(o)
	default:
		spec += ":" + o.value + ": "
	}
	if o.repeats {
		spec = "*" + spec
	}
	return zshQuote(spec)
}

// zshQuote is the word for zsh, and for fish too but for its backslash.
func zshQuote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

// fishCompletion serves the dispatcher by the verb that is there already, and
// each tool by its own name.
func fishCompletion(list []manual) string {
	b := strings.Builder{}
	fmt.Fprintf(&b, `# fish completion for agent-worktree and its tools
%s

# The rows a verb prints, by the dispatcher or by the tool alone.
function __agent_worktree_rows
    set -lx AGENT_WORKTREE_NO_UPDATE_CHECK 1
    if command -q agent-worktree
        agent-worktree $argv --plain 2>/dev/null
    else if command -q aw-$argv[1]
        command aw-$argv[1] $argv[2..-1] --plain 2>/dev/null
    end
end

function __agent_worktree_names
    __agent_worktree_rows ls -o name | string match -r '^[A-Za-z0-9._-]+$'
end

# What can come back: by name, and where a dot was typed by the entry, which has the
# time behind one.
function __agent_worktree_removed
    set -l columns 1
    string match -q '*.*' -- (commandline -ct); and set columns 1,2
    __agent_worktree_rows restore | cut -f $columns | tr '\t' '\n' | string match -r '^[A-Za-z0-9._-]+$'
end

# The words that may come next in a list with commas, behind those that it has.
function __agent_worktree_list
    set -l begun (commandline -ct | string replace -r '^--[a-z]+=' '' | string match -r '^.*,'; or echo)
    for word in $argv
        string match -q "*,$word,*" ",$begun"; or echo $begun$word
    end
end

for tool in %s
    complete -c $tool -f
end
`, written, toolNames(list))
	for _, m := range list[1:] {
		if m.verb != "" {
			fmt.Fprintf(&b, "complete -c agent-worktree -n __fish_use_subcommand -a %s -d %s\n", m.verb, zshQuote(m.summary))
		}
	}
	for _, o := range list[0].all() {
		fishLine(&b, "complete -c agent-worktree -n __fish_use_subcommand", o)
	}
	for _, m := range list[1:] {
		commands := []string{"complete -c " + m.tool}
		if m.verb != "" {
			commands = append(commands, "complete -c agent-worktree -n '__fish_seen_subcommand_from "+m.verb+"'")
		}
		for _, command := range commands {
			if function := operands[m.verb]; function != "" {
				fmt.Fprintf(&b, "%s -a '(__agent_worktree_%s)'\n", command, function)
			}
			for _, o := range m.all() {
				fishLine(&b, command, o)
			}
		}
	}
	return b.String()
}

func fishLine(b *strings.Builder, command string, o option) {
	spelled := " -l " + strings.TrimPrefix(o.name, "--")
	if !strings.HasPrefix(o.name, "--") {
		spelled = " -s " + strings.TrimPrefix(o.name, "-")
	}
	switch {
	case o.value == "name":
		spelled += " -x -a '(__agent_worktree_names)'"
	case listed(o) != "":
		spelled += " -x -a '(__agent_worktree_list " + listed(o) + ")'"
	case o.value != "":
		spelled += " -x"
	}
	fmt.Fprintf(b, "%s%s -d %s\n", command, spelled, zshQuote(o.help))
}
