// Bench holds the tools against plain git doing the same, both sides in one run: each
// row's commands take turns in random order, and the row shows the median of each, their
// ratio and the target. It reaches no network.
//
//	go run ./tests/bench [-runs n] [-dir directory] [-disk directory] [-md file] [row...]
//
// Scratch repositories are made below dir, /dev/shm where there is one: ext4 makes
// creates slow for minutes after deletes, for plain git too. Only the rows about ext4 are
// run below disk. What is made is kept in the user's cache directory for the next run.
// With -md the tables are also written as Markdown: into a file's marked part where it
// has one. A row is chosen by its name or a part of it; -list prints them.
package main

import (
	"flag"
	"fmt"
	"os"
)

type options struct {
	runs                 int
	dir, disk, cache, md string
	list, fresh          bool
}

func main() {
	var o options
	flag.IntVar(&o.runs, "runs", 10, "how often each side runs; short commands run ten times as often")
	flag.StringVar(&o.dir, "dir", scratchDir(), "where scratch repositories are made")
	flag.StringVar(&o.disk, "disk", os.TempDir(), "where those of the rows about ext4 are made")
	flag.StringVar(&o.cache, "cache", cacheDir(), "where generated repositories are kept")
	flag.StringVar(&o.md, "md", "", "a Markdown file to write the tables to")
	flag.BoolVar(&o.list, "list", false, "print the rows' names, and run none")
	flag.BoolVar(&o.fresh, "fresh", false, "generate the repositories anew")
	flag.Parse()
	if err := run(o, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}
