//go:build unix

package plain

import (
	"io/fs"
	"syscall"
)

// Read is the content of a regular file of at most most bytes. Errors are *fs.PathError.
func Read(path string, most int) ([]byte, error) {
	data, err := read(path, most)
	if err != nil {
		return nil, &fs.PathError{Op: "read", Path: path, Err: err}
	}
	return data, nil
}

func read(path string, most int) ([]byte, error) {
	fd, err := open(path)
	if err == syscall.ELOOP || err == syscall.ENXIO {
		return nil, ErrNotRegular
	}
	if err != nil {
		return nil, err
	}
	defer syscall.Close(fd)
	var stat syscall.Stat_t
	if err := syscall.Fstat(fd, &stat); err != nil {
		return nil, err
	}
	if stat.Mode&syscall.S_IFMT != syscall.S_IFREG {
		return nil, ErrNotRegular
	}
	if stat.Size > int64(most) {
		return nil, ErrTooLarge
	}
	return readAll(fd, int(stat.Size), most)
}

func open(path string) (int, error) {
	for {
		fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
		if err != syscall.EINTR {
			return fd, err
		}
	}
}

// readAll reads to the end; size is what the file said, and it may have grown since. A
// read that could have had more is the last, but for the files of /proc, which say 0.
func readAll(fd, size, most int) ([]byte, error) {
	data := make([]byte, 0, size+1)
	for {
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
		n, err := syscall.Read(fd, data[len(data):cap(data)])
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return nil, err
		}
		data = data[:len(data)+n]
		if len(data) > most {
			return nil, ErrTooLarge
		}
		if n == 0 || size > 0 && len(data) < cap(data) {
			return data, nil
		}
	}
}
