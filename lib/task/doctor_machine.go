package task

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/cniska/agent-worktree/lib/git"
	"github.com/cniska/agent-worktree/lib/hooks"
	"github.com/cniska/agent-worktree/lib/place"
)

// The oldest git that works at all (`worktree add --reason`), and the oldest that
// recognises a squash merge (`patch-id --verbatim`): minor versions of git 2.
const (
	oldestGit  = 33
	wholeGit   = 39
	versionFor = 5 * time.Second // how long a tool may take to tell its version
)

// searched is PATH's directories but for the relative ones, which mean another place
// in every checkout.
func searched(env []string) []string {
	return slices.DeleteFunc(filepath.SplitList(place.Lookup(env, "PATH")), func(dir string) bool {
		return !filepath.IsAbs(dir)
	})
}

// find is the first regular file of that name in dirs that this account can execute.
func find(name string, dirs []string) string {
	for _, dir := range dirs {
		path, err := exec.LookPath(filepath.Join(dir, name))
		if err != nil {
			continue
		}
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path
		}
	}
	return ""
}

// places is the directories as a detail names them.
func places(dirs []string) string {
	if len(dirs) == 0 {
		return "no directory, since PATH names none by an absolute path"
	}
	return strings.Join(dirs, ", ")
}

// checkGit tells whether there is a git that works, and how old it is.
func checkGit(ctx context.Context, w World, dirs []string) (c Check, usable bool) {
	var f findings
	path := find("git", dirs)
	if path == "" {
		f.add(fails, "git was not found in "+places(dirs), "install git, or put its directory on PATH")
		return f.check("git", ""), false
	}
	answer, err := git.New(w.Env, w.Stderr, false).Run(ctx, git.Call{Dir: "/", Args: []string{"version"}})
	if err != nil {
		why := err.Error()
		var failed *git.Error
		if errors.As(err, &failed) {
			why = failed.Detail()
		}
		f.add(fails, fmt.Sprintf("git at %s does not run: %s", path, why), "mend what "+path+" --version says, or install git anew")
		return f.check("git", ""), false
	}
	version, state, why := judgeGit(answer.Text())
	if state != fine {
		f.add(state, fmt.Sprintf("git at %s is %s: %s", path, version, why), fmt.Sprintf("install git 2.%d or newer", wholeGit))
	}
	return f.check("git", version+" at "+path), true
}

// judgeGit reads what `git version` printed.
func judgeGit(text string) (version, state, why string) {
	version = strings.TrimPrefix(text, "git version ")
	var major, minor int
	if _, err := fmt.Sscanf(version, "%d.%d", &major, &minor); err != nil {
		return version, fails, "that is no version of git"
	}
	switch {
	case major < 2 || major == 2 && minor < oldestGit:
		return version, fails, fmt.Sprintf("the oldest that works is 2.%d", oldestGit)
	case major == 2 && minor < wholeGit:
		return version, warns, fmt.Sprintf("before 2.%d a squash merge is not recognised, so its branch is kept", wholeGit)
	}
	return version, fine, ""
}

// checkTools looks for agent-worktree on PATH, and for the tools it would run.
func checkTools(ctx context.Context, w World, t Tools, dirs []string) Check {
	const name = "agent-worktree"
	var f findings
	main := find(name, dirs)
	if main == "" {
		f.add(warns, name+" was not found in "+places(dirs)+"; the hooks of its Claude Code plugin run it by that name",
			"install "+name+", and put its directory on the PATH Claude Code starts with")
		return f.check(name, "")
	}
	tools := append([]string{main}, t.locate(main, dirs)...)
	var missing []string
	for i, version := range versions(ctx, w, tools) {
		switch path := tools[i]; {
		case path == "":
			missing = append(missing, t.Names[i-1])
		case version == "":
			f.add(warns, path+" does not tell its version", t.whole(main))
		case version != t.Version:
			f.add(warns, fmt.Sprintf("%s is version %s, and this is %s", path, version, t.Version), t.whole(main))
		}
	}
	if len(missing) > 0 {
		f.add(warns, fmt.Sprintf("%s has no %s beside it, nor in %s", main, strings.Join(missing, ", "), places(dirs)), t.whole(main))
	}
	return f.check(name, fmt.Sprintf("%s and its tools are version %s", main, t.Version))
}

// whole is the act for a release that is not all there.
func (t Tools) whole(main string) string {
	return fmt.Sprintf("install all of agent-worktree %s in one directory, which comes first on the PATH Claude Code starts with (now %s does)",
		t.Version, filepath.Dir(main))
}

// locate is the verbs' tools where the dispatcher looks for them, and then where this
// tool itself is, which a launcher elsewhere may have found; "" for a missing one.
func (t Tools) locate(main string, dirs []string) []string {
	if real, err := filepath.EvalSymlinks(main); err == nil {
		main = real
	}
	beside := filepath.Dir(main)
	dirs = slices.Concat([]string{beside, filepath.Join(beside, "..", "libexec", "agent-worktree")}, dirs)
	if t.Dir != "" {
		dirs = append(dirs, t.Dir)
	}
	paths := make([]string, len(t.Names))
	for i, name := range t.Names {
		paths[i] = find(name, dirs)
	}
	return paths
}

// versions asks the tools for their versions side by side; "" for one that has none.
func versions(ctx context.Context, w World, tools []string) []string {
	told := make([]string, len(tools))
	var all sync.WaitGroup
	for i, tool := range tools {
		if tool != "" {
			all.Go(func() { told[i] = versionOf(ctx, w, tool) })
		}
	}
	all.Wait()
	return told
}

// versionOf is the last line that a tool prints when asked for its version.
func versionOf(ctx context.Context, w World, tool string) string {
	ctx, cancel := context.WithTimeout(ctx, versionFor)
	defer cancel()
	var out bytes.Buffer
	err := hooks.Run(ctx, hooks.Call{
		Path: tool, Args: []string{"--version"}, Dir: "/", Stderr: &out,
		Env: append(slices.Clone(w.Env), "AGENT_WORKTREE_NO_UPDATE_CHECK=1"),
	})
	if err != nil {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	return strings.TrimSpace(lines[len(lines)-1])
}
