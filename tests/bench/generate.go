package main

import (
	"bufio"
	"crypto/sha256"
	_ "embed"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// What is generated is kept under the hash of this file, so that a change here makes it anew.
//
//go:embed generate.go
var generator []byte

// cached is a file or directory of the cache, made when it is not there.
func (b *bench) cached(name string, create func(path string) error) (string, error) {
	path := filepath.Join(b.cache, name)
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	b.progress("generating %s", name)
	part := path + ".part"
	if err := os.RemoveAll(part); err != nil {
		return "", err
	}
	if err := create(part); err != nil {
		os.RemoveAll(part)
		return "", err
	}
	return path, os.Rename(part, path)
}

// openCache makes this generator's part of the cache and drops those of earlier ones.
func openCache(dir string, fresh bool) (string, error) {
	mine := filepath.Join(dir, fmt.Sprintf("generated-%x", sha256.Sum256(generator)))
	old, err := filepath.Glob(filepath.Join(dir, "generated-*"))
	if err != nil {
		return "", err
	}
	for _, path := range old {
		if fresh || path != mine {
			if err := os.RemoveAll(path); err != nil {
				return "", err
			}
		}
	}
	return mine, os.MkdirAll(mine, 0o700)
}

// take makes r a clone of a generated repository, and o.git its origin.
func (r *repo) take(name string, write func(*stream)) {
	at, err := r.cached(name+".git", func(path string) error {
		if err := r.sh(`git init -q --bare "$1"`, path); err != nil {
			return err
		}
		if err := r.stream(path, write); err != nil {
			return err
		}
		return r.sh(`git -C "$1" repack -adq`, path)
	})
	if err != nil && r.err == nil {
		r.err = err
	}
	r.sh(`cp -R "$1" ../o.git; git clone -q "$PWD/../o.git" .`, at)
}

// A stream is what git fast-import reads.
type stream struct {
	*bufio.Writer
	marks int
}

// stream has a repository read what write writes.
func (r *repo) stream(dir string, write func(*stream)) error {
	cmd := r.cmd("git", "fast-import", "--quiet")
	cmd.Dir = dir
	reader, writer := io.Pipe()
	cmd.Stdin = reader
	go func() {
		s := &stream{Writer: bufio.NewWriter(writer)}
		write(s)
		writer.CloseWithError(s.Flush())
	}()
	if out, err := cmd.CombinedOutput(); err != nil {
		reader.CloseWithError(err)
		return fmt.Errorf("git fast-import: %w\n%s", err, out)
	}
	return nil
}

// commit begins a commit and returns its mark. The first parent is what it goes on from,
// "" for the ref's own tip; the others are merged.
func (s *stream) commit(ref string, at int64, from string, merged ...string) string {
	s.marks++
	fmt.Fprintf(s, "commit %s\nmark :%d\ncommitter bench <bench@example.com> %d +0000\ndata 4\nwork\n", ref, s.marks, at)
	if from != "" {
		fmt.Fprintf(s, "from %s\n", from)
	}
	for _, m := range merged {
		fmt.Fprintf(s, "merge %s\n", m)
	}
	return fmt.Sprintf(":%d", s.marks)
}

// file puts a file into the commit begun last.
func (s *stream) file(path, text string) {
	fmt.Fprintf(s, "M 100644 inline %s\ndata %d\n%s\n", path, len(text), text)
}

// born is when generated histories begin.
const born = 1_600_000_000

// files makes a clone of a repository with so many files, 40 in a folder. That of 1,700
// has 18 MB of them, as the project the targets come from; the others have small ones.
func (r *repo) files(n int) {
	r.take(fmt.Sprintf("files-%d", n), func(s *stream) {
		s.commit("refs/heads/main", born, "")
		s.files(n)
	})
}

func (s *stream) files(n int) {
	for i := range n {
		size := 600
		if n == 1700 {
			size = []int{2, 4, 6, 8, 10, 12, 18, 26}[i%8] << 10
		}
		s.file(fileName(i), text(i, size))
	}
}

func fileName(i int) string { return fmt.Sprintf("d%03d/f%05d.txt", i/40, i) }

// text is so many bytes of lines, always the same for i, that compress as code does.
func text(i, size int) string {
	const words = "if err return value for range name the func string path int of line nil case open file type close"
	list, random := strings.Fields(words), rand.New(rand.NewPCG(uint64(i), 1))
	var out strings.Builder
	for out.Len() < size {
		for range 8 {
			fmt.Fprintf(&out, "%s%d ", list[random.IntN(len(list))], random.IntN(40))
		}
		out.WriteByte('\n')
	}
	return out.String()
}

// history makes a clone with 20,000 commits on main, and with 50 branches under
// refs/bench that began behind commits ago: 20 merged, 10 squash-merged, 10 rebased and
// 10 open, of two commits each.
func (r *repo) history(behind int) {
	const commits, branches, files = 20_000, 50, 300
	r.take(fmt.Sprintf("history-%d", behind), func(s *stream) {
		s.commit("refs/heads/main", born, "")
		s.files(files)
		base, landed := "", 0
		for c := 1; c < commits; c++ {
			if c == commits-behind {
				base = fmt.Sprintf(":%d", s.marks)
				fmt.Fprintf(s, "reset refs/bench/base\nfrom %s\n\n", base)
			}
			if base != "" && (c-commits+behind)%(behind/branches) == 1 && landed < branches {
				landed++
				s.land(landed, base, born+int64(c)*60)
				continue
			}
			s.commit("refs/heads/main", born+int64(c)*60, "")
			// The branches' own files, the first 50, are left to them.
			i := branches + c%(files-branches)
			s.file(fileName(i), fmt.Sprintf("change %d\n", c)+text(i, 600))
		}
	})
}

// land adds branch n and what became of it on main.
func (s *stream) land(n int, base string, at int64) {
	branch, main := fmt.Sprintf("refs/bench/b%d", n), "refs/heads/main"
	name := fileName(n - 1)
	half, whole := text(n-1, 600)+"half\n", text(n-1, 600)+"half\nwhole\n"
	s.commit(branch, at, base)
	s.file(name, half)
	tip := s.commit(branch, at+1, "")
	s.file(name, whole)
	switch {
	case n <= 20:
		s.commit(main, at+2, "", tip)
		s.file(name, whole)
	case n <= 30: // squash-merged
		s.commit(main, at+2, "")
		s.file(name, whole)
	case n <= 40: // rebased
		s.commit(main, at+2, "")
		s.file(name, half)
		s.commit(main, at+3, "")
		s.file(name, whole)
	}
}

// many makes a clone with n worktrees of a small repository, each on a branch with a
// commit of its own.
func (r *repo) many(n int) {
	r.restore(fmt.Sprintf("many-%d", n), func() {
		r.files(10)
		tips := func(s *stream) {
			for i := 1; i <= n; i++ {
				s.commit(fmt.Sprintf("refs/heads/w%d", i), born+int64(i), "refs/heads/main^0")
				s.file(fmt.Sprintf("own/%d.txt", i), text(i, 600))
			}
		}
		if err := r.stream(r.path("r"), tips); err != nil && r.err == nil {
			r.err = err
		}
		r.sh(`seq -f w%g "$1" | aw-create - >/dev/null`, fmt.Sprint(n))
	})
}

// removed makes a clone out of which n worktrees were removed.
func (r *repo) removed(n int) {
	r.restore(fmt.Sprintf("removed-%d", n), func() {
		r.many(n)
		r.sh(`seq -f w%g "$1" | aw-remove --keep-branch - >/dev/null`, fmt.Sprint(n))
	})
}

// restore brings back all of a row's directory, made once. Worktrees hold paths, and so
// it is kept for the directory it is in.
func (r *repo) restore(name string, create func()) {
	key := sha256.Sum256([]byte(r.dir))
	path, err := r.cached(fmt.Sprintf("%s-%x.tar", name, key[:4]), func(path string) error {
		create()
		return r.sh(`tar -cf "$1" -C .. .`, path)
	})
	if err != nil && r.err == nil {
		r.err = err
	}
	// git takes a file that was put down anew for changed until it has looked at it.
	r.sh(`tar -xf "$1" -C ..; aw-ls --plain -o path >../paths; xargs -P 4 -I{} git -C {} status --short <../paths`, path)
}
