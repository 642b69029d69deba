//go:build !linux

package task

// openInside cannot tell here; who works in the tree is told by other signs.
func openInside(string) bool { return false }
