package store

import (
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
)

// BlobID is the id that a file's bytes, or a link's text, have as a blob of the hash
// that like has; "" when it cannot be read.
func BlobID(path string, info fs.FileInfo, like string) string {
	sum := hash.Hash(sha1.New())
	if len(like) == 64 {
		sum = sha256.New()
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		text, err := os.Readlink(path)
		if err != nil {
			return ""
		}
		fmt.Fprintf(sum, "blob %d\x00%s", len(text), text)
		return hex.EncodeToString(sum.Sum(nil))
	}
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	fmt.Fprintf(sum, "blob %d\x00", info.Size())
	if _, err := io.Copy(sum, file); err != nil {
		return ""
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// Unchanged tells whether a file is still the one that was looked at.
func Unchanged(before, now fs.FileInfo) bool {
	return os.SameFile(before, now) && before.Size() == now.Size() && before.Mode() == now.Mode() &&
		before.ModTime().Equal(now.ModTime())
}
