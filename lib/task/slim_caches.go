package task

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/cniska/agent-worktree/lib/guard"
	"github.com/cniska/agent-worktree/lib/store"
)

// cacheNames are directories that build tools fill and can fill again.
var cacheNames = []string{"node_modules", "target", ".venv", "venv", "__pycache__", ".gradle", ".tox", ".next", ".turbo"}

// cacheTag is how a CACHEDIR.TAG begins (bford.info/cachedir).
const cacheTag = "Signature: 8a477f597d28d172789f06886806bc55"

// likelyCache tells whether a directory is named or tagged as a cache.
func likelyCache(dir, name string) bool {
	if slices.Contains(cacheNames, name) {
		return true
	}
	tag, err := os.Lstat(filepath.Join(dir, "CACHEDIR.TAG"))
	if err != nil || !tag.Mode().IsRegular() {
		return false
	}
	file, err := os.Open(filepath.Join(dir, "CACHEDIR.TAG"))
	if err != nil {
		return false
	}
	defer file.Close()
	head := make([]byte, len(cacheTag))
	_, err = io.ReadFull(file, head)
	return err == nil && bytes.Equal(head, []byte(cacheTag))
}

// judgeCaches finds the caches: directories that git ignores, with nothing tracked, no
// repository's own work and no file in them that only the trash holds.
func (s *slimmer) judgeCaches(ctx context.Context) error {
	found := s.likelyCaches()
	ignored, err := s.repo.Ignored(ctx, s.tree, s.Common, found)
	if err != nil {
		return err
	}
	for _, dir := range found {
		whole := filepath.Join(s.tree, dir)
		if !ignored[dir] || s.needed(dir) || len(guard.Repositories(ctx, s.repo.Git, whole)) > 0 {
			continue
		}
		s.caches = append(s.caches, dir)
		known := slices.ContainsFunc(s.record.Caches, func(c store.Cache) bool { return c.Path == dir })
		if n, _ := leftIn(whole); !known {
			s.record.Caches = append(s.record.Caches, store.Cache{Path: dir, Files: n})
		}
	}
	return nil
}

// likelyCaches are the directories of the tree that may be caches, outermost only. What
// another repository inside the tree ignores is not ours to judge.
func (s *slimmer) likelyCaches() []string {
	var list []string
	filepath.WalkDir(s.tree, func(at string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() || at == s.tree {
			return nil
		}
		rel, err := filepath.Rel(s.tree, at)
		if err != nil || d.Name() == ".git" || exists(filepath.Join(at, ".git")) {
			return fs.SkipDir
		}
		if utf8.ValidString(rel) && (likelyCache(at, d.Name()) || s.globbed(rel)) {
			list = append(list, rel)
			return fs.SkipDir
		}
		return nil
	})
	return list
}

// globbed tells whether agent-worktree.cache names the directory, by its name or its
// path in the worktree.
func (s *slimmer) globbed(rel string) bool {
	for _, glob := range s.globs {
		glob = strings.Trim(glob, "/")
		for _, what := range []string{rel, path.Base(rel)} {
			if ok, err := path.Match(glob, what); ok && err == nil {
				return true
			}
		}
	}
	return false
}

// needed tells whether something in the directory is tracked, or is a kept file that no
// archive has.
func (s *slimmer) needed(dir string) bool {
	for _, f := range s.index {
		if store.Below(dir, f.Path) {
			return true
		}
	}
	return slices.ContainsFunc(s.record.Only, func(file string) bool { return store.Below(dir, file) })
}
