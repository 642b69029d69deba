package git

import (
	"bytes"
	"context"
	"strings"
)

// HashFiles are the ids that git would give the files at paths, below dir, were they
// added now: with the conversions and clean filters of the worktree. Each must be a
// regular file.
func (g *Git) HashFiles(ctx context.Context, dir, gitDir string, paths []string) ([]string, error) {
	var in strings.Builder
	for _, p := range paths {
		in.WriteString(stdinPath(p) + "\n")
	}
	call := inTree(dir, gitDir, "hash-object", "--stdin-paths")
	call.Stdin = []byte(in.String())
	answer, err := g.Run(ctx, call)
	if err != nil {
		return nil, err
	}
	ids := answer.Lines()
	if len(ids) != len(paths) {
		return nil, &Error{Args: call.Args, Dir: dir, Cause: errStatus}
	}
	return ids, nil
}

// stdinPath is a path as one line: in git's quotes where it would not be one.
func stdinPath(path string) string {
	if !strings.HasPrefix(path, `"`) && !strings.Contains(path, "\n") {
		return path
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(path) + `"`
}

// FileMode tells whether the worktree's executable bits count (core.fileMode).
func (g *Git) FileMode(ctx context.Context, dir, gitDir string) (bool, error) {
	call := inTree(dir, gitDir, "config", "--type=bool", "--get", "core.fileMode")
	call.OK = []int{1}
	answer, err := g.Run(ctx, call)
	return answer.Text() != "false", err
}

// Ignored are those of the paths, below dir, that git ignores.
func (g *Git) Ignored(ctx context.Context, dir, gitDir string, paths []string) (map[string]bool, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	// check-ignore takes no literal pathspecs; `./` keeps a leading colon from being magic.
	call := inTree(dir, gitDir, "--no-literal-pathspecs", "check-ignore", "-z", "--stdin")
	call.OK = []int{1}
	call.Stdin = []byte("./" + strings.Join(paths, "\x00./") + "\x00")
	answer, err := g.Run(ctx, call)
	if err != nil {
		return nil, err
	}
	found := map[string]bool{}
	for path := range bytes.SplitSeq(answer.Stdout, []byte{0}) {
		if len(path) > 0 {
			found[strings.TrimPrefix(string(path), "./")] = true
		}
	}
	return found, nil
}
