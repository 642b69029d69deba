package ports

import (
	"context"
	"net"
	"runtime"
	"strconv"
	"testing"
	"time"
)

// listen opens a listener, or skips the test where the system does not give that address.
func listen(t *testing.T, addr string) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", addr)
	if err != nil {
		t.Skipf("listen on %s: %v", addr, err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func portOf(l net.Listener) int { return l.Addr().(*net.TCPAddr).Port }

func TestListening(t *testing.T) {
	for _, host := range []string{"127.0.0.1:0", "[::1]:0", "0.0.0.0:0", "[::]:0"} {
		t.Run(host, func(t *testing.T) {
			l := listen(t, host)
			accepted := make(chan error, 1)
			go func() {
				conn, err := l.Accept()
				if err == nil {
					conn.Close()
				}
				accepted <- err
			}()
			port := portOf(l)
			if !listening(port) {
				t.Errorf("listening(port of %s) = false; want true", host)
			}
			if err := <-accepted; err != nil {
				t.Errorf("Accept() = %v; want the probe's connection", err)
			}
			l.Close()
			if listening(port) {
				t.Errorf("listening(port of %s) after its end = true; want false", host)
			}
		})
	}
}

// TestListeningWithFullQueue: a listener that answers nothing is in use, and soon known to be.
func TestListeningWithFullQueue(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("how a full queue answers differs")
	}
	port := silentListener(t)
	begun := time.Now()
	if !listening(port) {
		t.Error("listening(port of a full queue) = false; want true")
	}
	if took := time.Since(begun); took > 2*time.Second {
		t.Errorf("listening(port of a full queue) took %v; want about %v", took, probeTimeout)
	}
}

// TestClaimAvoidsRealListeners has all but the last two units held, so that no other test on this
// machine, which starts from the lowest, meets its listener.
func TestClaimAvoidsRealListeners(t *testing.T) {
	s := idle(t)
	s.Busy = nil
	var held Block
	for unit := First; unit < 24980; unit += UnitSize {
		held = append(held, unit)
	}
	hold(t, s, "/other", held...)
	listen(t, "0.0.0.0:24987")
	if s.unitBusy(24990) {
		t.Skip("a program listens on 24990 to 24999")
	}
	g := claim(t, s, Request{Entry: "/a", Units: 1})
	if g.Block.First() != 24990 {
		t.Errorf("Claim(/a, 1) = %v; want 24990-24999", g.Block)
	}
}

// BenchmarkClaim takes the one unit left of a hundred, probes included.
func BenchmarkClaim(b *testing.B) {
	s := idle(b)
	s.Busy = nil
	for unit := First; unit < Last-UnitSize; unit += UnitSize {
		hold(b, s, "/data/worktree-"+strconv.Itoa(unit)+".json", unit)
	}
	for b.Loop() {
		grant, err := s.Claim(context.Background(), Request{Entry: "/a", Units: 1})
		if err != nil || grant.Block.First() != 24990 {
			b.Fatalf("Claim = %v, %v; want 24990-24999", grant.Block, err)
		}
		b.StopTimer()
		if _, err := s.Free(context.Background(), "/a", nil); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}
