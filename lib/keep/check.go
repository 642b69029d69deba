package keep

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"unicode/utf8"
)

// Check refuses what Archive would refuse about the files, and writes nothing.
func Check(ctx context.Context, r Request) error {
	if r.Force && !r.Discard {
		return nil
	}
	paths, err := r.matches(ctx)
	if why := unfit(""); errors.As(err, &why) {
		return r.refusal(Left{r.Patterns, string(why)})
	}
	if err != nil || len(paths) == 0 {
		return err
	}
	tree, err := os.OpenRoot(r.Tree)
	if err != nil {
		return err
	}
	defer tree.Close()
	homes := r.homes()
	var left []Left
	for _, path := range paths {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		why := unfit("")
		if err := vet(tree, path, homes); errors.As(err, &why) {
			left = append(left, Left{path, string(why)})
		}
	}
	if len(left) > 0 {
		return r.refusal(left...)
	}
	return nil
}

// vet is add without its writing.
func vet(tree *os.Root, name string, homes []string) error {
	if err := fitName(name, homes); err != nil {
		return err
	}
	info, err := tree.Lstat(name)
	if err != nil {
		return unreadable(err)
	}
	text := ""
	if info.Mode()&fs.ModeSymlink == 0 {
		text, err = readText(tree, name)
	} else if text, err = tree.Readlink(name); err == nil && !utf8.ValidString(text) {
		err = unfit("it is a link to a name that is not text")
	}
	if err == nil {
		_, err = cleaned(text, homes)
	}
	return err
}
