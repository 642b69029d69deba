package settle

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cniska/agent-worktree/lib/git"
	"github.com/cniska/agent-worktree/lib/refuse"
)

// forgeLimit is how long the forge may take to answer; tests have less patience.
var forgeLimit = 10 * time.Second

// mostPulls is how many pull requests are asked for, newest first: a few pages, so that
// a large project's forge answers in time.
const mostPulls = 300

// address is the part of a URL that may hold a password or a token.
var address = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`://[^\s'"<>]+`) })

var errForgeTimeout = errors.New("gh did not answer within 10 s")

// Pulls are a repository's pull requests as its forge has them. A nil Pulls is a forge
// that did not answer; it knows of none.
type Pulls struct{ byBranch map[string][]pull }

type pull struct {
	State  string `json:"state"` // OPEN, CLOSED or MERGED
	Branch string `json:"headRefName"`
	Head   string `json:"headRefOid"`
}

// Merged tells whether a pull request of the branch was merged when its head was tip.
// A branch that gained commits since has not landed by that.
func (p *Pulls) Merged(branch, tip string) bool {
	return p.any(branch, func(r pull) bool { return r.State == "MERGED" && r.Head == tip })
}

// Open tells whether a pull request of the branch is open.
func (p *Pulls) Open(branch string) bool {
	return p.any(branch, func(r pull) bool { return r.State == "OPEN" })
}

func (p *Pulls) any(branch string, test func(pull) bool) bool {
	if p == nil {
		return false
	}
	for _, r := range p.byBranch[branch] {
		if test(r) {
			return true
		}
	}
	return false
}

// NoForge is why there is no answer of a forge: no gh, no login, no remote that it
// knows, or none in time.
type NoForge struct{ Why string }

// Error is one line.
func (n *NoForge) Error() string { return n.Why }

// Pulls asks the forge, through gh and as whoever is logged in there, for the pull
// requests of all branches in one call that only reads. env is the caller's. The error
// is a *NoForge, or what ended ctx.
func (j *Judge) Pulls(ctx context.Context, env []string) (*Pulls, error) {
	limited, cancel := context.WithTimeoutCause(ctx, forgeLimit, errForgeTimeout)
	defer cancel()
	cmd := exec.CommandContext(limited, "gh", "pr", "list", "--state", "all",
		"--limit", strconv.Itoa(mostPulls), "--json", "state,headRefName,headRefOid")
	cmd.Dir = j.repo.Primary
	cmd.Env = append(git.Scrub(env), "GH_PROMPT_DISABLED=1", "GH_NO_UPDATE_NOTIFIER=1", "GH_PAGER=cat",
		"NO_COLOR=1", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	ownGroup(cmd)
	cmd.WaitDelay = time.Second
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case limited.Err() != nil:
		return nil, &NoForge{Why: errForgeTimeout.Error()}
	case errors.Is(err, exec.ErrNotFound):
		return nil, &NoForge{Why: "gh is not on PATH"}
	case err != nil:
		return nil, &NoForge{Why: "gh: " + firstWords(stderr.String(), err)}
	}
	return parsePulls(stdout.Bytes())
}

func parsePulls(data []byte) (*Pulls, error) {
	var list []pull
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, &NoForge{Why: "gh answered with something else than a list"}
	}
	p := &Pulls{byBranch: map[string][]pull{}}
	for _, r := range list {
		p.byBranch[r.Branch] = append(p.byBranch[r.Branch], r)
	}
	return p, nil
}

// firstWords is the first line of what a program said, or how it ended.
func firstWords(said string, err error) string {
	line, _, _ := strings.Cut(strings.TrimSpace(said), "\n")
	if line == "" {
		return err.Error()
	}
	return refuse.Visible(address().ReplaceAllString(line, "://…"))
}
