package task

import (
	"context"
	"io"
	"strings"

	"github.com/cniska/agent-worktree/lib/git"
	"github.com/cniska/agent-worktree/lib/guard"
	"github.com/cniska/agent-worktree/lib/place"
)

// readAdmins reads git's own directories once for all rows.
func (s *sweep) readAdmins() error {
	if s.byPath != nil {
		return nil
	}
	list, err := git.Admins(s.Common)
	s.byPath, s.real = make(map[string]git.Admin, len(list)), make(map[string]string, len(list))
	for _, a := range list {
		if s.byPath[a.Path] = a; a.Path != "" {
			s.real[a.Path] = place.Real(a.Path)
		}
	}
	return err
}

// inside are git's worktrees that lie inside the one at path. Paths are compared as they
// are written and with their links resolved, each of which is done once.
func (s *sweep) inside(path string) []string {
	var list []string
	mine := s.real[path]
	if mine == "" {
		mine = place.Real(path)
	}
	for other, real := range s.real {
		if strings.HasPrefix(other, path+"/") || strings.HasPrefix(real, mine+"/") {
			list = append(list, other)
		}
	}
	return list
}

// weigh asks the guards about the rows, side by side.
func (s *sweep) weigh(ctx context.Context, rows []*sweepRow) error {
	if err := s.readAdmins(); err != nil {
		return err
	}
	err := eachRow(rows, func(row *sweepRow) {
		if row.reason = s.misplaced(row); row.goes() {
			answer := guard.Ask(ctx, s.repo, s.subject(row))
			row.answer = &answer
		}
	})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// checkArchives keeps those rows that would go and whose kept files cannot be archived.
func (s *sweep) checkArchives(ctx context.Context, rows []*sweepRow) error {
	return eachRow(rows, func(row *sweepRow) {
		if !row.goes() {
			return
		}
		j := &job{Project: s.Project, name: row.name, entry: row.entry, out: io.Discard}
		r := &removal{job: j, path: row.path, admin: s.byPath[row.path], branch: row.tree.Short(), verb: "prune"}
		if err := r.checkKept(ctx); err != nil {
			row.reason = reasonOf(err)
		}
	})
}

// subject is the row as the guards see it, as removal.subjectAt has it for one that is
// under way.
func (s *sweep) subject(row *sweepRow) guard.Subject {
	admin := s.byPath[row.path]
	reason, locked := "", false
	if admin.Dir != "" {
		reason, locked = admin.LockReason()
	}
	return guard.Subject{Name: row.name, Path: row.path, Admin: admin.Dir, Locked: locked, Reason: reason,
		Trash: s.store.Trash(), Others: s.inside(row.path)}
}
