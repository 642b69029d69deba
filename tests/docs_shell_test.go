package tests

import (
	"fmt"
	"regexp"
	"strings"
)

const written = "# Written by make docs from the tools' own usage; change it there."

// named is the verbs whose operand is a worktree's name; prune takes one after
// --yes. What restore takes is listed by a verb that may write, so it is not
// offered.
var named = map[string]bool{"create": true, "remove": true, "path": true}

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

// values is the options that take a value, for case and match patterns.
func values(list []manual, separator string) string {
	seen := map[string]bool{}
	var names []string
	for _, m := range list {
		for _, o := range m.options {
			if o.value != "" && o.value != "name" && !seen[o.name] {
				seen[o.name] = true
				names = append(names, o.name)
			}
		}
	}
	return strings.Join(names, separator)
}

// bashCompletion works from bash 3.2 on. Nothing it reads is expanded: compgen -W
// would, and anybody can give a directory in the store a name.
func bashCompletion(list []manual) string {
	options := strings.Builder{}
	for _, m := range list {
		word := m.verb
		if word == "" && m.tool != "agent-worktree" {
			word = strings.TrimPrefix(m.tool, "aw-")
		}
		if word == "" {
			continue
		}
		fmt.Fprintf(&options, "\t%s) printf '%%s\\n' %s ;;\n", word, optionNames(m))
	}
	var takers []string
	for _, m := range list {
		if named[m.verb] {
			takers = append(takers, m.verb)
		}
	}
	return fmt.Sprintf(`# bash completion for agent-worktree and its tools
%s

_agent_worktree_options() {
	case $1 in
%s	*) printf '%%s\n' %s %s ;;
	esac
}

_agent_worktree_names() {
	AGENT_WORKTREE_NO_UPDATE_CHECK=1 agent-worktree ls --plain -o name 2>/dev/null ||
		AGENT_WORKTREE_NO_UPDATE_CHECK=1 aw-ls --plain -o name 2>/dev/null
}

# What may stand here: after the verb, the word begun, the word before it.
_agent_worktree_words() {
	case $3 in
	%s) return ;;
	--yes) _agent_worktree_names; return ;;
	esac
	case $2 in
	-*) _agent_worktree_options "$1"; return ;;
	esac
	case $1 in
	%s) _agent_worktree_names ;;
	'') _agent_worktree_options "" ;;
	esac
}

_agent_worktree() {
	local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
	local verb=${COMP_WORDS[0]##*/} word i
	COMPREPLY=()
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
		*[!A-Za-z0-9._-]*) ;;
		"$current"*) COMPREPLY[${#COMPREPLY[@]}]=$word ;;
		esac
	done < <(_agent_worktree_words "$verb" "$current" "$before")
}

complete -F _agent_worktree %s
`, written, options.String(), verbNames(list), optionNames(list[0]),
		values(list, "|"), strings.Join(takers, "|"), toolNames(list))
}

// zshCompletion gives each verb its options with what they are for.
func zshCompletion(list []manual) string {
	summaries, cases := strings.Builder{}, strings.Builder{}
	for _, m := range list[1:] {
		word := strings.TrimPrefix(m.tool, "aw-")
		if m.verb != "" {
			fmt.Fprintf(&summaries, "\t\t%s\n", zshQuote(word+":"+m.summary))
		}
		fmt.Fprintf(&cases, "\t%s)\n\t\t_arguments -s", word)
		for _, o := range m.all() {
			fmt.Fprintf(&cases, " \\\n\t\t\t%s", zshOption(o))
		}
		if named[m.verb] {
			cases.WriteString(" \\\n\t\t\t'1:name:_agent_worktree_names'")
		}
		cases.WriteString("\n\t\t;;\n")
	}
	return fmt.Sprintf(`#compdef %s
%s

_agent_worktree_names() {
	local -a names
	names=(${(f)"$(AGENT_WORKTREE_NO_UPDATE_CHECK=1 agent-worktree ls --plain -o name 2>/dev/null ||
		AGENT_WORKTREE_NO_UPDATE_CHECK=1 aw-ls --plain -o name 2>/dev/null)"})
	names=(${(M)names:#[A-Za-z0-9._-]##})
	compadd -a names
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
`, toolNames(list), written, cases.String(), summaries.String(), optionNames(list[0]), toolNames(list))
}

func zshOption(o option) string {
	help := regexp.MustCompile(`[\[\]:\\]`).ReplaceAllString(o.help, `\$0`)
	spec := o.name + "[" + help + "]"
	switch {
	case o.value == "name":
		spec = "*" + spec + ":name:_agent_worktree_names"
	case o.value != "":
		spec = "*" + spec + ":" + o.value + ": "
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

function __agent_worktree_names
    begin
        set -lx AGENT_WORKTREE_NO_UPDATE_CHECK 1
        if command -q agent-worktree
            agent-worktree ls --plain -o name 2>/dev/null
        else if command -q aw-ls
            aw-ls --plain -o name 2>/dev/null
        end
    end | string match -r '^[A-Za-z0-9._-]+$'
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
			if named[m.verb] {
				fmt.Fprintf(&b, "%s -a '(__agent_worktree_names)'\n", command)
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
	case o.value != "":
		spelled += " -x"
	}
	fmt.Fprintf(b, "%s%s -d %s\n", command, spelled, zshQuote(o.help))
}
