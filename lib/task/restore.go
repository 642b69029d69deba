package task

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/cniska/agent-worktree/lib/ledger"
	"github.com/cniska/agent-worktree/lib/place"
	"github.com/cniska/agent-worktree/lib/refuse"
	"github.com/cniska/agent-worktree/lib/settle"
	"github.com/cniska/agent-worktree/lib/store"
)

// Restorable is one removed worktree that can come back.
type Restorable struct {
	Name    string
	Removed string // the entry, which restore takes
	Branch  string // short, "" when it was detached
	Head    string // commit
	Files   int    // how many files are kept, those that git has aside
	Path    string // where it was
}

// Restored is a worktree that came back.
type Restored struct {
	Name     string
	Path     string
	Branch   string // short, "" when it came back detached
	Recovery string // the entry it came from
}

// Restorable lists what can come back, oldest first.
func (p *Project) Restorable(ctx context.Context) ([]Restorable, error) {
	if err := p.store.Check(p.store.Trash()); err != nil {
		note(p.Stderr, "%s", err)
	}
	entries, err := p.store.Entries()
	if err != nil {
		return nil, err
	}
	var list []Restorable
	for _, e := range entries {
		r, err := e.Read()
		if err != nil {
			note(p.Stderr, "the trash entry %s has no record that can be read: %s", e.Dir, err)
			continue
		}
		if r.State == store.Removed && !r.Discard && p.owns(r) {
			list = append(list, Restorable{Name: r.Name, Removed: e.ID, Branch: r.Branch, Head: r.Head, Files: e.Files(), Path: r.Path})
		}
	}
	return list, nil
}

// Restore brings back the removed worktree of that entry, or the newest of that name,
// and sets it up. Nothing is overwritten.
func (p *Project) Restore(ctx context.Context, name string) (Restored, error) {
	entry, bare, err := p.findEntry(ctx, name)
	if err != nil {
		return Restored{}, err
	}
	j, err := p.begin(ctx, entry.Name, p.Stderr)
	if err != nil {
		return Restored{}, err
	}
	defer j.end()
	j.judge = settle.New(p.repo)
	defer j.judge.Close(context.WithoutCancel(ctx))
	if j.restored != entry.ID && bare == nil && !exists(entry.Dir) { // another restore was first
		if entry, bare, err = p.findEntry(ctx, name); err != nil {
			return Restored{}, err
		}
	}
	switch {
	case j.restored == entry.ID: // taking the lock has just finished it
	case bare != nil:
		err = j.restoreCommits(ctx, entry, bare)
	default:
		err = j.restoreEntry(ctx, entry)
	}
	if err != nil {
		return Restored{}, err
	}
	if err := j.prepare(ctx); err != nil {
		return Restored{}, err
	}
	return Restored{Name: entry.Name, Path: j.store.Path(entry.Name), Branch: j.onBranch, Recovery: entry.ID}, nil
}

// restoreEntry brings back the worktree of an entry.
func (j *job) restoreEntry(ctx context.Context, entry store.Entry) error {
	if err := j.vacant(); err != nil {
		return err
	}
	unlock, err := j.lockEntry(ctx, entry)
	if err != nil {
		return err
	}
	defer unlock()
	record, err := entry.Read()
	if err != nil {
		return err
	}
	return j.bringBack(ctx, entry, record)
}

// findEntry is the entry of exactly that name, else the newest of that worktree. Of one
// that was discarded there are the anchors alone, by their last part.
func (p *Project) findEntry(ctx context.Context, name string) (e store.Entry, anchors map[string]string, err error) {
	if err := p.store.Make(p.store.Trash()); err != nil {
		return e, nil, err
	}
	entries, err := p.store.Entries()
	if err != nil {
		return e, nil, err
	}
	found := false
	for _, one := range entries {
		if one.ID != name && one.Name != name || !p.restorable(ctx, one) {
			continue
		}
		e, found = one, true
		if one.ID == name {
			break
		}
	}
	if found {
		return e, nil, nil
	}
	if e, anchors, err = p.findAnchors(ctx, name); err != nil || anchors != nil {
		return e, anchors, err
	}
	if strings.Contains(name, "/") || len(name) > 300 {
		return e, nil, place.CheckName(name)
	}
	return e, nil, p.notRemoved(name)
}

// restorable tells whether an entry can come back, once what a killed removal left of it
// is cleared up.
func (p *Project) restorable(ctx context.Context, e store.Entry) bool {
	r, err := e.Read()
	if err == nil && p.owns(r) && r.State == store.Removing {
		if err = p.recoverName(ctx, e.Name); err == nil {
			r, err = e.Read()
		}
	}
	return err == nil && r.State != store.Removing && !r.Discard && p.owns(r)
}

// notRemoved is the refusal of a name that nothing is kept for. One that is registered
// and not set up may be back from a restore that was killed after its last move.
func (p *Project) notRemoved(name string) error {
	act := "to see what can come back, run agent-worktree restore"
	if e, err := p.ledger.Read(name); err == nil && e != nil && e.Setup != ledger.Finished {
		act = "agent-worktree create " + name + " finishes the worktree of that name; " + act
	}
	return &refuse.Refusal{
		Code:    refuse.NotRemoved,
		Message: fmt.Sprintf("nothing removed by the name %s is kept", refuse.Visible(name)),
		Meta:    refuse.Meta{{Key: "name", Value: name}},
		Resolve: act,
	}
}

// vacant refuses as exists when the name or its place is taken.
func (j *job) vacant() error {
	s, err := j.standNow(j.name)
	if err != nil {
		return err
	}
	if s.state == absent && !s.listed {
		return nil
	}
	act := "agent-worktree remove " + j.name + ", then agent-worktree restore with the entry's whole name from agent-worktree restore"
	var first *refuse.Refusal
	if errors.As(j.refusal(s), &first) {
		act = first.Resolve + "; then agent-worktree restore " + j.name
	}
	switch {
	case s.state == absent: // git still has it, and nothing of it is left
		act = j.unlocking(s.path) + "agent-worktree prune, then agent-worktree restore " + j.name
	case s.state == Pending: // it may have just come back, the restore killed before its setup
		act = "to finish it, run agent-worktree create " + j.name + "; to bring back another, " + act
	case s.state == Orphaned && s.why == gone: // its teardown is still owed
		act = "mend the teardown hook where that failed, then " + j.unlocking(s.path) + "agent-worktree prune, then agent-worktree restore " + j.name
	}
	return &refuse.Refusal{
		Code:    refuse.Exists,
		Message: fmt.Sprintf("worktree %s cannot come back: one of that name is there", j.name),
		Meta:    about(s, refuse.Fact{Key: "state", Value: string(s.state)}),
		Resolve: act,
	}
}
