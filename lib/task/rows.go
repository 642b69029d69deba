package task

import (
	"context"

	"github.com/cniska/agent-worktree/lib/refuse"
)

// The verdicts on a worktree, beside quietVerdict and the word for one that goes.
const (
	keptVerdict    = "kept"
	removedVerdict = "removed"
	wouldVerdict   = "would_remove"
)

// rowColumns are those of prune's rows.
var rowColumns = []string{"name", "verdict", "reason", "by", "branch", "outcome", "path", "archive"}

// pruned is the result of the sweep.
func (s *sweep) pruned(ctx context.Context) (Pruned, error) {
	out := Pruned{HasRows: s.o.hasRows()}
	for i, row := range s.rows {
		if s.batch.errs[i] != nil {
			row.reason = reasonOf(s.batch.errs[i])
		}
		if row.done || s.o.DryRun && row.goes() {
			out.Removed++
		}
	}
	if !out.HasRows {
		return out, nil
	}
	out.Rows = &refuse.Table{Columns: rowColumns}
	for _, row := range s.rows {
		out.Rows.Rows = append(out.Rows.Rows, row.cells(s.word()))
	}
	out.Counts = s.counts()
	quiet, err := s.dossiers(ctx)
	out.Quiet = quiet
	return out, err
}

// word is the verdict on a worktree that goes.
func (s *sweep) word() string {
	if s.o.DryRun {
		return wouldVerdict
	}
	return removedVerdict
}

func (s *sweep) counts() []Count {
	counts := []Count{{State: s.word()}, {State: quietVerdict}, {State: keptVerdict}}
	for _, row := range s.rows {
		for i := range counts {
			if row.verdictWord(s.word()) == counts[i].State {
				counts[i].N++
			}
		}
	}
	return counts
}

// verdictWord is what is said of the row; word is for one that goes.
func (r *sweepRow) verdictWord(word string) string {
	switch r.reason {
	case "":
		return word
	case quietVerdict:
		return quietVerdict
	}
	return keptVerdict
}

// reasonWord is why a row is kept, "" for one that is not.
func (r *sweepRow) reasonWord() string {
	if r.reason == quietVerdict {
		return ""
	}
	return r.reason
}

// branchName is the row's branch, "" when it has none.
func (r *sweepRow) branchName() string {
	switch {
	case r.tree.Branch != "" || r.listed || r.entry == nil:
		return r.tree.Short()
	}
	return r.entry.Branch
}

func (r *sweepRow) cells(word string) []any {
	outcome, archive := "", ""
	if r.goes() {
		outcome, archive = r.outcome, r.archived()
	}
	return []any{r.name, r.verdictWord(word), orNil(r.reasonWord()), orNil(r.by), orNil(r.branchName()),
		orNil(outcome), r.path, orNil(archive)}
}

// archived is the entry that the row's kept files went to, "" for none.
func (r *sweepRow) archived() string {
	if r.removal == nil {
		return ""
	}
	return r.removal.archive
}
