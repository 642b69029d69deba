package task

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cniska/agent-worktree/lib/git"
	"github.com/cniska/agent-worktree/lib/place"
	"github.com/cniska/agent-worktree/lib/refuse"
	"github.com/cniska/agent-worktree/lib/settle"
	"github.com/cniska/agent-worktree/lib/store"
)

// goneTries is how often a worktree that another process gets hold of between two looks
// is looked at.
const goneTries = 3

func hookRemove(ctx context.Context, w World, e event) (string, error) {
	path, err := slot(e.path)
	if err != nil {
		return "", err
	}
	p, err := holder(ctx, w, e, path)
	if err != nil {
		return "", err
	}
	line, err := p.removeAt(ctx, filepath.Base(path), path)
	return refuse.Visible(line), err
}

// slot is a path as the store spells it: the links above it resolved, and none of its
// own, since it is the place that is meant.
func slot(path string) (string, error) {
	switch {
	case !filepath.IsAbs(path):
		return "", notOurs(path, "it is not absolute")
	case slices.Contains(strings.Split(path, "/"), ".."):
		return "", notOurs(path, "it has .. in it")
	}
	path = filepath.Clean(path)
	return filepath.Join(place.Real(filepath.Dir(path)), filepath.Base(path)), nil
}

func notOurs(path, why string) error {
	shown := refuse.Visible(path)
	if shown == "" {
		shown = "the empty path"
	}
	return &refuse.Refusal{
		Code:    refuse.ForeignPath,
		Message: shown + " is no place of a worktree of this project: " + why,
		Meta:    refuse.Meta{{Key: "path", Value: path}, {Key: "reason", Value: why}},
		Resolve: "agent-worktree ls lists this project's worktrees and agent-worktree remove <name> removes one; anything else is removed by hand",
	}
}

// holder is the project that has the worktree whose place path is: the one its own .git
// leads to, or one that the store knows of beside it, or one the session is in.
func holder(ctx context.Context, w World, e event, path string) (*Project, error) {
	if layout, err := place.Find(path); err == nil && layout.Linked() && layout.Top == path {
		w.Dir = path
		p, err := Open(ctx, w)
		if err == nil && !p.holds(path) {
			return nil, notOurs(path, "it is a worktree that agent-worktree did not make")
		}
		return p, err
	}
	beside, err := neighbours(w, path)
	if err != nil {
		return nil, err
	}
	var first error
	for _, dir := range append(beside, e.places(w)...) {
		w.Dir = dir
		p, err := Open(ctx, w)
		if err == nil && p.holds(path) {
			return p, nil
		}
		if err == nil {
			err = notOurs(path, "agent-worktree keeps none there")
		}
		if first == nil || hasCode(err, refuse.ForeignPath) {
			first = err
		}
	}
	if first == nil {
		_, first = place.Find("")
	}
	return nil, first
}

// holds tells whether path is where the project keeps a worktree of that name: its place
// in the store, or where a registered one of an earlier release stands or stood.
func (p *Project) holds(path string) bool {
	name := filepath.Base(path)
	if place.CheckName(name) != nil {
		return false
	}
	if path == p.store.Path(name) {
		return true
	}
	if path != p.earlierPath(name) {
		return false
	}
	s, err := p.standNow(name)
	return err == nil && s.entry != nil && s.path == path
}

// neighbours are the primary checkouts that the store connects with the directory path
// is in: by another worktree in it, or by one removed from it. The directory's name
// proves each.
func neighbours(w World, path string) ([]string, error) {
	data, err := place.Data(w.Env)
	dir := filepath.Dir(path)
	if err != nil || filepath.Dir(dir) != data {
		return nil, err
	}
	s := store.Store{Data: data, Key: filepath.Base(dir)}
	var found []string
	add := func(primary string) {
		if primary != "" && place.Key(primary) == s.Key && !slices.Contains(found, primary) {
			found = append(found, primary)
		}
	}
	dirs, _ := os.ReadDir(dir)
	for _, d := range dirs {
		if link := git.Link(filepath.Join(dir, d.Name())); link != "" {
			add(filepath.Dir(git.CommonOf(link)))
		}
	}
	entries, _ := s.Entries()
	for _, entry := range entries {
		if record, err := entry.Read(); err == nil {
			add(record.Primary)
		}
	}
	return found, nil
}

// removeAt removes the worktree as remove --force does. One that is gone is finished as
// prune would, and one of which nothing is left is a success: the client keeps asking
// for what it believes is still there.
func (p *Project) removeAt(ctx context.Context, name, path string) (string, error) {
	for try := 1; ; try++ {
		removed, err := p.removeForced(ctx, name)
		switch {
		case err == nil:
			return removed.String(), nil
		case hasCode(err, refuse.NotRegistered):
			note(p.Stderr, "worktree %s is gone already: nothing is at %s, and nothing is registered", name, path)
			return "worktree " + name + " was gone already", nil
		case !hasCode(err, refuse.Orphaned) || try == goneTries:
			return "", err
		}
		line, err := p.finishGone(ctx, name)
		if line != "" || err != nil {
			return line, err
		}
	}
}

func (p *Project) removeForced(ctx context.Context, name string) (Removed, error) {
	b := &batch{names: []string{name}, errs: make([]error, 1)}
	one := func(do func(int, io.Writer) error) { b.errs[0] = do(0, p.Stderr) }
	results, err := p.removeAll(ctx, b, RemoveOptions{Force: true}, "hook", one)
	if err != nil {
		return Removed{}, err
	}
	return results[0], b.errs[0]
}

// finishGone tears down, settles and unregisters a worktree whose directory is gone. Its
// line is "" when the worktree is not to be had: it came back, or another process works
// on it.
func (p *Project) finishGone(ctx context.Context, name string) (string, error) {
	judge := settle.New(p.repo)
	defer judge.Close(context.WithoutCancel(ctx))
	r, err := p.takeGone(ctx, &job{Project: p, name: name, out: p.Stderr, judge: judge}, "hook")
	if err != nil || r == nil {
		return "", err
	}
	defer r.end()
	if err := p.settleAll(ctx, judge, []*removal{r}, RemoveOptions{}); err != nil {
		return "", err
	}
	if err := r.unregister(ctx); err != nil {
		return "", err
	}
	note(p.Stderr, "the directory of worktree %s was gone already", name)
	if r.branch == "" {
		return "worktree " + name + " was gone already and is unregistered", nil
	}
	return r.result().String(), nil
}
