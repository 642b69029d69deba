package guard

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/cniska/agent-worktree/lib/refuse"
)

// mountInside refuses a tree that is a mount point or has one inside: what is mounted
// there is somebody else's, and deleting through it would empty that.
func mountInside(s Subject, mounts []string) *refuse.Refusal {
	if len(mounts) == 0 {
		return nil
	}
	var umounts []string
	for _, at := range slices.Backward(mounts) { // the last comes first, should they be nested
		umounts = append(umounts, "umount "+refuse.Shell(filepath.Join(s.Path, at)))
	}
	last := mounts[len(mounts)-1]
	at := filepath.Join(s.Path, last)
	message := "worktree " + s.Name + " has a mount inside it: " + refuse.Visible(at)
	if last == "." {
		message = "worktree " + s.Name + " is itself a mount point"
	}
	return &refuse.Refusal{
		Code:    refuse.MountInside,
		Message: message,
		Meta: s.meta(refuse.Fact{Key: "at", Value: at},
			refuse.Fact{Key: "count", Value: len(mounts)}),
		Resolve: strings.Join(umounts, " && "),
	}
}

// mountsUnder are the mount points at or under dir, relative to it.
func mountsUnder(dir string) []string {
	real := resolved(dir)
	var list []string
	for _, point := range mountPoints() {
		if point == real {
			list = append(list, ".")
		} else if rel := below(real, point); rel != "" {
			list = append(list, rel)
		}
	}
	return list
}
