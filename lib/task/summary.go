package task

import (
	"context"
	"fmt"
)

// Summary is one plain line on the project's worktrees, "" when there are none. It
// reaches no remote, so what it counts as to be cleared is what this clone knows of.
func (p *Project) Summary(ctx context.Context) (string, error) {
	standings, err := p.survey(ctx)
	if err != nil || len(standings) == 0 {
		return "", err
	}
	clear := 0
	for _, s := range standings {
		if s.state == Orphaned && s.why == gone {
			clear++
		}
	}
	return fmt.Sprintf("worktrees: %d in the store, %d can be cleared (agent-worktree prune)", len(standings), clear), nil
}
