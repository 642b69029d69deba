package task

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cniska/agent-worktree/lib/git"
	"github.com/cniska/agent-worktree/lib/ledger"
	"github.com/cniska/agent-worktree/lib/refuse"
	"github.com/cniska/agent-worktree/lib/store"
)

const (
	trashLimit = 2 << 30 // bytes in the trash that are worth a word
	walkLimit  = 100_000 // files looked at to find out, in all
)

// checkProject looks at the clone and its part of the store, and surveys its worktrees.
func (p *Project) checkProject(ctx context.Context) (Check, []standing) {
	var f findings
	p.checkStore(&f)
	quiet := *p
	quiet.Stderr = io.Discard // what survey would note has a check of its own
	standings, err := quiet.survey(ctx)
	if err != nil {
		f.refused(fails, err, p.Primary)
	}
	p.checkPrimary(&f, standings)
	p.checkMaking(&f, standings)
	p.checkTrash(&f)
	return f.check("project", "the primary checkout is "+p.Primary), standings
}

// checkStore looks for a level of the store that others could have a hand in.
func (p *Project) checkStore(f *findings) {
	var seen []string
	for _, dir := range []string{p.store.Dir(), p.store.Ports(), p.store.Trash(), p.store.Kept()} {
		if err := p.store.Check(dir); err != nil && !slices.Contains(seen, err.Error()) {
			seen = append(seen, err.Error())
			f.refused(fails, err, p.Primary)
		}
	}
}

// checkPrimary looks for worktrees that were made before this clone was moved, or
// before it was copied from theirs: one finding for each place they were made from.
func (p *Project) checkPrimary(f *findings, standings []standing) {
	type origin struct{ why, primary string }
	names := map[origin][]string{}
	var origins []origin
	for _, s := range standings {
		if s.why != copied && s.why != moved {
			continue
		}
		o := origin{s.why, s.entry.Primary}
		if names[o] == nil {
			origins = append(origins, o)
		}
		names[o] = append(names[o], s.name)
	}
	for _, o := range origins {
		list := strings.Join(names[o], ", ")
		if o.why == copied {
			f.add(warns, fmt.Sprintf("this clone is a copy of %s, whose worktrees its ledger names: %s", o.primary, list),
				"agent-worktree prune, which drops only this copy's own record of them")
			continue
		}
		f.add(warns, fmt.Sprintf("this clone was at %s when these worktrees were made: %s", o.primary, list),
			"move it back, or clear the checks of these worktrees")
	}
}

// checkMaking looks for worktrees that were being made when their command ended.
func (p *Project) checkMaking(f *findings, standings []standing) {
	for _, s := range standings {
		if s.state == Pending && s.entry.Setup == ledger.Making && p.abandoned(s.name) {
			f.add(warns, "worktree "+s.name+" was left half made", "agent-worktree create "+refuse.Shell(s.name))
		}
	}
}

// abandoned tells whether no live command works on the name.
func (p *Project) abandoned(name string) bool {
	busy, err := p.ledger.Busy(name)
	return err == nil && !busy
}

// checkTrash looks for removals and restores that were cut short, and at what the
// trash has grown to.
func (p *Project) checkTrash(f *findings) {
	entries, err := p.store.Entries()
	if err != nil {
		f.refused(fails, err, p.Primary)
		return
	}
	size, left := int64(0), walkLimit
	for _, e := range entries {
		record, err := e.Read()
		if err == nil && record.Primary == p.Primary && record.State != store.Removed && p.abandoned(e.Name) {
			p.unfinished(f, e, record)
		}
		if size += record.Bytes; err != nil || record.Bytes == 0 {
			size += walked(e.Dir, &left)
		}
	}
	if size > trashLimit {
		f.add(warns, fmt.Sprintf("%d removed worktrees keep more than 2 GiB in %s", len(entries), p.store.Trash()),
			"agent-worktree prune, which drops the old ones; or rm -rf what you need no more in "+refuse.Shell(p.store.Trash()))
	}
}

// unfinished names an entry whose command was killed, and who goes on with it: prune
// where git has already dropped the worktree, create where it comes back.
func (p *Project) unfinished(f *findings, e store.Entry, record store.Record) {
	what, act := "the removal", "agent-worktree create "+refuse.Shell(e.Name)
	if record.State == store.Restoring {
		what = "the restoring"
	} else if _, listed, err := git.AdminOf(p.Common, record.Path); err == nil && !listed {
		act = "agent-worktree prune"
	}
	f.add(warns, fmt.Sprintf("%s of worktree %s was cut short: %s", what, e.Name, e.Dir), act)
}

// walked is the size in bytes of the files below dir, until the walk's budget of files
// is spent or the limit is passed.
func walked(dir string, left *int) int64 {
	var size int64
	filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if *left--; *left < 0 || size > trashLimit {
			return fs.SkipAll
		}
		if err != nil || !d.Type().IsRegular() {
			return nil
		}
		if info, err := d.Info(); err == nil {
			size += info.Size()
		}
		return nil
	})
	return size
}
