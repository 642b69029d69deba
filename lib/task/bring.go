package task

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/cniska/agent-worktree/lib/fault"
	"github.com/cniska/agent-worktree/lib/ledger"
	"github.com/cniska/agent-worktree/lib/refuse"
	"github.com/cniska/agent-worktree/lib/store"
)

// lockEntry waits for the entry, which a process that slims it may have.
func (j *job) lockEntry(ctx context.Context, entry store.Entry) (unlock func(), err error) {
	for told := false; ; {
		unlock, free, err := entry.TryLock()
		if err != nil || free {
			return unlock, err
		}
		if !told {
			told = true
			note(j.out, "waiting for the process that drops caches from %s", entry.ID)
		}
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// bringBack takes the steps of a restore. Each may have been taken already by a run
// that was killed. j.onBranch is then the branch that it is on, "" for none.
func (j *job) bringBack(ctx context.Context, entry store.Entry, record store.Record) (err error) {
	path := j.store.Path(j.name)
	if err := j.canCome(ctx, record); err != nil {
		return err
	}
	if err := j.store.Make(j.store.Dir()); err != nil {
		return err
	}
	defer func() {
		if err != nil && ctx.Err() == nil {
			err = errors.Join(err, j.stayAway(entry, record))
		}
	}()
	record.State = store.Restoring
	if err := entry.Write(record); err != nil {
		return err
	}
	if j.onBranch, err = j.freeBranch(ctx, record); err != nil {
		return err
	}
	if err := j.recreate(ctx, record.Doing, record.DoingTip); err != nil {
		return err
	}
	admin, err := j.readmit(ctx, path, record)
	if err != nil {
		return err
	}
	left, err := j.refill(ctx, entry, record, admin)
	if err != nil {
		return err
	}
	if err := fault.Remove(filepath.Join(admin.Dir, "locked")); err != nil && !os.IsNotExist(err) {
		return err
	}
	j.entry = entryOf(record, path, j.Primary)
	if err := j.ledger.Write(j.name, j.entry); err != nil {
		return err
	}
	return j.done(entry, record, left)
}

// canCome refuses what cannot come back, before anything is begun: its commit has to be
// in this clone, and its branch's name free.
func (j *job) canCome(ctx context.Context, record store.Record) error {
	commit, err := j.repo.Resolve(ctx, record.Head)
	if err != nil || record.Head == "" {
		return err
	}
	if commit == "" {
		return &refuse.Refusal{
			Code:    refuse.NotRemoved,
			Message: fmt.Sprintf("the commit %s that worktree %s was on is not in this clone", short(record.Head), j.name),
			Meta:    refuse.Meta{{Key: "name", Value: j.name}, {Key: "head", Value: record.Head}},
			Resolve: "fetch it into " + refuse.Shell(j.Primary) + ", then run agent-worktree restore " + j.name,
		}
	}
	if record.Branch == "" {
		return nil
	}
	heads, err := j.repo.Heads(ctx, j.Primary, "")
	if err != nil || slices.Contains(heads.Branches, record.Branch) {
		return err
	}
	return conflict(j.name, record.Branch, heads.Branches)
}

// stayAway takes a restore back that put nothing in the worktree's place yet, so that
// the name is free for other commands.
func (j *job) stayAway(entry store.Entry, record store.Record) error {
	if exists(j.store.Path(j.name)) {
		return nil
	}
	record.State = store.Removed
	return entry.Write(record)
}

// done ends a restore: from here on the worktree is its user's again, and nothing of the
// entry may be copied over it any more. Files whose place was taken keep the entry.
func (j *job) done(entry store.Entry, record store.Record, left int) error {
	if left == 0 {
		return entry.Retire()
	}
	note(j.out, "%d files of worktree %s did not find their place free, and are kept in %s", left, j.name, entry.Tree())
	record.State = store.Removed
	return entry.Write(record)
}

// entryOf is the worktree's registration as it was, pending and at its place now.
func entryOf(record store.Record, path, primary string) *ledger.Entry {
	e := &ledger.Entry{}
	if parsed, err := ledger.Parse(json.RawMessage(record.Ledger)); err == nil {
		e = parsed
	}
	if e.Created.IsZero() {
		e.Created = time.Now()
	}
	e.Setup, e.Path, e.Primary = ledger.Pending, path, primary
	if e.Branch == "" {
		e.Branch = record.Branch
	}
	return e
}
