// Package keep archives the ignored files that matter of a worktree that goes, such as
// agents' notes, with the secrets taken out.
//
// An archive may lie about for long and be read by many, so it fails closed: a file whose
// text cannot be shown to be clean is not written, and without force its worktree stays.
package keep

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/cniska/agent-worktree/lib/git"
	"github.com/cniska/agent-worktree/lib/include"
	"github.com/cniska/agent-worktree/lib/refuse"
)

// A Request is one worktree's files to archive.
type Request struct {
	Git      *git.Git
	Tree     string // absolute directory in which the worktree's files stand now
	GitDir   string // its admin directory; "" where Tree/.git leads there
	Patterns string // absolute path of the keep hook; "" when there is none
	Dest     string // absolute directory that gets the entry; the caller has made and checked it
	Name     string // the worktree's
	Branch   string // the worktree's, "" when detached
	Source   string // the worktree's path as users know it
	Primary  string // the primary checkout
	Home     string // the user's home directory, to be written as ~
	Now      time.Time
	Force    bool // leave out what cannot be archived rather than refuse
	Discard  bool // nothing else will hold what is left out, so refuse all the same
}

// An Entry is what was archived. Without a Path nothing was.
type Entry struct {
	Name  string // <UTC time>-<worktree>, its directory's name in Dest
	Path  string // absolute
	Files int    // how many files are in it
	Links int    // how many links its manifest records
	Left  []Left // what was left out under force, by path
}

// A Left is a file that is not in the archive.
type Left struct {
	Path string // relative to the worktree; of the keep hook, absolute
	Why  string
}

// unfit is why a file cannot be archived. Any other error is the archive's own.
type unfit string

func (u unfit) Error() string { return string(u) }

// Archive writes the files that git ignores and the keep hook's patterns match into a new
// entry of Dest: regular files redacted, links recorded, and a manifest. The entry appears
// whole or not at all; nothing of the worktree is changed. Without a match there is no
// entry. What cannot be archived refuses as archive_failed, or is in Left under Force.
func Archive(ctx context.Context, r Request) (Entry, error) {
	paths, err := r.matches(ctx)
	if why := unfit(""); errors.As(err, &why) {
		return r.without([]Left{{r.Patterns, string(why)}})
	}
	if err != nil || len(paths) == 0 {
		return Entry{}, err
	}
	d, err := r.draft()
	if err != nil {
		return r.failed(err, paths)
	}
	defer d.discard()
	left, err := d.fill(ctx, r, paths)
	if ctx.Err() != nil {
		return Entry{}, context.Cause(ctx)
	}
	if refusal := (*refuse.Refusal)(nil); errors.As(err, &refusal) {
		return Entry{}, err
	}
	if err == nil && len(d.manifest.Files) > 0 {
		err = d.finish(r)
	}
	if err != nil {
		return r.failed(err, paths)
	}
	entry := d.entry()
	entry.Left = left
	return entry, nil
}

// matches asks which files the hook means. git waits for ever on a FIFO and dies of a
// directory, so what is no readable file is not given to it.
func (r Request) matches(ctx context.Context) ([]string, error) {
	if r.Patterns == "" {
		return nil, nil
	}
	hook, err := os.OpenFile(r.Patterns, os.O_RDONLY|dontWait, 0)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(r.Patterns); errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
	}
	if err != nil {
		return nil, unfit("the keep hook cannot be read: " + cause(err))
	}
	defer hook.Close()
	if info, err := hook.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, unfit("the keep hook is no regular file")
	}
	return include.Ignored(ctx, r.Git, include.Tree{Dir: r.Tree, GitDir: r.GitDir}, r.Patterns)
}

// fill writes the files into the draft and returns those that had to be left out.
func (d *draft) fill(ctx context.Context, r Request, paths []string) ([]Left, error) {
	tree, err := os.OpenRoot(r.Tree)
	if err != nil {
		return nil, err
	}
	defer tree.Close()
	var left []Left
	homes := r.homes()
	for _, path := range paths {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		err := d.add(tree, path, homes)
		why := unfit("")
		switch {
		case errors.Is(err, errGone):
		case errors.As(err, &why) && (!r.Force || r.Discard):
			return nil, r.refusal(Left{path, string(why)})
		case errors.As(err, &why):
			left = append(left, Left{path, string(why)})
		case err != nil:
			return nil, err
		}
	}
	return left, nil
}

// failed is the answer when the archive itself cannot be written.
func (r Request) failed(err error, paths []string) (Entry, error) {
	left := make([]Left, len(paths))
	for i, path := range paths {
		left[i] = Left{path, "the archive cannot be written: " + cause(err)}
	}
	return r.without(left)
}

// without is the answer when nothing could be archived.
func (r Request) without(left []Left) (Entry, error) {
	if r.Force && !r.Discard {
		return Entry{Left: left}, nil
	}
	return Entry{}, r.refusal(left...)
}

// refusal names the first of the files, and in its act all of them.
func (r Request) refusal(left ...Left) error {
	path, why, all := left[0].Path, left[0].Why, ""
	for _, one := range left {
		at := one.Path
		if !filepath.IsAbs(at) {
			at = filepath.Join(r.Source, at)
		}
		all += " " + refuse.Shell(at)
	}
	return &refuse.Refusal{
		Code:    refuse.ArchiveFailed,
		Message: "worktree " + r.Name + " keeps " + path + ", which cannot be archived: " + why,
		Meta: refuse.Meta{{Key: "name", Value: r.Name}, {Key: "path", Value: r.Source},
			{Key: "file", Value: path}, {Key: "reason", Value: why}},
		Resolve: "move or remove" + all + ", change the keep hook, or run agent-worktree remove --force " + refuse.Shell(r.Name),
	}
}

// homes are the names of the home directory: as it is set, and where it really is.
func (r Request) homes() []string {
	homes := []string{r.Home}
	if real, err := filepath.EvalSymlinks(r.Home); err == nil && filepath.IsAbs(r.Home) {
		homes = append(homes, real)
	}
	return slices.Compact(homes)
}

// cause is what the system said, without a path.
func cause(err error) string {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err.Error()
	}
	var l *os.LinkError
	if errors.As(err, &l) {
		return l.Err.Error()
	}
	return err.Error()
}
