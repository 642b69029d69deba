//go:build unix

package include

import "syscall"

// dontWait keeps an open from hanging on what took a file's place.
const dontWait = syscall.O_NONBLOCK
