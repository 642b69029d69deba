package cli

import (
	"context"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"
)

// patience is how many signals it takes to end a process that is cleaning up.
const patience = 3

// short is how long a verb that only reads runs unwatched.
const short = 20 * time.Millisecond

// stopper remembers the signal that asked the process to stop.
type stopper struct{ first atomic.Int32 }

// status is 128 plus the signal's number, or 0 while there was none.
func (s *stopper) status() int { return int(s.first.Load()) }

// A caughtSignal is why the verb's context ended. It is handed on to what the verb runs.
type caughtSignal struct{ sig os.Signal }

func (c caughtSignal) Error() string     { return "stopped by a signal: " + c.sig.String() }
func (c caughtSignal) Signal() os.Signal { return c.sig }

// watchSignals returns a context that SIGINT, SIGTERM and SIGHUP cancel. The
// verb then leaves a state that the next run resumes; a second signal does not
// cut that short, a third does. One that was ignored when the process started,
// as nohup and a shell's background jobs have it, stays ignored. SIGPIPE is
// caught so that a reader of stderr who leaves cannot end a removal half way;
// the write fails instead. Children get the default for all of them.
//
// To have them caught takes a tenth of a short run. It goes on beside what the verb
// reads first; what is started with the context waits for it.
func watchSignals() (context.Context, *stopper) {
	ctx, cancel := context.WithCancelCause(context.Background())
	stop, on := &stopper{}, make(chan struct{})
	go func() {
		stop.catch(cancel)
		close(on)
	}()
	return watched{Context: ctx, on: on}, stop
}

// watchSignalsAfter is watchSignals for a verb that leaves nothing half made: until it
// has run for that long, a signal simply ends it.
func watchSignalsAfter(run time.Duration) (context.Context, *stopper) {
	ctx, cancel := context.WithCancelCause(context.Background())
	stop := &stopper{}
	time.AfterFunc(run, func() { stop.catch(cancel) })
	return ctx, stop
}

// A watched context is one that signals cancel once on is closed. Whoever asks whether
// it is over, as those do who start a process, waits until then.
type watched struct {
	context.Context
	on <-chan struct{}
}

func (w watched) Done() <-chan struct{} {
	<-w.on
	return w.Context.Done()
}

func (w watched) Err() error {
	<-w.on
	return w.Context.Err()
}

// catch has the signals caught, and cancel called at the first.
func (s *stopper) catch(cancel context.CancelCauseFunc) {
	caught := make(chan os.Signal, patience)
	for _, sig := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(sig) {
			signal.Notify(caught, sig)
		}
	}
	if !signal.Ignored(syscall.SIGPIPE) {
		signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	}
	go s.watch(caught, cancel, os.Exit)
}

// watch cancels at the first signal and exits at the last that patience allows.
func (s *stopper) watch(caught <-chan os.Signal, cancel context.CancelCauseFunc, exit func(int)) {
	for count := 1; ; count++ {
		sig := <-caught
		number, _ := sig.(syscall.Signal)
		s.first.CompareAndSwap(0, int32(128+int(number)))
		cancel(caughtSignal{sig})
		if count == patience {
			exit(s.status())
		}
	}
}
