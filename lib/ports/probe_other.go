//go:build !unix

package ports

// listening takes every port for used: nothing is claimed on a system where no command runs.
func listening(int) bool { return true }
