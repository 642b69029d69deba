package task

import (
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/cniska/agent-worktree/lib/place"
	"github.com/cniska/agent-worktree/lib/refuse"
)

// Hook answers the one event that Claude Code sends on w.Stdin and returns the line to
// print. For WorktreeCreate that is the worktree's path, absolute, real and a checkout
// git answers in; for WorktreeRemove what became of the branch. The event is judged
// whole before anything is done. It refuses as hook_input, hook_event and foreign_path,
// and as create and remove --force do.
func Hook(ctx context.Context, w World) (string, error) {
	e, err := readEvent(ctx, w.Stdin)
	switch {
	case err != nil:
		return "", err
	case e.kind == createEvent:
		return hookCreate(ctx, w, e)
	}
	return hookRemove(ctx, w, e)
}

// places are where an event's repository is looked for, the likeliest first. None is
// taken for its root: a session may stand anywhere, and in old clients in a directory
// that is gone.
func (e event) places(w World) []string {
	all := []string{e.cwd, w.Dir, place.Lookup(w.Env, "CLAUDE_PROJECT_DIR")}
	return slices.DeleteFunc(all, func(dir string) bool { return !filepath.IsAbs(dir) })
}

func hookCreate(ctx context.Context, w World, e event) (string, error) {
	if err := place.CheckName(e.name); err != nil {
		return "", err
	}
	p, err := openFirst(ctx, w, e.places(w))
	if err != nil {
		return "", err
	}
	if err := p.onOneLine(); err != nil {
		return "", err
	}
	made, err := p.Create(ctx, e.name, CreateOptions{})
	if err != nil {
		return "", err
	}
	if err := p.answers(ctx, made); err != nil {
		return "", err
	}
	return made.Path, nil
}

// openFirst opens the project of the first directory that is in a checkout. A checkout
// that is refused for another reason ends the search: a worktree of some other
// repository is not what was asked for.
func openFirst(ctx context.Context, w World, dirs []string) (*Project, error) {
	if len(dirs) == 0 {
		dirs = []string{""}
	}
	var first error
	for _, dir := range dirs {
		w.Dir = dir
		p, err := Open(ctx, w)
		switch {
		case err == nil:
			return p, nil
		case !hasCode(err, refuse.NotACheckout):
			return nil, err
		case first == nil:
			first = err
		}
	}
	return nil, first
}

// hasCode tells whether err is, by its code, this refusal.
func hasCode(err error, code refuse.Code) bool {
	if err == nil {
		return false
	}
	got, _ := codeOf(err)
	return got == string(code)
}

// onOneLine refuses a clone whose directory's name, which is part of each worktree's
// path, would split or color the line that the client reads.
func (p *Project) onOneLine() error {
	dir := p.store.Dir()
	if refuse.Visible(dir) == dir {
		return nil
	}
	why := "its name has a control byte or ill-formed text in it"
	return &refuse.Refusal{
		Code:    refuse.UnsupportedLayout,
		Message: refuse.Visible(p.Primary) + " cannot have worktrees whose path is read from a line: " + why,
		Meta:    refuse.Meta{{Key: "path", Value: p.Primary}, {Key: "reason", Value: why}},
		Resolve: "give the directory a name without control bytes",
	}
}

// answers checks what the client will check of the path it is given: a directory whose
// own .git leads git to just there.
func (p *Project) answers(ctx context.Context, made Created) error {
	info, err := os.Lstat(filepath.Join(made.Path, ".git"))
	if err != nil {
		return err
	}
	top, err := p.repo.TopLevel(ctx, made.Path)
	if err != nil || top == made.Path && info.Mode().IsRegular() {
		return err
	}
	return &refuse.Refusal{
		Code:    refuse.NotAWorktree,
		Message: "worktree " + made.Name + " is at " + made.Path + ", and git answers there for " + top,
		Meta:    about(standing{name: made.Name, path: made.Path}, refuse.Fact{Key: "at", Value: top}),
		Resolve: "look for core.worktree in git -C " + refuse.Shell(made.Path) + " config --list --show-origin and unset it",
	}
}
