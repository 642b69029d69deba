//go:build unix

package plain

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

func TestRead(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	big := bytes.Repeat([]byte("x"), 5000)
	os.WriteFile(at("empty"), nil, 0o600)
	os.WriteFile(at("big"), big, 0o600)
	os.Symlink("big", at("link"))
	os.Mkdir(at("dir"), 0o700)
	if err := syscall.Mkfifo(at("fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		most int
		want []byte
		err  error
	}{
		{"empty", 10, []byte{}, nil},
		{"big", 5000, big, nil},
		{"big", 4999, nil, ErrTooLarge},
		{"link", 5000, nil, ErrNotRegular},
		{"dir", 5000, nil, ErrNotRegular},
		{"fifo", 5000, nil, ErrNotRegular},
		{"none", 5000, nil, fs.ErrNotExist},
	}
	for _, test := range tests {
		got, err := Read(at(test.name), test.most)
		if !bytes.Equal(got, test.want) || !errors.Is(err, test.err) {
			t.Errorf("Read(%s, %d) = %d bytes, %v; want %d bytes, %v", test.name, test.most, len(got), err, len(test.want), test.err)
		}
	}
	// /proc says that its files are empty, and they are not.
	if _, err := os.Stat("/proc/self/stat"); err == nil {
		if got, err := Read("/proc/self/stat", 5000); err != nil || len(got) == 0 {
			t.Errorf("Read(/proc/self/stat) = %d bytes, %v; want its content", len(got), err)
		}
	}
}
