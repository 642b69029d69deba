package task

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cniska/agent-worktree/lib/git"
	"github.com/cniska/agent-worktree/lib/store"
)

// anchorRoot is where commits of removed worktrees stay reachable.
const anchorRoot = "refs/agent-worktree/removed/"

// anchorPlace is the prefix of one removal's anchors.
func anchorPlace(entry store.Entry) string {
	return anchorRoot + entry.Name + "/" + entry.Stamp() + "/"
}

// anchorsTaken tells whether refs stand at the entry's place: those of a worktree that
// came back within the second.
func (p *Project) anchorsTaken(entry store.Entry) bool {
	place := strings.TrimSuffix(anchorPlace(entry), "/")
	if exists(filepath.Join(p.Common, filepath.FromSlash(place))) {
		return true
	}
	packed, err := os.ReadFile(filepath.Join(p.Common, "packed-refs"))
	return err == nil && strings.Contains(string(packed), " "+place+"/")
}

// newestReflog bounds how many commits that only a reflog reaches are kept.
const newestReflog = 200

// anchors are the refs to make before the worktree goes: its branch's tip, HEAD where
// it is elsewhere, the branch that a paused operation goes back to, and every commit that
// only its admin directory names. Only what the user committed or staged: other bytes may
// be secrets, and would travel with a mirror.
func (r *removal) anchors(ctx context.Context, entry store.Entry, record *store.Record) ([]git.Change, error) {
	place := anchorPlace(entry)
	var changes []git.Change
	add := func(name, id string) {
		// The entry's place is ours alone; only a git that outlived its command may be there.
		changes = append(changes, git.Change{Ref: place + name, New: id, Any: true})
	}
	if err := r.addTips(ctx, record, add); err != nil {
		return nil, err
	}
	named, logged := r.adminCommits()
	lost, err := r.lost(ctx, named, logged)
	if err != nil {
		return nil, err
	}
	for i, id := range lost.named {
		add(fmt.Sprintf("admin-%d", i+1), id)
	}
	if len(lost.logged) > 0 {
		id, err := r.bundle(ctx, lost.logged)
		if err != nil {
			return nil, err
		}
		add("reflog", id)
	}
	id, err := r.stagedCommit(ctx, entry)
	if err != nil {
		return nil, err
	}
	if id != "" {
		add("index", id)
	}
	return changes, nil
}

// addTips adds the tip of the branch, or HEAD, and the branch that a paused operation
// goes back to.
func (r *removal) addTips(ctx context.Context, record *store.Record, add func(name, id string)) error {
	switch {
	case r.tip == "":
	case r.branch != "":
		add("branch", r.tip)
	default:
		add("head", r.tip)
	}
	if r.doing == "" {
		return nil
	}
	found, err := r.repo.Branches(ctx, r.doing)
	if err != nil {
		return err
	}
	if record.DoingTip = found[r.doing].Tip; record.DoingTip != "" {
		add("doing", record.DoingTip)
	}
	return nil
}

// lostCommits are those that nothing else reaches.
type lostCommits struct{ named, logged []string }

// lost asks git, in at most two calls, which of the commits only this worktree reaches.
// In an ordinary worktree there are none to ask about.
func (r *removal) lost(ctx context.Context, named, logged []string) (lostCommits, error) {
	var out lostCommits
	elsewhere := func(id string) bool {
		return id == r.tip || r.entry != nil && id == r.entry.Base && r.entry.Cut
	}
	named = slices.DeleteFunc(slices.Clone(named), elsewhere)
	logged = slices.DeleteFunc(slices.Clone(logged), elsewhere)
	if len(named) > 0 {
		var err error
		if named, err = r.repo.Commits(ctx, named); err != nil {
			return out, err
		}
	}
	ids, err := r.repo.Lost(ctx, slices.Concat(named, logged))
	if err != nil {
		return out, err
	}
	for _, id := range ids {
		switch {
		case slices.Contains(named, id):
			out.named = append(out.named, id)
		case len(out.logged) < newestReflog:
			out.logged = append(out.logged, id)
		}
	}
	return out, nil
}

// adminCommits are the ids that stand in the worktree's admin directory: in the *_HEAD
// files, a paused operation's, its own refs (named), and in the reflogs of HEAD and of
// the branch, newest first (logged). What is no commit falls out later.
func (r *removal) adminCommits() (named, logged []string) {
	if r.branch != "" {
		logged = reflogIDs(filepath.Join(r.Common, "logs", "refs", "heads", filepath.FromSlash(r.branch)))
	}
	if r.admin.Dir == "" {
		return nil, unique(logged)
	}
	filepath.WalkDir(r.admin.Dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		rel, _ := filepath.Rel(r.admin.Dir, path)
		if d.IsDir() {
			if rel == "modules" || rel == "logs" {
				return filepath.SkipDir
			}
			return nil
		}
		if namesCommits(rel) {
			named = append(named, idsIn(path)...)
		}
		return nil
	})
	logged = append(reflogIDs(filepath.Join(r.admin.Dir, "logs", "HEAD")), logged...)
	return unique(named), unique(logged)
}

// namesCommits tells whether a file of an admin directory may hold ids of commits.
func namesCommits(rel string) bool {
	top, _, nested := strings.Cut(filepath.ToSlash(rel), "/")
	switch {
	case !nested:
		return strings.HasSuffix(rel, "_HEAD")
	case strings.HasPrefix(top, "rebase-"), top == "sequencer", top == "refs":
		return true
	}
	return false
}

// idsIn are the object ids that stand as words in a small file.
func idsIn(path string) []string {
	data, err := git.ReadSmall(path)
	if err != nil {
		return nil
	}
	var ids []string
	for _, word := range strings.Fields(string(data)) {
		if git.IsID(word) {
			ids = append(ids, word)
		}
	}
	return ids
}

// reflogIDs are the ids a reflog moved to or from, newest first.
func reflogIDs(path string) []string {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	var ids []string
	lines := strings.Split(string(data), "\n")
	for i := len(lines) - 1; i >= 0; i-- {
		fields := strings.SplitN(lines[i], " ", 3)
		if len(fields) < 3 {
			continue
		}
		for _, id := range []string{fields[1], fields[0]} {
			if git.IsID(id) && strings.Trim(id, "0") != "" {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

func unique(ids []string) []string {
	seen := map[string]bool{}
	return slices.DeleteFunc(ids, func(id string) bool {
		had := seen[id]
		seen[id] = true
		return had
	})
}

// bundle makes one commit on the empty tree whose parents are the given commits.
func (r *removal) bundle(ctx context.Context, ids []string) (string, error) {
	tree, err := r.repo.EmptyTree(ctx)
	if err != nil {
		return "", err
	}
	return r.repo.CommitTree(ctx, tree, "commits only the reflogs of "+r.name+" reached", ids...)
}

// stagedCommit makes a commit of what is staged, on HEAD; "" where nothing is. An index
// that git cannot read is kept as it is among the saved admin files.
func (r *removal) stagedCommit(ctx context.Context, entry store.Entry) (string, error) {
	if !r.status.Staged && !r.unread && !r.gone || r.admin.Dir == "" {
		return "", nil
	}
	tree, err := r.repo.IndexTree(ctx, r.admin.Dir, entry.Dir)
	if err != nil {
		if r.gone || r.unread { // what cannot be read keeps nothing waiting
			return "", nil
		}
		return "", err
	}
	var parents []string
	if r.tip != "" {
		if same, err := r.repo.SameTree(ctx, tree, r.tip); err != nil || same {
			return "", err
		}
		parents = []string{r.tip}
	}
	return r.repo.CommitTree(ctx, tree, "staged in "+r.name, parents...)
}
