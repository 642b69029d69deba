package guard

import (
	"sort"
	"sync"
	"time"

	"github.com/cniska/agent-worktree/lib/store"
)

// A Process lives and has its working directory inside a worktree.
type Process struct {
	PID     int
	Command string // the name that the system shows for it
}

// A Busy is where the live processes had their working directories at the time of a
// Scan. Directories are told by device and inode, so that one that was renamed, is
// reached by another path or is seen from a container is still the same.
type Busy struct {
	where map[store.Identity][]int // each working directory and all above it
}

// A Recent is the last scan, for those who may go by one of a moment ago: a removal of
// many worktrees would look through all processes for each.
type Recent struct {
	mu   sync.Mutex
	busy *Busy
	at   time.Time
}

// recent is how old a scan may be that is not taken again.
const recent = 100 * time.Millisecond

// Scan is the last scan, or a new one where that is older than a tenth of a second.
func (r *Recent) Scan() *Busy {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.busy == nil || time.Since(r.at) > recent {
		r.at, r.busy = time.Now(), Scan()
	}
	return r.busy
}

// Processes are those inside the directory at path, by number, without the caller
// itself, its own ancestors and what it started. There are none where the system does
// not tell, as on macOS.
func Processes(path string) []Process { return Scan().Inside(path) }

// Inside is Processes, from one scan for many paths.
func (b *Busy) Inside(path string) []Process {
	id, ok := store.Identify(path)
	if !ok {
		return nil
	}
	var list []Process
	for _, pid := range b.where[id] {
		if !ours(pid) {
			list = append(list, Process{PID: pid, Command: command(pid)})
		}
	}
	sort.Slice(list, func(i, j int) bool { return list[i].PID < list[j].PID })
	return list
}
