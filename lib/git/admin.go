package git

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"

	"github.com/cniska/agent-worktree/lib/plain"
)

// An Admin is git's directory for one linked worktree, read from its files.
type Admin struct {
	Dir  string // absolute
	Path string // the worktree's path by its gitdir file, "" when that cannot be read
}

// Admins are the admin directories of the clone whose common directory is given,
// half-made ones too. They are found by their files, in no git process.
func Admins(common string) ([]Admin, error) {
	entries, err := os.ReadDir(filepath.Join(common, "worktrees"))
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var list []Admin
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		list = append(list, admin(filepath.Join(common, "worktrees", e.Name())))
	}
	return list, nil
}

// AdminOf is the admin directory whose worktree is at path, false when git has none. It
// is found by its own gitdir file, never guessed: the .git file at path, and likely where
// that is away, only say where to look first.
func AdminOf(common, path string, likely ...string) (Admin, bool, error) {
	for _, dir := range append(likely, Link(path)) {
		if filepath.Dir(dir) != filepath.Join(common, "worktrees") {
			continue
		}
		if a := admin(dir); a.Path == path {
			return a, true, nil
		}
	}
	admins, err := Admins(common)
	if err != nil {
		return Admin{}, false, err
	}
	for _, a := range admins {
		if a.Path == path {
			return a, true, nil
		}
	}
	return Admin{}, false, nil
}

// admin reads one admin directory.
func admin(dir string) Admin {
	a := Admin{Dir: dir}
	if link := readLine(filepath.Join(dir, "gitdir")); link != "" {
		if !filepath.IsAbs(link) {
			link = filepath.Join(dir, link)
		}
		a.Path = filepath.Dir(link)
	}
	return a
}

// Broken tells whether the worktree's HEAD is missing or empty, as after a crash.
func (a Admin) Broken() bool { return readLine(filepath.Join(a.Dir, "HEAD")) == "" }

// HalfMade tells whether another process is in the middle of making or dropping this
// entry, or was killed in it: git fails on every worktree of the clone meanwhile.
func (a Admin) HalfMade() bool {
	return a.Path != "" && readLine(filepath.Join(a.Dir, "commondir")) == ""
}

// AnyHalfMade tells whether one of the clone's admin directories is HalfMade. It reads
// only those whose commondir is empty or missing.
func AnyHalfMade(common string) (bool, error) {
	entries, err := os.ReadDir(filepath.Join(common, "worktrees"))
	if os.IsNotExist(err) {
		return false, nil
	}
	for _, e := range entries {
		dir := filepath.Join(common, "worktrees", e.Name())
		if info, err := os.Lstat(filepath.Join(dir, "commondir")); err == nil && info.Size() > 0 {
			continue
		}
		if admin(dir).HalfMade() {
			return true, nil
		}
	}
	return false, err
}

// LockReason is the reason in the admin directory's lock, and whether it is locked.
func (a Admin) LockReason() (string, bool) {
	data, err := ReadSmall(filepath.Join(a.Dir, "locked"))
	return strings.TrimSuffix(string(data), "\n"), err == nil
}

// Link is where the .git file of the checkout at dir leads: its git directory,
// absolute. It is "" where .git is no such file.
func Link(dir string) string {
	data, err := ReadSmall(filepath.Join(dir, ".git"))
	if err != nil {
		return ""
	}
	link, ok := strings.CutPrefix(strings.TrimRight(string(data), "\r\n"), "gitdir: ")
	if !ok || link == "" {
		return ""
	}
	if !filepath.IsAbs(link) {
		link = filepath.Join(dir, link)
	}
	return filepath.Clean(link)
}

// CommonOf is the common directory that the git directory names, itself resolved;
// "" when it has no readable commondir.
func CommonOf(gitDir string) string {
	rel := readLine(filepath.Join(gitDir, "commondir"))
	if rel == "" {
		return ""
	}
	if !filepath.IsAbs(rel) {
		rel = filepath.Join(gitDir, rel)
	}
	if real, err := filepath.EvalSymlinks(rel); err == nil {
		return real
	}
	return filepath.Clean(rel)
}

func readLine(path string) string {
	data, err := ReadSmall(path)
	if err != nil || bytes.IndexByte(data, 0) >= 0 {
		return ""
	}
	return strings.TrimRight(string(data), "\r\n")
}

// ReadSmall reads a regular file of git's of at most 64 KiB; anything else there
// (a FIFO, a directory) is an error rather than a hang.
func ReadSmall(path string) ([]byte, error) { return plain.Read(path, 64<<10) }
