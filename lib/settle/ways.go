package settle

import (
	"context"
	"errors"
	"time"

	"github.com/cniska/agent-worktree/lib/git"
)

// How a branch landed, beside Merged and SquashMerged, by the wider judgement that Ways
// makes. It takes a worktree away, and never a branch: Judge alone decides on those.
const (
	ByForge = "forge"   // its pull request was merged at this tip
	Rebased = "rebased" // each of its commits is in the default branch by content
)

// A Claim is a branch of which Ways is asked.
type Claim struct {
	Subject        // with the tip
	Into    string // the default branch to judge against: its commit, or for OwnCommits a Verdict's Into; "" when unknown

	// What the ledger and the worktree tell of where it began.
	Base    string    // the commit it was cut from, "" when this tool did not cut it
	Created time.Time // when it was registered
	Log     string    // path of the worktree's logs/HEAD, "" for none
}

// A Way is how a branch landed.
type Way struct {
	By      string // ByForge, Merged, Rebased, SquashMerged, or "" when it has not
	Fresh   bool   // all of it is in the default branch, and none of it was made here
	Unknown bool   // it could not be judged
}

// Ways tells how each branch landed, in the order given. pulls is the forge's answer or
// nil. Its number of git calls does not depend on how many branches there are.
func (j *Judge) Ways(ctx context.Context, claims []Claim, pulls *Pulls) ([]Way, error) {
	ways := make([]Way, len(claims))
	byInto := map[string][]int{}
	for i, c := range claims {
		switch {
		case pulls.Merged(c.Branch, c.Tip):
			ways[i].By = ByForge
		case c.Into == "":
			ways[i].Unknown = true
		default:
			byInto[c.Into] = append(byInto[c.Into], i)
		}
	}
	for into, list := range byInto {
		if err := j.waysInto(ctx, into, claims, ways, list); err != nil {
			return nil, err
		}
	}
	return ways, nil
}

// waysInto judges the listed claims against one commit.
func (j *Judge) waysInto(ctx context.Context, into string, claims []Claim, ways []Way, list []int) error {
	found := map[string]landing{}
	var tips []string
	for _, i := range list {
		if _, seen := found[claims[i].Tip]; !seen {
			found[claims[i].Tip] = landing{}
			tips = append(tips, claims[i].Tip)
		}
	}
	graph, err := j.beyond(ctx, into, tips, found)
	if err != nil {
		return err
	}
	var open []string
	for _, tip := range tips {
		if l := found[tip]; l.how == "" && l.why == "" {
			open = append(open, tip)
		}
	}
	alike := contents{repo: j.repo, into: into, graph: graph}
	byContent, err := alike.judge(ctx, open)
	var failed *git.Error
	if err != nil && !errors.As(err, &failed) {
		return err
	}
	var reached []int
	for _, i := range list {
		tip := claims[i].Tip
		switch l := found[tip]; {
		case l.how == Merged:
			reached = append(reached, i)
		case l.why != "" || failed != nil:
			ways[i].Unknown = true
		default:
			ways[i].By = byContent[tip]
		}
	}
	return j.reached(ctx, claims, ways, reached)
}

// reached judges the listed branches, whose tip the default branch reaches.
func (j *Judge) reached(ctx context.Context, claims []Claim, ways []Way, list []int) error {
	var some []Claim
	for _, i := range list {
		some = append(some, claims[i])
	}
	own, err := j.OwnCommits(ctx, some)
	if err != nil {
		return err
	}
	for n, i := range list {
		if ways[i].Fresh = !own[n]; own[n] {
			ways[i].By = Merged
		}
	}
	return nil
}
