package cli

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
)

// patience is how many signals it takes to end a process that is cleaning up.
const patience = 3

// stopper remembers the signal that asked the process to stop.
type stopper struct{ first atomic.Int32 }

// status is 128 plus the signal's number, or 0 while there was none.
func (s *stopper) status() int { return int(s.first.Load()) }

// watchSignals returns a context that SIGINT, SIGTERM and SIGHUP cancel. The
// verb then leaves a state that the next run resumes; a second signal does not
// cut that short, a third does. One that was ignored when the process started,
// as nohup and a shell's background jobs have it, stays ignored. SIGPIPE is
// caught so that a reader of stderr who leaves cannot end a removal half way;
// the write fails instead. Children get the default for all of them.
func watchSignals() (context.Context, *stopper) {
	ctx, cancel := context.WithCancel(context.Background())
	stop := &stopper{}
	caught := make(chan os.Signal, patience)
	for _, sig := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(sig) {
			signal.Notify(caught, sig)
		}
	}
	if !signal.Ignored(syscall.SIGPIPE) {
		signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	}
	go stop.watch(caught, cancel, os.Exit)
	return ctx, stop
}

// watch cancels at the first signal and exits at the last that patience allows.
func (s *stopper) watch(caught <-chan os.Signal, cancel func(), exit func(int)) {
	for count := 1; ; count++ {
		number, _ := (<-caught).(syscall.Signal)
		s.first.CompareAndSwap(0, int32(128+int(number)))
		cancel()
		if count == patience {
			exit(s.status())
		}
	}
}
