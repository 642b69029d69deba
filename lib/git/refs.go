package git

import (
	"context"
	"fmt"
	"strings"
)

// A Change moves one ref from Old to New. An empty Old means that it must not
// exist, an empty New that it goes.
type Change struct {
	Ref, New, Old string
	Any           bool // whatever it holds now; Old is not looked at
}

// Update makes all changes or none, comparing before it swaps, with message in the
// reflogs. The user's reference-transaction hook sees it when hooks is true.
func (r *Repo) Update(ctx context.Context, message string, hooks bool, changes ...Change) error {
	var in strings.Builder
	for _, c := range changes {
		in.WriteString(c.command())
	}
	args := []string{"update-ref", "-m", message, "-z", "--stdin"}
	if !hooks {
		args = Quiet(args...)
	}
	_, err := r.Run(ctx, Call{Dir: r.Primary, Args: args, Stdin: []byte(in.String())})
	return err
}

func (c Change) command() string {
	switch {
	case c.New == "" && c.Any:
		return fmt.Sprintf("delete %s\x00\x00", c.Ref)
	case c.New == "":
		return fmt.Sprintf("delete %s\x00%s\x00", c.Ref, c.Old)
	case c.Any:
		return fmt.Sprintf("update %s\x00%s\x00\x00", c.Ref, c.New)
	case c.Old == "":
		return fmt.Sprintf("create %s\x00%s\x00", c.Ref, c.New)
	default:
		return fmt.Sprintf("update %s\x00%s\x00%s\x00", c.Ref, c.New, c.Old)
	}
}

// A Branch is one local branch.
type Branch struct {
	Name     string // short
	Tip      string // object id
	Worktree string // path of the worktree that has it checked out, "" when none
}

// Branches are the local branches whose short names are given, those that exist.
func (r *Repo) Branches(ctx context.Context, names ...string) (map[string]Branch, error) {
	if len(names) == 0 {
		return nil, nil
	}
	args := []string{"for-each-ref", "--format=%(refname)%00%(objectname)%00%(worktreepath)"}
	for _, n := range names {
		args = append(args, "refs/heads/"+n)
	}
	answer, err := r.read(ctx, args...)
	if err != nil {
		return nil, err
	}
	found := map[string]Branch{}
	for _, line := range answer.Lines() {
		parts := strings.Split(line, "\x00")
		if len(parts) != 3 {
			continue
		}
		name := strings.TrimPrefix(parts[0], "refs/heads/")
		found[name] = Branch{Name: name, Tip: parts[1], Worktree: parts[2]}
	}
	return found, nil
}

// Refs are the refs below a full prefix, by full name, with the id each holds.
func (r *Repo) Refs(ctx context.Context, prefixes ...string) (map[string]string, error) {
	answer, err := r.read(ctx, append([]string{"for-each-ref", "--format=%(refname)%00%(objectname)"}, prefixes...)...)
	if err != nil {
		return nil, err
	}
	found := map[string]string{}
	for _, line := range answer.Lines() {
		if name, id, ok := strings.Cut(line, "\x00"); ok {
			found[name] = id
		}
	}
	return found, nil
}
