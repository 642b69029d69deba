package task

import (
	"os"
	"path/filepath"
	"strings"
)

// openInside tells whether a process has a file below dir open: it may go on writing to
// one that is deleted. Only the caller's own processes can be asked.
func openInside(dir string) bool {
	fds, _ := filepath.Glob("/proc/[0-9]*/fd")
	for _, fd := range fds {
		names, _ := os.ReadDir(fd)
		for _, name := range names {
			target, err := os.Readlink(filepath.Join(fd, name.Name()))
			if err == nil && strings.HasPrefix(target, dir+"/") {
				return true
			}
		}
	}
	return false
}
