//go:build !unix

package include

const dontWait = 0
