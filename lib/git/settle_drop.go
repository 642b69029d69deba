package git

import (
	"context"
	"fmt"
	"strings"
)

// DropBranches deletes local branches while each is at the tip given, all or none, in
// one transaction that no hook sees. A branch that is a symbolic ref goes itself: git's
// usual dereferencing would delete the branch it leads to.
func (r *Repo) DropBranches(ctx context.Context, branches ...Branch) error {
	var in strings.Builder
	for _, b := range branches {
		fmt.Fprintf(&in, "delete refs/heads/%s\x00%s\x00", b.Name, b.Tip)
	}
	_, err := r.Run(ctx, Call{Dir: r.Primary, Stdin: []byte(in.String()),
		Args: Quiet("update-ref", "--no-deref", "-z", "--stdin")})
	return err
}
