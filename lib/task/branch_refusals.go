package task

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/cniska/agent-worktree/lib/git"
	"github.com/cniska/agent-worktree/lib/guard"
	"github.com/cniska/agent-worktree/lib/refuse"
	"github.com/cniska/agent-worktree/lib/settle"
	"github.com/cniska/agent-worktree/lib/store"
)

// aboutBranch is the meta of a refusal about a new worktree's branch.
func (j *job) aboutBranch(branch string, more ...refuse.Fact) refuse.Meta {
	return append(refuse.Meta{{Key: "name", Value: j.name}, {Key: "branch", Value: branch}}, more...)
}

// create is the command that makes this worktree on the branch with other options.
func (j *job) createCommand(branch, options string) string {
	cmd := "agent-worktree create "
	if options != "" {
		cmd += options + " "
	}
	if branch != j.name {
		cmd += "--branch " + refuse.Shell(branch) + " "
	}
	return cmd + j.name
}

// branchExists refuses to cut a branch that is there; at is the worktree that has it, ""
// for none.
func (j *job) branchExists(branch, at string) error {
	act := "run " + j.createCommand(branch, "")
	if at != "" {
		act = j.release(at) + ", then " + act
	}
	return &refuse.Refusal{
		Code:    refuse.BranchExists,
		Message: fmt.Sprintf("branch %s exists, so --from cannot say where it is cut", branch),
		Meta:    j.aboutBranch(branch),
		Resolve: "choose another name, or, to take the branch as it is, " + act,
	}
}

func (j *job) checkedOut(branch, at string) error {
	return &refuse.Refusal{
		Code:    refuse.CheckedOut,
		Message: fmt.Sprintf("branch %s is checked out at %s", branch, at),
		Meta:    j.aboutBranch(branch, refuse.Fact{Key: "at", Value: at}),
		Resolve: "choose another name, or " + j.release(at),
	}
}

// release is the act after which the worktree at a place has its branch no more. git
// switches none whose directory is not to be had, or that is in the middle of something.
func (j *job) release(at string) string {
	dir := refuse.Shell(at)
	admin, linked, err := git.AdminOf(j.Common, at)
	s, failed := j.standNow(filepath.Base(at))
	ours := s.entry != nil && (s.path == at || s.entry.Path == at) && errors.Join(err, failed) == nil
	if r := (*refuse.Refusal)(nil); ours && s.state != Legacy && errors.As(j.refusal(s), &r) {
		return r.Resolve
	}
	if linked && !exists(at) {
		return "when " + dir + " is gone for good, run " + j.unlocking(at) + "git worktree remove " + dir
	}
	if !linked {
		admin.Dir = j.Common
	}
	detach := "git -C " + dir + " switch --detach"
	if end := guard.Ending(at, admin.Dir); end != "" {
		return end + ", then " + detach
	}
	return detach
}

// unknownBranch refuses a branch that is not here. One that origin has is to be cut
// there, and the name of a tracking branch is most likely meant for what it tracks.
func (j *job) unknownBranch(ctx context.Context, branch string) error {
	act := j.createCommand(branch, "--from HEAD")
	refs, err := j.repo.Refs(ctx, "refs/remotes/origin/"+branch, "refs/remotes/"+branch)
	if err != nil {
		return err
	}
	head, err := j.repo.Resolve(ctx, "HEAD")
	if err != nil {
		return err
	}
	switch {
	case head == "" && len(refs) == 0:
		return j.noCommits()
	case refs["refs/remotes/origin/"+branch] != "":
		act = j.createCommand(branch, "--from origin/"+refuse.Shell(branch))
	case refs["refs/remotes/"+branch] != "":
		act = j.createCommand(j.name, "--from "+refuse.Shell(branch))
	}
	return &refuse.Refusal{
		Code:    refuse.UnknownBranch,
		Message: fmt.Sprintf("there is no branch %s here, and without --from it is not made", branch),
		Meta:    j.aboutBranch(branch),
		Resolve: act,
	}
}

// unknownRef refuses a --from that names no commit. A repository without any commit is
// the more helpful answer where that is why.
func (j *job) unknownRef(ctx context.Context, branch, ref string) error {
	if head, err := j.repo.Resolve(ctx, "HEAD"); ref == "HEAD" && err == nil && head == "" {
		return j.noCommits()
	}
	return &refuse.Refusal{
		Code:    refuse.UnknownRef,
		Message: fmt.Sprintf("%s names no commit in %s", refuse.Visible(ref), j.Top),
		Meta:    refuse.Meta{{Key: "name", Value: j.name}, {Key: "ref", Value: ref}, {Key: "path", Value: j.Top}},
		Resolve: "with a branch, tag or commit that git knows there, run " + j.createCommand(branch, "--from <ref>"),
	}
}

func (j *job) noCommits() error {
	return &refuse.Refusal{
		Code:    refuse.NoCommits,
		Message: fmt.Sprintf("the repository at %s has no commit to cut a branch from", j.Primary),
		Meta:    refuse.Meta{{Key: "name", Value: j.name}, {Key: "path", Value: j.Primary}},
		Resolve: fmt.Sprintf("git -C %s commit --allow-empty -m start", refuse.Shell(j.Primary)),
	}
}

func (j *job) remoteUnreachable(away *settle.Unreachable) error {
	return &refuse.Refusal{
		Code:    refuse.RemoteUnreachable,
		Message: fmt.Sprintf("remote %s cannot be reached: %s", away.Remote, away.Detail),
		Meta: refuse.Meta{{Key: "name", Value: j.name}, {Key: "remote", Value: away.Remote},
			{Key: "detail", Value: away.Detail}},
		Resolve: "to cut it from what this clone has, run " + j.createCommand(j.name, "--from HEAD"),
	}
}

// explain turns git's failure to make the worktree into the refusal it stands for,
// where the state of the clone tells; it does not read git's words.
func (j *job) explain(ctx context.Context, cause error) error {
	var failed *git.Error
	if !errors.As(cause, &failed) {
		return cause
	}
	found, err := j.repo.Branches(ctx, j.entry.Branch)
	if err != nil {
		return cause
	}
	branch := found[j.entry.Branch]
	switch {
	case branch.Worktree != "" && branch.Worktree != j.store.Path(j.name):
		return j.checkedOut(j.entry.Branch, branch.Worktree)
	case j.entry.Cut && branch.Tip != "" && branch.Tip != j.entry.Base:
		return j.branchExists(j.entry.Branch, branch.Worktree)
	}
	if store.Full(j.store.Dir()) {
		return because("no space is left in "+j.store.Dir(), failed)
	}
	if partial, err := j.partialClone(ctx); err == nil && partial {
		return because("this is a partial clone, whose missing files git fetches as it checks out", failed)
	}
	return cause
}

// because is git's failure with the cause that its words leave out.
func because(why string, failed *git.Error) error {
	fault := failed.Fault()
	fault.Message = why + ": " + fault.Message
	return fault
}

// partialClone tells whether git may have to fetch files to check them out.
func (j *job) partialClone(ctx context.Context) (bool, error) {
	c, err := j.repo.Config(ctx)
	return c.Get("extensions.partialclone") != "" || c.Any(func(key string) bool {
		return len(key) > len(".promisor") && key[len(key)-len(".promisor"):] == ".promisor"
	}), err
}
