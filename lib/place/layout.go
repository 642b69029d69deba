package place

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/cniska/agent-worktree/lib/git"
	"github.com/cniska/agent-worktree/lib/plain"
	"github.com/cniska/agent-worktree/lib/refuse"
)

// A Layout is where a checkout's parts are; every path is absolute and real.
type Layout struct {
	Top     string // the root of the checkout the command runs in
	Primary string // the primary checkout's root
	Common  string // the git common directory, <primary>/.git
	GitDir  string // the git directory of Top
	AskGit  bool   // the configuration has settings whose meaning only git can tell
}

// Linked tells whether the checkout is a linked worktree.
func (l Layout) Linked() bool { return l.Top != l.Primary }

// Find is the layout of the checkout that dir is in, judged from .git, commondir and
// a literal scan of the configuration. It refuses as not_a_checkout and
// unsupported_layout.
func Find(dir string) (Layout, error) {
	if dir == "" {
		return Layout{}, &refuse.Refusal{
			Code:    refuse.NotACheckout,
			Message: "the current directory no longer exists",
			Resolve: "cd to a git checkout and run the command again",
		}
	}
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return Layout{}, notACheckout(dir)
	}
	for at := real; ; at = filepath.Dir(at) {
		if l, found, err := judge(at); found || err != nil {
			return l, err
		}
		if at == filepath.Dir(at) {
			return Layout{}, notACheckout(dir)
		}
	}
}

func notACheckout(dir string) error {
	return &refuse.Refusal{
		Code:    refuse.NotACheckout,
		Message: dir + " is in no git checkout",
		Meta:    refuse.Meta{{Key: "path", Value: dir}},
		Resolve: "cd to a git checkout and run the command again",
	}
}

// judge looks at one directory on the way up.
func judge(dir string) (Layout, bool, error) {
	dot := filepath.Join(dir, ".git")
	info, err := os.Lstat(dot)
	switch {
	case err == nil && info.Mode()&os.ModeSymlink != 0:
		if _, err := os.Stat(dot); err != nil {
			return Layout{}, false, nil // leads nowhere: git goes on upwards too
		}
		return Layout{}, true, unsupported(dir, ".git is a symbolic link there", "")
	case err == nil && info.IsDir() && isGitDir(dot):
		return primary(dir, dot)
	case err == nil && info.Mode().IsRegular():
		return linked(dir)
	case isGitDir(dir):
		if filepath.Base(dir) == ".git" {
			return Layout{}, true, unsupported(dir, "it is a git directory, not a checkout", "cd "+quote(filepath.Dir(dir))+" and run the command again")
		}
		return Layout{}, true, unsupported(dir, "it is a bare repository", "")
	}
	return Layout{}, false, nil
}

// isGitDir is git's own test, as far as files tell.
func isGitDir(dir string) bool {
	if _, err := os.Lstat(filepath.Join(dir, "HEAD")); err != nil {
		return false
	}
	for _, part := range []string{"objects", "refs"} {
		if info, err := os.Stat(filepath.Join(dir, part)); err != nil || !info.IsDir() {
			return false
		}
	}
	return true
}

func primary(dir, common string) (Layout, bool, error) {
	l := Layout{Top: dir, Primary: dir, Common: common, GitDir: common}
	l.AskGit = odd(common)
	return l, true, nil
}

// linked judges a checkout whose .git is a file.
func linked(dir string) (Layout, bool, error) {
	gitDir := git.Link(dir)
	if gitDir == "" {
		return Layout{}, true, unsupported(dir, "its .git file names no git directory", "")
	}
	if _, err := os.Stat(gitDir); err != nil {
		return Layout{}, true, broken(dir, gitDir)
	}
	common := git.CommonOf(gitDir)
	if common == "" {
		return Layout{}, true, unsupported(dir, "its git directory is "+gitDir+", outside the checkout", "")
	}
	if info, err := os.Lstat(common); err != nil || !info.IsDir() || filepath.Base(common) != ".git" {
		return Layout{}, true, unsupported(dir, "it belongs to "+common+", which is no .git directory of a primary checkout", "")
	}
	l := Layout{Top: dir, Primary: filepath.Dir(common), Common: common, GitDir: gitDir}
	l.AskGit = odd(common)
	return l, true, nil
}

// broken is a worktree whose clone is not where its .git file says.
func broken(dir, gitDir string) error {
	return &refuse.Refusal{
		Code:    refuse.NotACheckout,
		Message: dir + " is a worktree whose git directory " + gitDir + " does not exist",
		Meta:    refuse.Meta{{Key: "path", Value: dir}, {Key: "gitdir", Value: gitDir}},
		Resolve: "run git worktree repair " + quote(dir) + " in the clone it belongs to, or cd to another checkout",
	}
}

// odd scans the common configuration for settings whose effect only git can tell. It
// goes by names alone: a remote's path may well hold one of these words.
func odd(common string) bool {
	data, err := plain.Read(filepath.Join(common, "config"), 1<<20)
	if err != nil {
		return true
	}
	for _, line := range strings.Split(strings.ToLower(string(data)), "\n") {
		if oddLine(strings.TrimSpace(line)) {
			return true
		}
	}
	return false
}

// oddLine judges a line in lower case: a section's header, which a setting may follow,
// or a setting.
func oddLine(line string) bool {
	if header, ok := strings.CutPrefix(line, "["); ok {
		if strings.HasPrefix(header, "include") || strings.HasPrefix(header, "extensions") {
			return true
		}
		end := strings.LastIndexByte(header, ']')
		if end < 0 {
			return true
		}
		line = strings.TrimSpace(header[end+1:])
	}
	key, value, valued := strings.Cut(line, "=")
	switch strings.TrimSpace(key) {
	case "worktree":
		return true
	case "bare":
		return !valued || strings.TrimSpace(value) != "false"
	}
	return false
}

// quote is a path as a shell takes it.
func quote(path string) string { return refuse.Shell(path) }

// unsupported refuses a checkout of another layout than <primary>/.git.
func unsupported(dir, why, act string) error {
	if act == "" {
		act = "run it in an ordinary clone, whose .git is a directory in the checkout"
	}
	return &refuse.Refusal{
		Code:    refuse.UnsupportedLayout,
		Message: dir + " is not a supported checkout: " + why,
		Meta:    refuse.Meta{{Key: "path", Value: dir}, {Key: "reason", Value: why}},
		Resolve: act,
	}
}

// Unsupported refuses the layout because of one setting; act is the command that
// mends it.
func (l Layout) Unsupported(why, setting, act string) error {
	r := unsupported(l.Primary, why, act).(*refuse.Refusal)
	r.Meta = append(r.Meta, refuse.Fact{Key: "setting", Value: setting})
	return r
}
