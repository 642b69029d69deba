package task

import (
	"context"
	"fmt"

	"github.com/cniska/agent-worktree/lib/settle"
)

// Summary is one plain line on the project's worktrees, "" when there are none. It
// reaches no remote, so what it counts as to be cleared is what this clone knows of.
func (p *Project) Summary(ctx context.Context) (string, error) {
	standings, err := p.survey(ctx)
	if err != nil {
		return "", err
	}
	s := &sweep{Project: p, offline: true}
	for _, st := range standings {
		if st.state != Unmanaged {
			s.rows = append(s.rows, &sweepRow{standing: st})
		}
	}
	if len(s.rows) == 0 {
		return "", nil
	}
	if s.judge, err = settle.Local(ctx, p.repo); err != nil {
		return "", err
	}
	clear, err := s.clearable(ctx)
	return fmt.Sprintf("worktrees: %d in the store, %d can be cleared (agent-worktree prune)", len(s.rows), clear), err
}

// clearable is how many rows a prune would take.
func (s *sweep) clearable(ctx context.Context) (int, error) {
	if err := s.choose(ctx); err != nil {
		return 0, err
	}
	var trees []*sweepRow
	n := 0
	for _, row := range s.rows {
		switch {
		case row.goes() && row.judged:
			trees = append(trees, row)
		case row.goes():
			n++
		}
	}
	err := s.weigh(ctx, trees)
	for _, row := range trees {
		if row.goes() && len(row.answer.Refusals) == 0 {
			n++
		}
	}
	return n, err
}
