package settle

import (
	"strings"

	"github.com/cniska/agent-worktree/lib/git"
)

// An upstream is which remote judges a branch, and which branch there is its own.
type upstream struct {
	remote string // name of the remote that judges it
	ref    string // full name of the branch there that would go with it, "" for none
	set    bool   // the branch has an upstream on a remote
	// nameless is that its remote is no configured one; remote is then fit to print.
	nameless bool
}

// upstreamOf reads branch.<name>.remote and .merge, the last value of each, rather than
// git's own idea of the upstream, which is empty where no refspec maps it.
func upstreamOf(config git.Config, branch string) upstream {
	remote := config.Get("branch." + branch + ".remote")
	merge := config.Get("branch." + branch + ".merge")
	switch {
	case remote == "" || remote == origin && merge == "":
		return upstream{remote: origin, ref: heads + branch}
	case remote == "." || merge == "":
		// It follows something, though nothing on a remote: what origin has under
		// its name was never said to be its own.
		return upstream{remote: origin}
	case !hasURL(config, remote):
		return upstream{remote: printable(remote), nameless: true, set: true}
	}
	return upstream{remote: remote, ref: merge, set: true}
}

// printable is the remote's name, or words for it where the value is a URL or a path:
// those may hold a password.
func printable(remote string) string {
	if strings.ContainsAny(remote, ":@") || strings.HasPrefix(remote, "/") ||
		strings.HasPrefix(remote, ".") || strings.HasPrefix(remote, "~") {
		return "an unnamed remote"
	}
	return remote
}

// short is <remote>/<branch>.
func short(remote, ref string) string {
	return remote + "/" + strings.TrimPrefix(ref, heads)
}
