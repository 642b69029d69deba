//go:build unix

package tests

import (
	"bufio"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// writer writes files one after another and says of each when it stands; by the absolute
// path of a worktree, or by relative ones from inside it.
const writer = `i=0
while [ $i -lt 150 ]; do
  i=$((i + 1))
  if (echo "$1 $i" >"$1/late-$i") 2>/dev/null; then echo $i; fi
done`

// TestLossRace removes worktrees while a process writes into them, at random moments. Each
// write that succeeded is afterwards in the worktree, in the trash, or in git.
func TestLossRace(t *testing.T) {
	tools(t)
	trials := 20
	if os.Getenv("AW_LOSS") == "full" {
		trials = 300
	}
	for _, where := range []string{"path", "inside"} {
		t.Run(where, func(t *testing.T) {
			t.Parallel()
			w := lossWorld(t)
			for i := range 300 {
				w.write(fmt.Sprintf("repo/tracked/%d", i), fmt.Sprintln("tracked", i))
			}
			w.git("repo", "add", "-A")
			w.git("repo", "commit", "-q", "-m", "many")
			written, missing := 0, 0
			for i := range trials {
				n, lost := race(w, fmt.Sprintf("task-%d", i), where == "inside")
				written += n
				missing += len(lost)
				for _, l := range lost {
					t.Errorf("trial %d: the write of %s is nowhere", i, l)
				}
			}
			t.Logf("%d trials, %d writes that succeeded, %d missing", trials, written, missing)
		})
	}
}

// race is one trial: how many writes succeeded, and those that are nowhere.
func race(w *world, name string, inside bool) (written int, lost []string) {
	w.Helper()
	w.must("create", "--from", "main", name)
	path := w.place(name)
	write := exec.Command("sh", "-c", writer, "sh", path)
	if inside {
		write.Args[4], write.Dir = ".", path
	}
	out, err := write.StdoutPipe()
	if err == nil {
		err = write.Start()
	}
	if err != nil {
		w.Fatal(err)
	}
	told := make(chan []string)
	go func() { told <- numbers(out) }()
	time.Sleep(time.Duration(rand.IntN(30)) * time.Millisecond) // the moment is what is tried
	way := []string{"remove", "--force", name}
	if rand.IntN(3) == 0 {
		way = []string{"remove", name}
	}
	w.run(call{args: way})
	numbers := <-told
	write.Wait()
	if rand.IntN(4) == 0 { // what nobody works in any more is slimmed by then
		w.must("prune")
		w.slimmed()
	}
	have := map[string]bool{}
	for _, root := range append(globbed(w.at("data/agent-worktree/trash/*/"+name+".*/tree")), path) {
		filepath.WalkDir(root, func(at string, d fs.DirEntry, err error) error {
			if err == nil && strings.HasPrefix(d.Name(), "late-") {
				if text, err := os.ReadFile(at); err == nil && strings.HasSuffix(string(text), " "+strings.TrimPrefix(d.Name(), "late-")+"\n") {
					have[strings.TrimPrefix(d.Name(), "late-")] = true
				}
			}
			return nil
		})
	}
	for _, n := range numbers {
		if !have[n] {
			lost = append(lost, name+"/late-"+n)
		}
	}
	return len(numbers), lost
}

func globbed(pattern string) []string {
	found, _ := filepath.Glob(pattern)
	return found
}

// numbers are the lines that a writer prints, until it ends.
func numbers(out io.Reader) []string {
	var list []string
	for lines := bufio.NewScanner(out); lines.Scan(); {
		list = append(list, lines.Text())
	}
	return list
}
