//go:build unix

package keep

import (
	"io/fs"
	"os"
	"syscall"
)

// dontWait keeps an open from hanging on a FIFO.
const dontWait = syscall.O_NONBLOCK

// ours tells whether the caller owns the file.
func ours(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}
