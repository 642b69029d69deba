package git

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Modes of index entries, as git writes them.
const (
	ModeLink    = "120000"
	ModeGitlink = "160000"
	ModeExec    = "100755"
)

// A Flagged entry is one that a status does not look at closely: one that git was
// told to overlook, or a submodule's.
type Flagged struct {
	Path    string
	Mode    string
	ID      string
	Assumed bool // assume-unchanged: changes in it are not shown
	Skipped bool // skip-worktree: it is held to be absent on purpose
}

// FlaggedEntries are the entries that git was told to overlook, and the gitlinks.
// hash is how many bytes the repository's ids have. Nearly every index has none, so
// the file is looked through first, and git asked only where that finds one or is in
// any doubt.
func (g *Git) FlaggedEntries(ctx context.Context, dir, gitDir string, hash int) ([]Flagged, error) {
	if gitDir != "" && hash != 0 && plainIndex(filepath.Join(gitDir, "index"), hash) {
		return nil, nil
	}
	answer, err := g.Run(ctx, inTree(dir, gitDir, "-c", "core.quotePath=false", "ls-files", "-s", "-v", "-z"))
	if err != nil {
		return nil, err
	}
	var list []Flagged
	for record := range bytes.SplitSeq(answer.Stdout, []byte{0}) {
		if f, ok := parseFlagged(string(record)); ok {
			list = append(list, f)
		}
	}
	return list, nil
}

// inTree is a quiet question about the worktree at dir, of which gitDir is the git
// directory when it is not the one dir/.git leads to.
func inTree(dir, gitDir string, args ...string) Call {
	call := Call{Dir: dir, Args: Quiet(args...)}
	if gitDir != "" {
		call.Env = []string{"GIT_DIR=" + gitDir, "GIT_WORK_TREE=" + dir}
	}
	return call
}

// parseFlagged reads `<tag> <mode> <id> <stage>\t<path>`. A tag in lower case is
// assume-unchanged, an S of either case skip-worktree.
func parseFlagged(record string) (Flagged, bool) {
	head, path, ok := strings.Cut(record, "\t")
	parts := strings.Split(head, " ")
	// A conflict is no hidden edit: every status shows it.
	if !ok || len(parts) != 4 || parts[3] != "0" {
		return Flagged{}, false
	}
	f := Flagged{Path: path, Mode: parts[1], ID: parts[2]}
	f.Skipped = strings.EqualFold(parts[0], "S")
	f.Assumed = parts[0] == strings.ToLower(parts[0]) && parts[0] != "?"
	return f, f.Skipped || f.Assumed || f.Mode == ModeGitlink
}

// plainIndex tells whether the index file surely has neither a flagged entry nor a
// gitlink. It is false for everything it does not know: a split or a sparse index, a
// later version, a file that does not add up.
func plainIndex(path string, hash int) bool {
	data, err := os.ReadFile(path)
	if err != nil {
		return errors.Is(err, fs.ErrNotExist) // no index, no entries
	}
	return plainBytes(data, hash)
}

func plainBytes(data []byte, hash int) bool {
	if len(data) < 12+hash || string(data[:4]) != "DIRC" {
		return false
	}
	version, count := binary.BigEndian.Uint32(data[4:]), binary.BigEndian.Uint32(data[8:])
	if version < 2 || version > 4 {
		return false
	}
	rest := data[12 : len(data)-hash]
	for ; count > 0; count-- {
		size := plainEntry(rest, hash, version)
		if size == 0 || size > len(rest) {
			return false
		}
		rest = rest[size:]
	}
	return plainExtensions(rest)
}

// plainEntry is the size of the first entry, 0 when it is not a plain one. An entry
// is ten words, of which the seventh is the mode, the id, 16 bits of flags, 16 more
// when the flags say so, and the path.
func plainEntry(b []byte, hash int, version uint32) int {
	const assumed, extended, skipped = 0x8000, 0x4000, 0x4000
	at := 40 + hash
	if len(b) < at+5 {
		return 0
	}
	kind := binary.BigEndian.Uint32(b[24:]) >> 12
	flags := binary.BigEndian.Uint16(b[at:])
	at += 2
	if flags&extended != 0 {
		if version < 3 || binary.BigEndian.Uint16(b[at:])&skipped != 0 {
			return 0
		}
		at += 2
	}
	if flags&assumed != 0 || (kind != 0o10 && kind != 0o12) {
		return 0
	}
	end := bytes.IndexByte(b[at:], 0)
	switch {
	case end < 0:
		return 0
	case version == 4: // paths are cut short, and not padded
		return pathEnd(b, at)
	case int(flags&0xfff) != min(end, 0xfff):
		return 0
	}
	return (at + end + 8) &^ 7
}

// pathEnd is where an entry of version 4 ends whose path begins at b[at:]: a number
// of 7 bits a byte, how much of the last path to drop, then what to add, then a NUL.
func pathEnd(b []byte, at int) int {
	for at < len(b) && b[at]&0x80 != 0 {
		at++
	}
	at = min(at+1, len(b))
	end := bytes.IndexByte(b[at:], 0)
	if end < 0 {
		return 0
	}
	return at + end + 1
}

// plainExtensions tells whether what follows the entries may be passed over: each
// extension has four letters and a length, and a capital first letter says that a
// reader need not know it.
func plainExtensions(b []byte) bool {
	for len(b) >= 8 {
		size := int(binary.BigEndian.Uint32(b[4:]))
		if b[0] < 'A' || b[0] > 'Z' || size > len(b)-8 {
			return false
		}
		b = b[8+size:]
	}
	return len(b) == 0
}
