// Package include finds the ignored files that a pattern file names, and brings
// those that a clone's .worktreeinclude names into a new worktree.
package include

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/cniska/agent-worktree/lib/git"
)

// File is the pattern file's name, in the root of the primary checkout.
const File = ".worktreeinclude"

// Result is what Bring did.
type Result struct {
	Brought int      // files that are now in the worktree and were not before
	Failed  []string // what could not be brought, "<path>: <why>" each, by path
}

// Bring brings every file of the primary checkout that git ignores and that its
// .worktreeinclude matches to the same path in the worktree. What is there already,
// what the worktree's index tracks, and what lies behind a link is left alone. A file
// that cannot be brought is in Failed; the error is git's, or the worktree's that
// cannot be opened. Both directories are absolute. Without the pattern file no
// process is started. The caller holds the worktree's lock.
func Bring(ctx context.Context, g *git.Git, primary, worktree string) (Result, error) {
	patterns := filepath.Join(primary, File)
	// git would wait for ever on a FIFO, and follow a link out of the project.
	if info, err := os.Lstat(patterns); err != nil || !info.Mode().IsRegular() {
		return Result{}, nil
	}
	files, err := Ignored(ctx, g, Tree{Dir: primary}, patterns)
	if err != nil || len(files) == 0 {
		return Result{}, err
	}
	tracked, err := list(ctx, g, Tree{Dir: worktree}, "--cached")
	if err != nil {
		return Result{}, err
	}
	c, err := newCopier(primary, worktree)
	if err != nil {
		return Result{}, err
	}
	defer c.close()
	c.tracked = tracked
	return c.all(ctx, files)
}

// all brings the files side by side: most of the time goes into waiting for the
// file system.
func (c *copier) all(ctx context.Context, files []string) (Result, error) {
	var (
		result Result
		mu     sync.Mutex
		group  sync.WaitGroup
	)
	next := make(chan string)
	for range min(runtime.GOMAXPROCS(0)*2, 8, len(files)) {
		group.Go(func() {
			for path := range next {
				brought, err := c.bring(path)
				mu.Lock()
				if err != nil {
					result.Failed = append(result.Failed, path+": "+reason(err))
				} else if brought {
					result.Brought++
				}
				mu.Unlock()
			}
		})
	}
	for _, path := range files {
		if ctx.Err() != nil {
			break
		}
		next <- path
	}
	close(next)
	group.Wait()
	slices.Sort(result.Failed)
	return result, context.Cause(ctx)
}
