package task

import (
	"context"
	"os"

	"github.com/cniska/agent-worktree/lib/git"
	"github.com/cniska/agent-worktree/lib/ledger"
	"github.com/cniska/agent-worktree/lib/store"
)

// recover finishes or undoes what a killed removal or restore of this name left. The
// worktree's lock is held, so an entry that is not at its end has no live owner.
func (j *job) recover(ctx context.Context) error {
	entries, err := j.store.Entries()
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if entry.Name != j.name {
			continue
		}
		if err := j.recoverEntry(ctx, entry); err != nil {
			return err
		}
	}
	return nil
}

func (j *job) recoverEntry(ctx context.Context, entry store.Entry) error {
	record, err := entry.Read()
	if err != nil {
		// Killed before its record was written: nothing had been moved yet.
		if !exists(entry.Tree()) && !exists(entry.Git()) {
			os.Remove(entry.File() + ".tmp")
			os.Remove(entry.Dir)
		}
		return nil
	}
	switch {
	case record.Primary != j.Primary:
		return nil
	case record.State == store.Restoring:
		return j.finishRestore(ctx, entry, record)
	case record.State != store.Removing:
		return nil
	}
	admin, listed, err := git.AdminOf(j.Common, record.Path)
	if err != nil {
		return err
	}
	switch {
	case listed && exists(entry.Tree()) && exists(record.Path):
		note(j.out, "a removal of worktree %s that was interrupted is finished: %s was taken meanwhile", j.name, record.Path)
		err = j.drop(ctx, record.Path)
	case listed:
		note(j.out, "a removal of worktree %s that was interrupted is undone", j.name)
		if err := putBack(entry, record.Path, admin.Dir); err != nil {
			return err
		}
		j.clearEntry(ctx, entry, record)
		return nil
	}
	if err != nil {
		return err
	}
	record.State = store.Removed
	return entry.Write(record)
}

// asItWas lists a worktree that a live command is just removing as it was: its
// directory is in the trash for a moment and may yet come back.
func (p *Project) asItWas(s standing) standing {
	if s.state != Orphaned || s.why != gone {
		return s
	}
	if busy, err := p.ledger.Busy(s.name); err != nil || !busy {
		return s
	}
	s.state, s.why = Pending, ""
	if s.entry.Setup == ledger.Finished {
		s.state = Ready
	}
	return s
}
