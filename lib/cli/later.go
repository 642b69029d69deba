package cli

import (
	"context"
	"io"
	"os"

	"github.com/cniska/agent-worktree/lib/later"
)

// Later runs work instead of the verb, and ends the process, where this program was
// started again by World.Later: what it prints nobody reads. A main that hands its world
// on to what may call World.Later calls this first.
func Later(work func(ctx context.Context, w World, args []string) error) {
	args, ok := later.Asked()
	if !ok {
		return
	}
	ctx, _ := watchSignals()
	if work(ctx, World{Dir: string(os.PathSeparator), Env: os.Environ(), Stderr: io.Discard}, args) != nil {
		os.Exit(1)
	}
	os.Exit(0)
}
