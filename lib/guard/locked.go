package guard

import (
	"regexp"
	"strconv"
	"sync"

	"github.com/cniska/agent-worktree/lib/refuse"
)

// namedProcess is how tools name a process in a lock's reason: `pid 123`, `pid=123`. It
// is compiled at its first use: at every start it costs a fiftieth of it.
var namedProcess = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\bpid[\s:=#]{0,3}([0-9]{1,9})\b`)
})

// Unlocked refuses a worktree that somebody locked, for one that is not there to be asked
// about.
func Unlocked(s Subject) error {
	if r := locked(s); r != nil {
		return r
	}
	return nil
}

// locked refuses a worktree that somebody locked. Nothing but an unlock lifts it.
func locked(s Subject) *refuse.Refusal {
	if !s.Locked {
		return nil
	}
	r := &refuse.Refusal{
		Code:    refuse.Locked,
		Message: "worktree " + s.Name + " is locked",
		Meta:    s.meta(refuse.Fact{Key: "reason", Value: s.Reason}),
		Resolve: "git worktree unlock " + refuse.Shell(s.Path),
	}
	if s.Reason != "" {
		r.Message += ": " + refuse.Visible(s.Reason)
	}
	if m := namedProcess().FindStringSubmatch(s.Reason); m != nil {
		pid, _ := strconv.Atoi(m[1])
		r.Meta = append(r.Meta, refuse.Fact{Key: "pid", Value: pid}, refuse.Fact{Key: "alive", Value: Alive(pid)})
	}
	return r
}
