// Bare is the least that a tool of this project does: the libraries that every tool has,
// git started when arguments for it are given, and one answer printed.
package main

import (
	"fmt"
	"os"
	"os/exec"

	"github.com/peterbourgon/ff/v4"
	toon "github.com/toon-format/toon-go"
	"golang.org/x/sync/errgroup"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bare:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	flags := ff.NewFlagSet("bare")
	flags.Bool('n', "nothing", "an option that says nothing")
	if err := flags.Parse(nil); err != nil {
		return err
	}
	var said []byte
	var group errgroup.Group
	if len(args) > 0 {
		group.Go(func() (err error) {
			said, err = exec.Command("git", args...).Output()
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	answer, err := toon.Marshal(map[string]any{"ok": true, "bytes": len(said)})
	if err != nil {
		return err
	}
	_, err = fmt.Printf("%s\n", answer)
	return err
}
