package task

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"time"

	"github.com/cniska/agent-worktree/lib/fault"
	"github.com/cniska/agent-worktree/lib/place"
	"github.com/cniska/agent-worktree/lib/store"
)

// findAnchors are the anchors of a worktree whose entry is gone, as after --discard, by
// the last part of their names; nil when there are none.
func (p *Project) findAnchors(ctx context.Context, id string) (store.Entry, map[string]string, error) {
	e, ok := p.store.Named(id)
	if !ok || place.CheckName(e.Name) != nil || !p.anchorsTaken(e) {
		return e, nil, nil
	}
	refs, err := p.repo.Refs(ctx, strings.TrimSuffix(anchorPlace(e), "/"))
	anchors := map[string]string{}
	for ref, commit := range refs {
		anchors[strings.TrimPrefix(ref, anchorPlace(e))] = commit
	}
	if len(anchors) == 0 {
		return e, nil, err
	}
	return e, anchors, err
}

// restoreCommits brings a worktree back of which there are only the anchors: its branch's
// tip, or the commit that it was on.
func (j *job) restoreCommits(ctx context.Context, entry store.Entry, anchors map[string]string) error {
	if err := j.vacant(); err != nil {
		return err
	}
	record := store.Record{State: store.Restoring, Name: entry.Name, Path: j.store.Path(entry.Name),
		Primary: j.Primary, Head: anchors["head"], Removed: entry.When().Format(time.RFC3339), Why: "discard"}
	if tip := anchors["branch"]; tip != "" {
		record.Head = tip
		branch, err := j.guessBranch(ctx, tip)
		if err != nil {
			return err
		}
		record.Branch = branch
	}
	if record.Head == "" {
		return j.notRemoved(entry.ID)
	}
	if err := fault.Mkdir(entry.Dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	note(j.out, "of worktree %s only commits were kept", entry.Name)
	return j.bringBack(ctx, entry, record)
}

// guessBranch is the branch that a tip was of, as far as the worktree's name tells: the
// one of that name, unless it is somewhere else now.
func (j *job) guessBranch(ctx context.Context, tip string) (string, error) {
	own := "refs/heads/" + j.name
	refs, err := j.repo.Refs(ctx, own)
	if err != nil || refs[own] != "" && refs[own] != tip {
		return "", err
	}
	return j.name, nil
}
