package tests

import (
	"fmt"
	"go/ast"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/cniska/agent-worktree/lib/verbs"
)

// A manual is what is known of one tool from its sources: the doc comment of its
// main, which is its manual page, its row in the table of verbs and its options.
type manual struct {
	tool    string
	verb    string // "" for a tool that is no verb's
	summary string
	usage   []string
	blocks  []comment.Block // the doc comment without its first words and its usage
	options []option
	forms   bool // it takes --json, --plain and -z
}

type option struct {
	name, value string // value is the placeholder, or ""
	help        string
	repeats     bool
}

// common is the options of every tool, and forms those of all with an envelope.
var (
	forms = []option{
		{name: "--json", help: "print one JSON document"},
		{name: "--plain", help: "print the main values alone, a row a line, cells parted by tabs"},
		{name: "-z", help: "as --plain, with rows ended by NUL and cells as they are"},
	}
	common = []option{
		{name: "--help", help: "print the usage and the summary; -h does too"},
		{name: "--version", help: "print the version"},
	}
)

// manuals reads every tool's, the dispatcher's first and then as in the table.
func manuals() ([]manual, error) {
	list := []manual{{tool: "agent-worktree", summary: "run the tool of a verb", forms: true}}
	for _, verb := range verbs.All {
		list = append(list, manual{tool: verb.Binary, verb: verb.Name, summary: verb.Summary, forms: verb.Name != "hook"})
	}
	list = append(list, manual{tool: "aw-latest", summary: "ask the install channel for the newest version"})
	for i := range list {
		if err := list[i].read(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func (m *manual) read() error {
	paths, err := filepath.Glob(filepath.Join("..", "cmd", m.tool, "*.go"))
	if err != nil {
		return err
	}
	help := map[string]string{}
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		if filepath.Base(path) == "main.go" {
			m.page(file.Doc.Text())
		}
		if !strings.HasSuffix(path, "_test.go") {
			readHelp(file, help)
		}
	}
	verb, _ := verbs.Find(m.verb)
	for _, found := range inUsage.FindAllStringSubmatch(verb.Usage, -1) {
		o := option{name: found[1], value: found[2], help: help[found[1]], repeats: found[3] != ""}
		if help[found[1]] == "" {
			return fmt.Errorf("%s: no flag is defined for %s of the usage", m.tool, o.name)
		}
		if o.repeats {
			o.help += "; may be repeated"
		}
		delete(help, found[1])
		m.options = append(m.options, o)
	}
	for name := range help {
		return fmt.Errorf("%s: the usage lacks %s", m.tool, name)
	}
	return nil
}

// inUsage is an option in a usage line: its name, its placeholder, its dots.
var inUsage = regexp.MustCompile(`\[(--?[a-z-]+)(?: <([a-z]+)>)?\](\.\.\.)?`)

// page takes a doc comment apart.
func (m *manual) page(text string) {
	blocks := (&comment.Parser{}).Parse(text).Content
	for i, block := range blocks {
		code, isCode := block.(*comment.Code)
		switch {
		case i == 0, isCode && m.usage != nil && i < 3:
		case isCode && i == 2:
			m.usage = strings.Split(strings.TrimSpace(code.Text), "\n")
		case i == 1: // Usage:
		default:
			m.blocks = append(m.blocks, block)
		}
	}
}

// readHelp collects what a file's flags say they are for, by --name or -n.
func readHelp(file *ast.File, help map[string]string) {
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		method, ok := call.Fun.(*ast.SelectorExpr)
		if x, isName := method0(method, ok); !isName || x != "flags" {
			return true
		}
		name, last := "", ""
		for _, arg := range call.Args {
			literal, ok := arg.(*ast.BasicLit)
			if !ok || literal.Kind != token.STRING && literal.Kind != token.CHAR {
				continue
			}
			value, err := strconv.Unquote(literal.Value)
			if err != nil {
				continue
			}
			switch {
			case literal.Kind == token.CHAR:
				name = "-" + value
			case name == "" && value != "":
				name = "--" + value
			}
			last = value
		}
		if name != "" {
			help[name] = strings.ReplaceAll(last, "`", "")
		}
		return true
	})
}

func method0(method *ast.SelectorExpr, ok bool) (receiver string, isName bool) {
	if !ok {
		return "", false
	}
	x, isName := method.X.(*ast.Ident)
	if !isName {
		return "", false
	}
	return x.Name, true
}

// all is the tool's own options, then those it shares.
func (m manual) all() []option {
	list := append([]option{}, m.options...)
	if m.forms {
		list = append(list, forms...)
	}
	return append(list, common...)
}

// flat is a paragraph's text.
func flat(texts []comment.Text) string {
	b := strings.Builder{}
	for _, text := range texts {
		switch text := text.(type) {
		case comment.Plain:
			b.WriteString(string(text))
		case comment.Italic:
			b.WriteString(string(text))
		case *comment.Link:
			b.WriteString(flat(text.Text))
		case *comment.DocLink:
			b.WriteString(flat(text.Text))
		}
	}
	return b.String()
}

// generated is every document that make docs writes, by its path in the checkout.
func generated() (map[string]string, error) {
	list, err := manuals()
	if err != nil {
		return nil, err
	}
	commands, err := commandsPage(list)
	if err != nil {
		return nil, err
	}
	documents := map[string]string{
		"docs/commands.md":                          commands,
		"packaging/completions/agent-worktree.bash": bashCompletion(list),
		"packaging/completions/agent-worktree.zsh":  zshCompletion(list),
		"packaging/completions/agent-worktree.fish": fishCompletion(list),
	}
	for _, m := range list {
		documents["packaging/man/"+m.tool+".1"] = manPage(m, list)
	}
	return documents, nil
}

func writeDocument(path, text string) error {
	path = filepath.Join("..", path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(text), 0o644)
}
