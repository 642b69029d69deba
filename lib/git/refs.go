package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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
	Worktree string // path of a worktree that has it checked out, "" when none
}

// Branches are the local branches whose short names are given, those that exist. git is
// asked even where a plain file has the tip: it alone knows who holds a branch through a
// symbolic ref or a HEAD that is a link.
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

// loose is the id in the ref's own file, which is the ref wherever there is one; "" where
// it is packed, symbolic, kept in another form, or not there.
func (r *Repo) loose(ref string) string {
	if id := readLine(filepath.Join(r.Common, filepath.FromSlash(ref))); IsID(id) {
		return id
	}
	return ""
}

// FileRef is the id that the ref's own file or the packed refs have for it, "" where
// neither does.
func (r *Repo) FileRef(ref string) string {
	if id := r.loose(ref); id != "" {
		return id
	}
	if _, err := os.Lstat(filepath.Join(r.Common, filepath.FromSlash(ref))); !errors.Is(err, fs.ErrNotExist) {
		return "" // symbolic, or not to be read: what is packed would be older
	}
	packed, _ := os.ReadFile(filepath.Join(r.Common, "packed-refs"))
	before, _, ok := strings.Cut(string(packed), " "+ref+"\n")
	if id := before[strings.LastIndexByte(before, '\n')+1:]; ok && IsID(id) {
		return id
	}
	return ""
}

// Lacks tells that there is no such branch, by plain files alone: false where there is one,
// and where they cannot tell.
func (r *Repo) Lacks(branch string) bool {
	top := filepath.Join(r.Common, "refs", "heads")
	if info, err := os.Stat(top); err != nil || !info.IsDir() { // kept in another form
		return false
	}
	_, err := os.Lstat(filepath.Join(top, filepath.FromSlash(branch)))
	return errors.Is(err, fs.ErrNotExist) && r.FileRef("refs/heads/"+branch) == ""
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
