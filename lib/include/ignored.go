package include

import (
	"context"
	"slices"
	"strings"

	"github.com/cniska/agent-worktree/lib/git"
)

// A Tree is where git is asked about files.
type Tree struct {
	Dir    string // absolute root of the checkout
	GitDir string // "": the one that Dir/.git leads to
}

// Ignored lists the files and links in the tree that git ignores and that the
// gitignore-style patterns in a file match, by path relative to the tree's root. Both
// questions are git's to answer, so that a pattern means what it means in .gitignore.
// What lies in a repository of its own is not among them. The pattern file's path is
// absolute, and the caller has seen that it is a regular file.
func Ignored(ctx context.Context, g *git.Git, t Tree, patterns string) ([]string, error) {
	var ignored []string
	var failed error
	done := make(chan struct{})
	// Each question is a walk of the whole tree.
	go func() {
		defer close(done)
		ignored, failed = list(ctx, g, t, "--others", "--ignored", "--exclude-standard")
	}()
	matched, err := list(ctx, g, t, "--others", "--ignored", "--exclude-from="+patterns)
	<-done
	if err == nil {
		err = failed
	}
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(matched, func(path string) bool {
		// A repository inside the tree is one row that ends in a slash.
		return strings.HasSuffix(path, "/") || !has(ignored, path)
	}), nil
}

// list asks for one set of files, in the order of their bytes.
func list(ctx context.Context, g *git.Git, t Tree, which ...string) ([]string, error) {
	call := git.Call{Dir: t.Dir, Args: git.Quiet(append([]string{"ls-files", "-z"}, which...)...)}
	if t.GitDir != "" {
		call.Env = []string{"GIT_DIR=" + t.GitDir, "GIT_WORK_TREE=" + t.Dir}
	}
	answer, err := g.Run(ctx, call)
	if err != nil || len(answer.Stdout) == 0 {
		return nil, err
	}
	paths := strings.Split(strings.TrimSuffix(string(answer.Stdout), "\x00"), "\x00")
	slices.Sort(paths)
	return paths, nil
}

func has(sorted []string, path string) bool {
	_, found := slices.BinarySearch(sorted, path)
	return found
}
