//go:build !unix

package store

import "io/fs"

func ours(fs.FileInfo) bool { return false }

// Owned cannot tell here.
func Owned(string) bool { return false }

// An Identity is a directory's device and inode.
type Identity struct{ Dev, Ino uint64 }

// Identify knows no identity here.
func Identify(string) (Identity, bool) { return Identity{}, false }

func deviceOf(fs.FileInfo) uint64 { return 0 }

// Full cannot tell here.
func Full(string) bool { return false }

// Links cannot tell here.
func Links(fs.FileInfo) uint64 { return 0 }
