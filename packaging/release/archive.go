package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"time"
)

// compression is gzip's level.
var compression = gzip.BestCompression

// epoch is the time of every file in every archive: the oldest that all formats
// in use can hold.
var epoch = time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)

// pack writes the files below dir, or those of its parts that are named, into a tar.gz
// at file, in the order of their names, under the directory top, and returns the
// archive's sha256 in hex. What is executable is 0755 there and all else 0644, owned by
// nobody in particular.
func pack(file, top, dir string, parts ...string) (sum string, err error) {
	text := bytes.Buffer{}
	zip, err := gzip.NewWriterLevel(&text, compression)
	if err != nil {
		return "", err
	}
	archive := tar.NewWriter(zip)
	if len(parts) == 0 {
		parts = []string{"."}
	}
	for _, part := range parts {
		if err := addAll(archive, top, dir, part); err != nil {
			return "", err
		}
	}
	for _, close := range []func() error{archive.Close, zip.Close} {
		if e := close(); err == nil {
			err = e
		}
	}
	if err != nil {
		return "", err
	}
	digest := sha256.Sum256(text.Bytes())
	return hex.EncodeToString(digest[:]), writeFile(file, text.Bytes(), 0o644)
}

// addAll adds the files of one part of dir.
func addAll(archive *tar.Writer, top, dir, part string) error {
	return filepath.WalkDir(filepath.Join(dir, part), func(at string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		rel, err := filepath.Rel(dir, at)
		if err != nil {
			return err
		}
		return add(archive, at, path.Join(top, filepath.ToSlash(rel)))
	})
}

func add(archive *tar.Writer, file, name string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	mode := int64(0o644)
	if info.Mode()&0o100 != 0 {
		mode = 0o755
	}
	header := &tar.Header{
		Typeflag: tar.TypeReg, Name: name, Size: int64(len(text)), Mode: mode,
		ModTime: epoch, Format: tar.FormatUSTAR,
	}
	if err := archive.WriteHeader(header); err != nil {
		return err
	}
	_, err = archive.Write(text)
	return err
}
