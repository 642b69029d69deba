package git

import (
	"context"
	"errors"
	"os"
	"strings"
)

var errStatus = errors.New("unexpected answer")

// A Worktree is one record of `git worktree list`.
type Worktree struct {
	Path     string // absolute, as git recorded it
	Head     string // "" when git has none to give
	Branch   string // full ref name, "" when detached or unknown
	Bare     bool
	Detached bool
	Locked   bool
	Reason   string // of the lock, "" when none was given
	Broken   bool   // its HEAD cannot be read
}

// Short is the branch without refs/heads/, "" when there is none.
func (w Worktree) Short() string { return strings.TrimPrefix(w.Branch, "refs/heads/") }

// Worktrees are all worktrees git lists, the primary first.
func (r *Repo) Worktrees(ctx context.Context) ([]Worktree, error) {
	answer, err := r.Run(ctx, Call{Dir: r.Primary, OK: []int{129},
		Args: Quiet("worktree", "list", "--porcelain", "-z")})
	if err == nil && answer.Status == 129 {
		return r.oldWorktrees(ctx)
	}
	if err != nil {
		return nil, err
	}
	return parseWorktrees(strings.Split(string(answer.Stdout), "\x00"), func(s string) string { return s }), nil
}

// oldWorktrees asks a git older than 2.36, which knows no -z.
func (r *Repo) oldWorktrees(ctx context.Context) ([]Worktree, error) {
	answer, err := r.read(ctx, "worktree", "list", "--porcelain")
	if err != nil {
		return nil, err
	}
	return parseWorktrees(strings.Split(string(answer.Stdout), "\n"), unquote), nil
}

// parseWorktrees reads records that an empty field ends.
func parseWorktrees(fields []string, clean func(string) string) []Worktree {
	var list []Worktree
	var w Worktree
	open := false
	for _, field := range fields {
		if field == "" {
			if open {
				w.Broken = w.Head == "" && w.Branch == "" && !w.Detached && !w.Bare
				list = append(list, w)
			}
			w, open = Worktree{}, false
			continue
		}
		label, value, _ := strings.Cut(field, " ")
		switch label {
		case "worktree":
			w.Path, open = value, true
		case "HEAD":
			if strings.Trim(value, "0") != "" {
				w.Head = value
			}
		case "branch":
			w.Branch = value
		case "bare":
			w.Bare = true
		case "detached":
			w.Detached = true
		case "locked":
			w.Locked, w.Reason = true, clean(value)
		}
	}
	if open {
		list = append(list, w)
	}
	return list
}

// unquote undoes git's C quoting of a lock reason in the newline form.
func unquote(s string) string {
	if len(s) < 2 || s[0] != '"' || s[len(s)-1] != '"' {
		return s
	}
	var b strings.Builder
	for i := 1; i < len(s)-1; i++ {
		if s[i] != '\\' || i+1 >= len(s)-1 {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch c := s[i]; c {
		case 'n':
			b.WriteByte('\n')
		case 't':
			b.WriteByte('\t')
		case 'r':
			b.WriteByte('\r')
		case '0', '1', '2', '3':
			if i+2 < len(s)-1 {
				b.WriteByte((c-'0')<<6 | (s[i+1]-'0')<<3 | (s[i+2] - '0'))
				i += 2
			}
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// MakeWorktree makes git's entry and an empty worktree at path on a branch that
// exists, locked with reason so that nobody takes it for abandoned. It checks
// nothing out and runs no hook. lock is inherited by git.
func (r *Repo) MakeWorktree(ctx context.Context, l Held, path, branch, reason string) error {
	_, err := r.Run(ctx, Call{Dir: r.Primary, Lock: l.File(),
		Args: Quiet("worktree", "add", "--no-checkout", "--lock", "--reason", reason, "--", path, branch)})
	return err
}

// MakeDetached is MakeWorktree at a commit, on no branch.
func (r *Repo) MakeDetached(ctx context.Context, l Held, path, commit, reason string) error {
	_, err := r.Run(ctx, Call{Dir: r.Primary, Lock: l.File(),
		Args: Quiet("worktree", "add", "--no-checkout", "--detach", "--lock", "--reason", reason, "--", path, commit)})
	return err
}

// DropWorktree drops git's entry for a worktree whose directory is not there any
// more: with the path gone, git's remove does nothing else.
func (r *Repo) DropWorktree(ctx context.Context, l Held, path string) error {
	_, err := r.Run(ctx, Call{Dir: r.Primary, Lock: l.File(),
		Args: Quiet("worktree", "remove", "--force", "--", path)})
	return err
}

// Checkout fills a worktree made by MakeWorktree, as plain `git worktree add`
// does, with the caller's locale for the project's filters. It inherits the worktree's
// lock l, so that one that outlives its command is waited for.
func (r *Repo) Checkout(ctx context.Context, l Held, path string) error {
	args := []string{"reset", "--hard", "--no-recurse-submodules"}
	if !r.terminal {
		args = append(args, "--quiet")
	}
	_, err := r.Run(ctx, Call{Dir: path, Lock: l.File(), Locale: true, Locks: true, Shown: true, Args: Quiet(args...)})
	return err
}

// A Held lock is one that this process holds; git inherits its descriptor.
type Held interface{ File() *os.File }
