package git

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"strings"
)

// A File is a file or link as a commit or an index has it.
type File struct {
	Path string
	Mode string
	ID   string
	Size int64 // of the blob in bytes, where that was asked for
}

// TreeFiles are the files and links of a commit, with their sizes when sizes is true.
func (r *Repo) TreeFiles(ctx context.Context, commit string, sizes bool) ([]File, error) {
	args := []string{"ls-tree", "-r", "-z", "--full-tree"}
	if sizes {
		args = append(args, "-l")
	}
	answer, err := r.read(ctx, append(args, commit)...)
	if err != nil {
		return nil, err
	}
	var list []File
	for record := range bytes.SplitSeq(answer.Stdout, []byte{0}) {
		head, path, ok := strings.Cut(string(record), "\t")
		fields := strings.Fields(head)
		if !ok || len(fields) < 3 || fields[1] != "blob" {
			continue
		}
		f := File{Path: path, Mode: fields[0], ID: fields[2]}
		if len(fields) > 3 {
			f.Size, _ = strconv.ParseInt(fields[3], 10, 64)
		}
		list = append(list, f)
	}
	return list, nil
}

// An Indexed file is one of a saved index; it is plain when nothing hides it and it is
// in no conflict.
type Indexed struct {
	File
	Plain bool
}

// SavedIndex is what an index file that belongs to no worktree any more holds.
func (r *Repo) SavedIndex(ctx context.Context, index string) ([]Indexed, error) {
	answer, err := r.Run(ctx, Call{Dir: r.Primary, Args: Quiet("ls-files", "-s", "-v", "-z"),
		Env: []string{"GIT_INDEX_FILE=" + index, "GIT_DIR=" + r.Common, "GIT_WORK_TREE=" + r.Primary}})
	if err != nil {
		return nil, err
	}
	var list []Indexed
	for record := range bytes.SplitSeq(answer.Stdout, []byte{0}) {
		head, path, ok := strings.Cut(string(record), "\t")
		fields := strings.Fields(head)
		if ok && len(fields) == 4 {
			list = append(list, Indexed{File{Path: path, Mode: fields[1], ID: fields[2]}, fields[0] == "H" && fields[3] == "0"})
		}
	}
	return list, nil
}

// Missing are those of the objects that this clone has not.
func (r *Repo) Missing(ctx context.Context, ids []string) (map[string]bool, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	answer, err := r.Run(ctx, Call{Dir: r.Primary, Stdin: []byte(strings.Join(ids, "\n") + "\n"),
		Env: []string{"GIT_NO_LAZY_FETCH=1"}, Args: Quiet("cat-file", "--batch-check=%(objecttype)")})
	if err != nil {
		return nil, err
	}
	lines := answer.Lines()
	if len(lines) != len(ids) {
		return nil, errStatus
	}
	missing := map[string]bool{}
	for i, line := range lines {
		if line != "blob" {
			missing[ids[i]] = true
		}
	}
	return missing, nil
}

// atOnce bounds how many bytes of blobs are held at one time.
const atOnce = 32 << 20

// Blobs reads the files' blobs as they are, with no conversion, and hands each to keep.
func (r *Repo) Blobs(ctx context.Context, files []File, keep func(File, []byte) error) error {
	for len(files) > 0 {
		n, size := 0, int64(0)
		for n < len(files) && (n == 0 || size+files[n].Size <= atOnce) {
			size += files[n].Size
			n++
		}
		if err := r.someBlobs(ctx, files[:n], keep); err != nil {
			return err
		}
		files = files[n:]
	}
	return nil
}

func (r *Repo) someBlobs(ctx context.Context, files []File, keep func(File, []byte) error) error {
	var in strings.Builder
	for _, f := range files {
		in.WriteString(f.ID + "\n")
	}
	answer, err := r.Run(ctx, Call{Dir: r.Primary, Stdin: []byte(in.String()), Args: Quiet("cat-file", "--batch")})
	if err != nil {
		return err
	}
	rest := answer.Stdout
	for _, f := range files {
		head, body, ok := bytes.Cut(rest, []byte("\n"))
		fields := strings.Fields(string(head))
		if !ok || len(fields) != 3 || fields[1] != "blob" {
			return fmt.Errorf("git has no blob %s for %s", f.ID, f.Path)
		}
		size, err := strconv.Atoi(fields[2])
		if err != nil || size+1 > len(body) {
			return fmt.Errorf("git broke off in blob %s: %w", f.ID, errStatus)
		}
		if err := keep(f, body[:size]); err != nil {
			return err
		}
		rest = body[size+1:]
	}
	return nil
}
