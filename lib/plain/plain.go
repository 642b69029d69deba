// Package plain reads small files that somebody else may have put there: never through
// a link, never hanging on a FIFO, never more than it is told, and in the fewest system
// calls, since a listing reads thousands of them.
package plain

import "errors"

// ErrNotRegular is something else than a regular file at the path, a link included.
var ErrNotRegular = errors.New("not a regular file")

// ErrTooLarge is a file of more bytes than the caller takes.
var ErrTooLarge = errors.New("too large")
