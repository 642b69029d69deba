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

// Owned tells whether the caller owns what stands at path itself.
func Owned(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && ours(info)
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

// deviceOf is the file system that a file is on.
func deviceOf(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Dev)
	}
	return 0
}

// Full tells whether the file system of a directory has hardly a block left for the
// caller, which git reports as a file it could not write.
func Full(dir string) bool {
	var stat syscall.Statfs_t
	if err := syscall.Statfs(dir, &stat); err != nil {
		return false
	}
	return uint64(stat.Bavail)*uint64(stat.Bsize) < 64<<10
}

// Links is how many names a file has.
func Links(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Nlink)
	}
	return 0
}
