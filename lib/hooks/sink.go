package hooks

import (
	"io"
	"os"
	"time"
)

const (
	// lastWords is how long output is still taken once the hook has ended, when something it
	// left behind keeps the pipe open.
	lastWords = 100 * time.Millisecond
	// pipeSize is at least what a pipe holds, in bytes.
	pipeSize = 64 << 10
)

// A sink is where a hook's output goes.
type sink struct {
	file   *os.File // the hook's standard output and error
	reader *os.File // our end of the pipe; nil when the caller's file is handed on
	to     io.Writer
	pumped chan struct{} // closed at the end of output; nil before the hook has started
}

func openSink(to io.Writer) (*sink, error) {
	if file, ok := to.(*os.File); ok {
		return &sink{file: file}, nil
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	return &sink{file: w, reader: r, to: patient{to}}, nil
}

// started is called once the hook has the other end, which we then let go of.
func (s *sink) started() {
	if s.reader == nil {
		return
	}
	s.file.Close()
	s.pumped = make(chan struct{})
	go func() {
		io.Copy(s.to, s.reader)
		close(s.pumped)
	}()
}

// finish takes what the hook has printed and closes our end. It waits for the end of output no
// longer than lastWords.
func (s *sink) finish() {
	if s.reader == nil {
		return
	}
	defer s.reader.Close()
	if s.pumped == nil {
		s.file.Close()
		return
	}
	s.reader.SetReadDeadline(time.Now().Add(lastWords))
	<-s.pumped
	// A slow writer or a busy machine may have let the time run out with the pipe still full.
	s.reader.SetReadDeadline(time.Now().Add(lastWords / 5))
	io.CopyN(s.to, s.reader, pipeSize)
}

// patient takes everything, so that a writer which fails does not leave the hook hanging on a
// full pipe: what became of its output is not what decides.
type patient struct{ io.Writer }

func (p patient) Write(b []byte) (int, error) {
	p.Writer.Write(b)
	return len(b), nil
}
