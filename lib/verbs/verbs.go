// Package verbs is the one table of the commands: what each is called, which
// tool runs it, how it is used and what it is for. The dispatcher, every usage
// refusal, the help and the documents all read it here.
package verbs

// Verb is one command. Usage is how its command line reads, without the
// dispatcher's name in front; Summary is one clause with no full stop.
type Verb struct {
	Name    string
	Binary  string
	Usage   string
	Summary string
}

// All is every verb, in the order in which the help prints them.
var All = []Verb{
	{
		Name: "create", Binary: "aw-create",
		Usage:   "create [--from <ref>] [--branch <branch>] <name>",
		Summary: "make a worktree on its own branch, or finish making it, and print its path",
	},
	{
		Name: "init", Binary: "aw-init",
		Usage:   "init",
		Summary: "run the project's setup in the checkout you are in",
	},
	{
		Name: "remove", Binary: "aw-remove",
		Usage:   "remove [--force] [--dry-run] [--keep-branch] [--keep-remote] [--discard] <name>",
		Summary: "tear a worktree down, keep what restore needs, and delete its branch if it landed",
	},
	{
		Name: "restore", Binary: "aw-restore",
		Usage:   "restore [<name>]",
		Summary: "list the removed worktrees that can come back, or bring one back",
	},
	{
		Name: "prune", Binary: "aw-prune",
		Usage:   "prune [--dry-run] [--full] [--merged] [--yes <name>]... [--exit-code]",
		Summary: "clear worktrees that are gone, and those whose branch has landed",
	},
	{
		Name: "ls", Binary: "aw-ls",
		Usage:   "ls [--full] [-o <columns>] [--state <states>] [--all] [--outside] [--fetch] [--summary]",
		Summary: "list the project's worktrees and the state of each",
	},
	{
		Name: "path", Binary: "aw-path",
		Usage:   "path <name>",
		Summary: "print where a worktree lives, or would live",
	},
	{
		Name: "install", Binary: "aw-install",
		Usage: "install [--local] [--setup <command>] [--teardown <command>] [--ports <n>]" +
			" [--keep <pattern>]... [--trust]",
		Summary: "write the project's setup, teardown, ports and keep hooks",
	},
	{
		Name: "doctor", Binary: "aw-doctor",
		Usage:   "doctor [--full]",
		Summary: "check the machine, the project and its worktrees, changing nothing",
	},
	{
		Name: "hook", Binary: "aw-hook",
		Usage:   "hook",
		Summary: "answer a Claude Code WorktreeCreate or WorktreeRemove event on standard input",
	},
}

// Find is the verb of that name, exactly as spelled.
func Find(name string) (Verb, bool) {
	for _, verb := range All {
		if verb.Name == name {
			return verb, true
		}
	}
	return Verb{}, false
}
