package task

import (
	"context"
	"path/filepath"
	"strings"
	"time"

	"github.com/cniska/agent-worktree/lib/hooks"
	"github.com/cniska/agent-worktree/lib/keep"
	"github.com/cniska/agent-worktree/lib/place"
	"github.com/cniska/agent-worktree/lib/store"
)

// mostNamed is how many files that no archive holds are named one by one.
const mostNamed = 10

// keepRequest is about the files that the keep hook lists, where the tree stands now: the
// clone's own hook, or the one that the worktree has.
func (r *removal) keepRequest(tree string) (keep.Request, error) {
	patterns, err := hooks.Place{Checkout: tree, Common: r.Common}.Find(hooks.Keep)
	if err != nil || patterns == "" {
		return keep.Request{}, err
	}
	home, err := place.Home(r.Env)
	return keep.Request{
		Git: r.repo.Git, Tree: tree, GitDir: r.admin.Dir, Patterns: patterns, Dest: r.store.Kept(),
		Name: r.name, Branch: r.branch, Source: r.path, Primary: r.Primary, Home: home, Now: time.Now(),
		Force: r.options.Force, Discard: r.options.Discard,
	}, err
}

// checkKept refuses as the archiving would, before anything is done.
func (r *removal) checkKept(ctx context.Context) error {
	request, err := r.keepRequest(r.path)
	if err != nil || request.Patterns == "" {
		return err
	}
	return keep.Check(ctx, request)
}

// archiveKept archives the kept files of the tree, which is in the trash already. A file
// that only the trash holds is named, and no slimming takes it.
func (r *removal) archiveKept(ctx context.Context, tree string, record *store.Record) error {
	request, err := r.keepRequest(tree)
	if err != nil || request.Patterns == "" {
		return err
	}
	if err := r.store.Make(request.Dest); err != nil {
		return err
	}
	archived, err := keep.Archive(ctx, request)
	if err != nil {
		return err
	}
	r.archive, record.Archive = archived.Name, archived.Name
	for i, left := range archived.Left {
		path := strings.TrimPrefix(left.Path, tree+string(filepath.Separator))
		record.Only = append(record.Only, path)
		if i < mostNamed {
			note(r.out, "%s of worktree %s is in no archive, only in the trash: %s", path, r.name, left.Why)
		}
	}
	if more := len(archived.Left) - mostNamed; more > 0 {
		note(r.out, "and %d more files of worktree %s", more, r.name)
	}
	if archived.Path != "" {
		note(r.out, "%d kept files of worktree %s are archived in %s", archived.Files+archived.Links, r.name, archived.Path)
	}
	return nil
}
