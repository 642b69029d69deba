//go:build unix

package store

import (
	"io/fs"
	"os"
	"syscall"
)

// ours tells whether the caller owns it.
func ours(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}

// An Identity is a directory's device and inode.
type Identity struct{ Dev, Ino uint64 }

// Identify is the identity of what stands at path itself; ok is false when nothing does.
func Identify(path string) (Identity, bool) {
	info, err := os.Lstat(path)
	if err != nil {
		return Identity{}, false
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return Identity{}, false
	}
	return Identity{Dev: uint64(stat.Dev), Ino: uint64(stat.Ino)}, true
}
