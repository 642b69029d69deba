//go:build !unix

package ports

import "testing"

func silentListener(t *testing.T) int {
	t.Skip("needs a Unix socket call")
	return 0
}
