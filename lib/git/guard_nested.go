package git

import (
	"context"
	"path/filepath"
	"strconv"
	"strings"
)

// mostCommits is where the commits of a nested repository are no longer counted.
const mostCommits = 100

// A Work is what a repository has that nobody else does.
type Work struct {
	Changes int // files that are modified or untracked
	Commits int // commits and stashes that no remote-tracking ref has, at most 100
}

// None tells whether there is nothing of that kind.
func (w Work) None() bool { return w.Changes == 0 && w.Commits == 0 }

// WorkIn is the work in another repository, the one whose own checkout or bare
// directory dir is. With shared, its refs are kept elsewhere, so that only commits of
// a detached HEAD are its own. An error says that git cannot tell.
//
// That repository is a stranger's: none of its hooks and no file-system monitor runs,
// and git's own check of its owner stays on. Its clean filters may run, as they do in
// any status.
func (g *Git) WorkIn(ctx context.Context, dir string, bare, shared bool) (Work, error) {
	var w Work
	// Without a ceiling, git would answer for the repository around a broken one.
	env := []string{"GIT_CEILING_DIRECTORIES=" + filepath.Dir(dir)}
	if !bare {
		answer, err := g.Run(ctx, Call{Dir: dir, Env: env, Args: Quiet(statusArgs...)})
		if err != nil {
			return w, err
		}
		s := parseStatus(string(answer.Stdout))
		w.Changes = s.Changed + s.Added
		if shared && s.Head == "" {
			return w, nil
		}
	}
	answer, err := g.Run(ctx, Call{Dir: dir, Env: env, Args: Quiet(ownCommits(shared)...)})
	if err != nil {
		return w, err
	}
	w.Commits, err = strconv.Atoi(strings.TrimSpace(answer.Text()))
	return w, err
}

func ownCommits(shared bool) []string {
	args := []string{"rev-list", "--count", "--max-count=" + strconv.Itoa(mostCommits)}
	if shared {
		return append(args, "HEAD", "--not", "--branches", "--tags", "--remotes")
	}
	return append(args, "--all", "--not", "--remotes") // --all has HEAD and the stash
}
