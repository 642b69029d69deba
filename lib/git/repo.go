package git

import (
	"context"
	"strings"
)

// A Repo is one clone: every call about it runs from its primary checkout, unless
// it is about one worktree.
type Repo struct {
	*Git
	Primary string // absolute, real: the checkout that holds .git
	Common  string // absolute, real: the git common directory
}

// read asks a question in the primary checkout, with nobody's hooks.
func (r *Repo) read(ctx context.Context, args ...string) (Answer, error) {
	return r.Run(ctx, Call{Dir: r.Primary, Args: Quiet(args...)})
}

// A Heads is what one call tells before a worktree is made.
type Heads struct {
	Hook     string   // the post-checkout hook's path as git gives it: may be relative to the primary
	Commit   string   // what the revision names, "" when it names no single commit
	Branches []string // local branches, short names
}

// Heads resolves rev in the checkout dir and lists the local branches. A rev that
// names no commit, or more than one, leaves Commit empty.
func (r *Repo) Heads(ctx context.Context, dir, rev string) (Heads, error) {
	args := []string{"rev-parse", "--git-path", "hooks/post-checkout", "--symbolic-full-name", "--glob=refs/heads/*"}
	if rev != "" && !strings.HasPrefix(rev, "-") {
		args = []string{"rev-parse", "--git-path", "hooks/post-checkout", rev + "^{commit}", "--symbolic-full-name", "--glob=refs/heads/*"}
	}
	// --glob gives full names to resolve, where --branches trips over a tag of the
	// same name. The hook's path is asked with the user's own core.hooksPath.
	answer, err := r.Run(ctx, Call{Dir: dir, Args: args, OK: []int{128}})
	if err != nil {
		return Heads{}, err
	}
	if answer.Status == 128 {
		if rev == "" {
			return Heads{}, &Error{Args: args, Dir: dir, Status: 128, Stderr: lastWords(answer.Stderr), Cause: errStatus}
		}
		return r.Heads(ctx, dir, "")
	}
	return parseHeads(answer.Lines(), rev != "")
}

func parseHeads(lines []string, withRev bool) (Heads, error) {
	var h Heads
	if len(lines) == 0 {
		return h, errStatus
	}
	h.Hook, lines = lines[0], lines[1:]
	var ids []string
	for _, line := range lines {
		if name, ok := strings.CutPrefix(line, "refs/heads/"); ok {
			h.Branches = append(h.Branches, name)
		} else if withRev {
			ids = append(ids, line)
		}
	}
	if len(ids) == 1 && IsID(ids[0]) {
		h.Commit = ids[0]
	}
	return h, nil
}

// IsID tells whether s is one full object id, of either hash.
func IsID(s string) bool {
	if len(s) != 40 && len(s) != 64 {
		return false
	}
	return strings.Trim(s, "0123456789abcdef") == ""
}

// Zero is the id that means "no such commit", as long as other.
func Zero(other string) string { return strings.Repeat("0", max(len(other), 40)) }

// Resolve is the commit a full ref or id names, "" when there is none.
func (r *Repo) Resolve(ctx context.Context, ref string) (string, error) {
	answer, err := r.Run(ctx, Call{Dir: r.Primary, OK: []int{1, 128},
		Args: Quiet("rev-parse", "--verify", "--quiet", "--end-of-options", ref+"^{commit}")})
	if err != nil || answer.Status != 0 || !IsID(answer.Text()) {
		return "", err
	}
	return answer.Text(), nil
}

// ValidBranch tells whether git takes the name for a branch.
func (r *Repo) ValidBranch(ctx context.Context, name string) (bool, error) {
	answer, err := r.Run(ctx, Call{Dir: r.Primary, OK: []int{1, 128},
		Args: Quiet("check-ref-format", "--branch", name)})
	return err == nil && answer.Status == 0 && answer.Text() == name, err
}
