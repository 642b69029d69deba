package task

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/cniska/agent-worktree/lib/refuse"
)

// quietVerdict is the verdict on a worktree that nobody worked in lately.
const quietVerdict = "quiet"

// quietDays is how many days a worktree is left alone before it is called quiet, unless
// quietKey says otherwise.
const (
	quietDays = 14
	quietKey  = "agent-worktree.quietDays"
	mostDays  = 36500
)

// quietWindow is how long a quiet worktree has been left alone. A setting that is no
// whole number of days is refused rather than replaced.
func (s *sweep) quietWindow(ctx context.Context) (time.Duration, error) {
	const day = 24 * time.Hour
	value, set, err := s.judge.Setting(ctx, "agent-worktree.quietdays")
	if err != nil || !set {
		return quietDays * day, err
	}
	n, err := strconv.Atoi(value)
	if err == nil && n >= 1 && n <= mostDays {
		return time.Duration(n) * day, nil
	}
	return 0, &refuse.Refusal{
		Code:    refuse.InvalidConfig,
		Message: quietKey + " is \"" + refuse.Visible(value) + "\", which is no whole number of days from 1 up",
		Meta:    refuse.Meta{{Key: "key", Value: quietKey}, {Key: "value", Value: value}},
		Resolve: "git config --replace-all " + quietKey + " " + strconv.Itoa(quietDays),
	}
}

// judgeQuiet tells which rows are quiet: on a branch that has not landed, with no pull
// request open, and left alone for the window.
func (s *sweep) judgeQuiet(ctx context.Context, rows []*sweepRow) error {
	dates, err := s.datesOf(ctx, rows)
	if err != nil {
		return err
	}
	now := time.Now()
	for _, row := range rows {
		row.active = row.lastActive(dates)
		row.quiet = row.tree.Branch != "" && row.judged && row.by == "" && !row.active.IsZero() &&
			now.Sub(row.active) > s.window && !s.pulls.Open(row.tree.Short())
	}
	return nil
}

// datesOf are the committer dates of what the rows have checked out.
func (s *sweep) datesOf(ctx context.Context, rows []*sweepRow) (map[string]int64, error) {
	var ids []string
	for _, row := range rows {
		if row.tree.Head != "" {
			ids = append(ids, row.tree.Head)
		}
	}
	return s.repo.Dates(ctx, ids)
}

// lastActive is when somebody last did something in the worktree: the latest of its
// commit's date, of its .git link, which is as old as the worktree, and of the files
// that are changed or new. It is zero where there is no tree to ask about.
func (r *sweepRow) lastActive(dates map[string]int64) time.Time {
	if !r.there || r.answer == nil {
		return time.Time{}
	}
	latest := time.Unix(dates[r.tree.Head], 0)
	files := []string{".git"}
	for _, list := range [][]string{r.answer.Status.Modified, r.answer.Status.New, r.answer.Hidden} {
		files = append(files, list...)
	}
	for _, file := range files {
		info, err := os.Lstat(filepath.Join(r.path, file))
		if err == nil && info.ModTime().After(latest) {
			latest = info.ModTime()
		}
	}
	return latest
}

// since is when a quiet worktree was last worked in, as a note has it.
func (r *sweepRow) since() string { return r.active.UTC().Format(time.DateOnly) }
