package guard

import (
	"os"
	"path/filepath"

	"github.com/cniska/agent-worktree/lib/git"
	"github.com/cniska/agent-worktree/lib/refuse"
)

// submodules refuses a worktree with submodules by git's own test: their
// repositories in the admin directory, or a gitlink whose directory is populated.
// Any content makes it so, since no status shows a file in a gitlink's directory.
func submodules(s Subject, flagged []git.Flagged) *refuse.Refusal {
	var found []string
	tree := newTree(s.At)
	for _, f := range flagged {
		if f.Mode != git.ModeGitlink {
			continue
		}
		if info, err := tree.lstat(f.Path); err == nil && info.IsDir() && !empty(filepath.Join(s.At, f.Path)) {
			found = append(found, f.Path)
		}
	}
	modules := filepath.Join(s.Admin, "modules")
	if len(found) == 0 && (s.Admin == "" || !isDir(modules) || empty(modules)) {
		return nil
	}
	message := "worktree " + s.Name + " contains submodules"
	if len(found) > 0 {
		message += ": " + named(found)
	}
	act := "push what the submodules in " + refuse.Shell(s.Path) + " alone have"
	if !s.Force {
		act += ", then run agent-worktree remove --force " + refuse.Shell(s.Name) + ", which moves them whole into the trash"
	}
	return &refuse.Refusal{
		Code:    refuse.Submodules,
		Message: message,
		Meta:    s.meta(refuse.Fact{Key: "submodules", Value: few(found, mostPaths)}),
		Resolve: act,
	}
}

func isDir(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}

// empty tells whether the directory surely holds nothing.
func empty(dir string) bool {
	entries, err := os.ReadDir(dir)
	return err == nil && len(entries) == 0
}
