package tests

import (
	"fmt"
	"go/doc/comment"
	"regexp"
	"strings"
)

const commandsHead = `<!-- Written by make docs from cmd/*/main.go and lib/refuse/codes.go; change it there. -->

# Commands

Every verb is a small tool of its own, ` + "`aw-<verb>`" + `, and ` + "`agent-worktree <verb>`" + ` runs it. Both take the same
arguments and print the same; without a verb, ` + "`agent-worktree`" + ` is ` + "`ls`" + `.

| verb | tool | what it is for |
| --- | --- | --- |
`

const commandsOutput = `
## Output

A result is one document on standard output, a [TOON](https://github.com/toon-format/toon) envelope of ` +
	"`command`, `ok` and `result`" + `. An
error is one on standard error, after any note, with ` + "`error`" + ` in place of ` + "`result`" + `: its ` + "`kind`" + ` (a refusal, which has
an act, or a fault, which has not), ` + "`code`, `message`, `meta` and `resolve`" + `, the act. Notes are single lines on
standard error, and so is the line that tells of a newer release.

` + "`--json`" + ` prints the same envelope as JSON. ` + "`--plain`" + ` prints the main values alone, a row a line with tabs between the
cells, and an error as one line; ` + "`-z`" + ` ends rows by NUL. So the results go on in a pipe:

` + "```sh" + `
aw-ls --plain -o name --state orphaned | aw-remove -
` + "```" + `

The exit status is 0 when it is done, 1 when it is refused, failed, or says no (` + "`doctor`, `prune --exit-code`" + `), 2 when
the command line is wrong, and 128 + n when signal n ended it.

## In a shell

A program cannot change its caller's directory; a function in your shell's profile can:

` + "```sh" + `
awcd() { cd "$(agent-worktree path --plain "$1")"; }
awnew() { cd "$(agent-worktree create --plain "$1")"; }
` + "```" + `

Completion for bash, zsh and fish is in ` + "`packaging/completions/`" + ` and in every release's archive, below ` + "`share/`" + `:
source the bash file from ` + "`~/.bashrc`" + `, put the zsh file into a directory of ` + "`$fpath` as `_agent-worktree`" + `, and the
fish file into ` + "`~/.config/fish/completions/`" + `. The manual pages lie beside them.
`

const codesHead = `
## Codes

A code never changes its meaning, so scripts and agents may branch on it. Each error names its act with the names and
paths at hand; this is what it comes to. ` + "`name`" + ` is there where a worktree is meant, and a key only where there is
something to say under it.
`

// commandsPage is docs/commands.md.
func commandsPage(list []manual) (string, error) {
	b := strings.Builder{}
	b.WriteString(commandsHead)
	for _, m := range list[1:] {
		if m.verb != "" {
			fmt.Fprintf(&b, "| [`%s`](#%s) | `%s` | %s |\n", m.verb, m.tool, m.tool, escape(m.summary))
		}
	}
	b.WriteString(commandsOutput)
	for _, m := range list {
		toolSection(&b, m)
	}
	b.WriteString(codesHead)
	table, err := codesTable()
	b.WriteString(table)
	return b.String(), err
}

func toolSection(b *strings.Builder, m manual) {
	fmt.Fprintf(b, "\n## %s\n\n%s.\n\n```\n%s\n```\n", m.tool, capital(escape(m.summary)), strings.Join(m.usage, "\n"))
	for _, block := range m.blocks {
		markdown(b, block)
	}
	b.WriteString("\n| option | what it does |\n| --- | --- |\n")
	for _, o := range m.all() {
		name := o.name
		if o.value != "" {
			name += " <" + o.value + ">"
		}
		fmt.Fprintf(b, "| `%s` | %s |\n", name, escape(o.help))
	}
}

func markdown(b *strings.Builder, block comment.Block) {
	switch block := block.(type) {
	case *comment.Paragraph:
		fmt.Fprintf(b, "\n%s\n", escape(flat(block.Text)))
	case *comment.Code:
		fmt.Fprintf(b, "\n```sh\n%s\n```\n", strings.TrimRight(block.Text, "\n"))
	case *comment.List:
		b.WriteString("\n")
		for _, item := range block.Items {
			for _, content := range item.Content {
				if p, ok := content.(*comment.Paragraph); ok {
					fmt.Fprintf(b, "- %s\n", strings.ReplaceAll(escape(flat(p.Text)), "\n", "\n  "))
				}
			}
		}
	}
}

// escape is a text as Markdown: what is literal in back quotes.
func escape(text string) string {
	fields := strings.SplitAfter(text, "\n")
	for i, line := range fields {
		words := strings.SplitAfter(line, " ")
		for j, word := range words {
			words[j] = escapeWord(word)
		}
		fields[i] = strings.Join(words, "")
	}
	return strings.Join(fields, "")
}

// escapeWord quotes the literal part of a word, with what punctuation is around
// it left outside.
func escapeWord(word string) string {
	bare := strings.TrimRight(strings.TrimLeft(word, "("), " \n,.;:)")
	if bare == "" || !isLiteral.MatchString(bare) {
		return word
	}
	return strings.Replace(word, bare, "`"+bare+"`", 1)
}

// isLiteral is what is typed or printed as it stands: options, codes,
// placeholders, variables and paths.
var isLiteral = regexp.MustCompile(`^(--?[a-z][a-z-]*|-|[a-z]+(_[a-z]+)+|<[a-z]+>|.*<[a-z]+>.*|[$~.]?[\w$~.-]*/[\w./$<>-]*|[A-Z]+(_[A-Z]+)+|\.[a-z-]+|[\w-]+\.json)$`)

func capital(text string) string {
	return strings.ToUpper(text[:1]) + text[1:]
}
