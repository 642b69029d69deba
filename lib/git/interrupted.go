package git

import (
	"context"
	"path/filepath"
	"strings"

	"github.com/cniska/agent-worktree/lib/fault"
)

// Untouched tells whether the worktree at dir holds nothing but files of the commit,
// as a checkout that was interrupted leaves it: files may be missing, and none differs
// or is new. Its own index is not looked at; admin is its admin directory.
func (r *Repo) Untouched(ctx context.Context, dir, admin, commit string) (bool, error) {
	index := filepath.Join(admin, "agent-worktree.index")
	defer fault.Remove(index)
	env := []string{"GIT_INDEX_FILE=" + index}
	if _, err := r.Run(ctx, Call{Dir: dir, Env: env, Args: Quiet("read-tree", commit)}); err != nil {
		return false, err
	}
	answer, err := r.Run(ctx, Call{Dir: dir, Env: env, Args: Quiet("-c", "core.untrackedCache=false",
		"status", "--porcelain=v2", "-z", "--untracked-files=all", "--ignored=matching", "--ignore-submodules=none", "--no-renames")})
	if err != nil {
		return false, err
	}
	for _, field := range strings.Split(string(answer.Stdout), "\x00") {
		if field != "" && !strings.HasPrefix(field, "1 .D ") {
			return false, nil
		}
	}
	return true, nil
}

// HeadOf is the commit and the short branch name (“” when detached) of the worktree
// whose git directory is given; its files need not be there.
func (r *Repo) HeadOf(ctx context.Context, gitDir string) (head, branch string, err error) {
	line := readLine(filepath.Join(gitDir, "HEAD"))
	if name, ok := strings.CutPrefix(line, "ref: refs/heads/"); ok {
		if id := r.loose("refs/heads/" + name); id != "" {
			return id, name, nil
		}
	}
	answer, err := r.Run(ctx, Call{Dir: r.Primary, Env: []string{"GIT_DIR=" + gitDir},
		Args: Quiet("rev-parse", "HEAD", "--symbolic-full-name", "HEAD")})
	if err != nil {
		return "", "", err
	}
	lines := answer.Lines()
	if len(lines) != 2 || !IsID(lines[0]) {
		return "", "", errStatus
	}
	branch, _ = strings.CutPrefix(lines[1], "refs/heads/")
	if branch == lines[1] {
		branch = ""
	}
	return lines[0], branch, nil
}

// CheckoutIndex writes all files of a worktree's index. What is there already is not
// replaced, which git reports as status 1.
func (r *Repo) CheckoutIndex(ctx context.Context, dir string) error {
	_, err := r.Run(ctx, Call{Dir: dir, Locale: true, Locks: true, OK: []int{1}, Args: Quiet("checkout-index", "--all", "--quiet")})
	return err
}
