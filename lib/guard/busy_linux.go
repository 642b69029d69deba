package guard

import (
	"os"
	"strconv"
	"strings"
	"syscall"

	"github.com/cniska/agent-worktree/lib/store"
)

// Scan looks at every process whose working directory this account may see.
func Scan() *Busy {
	b := &Busy{where: map[store.Identity][]int{}}
	proc, err := os.Open("/proc")
	if err != nil {
		return b
	}
	defer proc.Close()
	names, _ := proc.Readdirnames(-1)
	above := map[string][]store.Identity{}
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		cwd := "/proc/" + name + "/cwd"
		id, ok := identify(cwd)
		if !ok {
			continue
		}
		// Two views of one directory may have different parents, hence the link's text.
		text, _ := os.Readlink(cwd)
		key := strconv.FormatUint(id.Dev, 36) + ":" + strconv.FormatUint(id.Ino, 36) + ":" + text
		if above[key] == nil {
			above[key] = chain(cwd, id)
		}
		for _, id := range above[key] {
			b.where[id] = append(b.where[id], pid)
		}
	}
	return b
}

// chain is a working directory and all above it, asked of the kernel by way of the
// process itself: the path that the link shows may be another one's by now.
func chain(cwd string, id store.Identity) []store.Identity {
	list := []store.Identity{id}
	for at := cwd + "/.."; len(at) < 4096; at += "/.." {
		up, ok := identify(at)
		if !ok || up == list[len(list)-1] {
			break
		}
		list = append(list, up)
	}
	return list
}

// identify is the identity of the directory that path leads to.
func identify(path string) (store.Identity, bool) {
	var stat syscall.Stat_t
	if syscall.Stat(path, &stat) != nil {
		return store.Identity{}, false
	}
	return store.Identity{Dev: uint64(stat.Dev), Ino: uint64(stat.Ino)}, true
}

// ours tells whether the process is this one, one above it or one below it.
func ours(pid int) bool {
	self := os.Getpid()
	return descends(self, pid) || descends(pid, self)
}

// descends tells whether the process is ancestor or comes from it.
func descends(pid, ancestor int) bool {
	for steps := 0; pid > 0 && steps < 1000; steps++ {
		if pid == ancestor {
			return true
		}
		pid = parent(pid)
	}
	return false
}

// parent is the process's parent, 0 when it has none that we see.
func parent(pid int) int {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0
	}
	// The name before it is in brackets and may hold anything.
	rest := string(data[strings.LastIndexByte(string(data), ')')+1:])
	fields := strings.Fields(rest)
	if len(fields) < 2 {
		return 0
	}
	up, _ := strconv.Atoi(fields[1])
	return up
}

func command(pid int) string {
	data, _ := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/comm")
	return strings.TrimSuffix(string(data), "\n")
}
