package git

import (
	"context"
	"slices"
	"strings"
)

// A Step is the change from one commit to another. From is "" for a commit's own
// change, from its parent.
type Step struct{ Commit, From string }

// stepArgs make a change read the same whatever the configuration hides or prettifies,
// submodules included.
var stepArgs = []string{"diff-tree", "--stdin", "-r", "--root", "--no-renames", "--no-ext-diff", "--no-textconv",
	"--no-color", "--ignore-submodules=none", "--submodule=short", "--full-index"}

// steps asks for changes in one call. In a partial clone it may fetch, so that it is
// bounded as a call to a remote is.
func (r *Repo) steps(ctx context.Context, steps []Step, args ...string) (Answer, error) {
	var in strings.Builder
	for _, s := range steps {
		in.WriteString(strings.TrimSuffix(s.Commit+" "+s.From, " ") + "\n")
	}
	return r.Run(ctx, Call{Dir: r.Primary, Network: true, Env: asIs, Stdin: []byte(in.String()),
		Args: Quiet(append(slices.Clone(stepArgs), args...)...)})
}

// Paths are the paths that each step changes, by its commit, in git's order. A step
// that changes nothing, and a merge's own, are missing.
func (r *Repo) Paths(ctx context.Context, steps []Step) (map[string][]string, error) {
	if len(steps) == 0 {
		return nil, nil
	}
	answer, err := r.steps(ctx, steps, "--name-status", "-z")
	if err != nil {
		return nil, err
	}
	return parsePaths(string(answer.Stdout)), nil
}

// parsePaths reads `<commit> NUL` and then `<status letter> NUL <path> NUL` a path.
func parsePaths(out string) map[string][]string {
	paths := map[string][]string{}
	commit := ""
	fields := strings.Split(out, "\x00")
	for i := 0; i < len(fields); i++ {
		switch {
		case len(fields[i]) == 1 && i+1 < len(fields):
			i++
			paths[commit] = append(paths[commit], fields[i])
		case fields[i] != "":
			commit = fields[i]
		}
	}
	return paths
}

// PatchIDs name each step's change by its exact content, white space included and line
// numbers left out, by its commit. None where git is older than 2.39: without
// --verbatim it takes changes in white space for equal.
func (r *Repo) PatchIDs(ctx context.Context, steps []Step) (map[string]string, error) {
	if len(steps) == 0 {
		return nil, nil
	}
	patches, err := r.steps(ctx, steps, "-p", "--binary")
	if err != nil {
		return nil, err
	}
	answer, err := r.Run(ctx, Call{Dir: r.Primary, Stdin: patches.Stdout, OK: []int{129},
		Args: Quiet("patch-id", "--verbatim")})
	if err != nil || answer.Status == 129 {
		return nil, err
	}
	ids := map[string]string{}
	for _, line := range answer.Lines() {
		if id, commit, ok := strings.Cut(line, " "); ok {
			ids[commit] = id
		}
	}
	return ids, nil
}
