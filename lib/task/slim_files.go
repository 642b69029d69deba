package task

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"unicode/utf8"

	"github.com/cniska/agent-worktree/lib/git"
	"github.com/cniska/agent-worktree/lib/store"
)

// A cleanFile is one that the commit has byte for byte, as it was looked at.
type cleanFile struct {
	git.File
	info fs.FileInfo
}

// judgeFiles finds the files that the index and the commit agree on, that nothing hides,
// and whose bytes and modes are exactly what a restore would write. Bytes are compared as
// they are, so a file that git converts is none of them.
func (s *slimmer) judgeFiles(ctx context.Context, files []git.File) error {
	committed := make(map[string]git.File, len(files))
	for _, f := range files {
		committed[f.Path] = f
	}
	real := map[string]bool{".": true}
	var found []cleanFile
	var ids []string
	for _, f := range s.index {
		if c := committed[f.Path]; !f.Plain || c.ID != f.ID || c.Mode != f.Mode || !utf8.ValidString(f.Path) {
			continue
		}
		if info := s.cleanInfo(f.File, real); info != nil {
			found = append(found, cleanFile{f.File, info})
			ids = append(ids, f.ID)
		}
	}
	missing, err := s.repo.Missing(ctx, ids)
	if err != nil {
		return err
	}
	for _, f := range found {
		if !missing[f.ID] && s.usualMode(f) {
			s.clean = append(s.clean, f)
		}
	}
	return s.noteRoot()
}

// cleanInfo looks at a file through real directories only, and is nil unless its bytes
// are those of the blob. A file with another name stays, since that would be cut off.
func (s *slimmer) cleanInfo(f git.File, real map[string]bool) fs.FileInfo {
	if !s.isReal(filepath.Dir(f.Path), real) {
		return nil
	}
	path := filepath.Join(s.tree, f.Path)
	info, err := os.Lstat(path)
	if err != nil {
		return nil
	}
	link := info.Mode()&fs.ModeSymlink != 0
	switch {
	case link != (f.Mode == git.ModeLink):
		return nil
	case !link && (!info.Mode().IsRegular() || store.Links(info) != 1 || info.Mode()&^fs.ModePerm != 0):
		return nil
	case !link && (f.Mode == git.ModeExec) != (info.Mode()&0o100 != 0):
		return nil
	case store.BlobID(path, info, f.ID) != f.ID:
		return nil
	}
	return info
}

// isReal tells whether a directory of the tree is reached through no link.
func (s *slimmer) isReal(dir string, real map[string]bool) bool {
	is, known := real[dir]
	if known {
		return is
	}
	if s.isReal(filepath.Dir(dir), real) {
		info, err := os.Lstat(filepath.Join(s.tree, dir))
		is = err == nil && info.IsDir()
	}
	real[dir] = is
	return is
}

// usualMode tells whether a file has the permissions that all dropped ones of its kind
// have: those of the first, which the record keeps.
func (s *slimmer) usualMode(f cleanFile) bool {
	modes := &s.record.Modes
	if modes.Dir == 0 {
		if info, err := os.Lstat(filepath.Dir(filepath.Join(s.tree, f.Path))); err == nil && filepath.Dir(f.Path) != "." {
			modes.Dir = info.Mode().Perm()
		}
	}
	usual := &modes.File
	switch f.Mode {
	case git.ModeLink:
		return true
	case git.ModeExec:
		usual = &modes.Exec
	}
	if *usual == 0 {
		*usual = f.info.Mode().Perm()
	}
	return *usual == f.info.Mode().Perm()
}

func (s *slimmer) noteRoot() error {
	info, err := os.Lstat(s.tree)
	if err == nil {
		s.record.Modes.Root = info.Mode().Perm()
	}
	return err
}

// writeDropped writes the files that were dropped, as the recorded commit has them. What
// is there already stays.
func (j *job) writeDropped(ctx context.Context, record store.Record, path string) error {
	if len(record.Dropped) == 0 {
		return nil
	}
	files, err := j.repo.TreeFiles(ctx, record.Head, true)
	if err != nil {
		return err
	}
	dropped := store.Within(record.Dropped)
	var missing []git.File
	for _, f := range files {
		if dropped(f.Path) && !exists(filepath.Join(path, f.Path)) {
			missing = append(missing, f)
		}
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return err
	}
	defer root.Close()
	return j.repo.Blobs(ctx, missing, func(f git.File, body []byte) error {
		err := writeBlob(root, f, body, record.Modes)
		if errors.Is(err, fs.ErrExist) {
			return nil
		}
		return err
	})
}

// writeBlob writes one file below the root, where nothing is yet. It becomes whole at
// once, so that a run that is killed leaves no half of one.
func writeBlob(root *os.Root, f git.File, body []byte, modes store.Modes) error {
	if err := makeDirs(root, filepath.Dir(f.Path), modes.Dir); err != nil {
		return err
	}
	if f.Mode == git.ModeLink {
		return root.Symlink(string(body), f.Path)
	}
	mode := modes.File
	if f.Mode == git.ModeExec {
		mode = modes.Exec
	}
	const part = ".agent-worktree-restoring~"
	root.Remove(part)
	file, err := root.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode|0o200)
	if err != nil {
		return err
	}
	_, err = file.Write(body)
	if err := errors.Join(err, file.Chmod(mode), file.Close()); err != nil {
		root.Remove(part)
		return err
	}
	err = root.Link(part, f.Path) // unlike a rename, it replaces nothing
	return errors.Join(err, root.Remove(part))
}

// makeDirs makes the directories down to dir that are missing, with the mode they had.
func makeDirs(root *os.Root, dir string, mode fs.FileMode) error {
	if dir == "." {
		return nil
	}
	if info, err := root.Lstat(dir); err == nil && info.IsDir() {
		return nil
	}
	if err := makeDirs(root, filepath.Dir(dir), mode); err != nil {
		return err
	}
	if err := root.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return root.Chmod(dir, mode)
}
