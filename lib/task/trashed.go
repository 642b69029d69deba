package task

import (
	"errors"
	"path/filepath"
	"strings"

	"github.com/cniska/agent-worktree/lib/place"
	"github.com/cniska/agent-worktree/lib/refuse"
	"github.com/cniska/agent-worktree/lib/store"
)

// inTrash is the refusal of a working directory that belongs to a removed worktree: it
// moved to the trash under the caller. Any other refusal of the checkout stays as it is.
func inTrash(w World, cause error) error {
	var r *refuse.Refusal
	data, err := place.Data(w.Env)
	if err != nil || w.Dir == "" || !errors.As(cause, &r) || r.Code != refuse.NotACheckout {
		return cause
	}
	rel, err := filepath.Rel(filepath.Join(data, "trash"), place.Real(w.Dir))
	parts := strings.Split(rel, string(filepath.Separator))
	if err != nil || len(parts) < 3 || parts[0] == ".." {
		return cause
	}
	entry := store.Entry{Dir: filepath.Join(data, "trash", parts[0], parts[1])}
	record, err := entry.Read()
	if err != nil {
		return cause
	}
	return &refuse.Refusal{
		Code:    refuse.NotACheckout,
		Message: "the current directory belongs to worktree " + record.Name + ", which was removed and is in the trash",
		Meta:    refuse.Meta{{Key: "path", Value: w.Dir}, {Key: "name", Value: record.Name}},
		Resolve: "cd " + refuse.Shell(record.Primary) + " and run the command again",
	}
}
