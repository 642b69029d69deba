package guard

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// What a walk found, as paths relative to the tree.
type found struct {
	repos  []string // directories that hold a .git of any kind
	bare   []string // directories that look like a bare repository
	unread []string // directories that may not be read
}

// walk looks for repositories everywhere below the tree: in a tracked directory git
// hides one from its status no less than in an ignored one. It reads names only,
// follows no link and enters neither a mount nor a .git.
func walk(ctx context.Context, root string, mounts []string) found {
	var f found
	left := []string{"."}
	for len(left) > 0 && ctx.Err() == nil {
		dir := left[len(left)-1]
		left = left[:len(left)-1]
		names, err := readDir(filepath.Join(root, dir))
		if err != nil && !os.IsNotExist(err) {
			f.unread = append(f.unread, dir)
		}
		if f.note(dir, names) {
			continue
		}
		for _, e := range names {
			path := filepath.Join(dir, e.Name())
			if e.IsDir() && e.Name() != ".git" && !slices.Contains(mounts, path) {
				left = append(left, path)
			}
		}
	}
	return f
}

// readDir is os.ReadDir without the sorting.
func readDir(path string) ([]fs.DirEntry, error) {
	dir, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	return dir.ReadDir(-1)
}

// note keeps the directory when it is a repository. It is true of a bare one, in which
// there is nothing but git's own. The tree itself is not one to find.
func (f *found) note(dir string, names []fs.DirEntry) bool {
	if dir == "." {
		return false
	}
	for _, e := range names {
		if e.Name() == ".git" {
			f.repos = append(f.repos, dir)
		}
	}
	if !looksBare(names) {
		return false
	}
	f.bare = append(f.bare, dir)
	return true
}

// looksBare tells whether a directory of these names may be a git directory.
func looksBare(names []fs.DirEntry) bool {
	parts := 0
	for _, e := range names {
		switch e.Name() {
		case "HEAD", "objects", "refs":
			parts++
		}
	}
	return parts == 3
}
