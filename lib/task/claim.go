package task

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/cniska/agent-worktree/lib/hooks"
	"github.com/cniska/agent-worktree/lib/ledger"
	"github.com/cniska/agent-worktree/lib/ports"
	"github.com/cniska/agent-worktree/lib/refuse"
)

// claim gives the worktree the block its checkout's ports hook asks for, or frees the
// one it holds when none is asked for.
func (j *job) claim(ctx context.Context) (ports.Block, error) {
	n, hook, err := j.hookPlace().PortsWanted()
	if err == nil && hook != "" {
		_, err = j.vet(ctx, hooks.Ports, hook)
	}
	if err != nil {
		return nil, err
	}
	entry := j.ledger.File(j.name)
	if n == 0 {
		if held, err := j.ports.Held(entry); err != nil || len(held) == 0 {
			return nil, err
		}
		_, err := j.ports.Free(ctx, entry, nil)
		return nil, err
	}
	if err := j.store.Make(j.store.Ports()); err != nil {
		return nil, err
	}
	grant, err := j.claimUnits(ctx, ports.Units(n), map[string]bool{})
	if errors.Is(err, ports.ErrNone) && j.sweepForPorts(ctx) {
		grant, err = j.claimUnits(ctx, ports.Units(n), map[string]bool{})
	}
	if errors.Is(err, ports.ErrNone) {
		return nil, j.noFreePorts(n)
	}
	if err == nil && grant.New {
		note(j.out, "port block %s for %s", grant.Block, j.name)
	}
	return grant.Block, err
}

// claimUnits claims, tearing down on the way the gone worktrees of this project whose
// block it would take. Those whose teardown failed are in kept.
func (j *job) claimUnits(ctx context.Context, units int, kept map[string]bool) (ports.Grant, error) {
	find, err := j.admins()
	if err != nil {
		return ports.Grant{}, err
	}
	for {
		grant, err := j.ports.Claim(ctx, ports.Request{
			Entry: j.ledger.File(j.name), Units: units,
			State: func(entry string) ports.Holder { return j.holder(entry, find, kept) },
		})
		for _, f := range grant.Freed {
			note(j.out, "port block %s freed from %s, which is gone", f.Block, f.Entry)
		}
		if err != nil || grant.Blocked == "" {
			return grant, err
		}
		if err := j.takeOver(ctx, grant.Blocked, kept); err != nil {
			return ports.Grant{}, err
		}
	}
}

// holder judges another worktree's claim by its ledger file.
func (p *Project) holder(entry string, find lister, kept map[string]bool) ports.Holder {
	switch {
	case p.entryGone(entry):
		return ports.Gone
	case kept[entry] || filepath.Dir(entry) != p.ledger.Dir:
		return ports.Held
	}
	s := p.stand(nameOfEntry(entry), find)
	if s.state == Orphaned && s.why == gone {
		return ports.Stale
	}
	return ports.Held
}

// entryGone tells whether a claim's ledger entry is gone, in any project. One that
// cannot be looked at, as on a disk that is away, is not: its block stays. A whole
// clone that was deleted takes the folder with it, so it is the clone's own parent
// that has to be there.
func entryGone(entry string) bool {
	if exists(entry) {
		return false
	}
	clone := filepath.Dir(filepath.Dir(filepath.Dir(entry))) // <clone>/.git/agent-worktrees/<name>.json
	_, err := os.ReadDir(filepath.Dir(clone))
	return err == nil
}

// entryGone is entryGone as this clone sees it: an entry that moved with the clone, and
// is registered here now, is not gone.
func (p *Project) entryGone(entry string) bool {
	if !entryGone(entry) {
		return false
	}
	e, err := p.ledger.Read(nameOfEntry(entry))
	return err == nil && (e == nil || e.Primary == "" || ledger.At(filepath.Join(e.Primary, ".git")).File(nameOfEntry(entry)) != entry)
}

// nameOfEntry is the worktree's name in a ledger file's path.
func nameOfEntry(entry string) string { return strings.TrimSuffix(filepath.Base(entry), ".json") }

// takeOver tears down the gone worktree whose block is needed. It is kept where that
// fails, or where another process works on it.
func (j *job) takeOver(ctx context.Context, entry string, kept map[string]bool) error {
	name := nameOfEntry(entry)
	held, err := j.ports.Held(entry)
	if err != nil {
		return err
	}
	done, err := j.clearGone(ctx, name)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil || !done {
		kept[entry] = true
		if err != nil {
			note(j.out, "worktree %s, whose directory is gone, keeps its port block: %s", name, err)
		}
		return nil
	}
	note(j.out, "port block %s freed from %s, whose worktree is gone", held, name)
	return nil
}

func (j *job) noFreePorts(n int) error {
	return &refuse.Refusal{
		Code:    refuse.NoFreePorts,
		Message: fmt.Sprintf("no block of %d ports is free between %d and %d for worktree %s", n, ports.First, ports.Last, j.name),
		Meta:    refuse.Meta{{Key: "name", Value: j.name}, {Key: "count", Value: n}},
		Resolve: "agent-worktree remove <name> of one that is done, mend the teardown of one whose directory is gone and agent-worktree prune, or agent-worktree prune in another clone; then agent-worktree create " + j.name,
	}
}
