package keep

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"unicode/utf8"
)

// maxFile is how large a file may be to be archived, in bytes: what is larger was not
// written by hand.
const maxFile = 4 << 20

// errGone: the file went away since git listed it.
var errGone = errors.New("it is gone")

// readText reads a file of the tree that is to be archived. What took its place since git
// listed it is not read: an open of a FIFO does not wait, and what a link leads to is
// another file than the one that was looked at.
func readText(tree *os.Root, path string) (string, error) {
	before, err := tree.Lstat(path)
	if err != nil {
		return "", unreadable(err)
	}
	if !before.Mode().IsRegular() {
		return "", unfit("it is no regular file")
	}
	f, err := tree.OpenFile(path, os.O_RDONLY|dontWait, 0)
	if err != nil {
		return "", unreadable(err)
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return "", unreadable(err)
	case !os.SameFile(info, before):
		return "", unfit("it changed while it was read")
	case !ours(info):
		return "", unfit("it belongs to another account")
	}
	body, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	switch {
	case err != nil:
		return "", unreadable(err)
	case len(body) > maxFile:
		return "", unfit(fmt.Sprintf("it is larger than %d MiB", maxFile>>20))
	case bytes.IndexByte(body, 0) >= 0 || !utf8.Valid(body):
		return "", unfit("it is not text")
	}
	return string(body), nil
}

func unreadable(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return errGone
	}
	return unfit("it cannot be read: " + cause(err))
}

// cleaned is the text without secrets and homes, or an error when some would not go.
func cleaned(text string, homes []string) (string, error) {
	for _, home := range homes {
		text, _ = Redact(text, home)
	}
	for _, home := range homes {
		if left := Scan(text, home); len(left) > 0 {
			return "", unfit("it will not redact clean: " + left[0].Kind)
		}
	}
	return text, nil
}
