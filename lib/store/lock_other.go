//go:build !unix

package store

// TryLock takes nothing here.
func (e Entry) TryLock() (unlock func(), free bool, err error) { return func() {}, true, nil }
