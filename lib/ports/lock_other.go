//go:build !unix

package ports

import (
	"context"
	"errors"
)

const guardFlags = 0

// lock always fails: claims need a lock that dies with its process.
func (s Store) lock(context.Context) (unlock func(), err error) {
	return nil, errors.ErrUnsupported
}
