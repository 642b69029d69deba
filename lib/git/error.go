package git

import (
	"errors"
	"os/exec"
	"strings"

	"github.com/cniska/agent-worktree/lib/refuse"
)

var errTimeout = errors.New("timed out after 60 s")

// An Error is a call that failed.
type Error struct {
	Args   []string // after `git`
	Dir    string
	Status int    // exit status, -1 when git did not start or was ended
	Stderr string // git's own words, one or more lines, no progress
	Cause  error
}

// Error names the call and gives git's last word.
func (e *Error) Error() string {
	return "git " + e.verb() + " failed: " + e.Detail()
}

func (e *Error) Unwrap() error { return e.Cause }

// Detail is one line of why, as git said it.
func (e *Error) Detail() string {
	if errors.Is(e.Cause, exec.ErrNotFound) {
		return "git is not on PATH"
	}
	if e.Timeout() {
		return errTimeout.Error()
	}
	lines := strings.Split(e.Stderr, "\n")
	for i, line := range lines {
		for _, mark := range []string{"fatal: ", "error: "} {
			if rest, ok := strings.CutPrefix(line, mark); ok {
				return refuse.Visible(redact(rest + list(rest, lines[i+1:])))
			}
		}
	}
	if line := strings.TrimSpace(e.Stderr); line != "" {
		return refuse.Visible(redact(line))
	}
	return e.Cause.Error()
}

// list is what a line that ends in a colon announces: the indented lines behind it.
func list(line string, behind []string) string {
	var items []string
	for _, l := range behind {
		if !strings.HasSuffix(line, ":") || !strings.HasPrefix(l, "\t") && !strings.HasPrefix(l, " ") {
			break
		}
		items = append(items, strings.TrimSpace(l))
	}
	if len(items) == 0 {
		return ""
	}
	return " " + strings.Join(items, ", ")
}

// Timeout tells whether the call was stopped at NetworkLimit.
func (e *Error) Timeout() bool { return errors.Is(e.Cause, errTimeout) }

// Fault is the error as the envelope shows it.
func (e *Error) Fault() *refuse.Fault {
	return &refuse.Fault{Code: refuse.GitFailed, Message: e.Error(), Meta: refuse.Meta{
		{Key: "args", Value: append([]string{}, redactAll(e.Args)...)},
		{Key: "exit", Value: e.Status},
		{Key: "stderr", Value: redact(e.Stderr)},
	}}
}

// verb is the subcommand: the first argument that is no option of git itself.
func (e *Error) verb() string {
	for i := 0; i < len(e.Args); i++ {
		if e.Args[i] == "-c" {
			i++
			continue
		}
		if !strings.HasPrefix(e.Args[i], "-") {
			return e.Args[i]
		}
	}
	return strings.Join(e.Args, " ")
}

// transient tells whether stderr reads like git meeting a worktree that another
// process is just making or dropping: git creates commondir empty and fills it a
// moment later, and lists entries it then cannot read. A path of git's that is there and
// damaged, such as an index, is none of these.
func transient(stderr string) bool {
	return strings.Contains(stderr, "commondir") ||
		strings.Contains(stderr, "object worktrees/") ||
		strings.Contains(stderr, ".git/worktrees/") && strings.Contains(stderr, "No such file or directory")
}

// lastWords is stderr without what progress meters overwrote.
func lastWords(stderr string) string {
	var kept []string
	for _, line := range strings.Split(stderr, "\n") {
		if i := strings.LastIndexByte(line, '\r'); i >= 0 {
			line = line[i+1:]
		}
		if line != "" {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

func visible(s string) string { return refuse.Visible(redact(s)) }

func redactAll(args []string) []string {
	out := make([]string, len(args))
	for i, a := range args {
		out[i] = redact(a)
	}
	return out
}

// redact hides what a URL in git's words may carry: its user and password, its
// path's tail and its query may all be credentials.
func redact(s string) string {
	var b strings.Builder
	for {
		i := strings.Index(s, "://")
		if i < 0 {
			b.WriteString(s)
			return b.String()
		}
		rest := s[i+3:]
		end := strings.IndexAny(rest, " '\"\n\t<>")
		if end < 0 {
			end = len(rest)
		}
		b.WriteString(s[:i+3])
		b.WriteString(redactURL(rest[:end], strings.HasSuffix(s[:i], "file")))
		s = rest[end:]
	}
}

// redactURL keeps of a URL's rest its host, and a file URL's path.
func redactURL(rest string, file bool) string {
	if file {
		return rest
	}
	host, path, hasPath := strings.Cut(rest, "/")
	if i := strings.LastIndexByte(host, '@'); i >= 0 {
		host = host[i+1:]
	}
	if hasPath && path != "" {
		return host + "/…"
	}
	return host
}
