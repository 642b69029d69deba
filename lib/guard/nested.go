package guard

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"github.com/cniska/agent-worktree/lib/git"
	"github.com/cniska/agent-worktree/lib/refuse"
)

// A repository inside the tree, and what it has of its own.
type repository struct {
	path string // relative to the tree
	bare bool
	work git.Work
	err  error // why git cannot tell, which counts as work
}

func (r repository) idle() bool { return r.err == nil && r.work.None() }

// judgeNested refuses a tree with a repository inside that has work of its own and
// that no status shows. Directories that may not be read are judged here too: an
// ignored one is only named in a.Unread, any other leaves the tree unjudged.
func (a *Answer) judgeNested(ctx context.Context, repo *git.Repo, s Subject, f found, flagged []git.Flagged) *refuse.Refusal {
	if len(f.repos)+len(f.bare)+len(f.unread) == 0 {
		return nil
	}
	skip := a.answered(s, flagged)
	asked := append(skip.rest(f.bare), skip.rest(f.unread)...)
	ignored, err := repo.Ignored(ctx, s.At, s.Admin, asked)
	if err != nil && a.Failed == nil {
		a.Failed = err
	}
	for _, dir := range skip.rest(f.unread) {
		if ignored[dir] {
			a.Unread = append(a.Unread, dir)
		} else if a.Failed == nil {
			a.Failed = errors.New(filepath.Join(s.Path, dir) + " cannot be read")
		}
	}
	list := checkouts(s.At, skip.rest(f.repos))
	for _, dir := range skip.rest(f.bare) {
		if ignored[dir] { // one that is tracked, such as a test's, is files like others
			list = append(list, repository{path: dir, bare: true})
		}
	}
	return nestedRepository(s, judge(ctx, repo.Git, s.At, list))
}

// A covered set is of directories that another guard answers for.
type covered map[string]bool

// answered are the gitlinks, the other worktrees, and what status shows as untracked.
func (a *Answer) answered(s Subject, flagged []git.Flagged) covered {
	c := covered{}
	for _, f := range flagged {
		if f.Mode == git.ModeGitlink {
			c[f.Path] = true
		}
	}
	for _, other := range s.Others {
		if rel := within(s.Path, other); rel != "" {
			c[rel] = true
		}
	}
	for _, path := range a.Status.New {
		if dir, ok := strings.CutSuffix(path, "/"); ok {
			c[dir] = true
		}
	}
	return c
}

// rest are those of the directories that are neither covered nor in one that is.
func (c covered) rest(dirs []string) []string {
	var list []string
	for _, dir := range dirs {
		at := dir
		for at != "." && !c[at] {
			at = filepath.Dir(at)
		}
		if at == "." {
			list = append(list, dir)
		}
	}
	return list
}

// Repositories are those below dir that have work of their own or of which git cannot
// tell, as paths relative to dir. Whoever thinks of deleting a directory that git
// ignores asks here first.
func Repositories(ctx context.Context, g *git.Git, dir string) []string {
	f := walk(ctx, dir, mountsUnder(dir))
	if _, err := os.Lstat(filepath.Join(dir, ".git")); err == nil {
		f.repos = append(f.repos, ".")
	}
	if names, err := readDir(dir); err == nil && looksBare(names) {
		f.bare = append(f.bare, ".")
	}
	list := checkouts(dir, f.repos)
	for _, path := range f.bare {
		list = append(list, repository{path: path, bare: true})
	}
	var busy []string
	for _, r := range judge(ctx, g, dir, list) {
		if !r.idle() {
			busy = append(busy, r.path)
		}
	}
	return busy
}

// checkouts are the directories below root whose .git may be one: an empty one is not.
func checkouts(root string, dirs []string) []repository {
	var list []repository
	for _, dir := range dirs {
		if !empty(filepath.Join(root, dir, ".git")) {
			list = append(list, repository{path: dir})
		}
	}
	return list
}

// judge asks git about each repository below root, side by side.
func judge(ctx context.Context, g *git.Git, root string, list []repository) []repository {
	var all sync.WaitGroup
	places := make(chan struct{}, runtime.NumCPU())
	for i := range list {
		places <- struct{}{}
		all.Go(func() {
			r := &list[i]
			dir := filepath.Join(root, r.path)
			r.work, r.err = g.WorkIn(ctx, dir, r.bare, !r.bare && keptElsewhere(root, dir))
			<-places
		})
	}
	all.Wait()
	return list
}

// keptElsewhere tells whether the checkout at dir has its commits outside root, as a
// linked worktree of another repository has.
func keptElsewhere(root, dir string) bool {
	link := git.Link(dir)
	if link == "" {
		real, err := filepath.EvalSymlinks(filepath.Join(dir, ".git"))
		return err == nil && within(root, real) == ""
	}
	common := git.CommonOf(link)
	if common == "" {
		common = link
	}
	return within(root, common) == ""
}

// nestedRepository refuses when one of them has work.
func nestedRepository(s Subject, list []repository) *refuse.Refusal {
	table := refuse.Table{Columns: []string{"path", "changes", "commits", "reason"}}
	var names []string
	for _, r := range list {
		if r.idle() {
			continue
		}
		row := []any{r.path, r.work.Changes, r.work.Commits, nil}
		if r.err != nil {
			row = []any{r.path, nil, nil, "git cannot tell: " + r.err.Error()}
		}
		table.Rows = append(table.Rows, row)
		names = append(names, r.path)
	}
	if len(names) == 0 {
		return nil
	}
	what := "a repository with work of its own"
	if len(names) > 1 {
		what = fmt.Sprintf("%d repositories with work of their own", len(names))
	}
	first := refuse.Shell(filepath.Join(s.Path, names[0]))
	return &refuse.Refusal{
		Code:    refuse.NestedRepository,
		Message: "worktree " + s.Name + " has " + what + " inside it: " + named(names),
		Meta:    s.meta(refuse.Fact{Key: "repositories", Value: table}),
		Resolve: s.orForce("git -C " + first + " status to see what it has, and push it or move it elsewhere"),
	}
}
