// Bench holds the tools against plain git doing the same, both sides in one run: each
// row's two commands take turns, and the row shows the median of each, the ratio and the
// target. Counts of git processes come from the tools' own trace. It reaches no network.
//
//	go run ./tests/bench [-runs n] [-dir directory] [row...]
//
// Scratch repositories are made below dir, /dev/shm where there is one: ext4 makes
// creates slow for minutes after deletes, for plain git too.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	runs := flag.Int("runs", 10, "how often each side runs")
	dir := flag.String("dir", "", "where scratch repositories are made")
	flag.Parse()
	if err := run(*runs, *dir, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(runs int, dir string, only []string) error {
	if dir == "" {
		dir = os.TempDir()
		if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
			dir = "/dev/shm"
		}
	}
	scratch, err := os.MkdirTemp(dir, "agent-worktree-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	b := &bench{runs: runs, dir: scratch, bin: filepath.Join(scratch, "bin")}
	if err := b.build(); err != nil {
		return err
	}
	b.sizes()
	fmt.Printf("%-34s %10s %10s %7s %7s %5s\n", "row", "floor ms", "ours ms", "ratio", "target", "git")
	for _, row := range rows {
		if len(only) > 0 && !matches(row.name, only) {
			continue
		}
		if err := b.measure(row); err != nil {
			return fmt.Errorf("%s: %w", row.name, err)
		}
	}
	return nil
}

func matches(name string, only []string) bool {
	for _, o := range only {
		if strings.Contains(name, o) {
			return true
		}
	}
	return false
}

// build builds the tools as a release does, and Go's own hello beside them. They are
// copied once more: a file that was just linked starts slower.
func (b *bench) build() error {
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return err
	}
	linked := filepath.Join(b.dir, "linked")
	build := exec.Command("make", "-s", "-C", strings.TrimSpace(string(root)), "build", "OUT="+linked)
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("make build: %w\n%s", err, out)
	}
	hello := filepath.Join(b.dir, "hello.go")
	const source = "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Println(\"hello\") }\n"
	if err := os.WriteFile(hello, []byte(source), 0o644); err != nil {
		return err
	}
	compile := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", filepath.Join(linked, "hello"), hello)
	compile.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := compile.CombinedOutput(); err != nil {
		return fmt.Errorf("hello: %w\n%s", err, out)
	}
	return exec.Command("cp", "-r", linked, b.bin).Run()
}

// sizes prints each tool's size.
func (b *bench) sizes() {
	entries, _ := os.ReadDir(b.bin)
	for _, e := range entries {
		if info, err := e.Info(); err == nil {
			fmt.Printf("%-20s %5.2f MB\n", e.Name(), float64(info.Size())/1e6)
		}
	}
}
