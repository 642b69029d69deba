package ports

import (
	"errors"
	"net"
	"strconv"
	"time"
)

// probeTimeout bounds one connect. A listener with a full queue, or a firewall that drops
// packets, answers nothing for minutes.
const probeTimeout = 150 * time.Millisecond

// listening reports whether a program listens on a port, by connecting to it on both loopback
// addresses: binding it instead can raise the firewall's prompt on macOS. No answer in time
// counts as a listener.
//
// The connection is closed in the ordinary way. A reset would spare the machine a socket in
// TIME_WAIT, but some systems then drop the connection before the program accepts it.
func listening(port int) bool {
	for _, host := range []string{"127.0.0.1", "::1"} {
		addr := net.JoinHostPort(host, strconv.Itoa(port))
		conn, err := net.DialTimeout("tcp", addr, probeTimeout)
		if err == nil {
			conn.Close()
			return true
		}
		var failure net.Error
		if errors.As(err, &failure) && failure.Timeout() {
			return true
		}
	}
	return false
}

// unitBusy reports whether any of the unit's ports is in use.
func (s Store) unitBusy(unit int) bool {
	busy := s.Busy
	if busy == nil {
		busy = listening
	}
	for port := unit; port < unit+UnitSize; port++ {
		if busy(port) {
			return true
		}
	}
	return false
}
