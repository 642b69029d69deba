package git

import (
	"context"
	"strconv"
	"strings"
)

// Dates are the committer dates of the commits, in seconds since 1970, by id, in one
// call. A commit that is not here is left out.
func (r *Repo) Dates(ctx context.Context, ids []string) (map[string]int64, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	lines, err := r.walk(ctx, ids, "--no-walk", "--ignore-missing", "--timestamp")
	dates := make(map[string]int64, len(lines))
	for _, line := range lines {
		if when, id, ok := strings.Cut(line, " "); ok {
			dates[id], _ = strconv.ParseInt(when, 10, 64)
		}
	}
	return dates, err
}

// Subjects are the first lines of the messages of at most most commits that tip has
// beyond into, newest first, and how many commits there are in all.
func (r *Repo) Subjects(ctx context.Context, tip, into string, most int) (subjects []string, all int, err error) {
	answer, err := r.Run(ctx, Call{Dir: r.Primary, Env: asIs,
		Args: Quiet("log", "-z", "--no-decorate", "--no-show-signature", "--format=%s", "--end-of-options", tip, "^"+into)})
	if err != nil || len(answer.Stdout) == 0 {
		return nil, 0, err
	}
	list := strings.Split(strings.TrimSuffix(string(answer.Stdout), "\x00"), "\x00")
	return list[:min(most, len(list))], len(list), nil
}

// Size is git's short word on how much tip changes since it left into, "" for nothing.
func (r *Repo) Size(ctx context.Context, tip, into string) (string, error) {
	answer, err := r.Run(ctx, Call{Dir: r.Primary, Env: asIs, Args: Quiet("diff", "--shortstat", "--no-ext-diff",
		"--no-textconv", "--no-color", "--ignore-submodules=none", "--end-of-options", into+"..."+tip)})
	return strings.TrimSpace(answer.Text()), err
}

// CountIgnored is how many paths git ignores in the worktree at dir; a directory that is
// ignored as a whole counts once.
func (g *Git) CountIgnored(ctx context.Context, dir, gitDir string) (int, error) {
	answer, err := g.Run(ctx, inTree(dir, gitDir, "ls-files", "--others", "--ignored", "--exclude-standard", "--directory", "-z"))
	return strings.Count(string(answer.Stdout), "\x00"), err
}
