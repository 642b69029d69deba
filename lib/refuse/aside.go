package refuse

import (
	"fmt"
	"os"
)

// Aside is the act that moves what is at path out of the way, to a name beside it.
func Aside(path string) string {
	return "move it out of the way with mv " + Shell(path) + " " + Shell(Free(path+".old"))
}

// Free is path, or where something is there path-2, path-3 and so on: an act that moves
// something must not write over anything. Names in taken count as there.
func Free(path string, taken ...string) string {
	free := path
	for n := 2; there(free, taken); n++ {
		free = fmt.Sprintf("%s-%d", path, n)
	}
	return free
}

func there(path string, taken []string) bool {
	for _, t := range taken {
		if t == path {
			return true
		}
	}
	_, err := os.Lstat(path)
	return err == nil
}
