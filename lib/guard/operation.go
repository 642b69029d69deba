package guard

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/cniska/agent-worktree/lib/git"
)

// operation is what is under way in the worktree with that admin directory, and the
// branch that a rebase or bisect left, which git keeps to itself meanwhile. A rebase
// comes first, since it makes merges and picks of its own.
func operation(admin string) (name, branch string) {
	if admin == "" {
		return "", ""
	}
	has := func(name string) bool {
		_, err := os.Lstat(filepath.Join(admin, name))
		return err == nil
	}
	switch {
	case has("rebase-merge"):
		return "rebase", branchIn(admin, "rebase-merge/head-name")
	case has("rebase-apply/applying"):
		return "am", ""
	case has("rebase-apply"):
		return "rebase", branchIn(admin, "rebase-apply/head-name")
	case has("MERGE_HEAD"):
		return "merge", ""
	case has("CHERRY_PICK_HEAD"):
		return "cherry-pick", ""
	case has("REVERT_HEAD"):
		return "revert", ""
	case has("sequencer"):
		return sequence(admin), ""
	case has("BISECT_LOG"):
		return "bisect", branchIn(admin, "BISECT_START")
	}
	return "", ""
}

// sequence is what the sequencer goes on with between two commits.
func sequence(admin string) string {
	if strings.HasPrefix(firstLine(filepath.Join(admin, "sequencer/todo")), "revert") {
		return "revert"
	}
	return "cherry-pick"
}

// branchIn is the branch that the file names, "" when it names a commit or none.
func branchIn(admin, file string) string {
	name := firstLine(filepath.Join(admin, file))
	if short, ok := strings.CutPrefix(name, "refs/heads/"); ok {
		return short
	}
	if strings.Contains(name, " ") || git.IsID(name) { // `detached HEAD`
		return ""
	}
	return name
}

// firstLine is a regular file's first line, "" when it cannot be read.
func firstLine(path string) string {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	data, _ := io.ReadAll(io.LimitReader(file, 4096))
	line, _, _ := strings.Cut(string(data), "\n")
	return line
}
