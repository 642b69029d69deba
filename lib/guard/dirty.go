package guard

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/cniska/agent-worktree/lib/git"
	"github.com/cniska/agent-worktree/lib/refuse"
)

// How many paths a message names, and how many its meta lists.
const (
	fewPaths  = 3
	mostPaths = 10
)

// look fills in what the dirty guard judges, and returns the index's flagged entries.
// A question that git fails to answer ends it: such a tree is dirty, never clean.
func (a *Answer) look(ctx context.Context, repo *git.Repo, s Subject) []git.Flagged {
	a.Operation, a.Rebasing = operation(s.Admin)
	// With its git directory named, git judges this very tree, whatever .git or
	// core.worktree say.
	status, err := repo.Status(ctx, s.At, s.Admin)
	if err != nil {
		a.Failed = err
		return nil
	}
	a.Status, a.Head = status, status.Head
	flagged, err := repo.FlaggedEntries(ctx, s.At, s.Admin, len(status.Head)/2)
	if err != nil {
		a.Failed = err
		return nil
	}
	a.Hidden, a.Failed = hidden(ctx, repo, s, flagged)
	a.links = gitlinks(flagged)
	return flagged
}

func gitlinks(flagged []git.Flagged) []string {
	var paths []string
	for _, f := range flagged {
		if f.Mode == git.ModeGitlink {
			paths = append(paths, f.Path)
		}
	}
	return paths
}

// onlyInSubmodules tells whether all that differs lies inside populated submodules.
func (a *Answer) onlyInSubmodules() bool {
	s := a.Status
	if a.Operation != "" || s.Staged || s.Added > 0 || len(a.Hidden) > 0 || s.Changed == 0 {
		return false
	}
	for _, path := range s.Modified {
		if !slices.Contains(a.links, path) {
			return false
		}
	}
	return true
}

// dirty refuses a tree with work in it that is not committed.
func (a *Answer) dirty(s Subject) *refuse.Refusal {
	switch {
	case a.Failed != nil:
		return unjudged(s, a.Failed)
	case a.Operation == "" && a.Status.Clean() && len(a.Hidden) == 0:
		return nil
	}
	r := &refuse.Refusal{Code: refuse.Dirty, Meta: s.meta(
		refuse.Fact{Key: "modified", Value: a.Status.Changed},
		refuse.Fact{Key: "untracked", Value: a.Status.Added},
		refuse.Fact{Key: "files", Value: few(a.files(), mostPaths)},
	)}
	if len(a.Hidden) > 0 {
		r.Meta = append(r.Meta, refuse.Fact{Key: "hidden", Value: few(a.Hidden, mostPaths)})
	}
	r.Message, r.Resolve = "worktree "+s.Name+" has "+a.counts(), s.orForce(a.commitAct(s))
	if a.Operation != "" {
		r.Meta = append(r.Meta, refuse.Fact{Key: "operation", Value: a.Operation})
		if a.Rebasing != "" {
			r.Meta = append(r.Meta, refuse.Fact{Key: "branch", Value: a.Rebasing})
		}
		r.Message, r.Resolve = a.underWay(s), s.orForce(a.endAct(s))
	}
	return r
}

// unjudged refuses a tree that git could not look at.
func unjudged(s Subject, err error) *refuse.Refusal {
	why := err.Error()
	var failed *git.Error
	if errors.As(err, &failed) {
		why = failed.Detail()
	}
	return &refuse.Refusal{
		Code:    refuse.Dirty,
		Message: "worktree " + s.Name + " may hold work: git cannot tell whether it is clean: " + refuse.Visible(why),
		Meta:    s.meta(refuse.Fact{Key: "reason", Value: why}),
		Resolve: s.orForce("git -C " + refuse.Shell(s.Path) + " status to see what is wrong"),
	}
}

// files are all paths with work, those that git shows first.
func (a *Answer) files() []string {
	return slices.Concat(a.Status.Modified, a.Status.New, a.Hidden)
}

// counts is how many files of which kind, and the first few of them.
func (a *Answer) counts() string {
	var kinds []string
	if a.Status.Changed > 0 {
		kinds = append(kinds, fmt.Sprintf("%d modified", a.Status.Changed))
	}
	if a.Status.Added > 0 {
		kinds = append(kinds, fmt.Sprintf("%d untracked", a.Status.Added))
	}
	var texts []string
	if len(kinds) > 0 {
		texts = append(texts, strings.Join(kinds, " and ")+noun(a.Status.Changed+a.Status.Added))
	}
	if n := len(a.Hidden); n > 0 {
		texts = append(texts, fmt.Sprintf("%d%s with edits that git was told to overlook", n, noun(n)))
	}
	return strings.Join(texts, " and ") + ": " + named(a.files())
}

func noun(n int) string {
	if n == 1 {
		return " file"
	}
	return " files"
}

// commitAct is how to deal with the files by hand.
func (a *Answer) commitAct(s Subject) string {
	act := "commit or discard them in " + refuse.Shell(s.Path)
	if len(a.Hidden) == 0 {
		return act
	}
	// A flag of the wrong kind is no error, and update-index heeds but the first of two.
	git := "git -C " + refuse.Shell(s.Path) + " update-index "
	paths := ""
	for _, p := range a.Hidden { // all, or those left out would be met the next time
		paths += " " + refuse.Shell(p)
	}
	return "run " + git + "--no-assume-unchanged --" + paths + " && " + git + "--no-skip-worktree --" + paths +
		" so that git shows the edits, " + act
}

// underWay names the operation, and any files with work.
func (a *Answer) underWay(s Subject) string {
	article := "a "
	if a.Operation == "am" {
		article = "an "
	}
	text := "worktree " + s.Name + " is in the middle of " + article + a.Operation
	if a.Rebasing != "" {
		text += " of " + refuse.Visible(a.Rebasing)
	}
	if len(a.files()) > 0 {
		text += ", with " + a.counts()
	}
	return text
}

// endAct is how to deal with the operation, and with the files that its end leaves.
func (a *Answer) endAct(s Subject) string {
	act := ending(s.Path, a.Operation)
	if a.Status.Added > 0 || len(a.Hidden) > 0 || a.Operation == "bisect" && a.Status.Changed > 0 {
		act += ", and " + a.commitAct(s)
	}
	return act
}

// Ending is how to bring what is under way in the worktree at path to its end, "" when
// nothing is. admin is git's directory of it.
func Ending(path, admin string) string {
	name, _ := operation(admin)
	if name == "" {
		return ""
	}
	return ending(path, name)
}

func ending(path, operation string) string {
	git := "git -C " + refuse.Shell(path) + " "
	if operation == "bisect" {
		return git + "bisect reset"
	}
	return git + operation + " --continue, or " + git + operation + " --abort"
}

// few is the first n of the paths.
func few(paths []string, n int) []string {
	return append([]string{}, paths[:min(n, len(paths))]...)
}

// named is the first few paths in one line.
func named(paths []string) string {
	text := refuse.Visible(strings.Join(few(paths, fewPaths), ", "))
	if len(paths) > fewPaths {
		text += ", …"
	}
	return text
}
