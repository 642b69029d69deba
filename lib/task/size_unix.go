//go:build unix

package task

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// diskUse is how many bytes the tree at path takes on the disk, -1 when there is none.
// It follows no link, stays on one file system, and counts what is linked twice once.
func diskUse(path string) int64 {
	top, err := os.Lstat(path)
	if err != nil {
		return -1
	}
	device := top.Sys().(*syscall.Stat_t).Dev
	seen := map[uint64]bool{}
	var sum int64
	filepath.WalkDir(path, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // what may not be looked into is left out
		}
		info, err := d.Info()
		if err != nil {
			return nil
		}
		stat := info.Sys().(*syscall.Stat_t)
		switch {
		case stat.Dev != device && d.IsDir():
			return fs.SkipDir
		case stat.Dev != device, stat.Nlink > 1 && !d.IsDir() && seen[stat.Ino]:
			return nil
		}
		seen[stat.Ino] = true
		sum += stat.Blocks * 512
		return nil
	})
	return sum
}
