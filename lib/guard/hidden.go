package guard

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cniska/agent-worktree/lib/git"
)

// hidden are the entries that git was told to overlook and whose files are not as
// the index has them. A skip-worktree file that is absent is as it should be.
func hidden(ctx context.Context, repo *git.Repo, s Subject, flagged []git.Flagged) ([]string, error) {
	tree := newTree(s.At)
	var edited []string
	var doubtful, executable []git.Flagged
	for _, f := range flagged {
		if f.Mode == git.ModeGitlink {
			continue // the submodules guard's
		}
		info, err := tree.lstat(f.Path)
		switch {
		case err != nil && f.Skipped && absent(err):
		case err != nil || !sameKind(f, info):
			edited = append(edited, f.Path)
		case executableDiffers(f, info):
			executable = append(executable, f)
			fallthrough
		default:
			if blobID(filepath.Join(s.At, f.Path), info, f.ID) != f.ID {
				doubtful = append(doubtful, f)
			}
		}
	}
	more, err := converted(ctx, repo, s, doubtful)
	edited = append(edited, more...)
	if err == nil && len(executable) > 0 {
		more, err = madeExecutable(ctx, repo, s, executable)
		edited = append(edited, more...)
	}
	slices.Sort(edited)
	return slices.Compact(edited), err
}

// madeExecutable are the entries whose executable bit differs, where that counts.
func madeExecutable(ctx context.Context, repo *git.Repo, s Subject, entries []git.Flagged) ([]string, error) {
	counts, err := repo.FileMode(ctx, s.At, s.Admin)
	if err != nil || !counts {
		return nil, err
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Path)
	}
	return list, nil
}

// converted are those of the entries that differ even after the conversions that an
// add would make. A link has none, so it differs already.
func converted(ctx context.Context, repo *git.Repo, s Subject, doubtful []git.Flagged) ([]string, error) {
	var edited, ask, want []string
	for _, f := range doubtful {
		if f.Mode == git.ModeLink {
			edited = append(edited, f.Path)
			continue
		}
		ask, want = append(ask, f.Path), append(want, f.ID)
	}
	if len(ask) == 0 {
		return edited, nil
	}
	ids, err := repo.HashFiles(ctx, s.At, s.Admin, ask)
	if err != nil {
		return edited, err
	}
	for i, id := range ids {
		if id != want[i] {
			edited = append(edited, ask[i])
		}
	}
	return edited, nil
}

// sameKind tells whether what is there is of the entry's kind: a link or a file.
func sameKind(f git.Flagged, info fs.FileInfo) bool {
	if f.Mode == git.ModeLink {
		return info.Mode()&fs.ModeSymlink != 0
	}
	return info.Mode().IsRegular()
}

func executableDiffers(f git.Flagged, info fs.FileInfo) bool {
	return f.Mode != git.ModeLink && (f.Mode == git.ModeExec) != (info.Mode()&0o100 != 0)
}

// blobID is the id of a file's bytes, or of a link's text, as a blob of the hash that
// like has; "" when it cannot be read.
func blobID(path string, info fs.FileInfo, like string) string {
	sum := hash.Hash(sha1.New())
	if len(like) == 64 {
		sum = sha256.New()
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		text, err := os.Readlink(path)
		fmt.Fprintf(sum, "blob %d\x00%s", len(text), text)
		return ended(sum, err)
	}
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	fmt.Fprintf(sum, "blob %d\x00", info.Size())
	_, err = io.Copy(sum, file)
	return ended(sum, err)
}

func ended(sum hash.Hash, err error) string {
	if err != nil {
		return ""
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// A tree looks at paths below its root without going through a link.
type tree struct {
	root string
	dirs map[string]error // what is wrong with a directory, nil when nothing is
}

func newTree(root string) *tree { return &tree{root: root, dirs: map[string]error{".": nil}} }

// lstat is what stands at a path below the root, reached through real directories.
func (t *tree) lstat(path string) (fs.FileInfo, error) {
	if err := t.dir(filepath.Dir(path)); err != nil {
		return nil, err
	}
	return os.Lstat(filepath.Join(t.root, path))
}

// dir looks at each level once: a sparse checkout has thousands of absent files in a
// few absent directories.
func (t *tree) dir(path string) error {
	err, known := t.dirs[path]
	if known {
		return err
	}
	var info fs.FileInfo
	if info, err = t.lstat(path); err == nil && !info.IsDir() {
		err = fs.ErrNotExist // what git says of a path beyond a link or a file
	}
	t.dirs[path] = err
	return err
}

// absent tells whether nothing stands there, as against what may not be seen.
func absent(err error) bool {
	return os.IsNotExist(err) || strings.HasSuffix(err.Error(), "not a directory")
}
