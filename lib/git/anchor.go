package git

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/cniska/agent-worktree/lib/fault"
)

// Lost are those of the commits that no branch, remote-tracking branch or tag
// reaches, in the order given. Ids of objects that are no commits, or gone, are left out.
func (r *Repo) Lost(ctx context.Context, ids []string) ([]string, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	answer, err := r.Run(ctx, Call{Dir: r.Primary, Stdin: []byte(strings.Join(ids, "\n") + "\n"),
		Args: Quiet("rev-list", "--ignore-missing", "--stdin", "--not", "--branches", "--remotes", "--tags")})
	if err != nil {
		return nil, err
	}
	lost := map[string]bool{}
	for _, id := range answer.Lines() {
		lost[id] = true
	}
	var kept []string
	for _, id := range ids {
		if lost[id] {
			kept = append(kept, id)
			lost[id] = false
		}
	}
	return kept, nil
}

// Commits are those of the ids that name commits this clone has.
func (r *Repo) Commits(ctx context.Context, ids []string) ([]string, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	answer, err := r.Run(ctx, Call{Dir: r.Primary, Stdin: []byte(strings.Join(ids, "\n") + "\n"),
		Args: Quiet("cat-file", "--batch-check=%(objectname) %(objecttype)")})
	if err != nil {
		return nil, err
	}
	var found []string
	for _, line := range answer.Lines() {
		if id, ok := strings.CutSuffix(line, " commit"); ok {
			found = append(found, id)
		}
	}
	return found, nil
}

// signature makes our own commits ours, and takes no signing program.
var signature = []string{
	"GIT_AUTHOR_NAME=agent-worktree", "GIT_AUTHOR_EMAIL=agent-worktree@localhost",
	"GIT_COMMITTER_NAME=agent-worktree", "GIT_COMMITTER_EMAIL=agent-worktree@localhost",
}

// CommitTree makes a commit on a tree with the parents and tells its id.
func (r *Repo) CommitTree(ctx context.Context, tree, message string, parents ...string) (string, error) {
	args := []string{"-c", "commit.gpgSign=false", "commit-tree", tree, "-m", message}
	for _, p := range parents {
		args = append(args, "-p", p)
	}
	answer, err := r.Run(ctx, Call{Dir: r.Primary, Env: signature, Args: Quiet(args...)})
	return answer.Text(), err
}

// EmptyTree writes the empty tree and tells its id.
func (r *Repo) EmptyTree(ctx context.Context) (string, error) {
	answer, err := r.Run(ctx, Call{Dir: r.Primary, Stdin: []byte{}, Args: Quiet("mktree")})
	return answer.Text(), err
}

// SameTree tells whether a commit's tree has that id.
func (r *Repo) SameTree(ctx context.Context, tree, commit string) (bool, error) {
	answer, err := r.read(ctx, "rev-parse", "--verify", "--end-of-options", commit+"^{tree}")
	return answer.Text() == tree, err
}

// IndexTree writes what is staged in the worktree whose admin directory is given as a
// tree and tells its id; its files need not be there. Stage 0 is at its path, the stages
// of a conflict at .conflict/<stage>/<path>. Submodules are left out.
func (r *Repo) IndexTree(ctx context.Context, admin, scratch string) (string, error) {
	answer, err := r.Run(ctx, Call{Dir: r.Primary, Env: []string{"GIT_DIR=" + admin, "GIT_WORK_TREE=" + r.Primary},
		Args: Quiet("ls-files", "-s", "-z")})
	if err != nil {
		return "", err
	}
	index := filepath.Join(scratch, "index.tmp")
	defer fault.Remove(index)
	env := []string{"GIT_INDEX_FILE=" + index}
	if _, err := r.Run(ctx, Call{Dir: r.Primary, Env: env, Stdin: staged(answer.Stdout),
		Args: Quiet("update-index", "-z", "--add", "--index-info")}); err != nil {
		return "", err
	}
	answer, err = r.Run(ctx, Call{Dir: r.Primary, Env: env, Args: Quiet("write-tree")})
	return answer.Text(), err
}

// staged turns `ls-files -s -z` into update-index's input.
func staged(out []byte) []byte {
	var in bytes.Buffer
	for _, record := range strings.Split(string(out), "\x00") {
		head, path, ok := strings.Cut(record, "\t")
		fields := strings.Fields(head)
		if !ok || len(fields) != 3 || fields[0] == "160000" {
			continue
		}
		if fields[2] != "0" {
			path = ".conflict/" + fields[2] + "/" + path
		}
		fmt.Fprintf(&in, "%s %s\t%s\x00", fields[0], fields[1], path)
	}
	return in.Bytes()
}
