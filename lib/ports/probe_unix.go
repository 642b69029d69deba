//go:build unix

package ports

import (
	"syscall"
	"time"
)

// listening reports whether a program listens on a port, by connecting to it on both loopback
// addresses: binding it instead can raise the firewall's prompt on macOS. No answer in time
// counts as a listener.
//
// The sockets are raw, since package net would add a fifth to the size of every tool. The
// connection is closed in the ordinary way. A reset would spare the machine a socket in
// TIME_WAIT, but some systems then drop the connection before the program accepts it.
func listening(port int) bool {
	v4 := &syscall.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}}
	v6 := &syscall.SockaddrInet6{Port: port, Addr: [16]byte{15: 1}}
	return accepts(syscall.AF_INET, v4) || accepts(syscall.AF_INET6, v6)
}

// accepts reports whether a connect to the address is accepted, or not answered in time. A
// machine without the address family has no listener there.
func accepts(family int, to syscall.Sockaddr) bool {
	// An exec in another goroutine must not inherit the socket.
	syscall.ForkLock.RLock()
	fd, err := syscall.Socket(family, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(fd)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return false
	}
	defer syscall.Close(fd)
	if err := syscall.SetNonblock(fd, true); err != nil {
		return true
	}
	switch err := syscall.Connect(fd, to); err {
	case nil:
		return true
	case syscall.EINPROGRESS, syscall.EINTR:
		return settles(fd)
	}
	return false
}

// settles waits for a connect that is under way; over loopback that is hardly ever.
func settles(fd int) bool {
	for end := time.Now().Add(probeTimeout); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if failed, err := syscall.GetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_ERROR); err != nil || failed != 0 {
			return false
		}
		if _, err := syscall.Getpeername(fd); err == nil {
			return true
		}
	}
	return true
}
