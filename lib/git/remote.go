package git

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
)

// A Remote is what a remote said of itself in one connection.
type Remote struct {
	Default string            // full ref name of its default branch, "" when it has none
	Heads   map[string]string // its branches, by full ref name
}

// Remote asks the remote for its default branch and its branches.
func (r *Repo) Remote(ctx context.Context, name string) (Remote, error) {
	answer, err := r.Run(ctx, Call{Dir: r.Primary, Network: true,
		Args: Quiet("ls-remote", "--symref", "--end-of-options", name, "HEAD", "refs/heads/*")})
	if err != nil {
		return Remote{}, err
	}
	return parseRemote(answer.Lines()), nil
}

func parseRemote(lines []string) Remote {
	remote := Remote{Heads: map[string]string{}}
	for _, line := range lines {
		value, ref, ok := strings.Cut(line, "\t")
		if !ok {
			continue
		}
		if target, ok := strings.CutPrefix(value, "ref: "); ok {
			if ref == "HEAD" {
				remote.Default = target
			}
			continue
		}
		if strings.HasPrefix(ref, "refs/heads/") {
			remote.Heads[ref] = value
		}
	}
	// An empty repository names a default branch that does not exist yet.
	if remote.Heads[remote.Default] == "" {
		remote.Default = ""
	}
	return remote
}

// Tip is the commit of the remote's default branch, "" when it has none.
func (r Remote) Tip() string { return r.Heads[r.Default] }

// Fetched is the ref this process fetches into. `prune` clears those of dead ones.
func Fetched(remote string) string {
	return fmt.Sprintf("refs/agent-worktree/fetch/%d/%s", os.Getpid(), sum(remote))
}

// Fetch brings one branch of the remote into Fetched(name) and tells the commit it
// is at. It writes no other ref: tracking refs that several fetches move at once
// make most of them fail.
func (r *Repo) Fetch(ctx context.Context, name, ref string) (string, error) {
	_, err := r.Run(ctx, Call{Dir: r.Primary, Network: true, Shown: true, Args: Quiet("fetch",
		"--no-tags", "--no-auto-maintenance", "--no-write-fetch-head", "--no-recurse-submodules",
		"--refmap=", "--end-of-options", name, "+"+ref+":"+Fetched(name))})
	if err != nil {
		return "", err
	}
	return r.Resolve(ctx, Fetched(name))
}

// A Deletion is a remote branch to delete while it is still at Lease.
type Deletion struct{ Ref, Lease string }

// A Pushed row is what became of one deletion: Flag is git's ("-" for deleted,
// "!" for refused), Why its words.
type Pushed struct{ Flag, Why string }

// Gone tells whether the remote deleted the branch.
func (p Pushed) Gone() bool { return p.Flag == "-" }

// Stale tells whether the branch was not at its lease any more.
func (p Pushed) Stale() bool { return strings.Contains(p.Why, "stale info") }

// Delete asks the remote to delete branches in one push, each under a lease. The
// rows are by full ref name; one that git did not report is missing.
func (r *Repo) Delete(ctx context.Context, name string, deletions []Deletion) (map[string]Pushed, error) {
	args := Quiet("push", "--porcelain", "--no-verify",
		"--no-follow-tags", "--signed=no", "--no-recurse-submodules")
	var refs []string
	for _, d := range deletions {
		args = append(args, "--force-with-lease="+d.Ref+":"+d.Lease)
		refs = append(refs, ":"+d.Ref)
	}
	args = append(append(args, "--end-of-options", name), refs...)
	answer, err := r.Run(ctx, Call{Dir: r.Primary, Network: true, Args: args, OK: []int{1}, Env: []string{
		// A mirror takes no refspecs. Not by -c: a remote's name may hold a `=`.
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=remote." + name + ".mirror", "GIT_CONFIG_VALUE_0=false"}})
	if err != nil {
		return nil, err
	}
	rows := parsePush(answer.Lines())
	if len(rows) == 0 && answer.Status != 0 {
		return nil, &Error{Args: args, Dir: r.Primary, Status: answer.Status, Stderr: lastWords(answer.Stderr), Cause: errStatus}
	}
	return rows, nil
}

// parsePush reads `<flag>\t<from>:<to>\t<summary>`; a deletion's from is empty or
// "(delete)", so the ref is what follows the last colon.
func parsePush(lines []string) map[string]Pushed {
	rows := map[string]Pushed{}
	for _, line := range lines {
		parts := strings.SplitN(line, "\t", 3)
		if len(parts) != 3 {
			continue
		}
		ref := parts[1][strings.LastIndexByte(parts[1], ':')+1:]
		rows[ref] = Pushed{Flag: parts[0], Why: parts[2]}
	}
	return rows
}

// sum is a short name for a remote in a ref: a remote's name may hold what a ref may not.
func sum(s string) string {
	h := sha256.Sum256([]byte(s))
	return hex.EncodeToString(h[:4])
}
