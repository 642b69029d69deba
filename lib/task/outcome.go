package task

import (
	"fmt"

	"github.com/cniska/agent-worktree/lib/settle"
)

// String is the outcome as FR-37 has it: one line for a person.
func (r Removed) String() string {
	switch {
	case r.Outcome == detachedOutcome:
		return "worktree " + r.Name + " removed, detached at " + r.Head
	case r.Outcome == settle.Deleted && r.Into == "":
		return fmt.Sprintf("branch %s deleted, made by a create that did not finish", r.Branch)
	case r.Outcome == settle.Deleted:
		line := fmt.Sprintf("branch %s deleted, %s into %s", r.Branch, landingWord(r.Landing), r.Into)
		if r.RemoteBranch != "" {
			line += ", and " + r.RemoteBranch + " deleted"
		}
		return line
	}
	return fmt.Sprintf("branch %s kept, %s", r.Branch, r.why())
}

func landingWord(landing string) string {
	if landing == "" {
		return "merged"
	}
	return landing
}

// why is why a branch is kept, in words.
func (r Removed) why() string {
	switch r.Outcome {
	case settle.Unmerged:
		return "not merged into " + r.Into
	case settle.TracksDefault:
		return "it tracks " + r.Into + ", the default branch"
	case settle.NoRemote:
		return "no remote " + r.Remote
	case settle.NoDefaultBranch:
		return r.Remote + " has no default branch"
	case settle.RemoteUnreachable:
		return fmt.Sprintf("remote %s cannot be reached: %s", r.Remote, r.Detail)
	case settle.RemoteBranchAhead:
		return r.RemoteBranch + " has commits it lacks"
	case settle.RemoteBranchKept:
		return fmt.Sprintf("%s was not deleted: %s", r.RemoteBranch, r.Detail)
	case settle.CheckedOut:
		return "it is checked out at " + r.At
	}
	return "as asked"
}
