package git

import (
	"context"
	"strings"
)

// A Status is how a worktree differs from its commit.
type Status struct {
	Head     string   // commit, "" before the first
	Branch   string   // short name, "" when detached
	Modified []string // paths modified, staged, deleted, renamed or in conflict
	New      []string // untracked paths
	Staged   bool     // the index differs from the commit
	Changed  int      // how many are modified
	Added    int      // how many are untracked
}

// Clean tells whether there is nothing uncommitted and nothing untracked.
func (s Status) Clean() bool { return s.Changed == 0 && s.Added == 0 }

// statusArgs ask for everything, whatever the configuration would hide.
var statusArgs = []string{"-c", "core.quotePath=false", "-c", "status.showUntrackedFiles=all",
	"-c", "status.relativePaths=false", "-c", "core.untrackedCache=false",
	"status", "--porcelain=v2", "--branch", "-z", "--untracked-files=all", "--ignore-submodules=none"}

// Status asks for the status of the worktree at dir. With gitDir, that git
// directory is used instead of the one dir/.git leads to.
func (g *Git) Status(ctx context.Context, dir, gitDir string) (Status, error) {
	call := Call{Dir: dir, Args: Quiet(statusArgs...)}
	if gitDir != "" {
		call.Env = []string{"GIT_DIR=" + gitDir, "GIT_WORK_TREE=" + dir}
	}
	answer, err := g.Run(ctx, call)
	if err != nil {
		return Status{}, err
	}
	return parseStatus(string(answer.Stdout)), nil
}

// Refresh writes a worktree's index with what its files are now, so that later reads
// need not hash them again.
func (g *Git) Refresh(ctx context.Context, dir string) error {
	_, err := g.Run(ctx, Call{Dir: dir, Locks: true,
		Args: Quiet("status", "--porcelain=v2", "-z", "--untracked-files=no", "--ignore-submodules=all")})
	return err
}

func parseStatus(out string) Status {
	var s Status
	fields := strings.Split(out, "\x00")
	for i := 0; i < len(fields); i++ {
		field := fields[i]
		if field == "" {
			continue
		}
		switch field[0] {
		case '#':
			s.header(field)
		case '1':
			s.changed(field, 9)
		case '2':
			s.changed(field, 10)
			i++ // the path it was renamed from
		case 'u':
			s.changed(field, 11)
		case '?':
			s.Added++
			s.New = append(s.New, strings.TrimPrefix(field, "? "))
		}
	}
	return s
}

func (s *Status) header(field string) {
	if id, ok := strings.CutPrefix(field, "# branch.oid "); ok && IsID(id) {
		s.Head = id
	}
	if name, ok := strings.CutPrefix(field, "# branch.head "); ok && name != "(detached)" {
		s.Branch = name
	}
}

func (s *Status) changed(field string, parts int) {
	s.Changed++
	if field[0] == 'u' || len(field) > 2 && field[2] != '.' {
		s.Staged = true
	}
	cut := strings.SplitN(field, " ", parts)
	s.Modified = append(s.Modified, cut[len(cut)-1])
}
