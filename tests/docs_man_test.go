package tests

import (
	"fmt"
	"go/doc/comment"
	"strings"
)

// manPage is a tool's manual in man's own language, without a version or a date,
// so that it changes only when what it says does.
func manPage(m manual, all []manual) string {
	b := strings.Builder{}
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line(`.\" Written by make docs from cmd/%s/main.go; change it there.`, m.tool)
	line(`.TH %s 1 "" "agent-worktree" "agent-worktree"`, strings.ToUpper(roff(m.tool)))
	line(".SH NAME\n%s \\- %s", roff(m.tool), roff(m.summary))
	line(".SH SYNOPSIS\n.nf")
	for _, usage := range m.usage {
		line("%s", roff(usage))
	}
	line(".fi\n.SH DESCRIPTION")
	for i, block := range m.blocks {
		if i > 0 {
			line(".PP")
		}
		roffBlock(line, block)
	}
	line(".SH OPTIONS")
	for _, o := range m.all() {
		name := `\fB` + roff(o.name) + `\fP`
		if o.value != "" {
			name += ` \fI<` + roff(o.value) + `>\fP`
		}
		line(".TP\n%s\n%s", name, roff(o.help))
	}
	line(".SH SEE ALSO")
	var others []string
	for _, other := range all {
		if other.tool != m.tool {
			others = append(others, ".BR "+roff(other.tool)+" (1)")
		}
	}
	line("%s", strings.Join(others, " ,\n"))
	return b.String()
}

func roffBlock(line func(string, ...any), block comment.Block) {
	switch block := block.(type) {
	case *comment.Paragraph:
		line("%s", roff(flat(block.Text)))
	case *comment.Heading:
		line(".B %s", roff(flat(block.Text)))
	case *comment.Code:
		line(".RS 4\n.nf\n%s\n.fi\n.RE", roff(strings.TrimRight(block.Text, "\n")))
	case *comment.List:
		for _, item := range block.Items {
			line(".IP \\(bu 2")
			for _, content := range item.Content {
				roffBlock(line, content)
			}
		}
	}
}

// roff keeps text from being taken for a request.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
