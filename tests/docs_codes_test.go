package tests

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A remedy is what the manual says of a code beyond the meaning, which is its
// constant's comment: the meta keys an error of that code may carry, and what to
// do about it.
type remedy struct{ meta, do string }

const again = ", then the same command again"

// remedies holds every code. A code that is new in lib/refuse needs its row here.
var remedies = map[string]remedy{
	"invalid_name":           {"name reason", "choose a name of letters, digits, dots, underscores and dashes"},
	"case_collision":         {"name existing path", "use the one that exists, or choose another name"},
	"unsupported_layout":     {"path reason setting", "run the command it names, which mends the setting, or use an ordinary clone"},
	"not_a_checkout":         {"path gitdir name", "`cd` to a git checkout" + again},
	"not_a_managed_checkout": {"path primary", "`cd` to the primary checkout and `agent-worktree init`, or make a worktree with `create`"},
	"unsafe_store":           {"path reason", "make the level a directory of yours that only you can write, with the `chmod` or `chown` it names"},
	"unsupported_platform":   {"platform", "use Linux or macOS, or WSL"},
	"invalid_config":         {"key value", "set the key to a value it can mean, as the `git config` command it names does"},
	"in_hook":                {"name pid", "leave the tool out of the hook, or run it there for another worktree"},

	"unknown_ref":        {"name ref path", "give `--from` a branch, tag or commit that `git rev-parse --verify` knows there"},
	"branch_exists":      {"name branch", "leave `--from` out to take the branch as it is, once nothing else has it checked out, or choose another name"},
	"unknown_branch":     {"name branch", "say with `--from` where to cut it"},
	"invalid_branch":     {"name branch reason", "choose a branch name that `git check-ref-format --branch` accepts"},
	"checked_out":        {"name branch at", "choose another name, or let it go where it is checked out, with the command it names"},
	"ref_conflict":       {"name branch ref", "choose another name, or rename each branch it names"},
	"no_commits":         {"name path", "make a first commit" + again},
	"remote_unreachable": {"name remote detail", "cut from what the clone has, with `--from HEAD`, or mend the connection"},

	"not_registered":  {"name", "`agent-worktree ls` lists the registered ones; `create` makes it"},
	"unmanaged":       {"name path", "move away what is there, or delete it with the command it names"},
	"orphaned":        {"name path", "`agent-worktree prune`, after `git worktree unlock` where it is locked; if it was moved, repair it and move it back as it says"},
	"not_a_worktree":  {"name path at", "move its files away, then `agent-worktree prune`"},
	"unreachable":     {"name path reason", "bring it back (mount the disk), or make its parent and `agent-worktree prune`"},
	"legacy_location": {"name path at", "`git worktree move` it to the place it names and run `init` there, or remove it"},
	"primary_copied":  {"name path primary", "work in the original, or `agent-worktree prune` in the copy, which only drops the copy's record"},
	"primary_moved":   {"name path primary at", "move the clone back, or repair and move the worktree as it says and run `init` there; one that is gone is pruned where the clone was"},

	"dirty": {"name path modified untracked files hidden operation branch reason head",
		"commit or discard the changes, finish the operation, or `remove --force`, which keeps them for `restore`"},
	"submodules":        {"name path submodules", "push what the submodules have, then `remove --force`"},
	"locked":            {"name path reason pid alive", "`git worktree unlock` it, when whoever locked it is done"},
	"nested_repository": {"name path repositories", "push or move what the repository has, or `remove --force`"},
	"nested_worktree":   {"name path worktrees", "`git worktree move` each inner one out, as it says"},
	"mount_inside":      {"name path at count", "`umount` each mount it names"},
	"not_deletable":     {"name path reason", "make the directory it names yours and writable, with the command it gives; `remove --discard` across file systems"},
	"archive_failed":    {"name path file reason", "move the files it names, change the keep hook, or `remove --force`"},
	"teardown_failed":   {"name path hook exit signal", "mend the hook or what it needs" + again + " (`prune` for a worktree that is gone); `remove --force` goes past it"},
	"removals_failed":   {"count failed", "do what it names for each row, then `prune` again, or the same command for what is left"},
	"exists":            {"name path state", "remove what has the name, then `restore` the entry by its whole name"},
	"not_removed":       {"name head", "`agent-worktree restore` lists what can come back"},

	"setup_failed":        {"name path hook exit signal", "mend the hook or what it needs" + again},
	"creates_failed":      {"count failed", "do what it names for each row" + again},
	"hook_not_executable": {"hook reason", "`chmod +x` it, or move it away" + again},
	"hook_unrunnable":     {"hook reason", "mend its first line or what that names" + again},
	"hook_unwritable":     {"path reason", "move away what is there" + again},
	"untrusted_hook":      {"name path branch hook sha256", "read the hook, then `agent-worktree install --trust` in the worktree"},
	"invalid_ports":       {"hook reason value", "write the number anew with `agent-worktree install --ports <n>`, once what is no file is moved away"},
	"no_free_ports":       {"name count", "remove worktrees that are done, here or in another project"},

	"usage":              {"option", "the usage it prints"},
	"tool_not_installed": {"tool searched", "install the tool beside the dispatcher, or put it on PATH"},
	"hook_input":         {"reason field", "send the event as Claude Code does"},
	"hook_event":         {"event", "register `agent-worktree hook` for WorktreeCreate and WorktreeRemove alone"},
	"foreign_path":       {"name path reason at", "remove it by hand; the tool removes only what it keeps"},

	"git_failed":     {"args exit stderr", "hand it to the owner"},
	"ledger_corrupt": {"file reason", "hand it to the owner"},
	"internal":       {"stack", "hand it to the owner"},
}

// shimActs is the codes of the npm package's launcher, which is a shell script.
var shimActs = []struct{ code, meaning, meta, do string }{
	{"no_build_for_platform", "this system is none that there is a build for", "platform", "use Linux or macOS, on x64 or arm64"},
	{"platform_package_missing", "the build's own package is not installed", "package", "install anew, without leaving optional dependencies out"},
	{"binary_not_executable", "the tool of the build is missing or not executable", "path", "`chmod +x` it, or install anew"},
}

// A code is one constant of lib/refuse.
type code struct{ name, value, group, meaning string }

// codes reads the constants in their order, with the comment of their group.
func codes() ([]code, error) {
	path := filepath.Join("..", "lib", "refuse", "codes.go")
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
	if err != nil {
		return nil, err
	}
	var list []code
	for _, decl := range file.Decls {
		group, ok := decl.(*ast.GenDecl)
		if !ok || group.Tok != token.CONST {
			continue
		}
		for _, spec := range group.Specs {
			spec := spec.(*ast.ValueSpec)
			value, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				return nil, err
			}
			name := spec.Names[0].Name
			meaning := strings.Join(strings.Fields(strings.TrimPrefix(spec.Doc.Text(), name+":")), " ")
			meaning, _, _ = strings.Cut(meaning, " Meta: ")
			title := strings.TrimSuffix(strings.Join(strings.Fields(group.Doc.Text()), " "), ".")
			list = append(list, code{name, value, title, meaning})
		}
	}
	return list, nil
}

// codesTable is the manual's table of every code, a heading for each group.
func codesTable() (string, error) {
	list, err := codes()
	if err != nil {
		return "", err
	}
	b, group := strings.Builder{}, ""
	head := func(title string) {
		fmt.Fprintf(&b, "\n### %s\n\n| code | meaning | meta | act |\n| --- | --- | --- | --- |\n", title)
	}
	row := func(code, meaning, meta, do string) {
		keys := strings.Fields(meta)
		for i, key := range keys {
			keys[i] = "`" + key + "`"
		}
		meaning = strings.TrimSuffix(escape(meaning), ".")
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", code, meaning, strings.Join(keys, ", "), do)
	}
	for _, c := range list {
		if c.group != group {
			group = c.group
			head(group)
		}
		row(c.value, c.meaning, remedies[c.value].meta, remedies[c.value].do)
	}
	head("The npm package's launcher")
	for _, c := range shimActs {
		row(c.code, c.meaning, c.meta, c.do)
	}
	return b.String(), nil
}

// TestEveryCode holds the manual's rows to the codes there are.
func TestEveryCode(t *testing.T) {
	list, err := codes()
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, c := range list {
		known[c.value] = true
		if remedies[c.value].do == "" {
			t.Errorf("docs_codes_test.go has no row for %s", c.value)
		}
	}
	for value := range remedies {
		if !known[value] {
			t.Errorf("docs_codes_test.go has a row for %s, which is no code", value)
		}
	}
	shim, err := os.ReadFile("../packaging/npm/shim.sh")
	if err != nil {
		t.Fatal(err)
	}
	var printed, rows []string
	for _, m := range regexp.MustCompile(`(?m)refuse ([a-z]+(?:_[a-z]+)+) `).FindAllStringSubmatch(string(shim), -1) {
		printed = append(printed, m[1])
	}
	for _, c := range shimActs {
		rows = append(rows, c.code)
	}
	if !slices.Equal(printed, rows) {
		t.Errorf("the shim refuses as %v; the manual has %v", printed, rows)
	}
}

// TestMetaKeys holds the manual's meta to the keys written in the code beside
// each code: all of them are listed, and none is listed that nothing writes.
func TestMetaKeys(t *testing.T) {
	watch(t)
	byName := map[string]string{}
	list, err := codes()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range list {
		byName[c.name] = c.value
	}
	found, everywhere := map[string][]string{}, map[string]bool{}
	for _, p := range packages(t) {
		paths, _ := filepath.Glob(filepath.Join(p.Dir, "*.go"))
		for _, path := range paths {
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(path, "_test.go") {
				collectKeys(file, byName, found, everywhere)
			}
		}
	}
	for value, keys := range found {
		for _, key := range keys {
			if !slices.Contains(strings.Fields(remedies[value].meta), key) {
				t.Errorf("%s carries %s, which its row in docs_codes_test.go lacks", value, key)
			}
		}
	}
	for value, a := range remedies {
		for _, key := range strings.Fields(a.meta) {
			if !everywhere[key] {
				t.Errorf("%s is said to carry %s, which nothing writes", value, key)
			}
		}
	}
}

// collectKeys finds the literal keys within each error that is written out, and
// every key that is written anywhere.
func collectKeys(file *ast.File, byName map[string]string, found map[string][]string, everywhere map[string]bool) {
	ast.Inspect(file, func(n ast.Node) bool {
		literal, ok := n.(*ast.CompositeLit)
		if !ok {
			return true
		}
		for _, element := range literal.Elts {
			pair, ok := element.(*ast.KeyValueExpr)
			if !ok || fmt.Sprint(pair.Key) != "Code" {
				continue
			}
			if selector, ok := pair.Value.(*ast.SelectorExpr); ok && byName[selector.Sel.Name] != "" {
				value := byName[selector.Sel.Name]
				found[value] = append(found[value], keysIn(literal)...)
			}
		}
		return true
	})
	for _, key := range keysIn(file) {
		everywhere[key] = true
	}
}

// keysIn is the string that stands for every Key below n.
func keysIn(n ast.Node) (keys []string) {
	ast.Inspect(n, func(n ast.Node) bool {
		pair, ok := n.(*ast.KeyValueExpr)
		if !ok || fmt.Sprint(pair.Key) != "Key" {
			return true
		}
		if word, ok := pair.Value.(*ast.BasicLit); ok {
			key, _ := strconv.Unquote(word.Value)
			keys = append(keys, key)
		}
		return true
	})
	return keys
}
