package task

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/cniska/agent-worktree/lib/guard"
	"github.com/cniska/agent-worktree/lib/refuse"
)

// mostSubjects is how many commits a dossier names.
const mostSubjects = 10

// dossiers are what a person needs to decide on each quiet worktree, nil when there is
// none.
func (s *sweep) dossiers(ctx context.Context) (*refuse.Table, error) {
	var quiet []*sweepRow
	for _, row := range s.rows {
		if row.reason == quietVerdict {
			quiet = append(quiet, row)
		}
	}
	if len(quiet) == 0 {
		return nil, nil
	}
	table := &refuse.Table{
		Columns: []string{"name", "modified", "untracked", "ignored", "commits", "subjects", "diff", "active", "advice"},
		Rows:    make([][]any, len(quiet)),
	}
	at := map[*sweepRow]int{}
	for i, row := range quiet {
		at[row] = i
	}
	err := eachRow(quiet, func(row *sweepRow) { table.Rows[at[row]] = s.dossier(ctx, row) })
	return table, err
}

// dossier is one row of them. What git does not tell is null.
func (s *sweep) dossier(ctx context.Context, row *sweepRow) []any {
	d := s.readDossier(ctx, row)
	return []any{row.name, row.answer.Status.Changed, row.answer.Status.Added, d.ignored, d.commits,
		orNil(strings.Join(d.subjects, "; ")), orNil(d.diff), row.active.UTC().Format(time.RFC3339), s.advice(row, d)}
}

// A dossier is what git tells of a quiet worktree's work.
type dossier struct {
	ignored  any // a number, or nil
	commits  any // a number, or nil
	subjects []string
	diff     string
}

func (s *sweep) readDossier(ctx context.Context, row *sweepRow) dossier {
	var d dossier
	if n, err := s.repo.CountIgnored(ctx, row.path, s.byPath[row.path].Dir); err == nil {
		d.ignored = n
	}
	into := row.verdict.IntoCommit
	if into == "" {
		return d
	}
	subjects, n, err := s.repo.Subjects(ctx, row.tree.Head, into, mostSubjects)
	if err != nil {
		return d
	}
	d.commits, d.subjects = n, subjects
	d.diff, _ = s.repo.Size(ctx, row.tree.Head, into)
	return d
}

// advice is what to do about the worktree, as a command where there is one.
func (s *sweep) advice(row *sweepRow, d dossier) string {
	reclaim := "agent-worktree prune --yes " + row.name
	ignored := ""
	if n, ok := d.ignored.(int); ok && n > 0 {
		ignored = fmt.Sprintf("; its %d ignored paths go to the trash with it", n)
	}
	switch {
	case len(row.answer.Refusals) > 0:
		r := row.answer.Refusals[0]
		if guard.Forced(r.Code) { // its act ends in a removal, or in new work
			return r.Resolve
		}
		return r.Resolve + ", then " + reclaim
	case d.commits == nil:
		return "check its branch for work first, then " + reclaim + ignored
	case d.commits == 0:
		return reclaim + ignored
	}
	return "open a pull request if the work is wanted, else " + reclaim + ignored
}
