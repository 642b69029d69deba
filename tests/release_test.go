package tests

import (
	"bytes"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	released "github.com/cniska/agent-worktree/lib/release"
)

func init() {
	commands["release"] = releaseDir
	commands["serve"] = serve
	commands["checked"] = checked
}

// sources is what a release is made from.
var sources = []string{"cmd", "lib", "packaging", "go.mod", "go.sum", "LICENSE", "README.md"}

// snapshot copies the sources found at from to a new directory below scratch.
func snapshot(from string) (string, error) {
	to, err := os.MkdirTemp(scratch, "sources-")
	if err != nil {
		return "", err
	}
	for _, name := range sources {
		info, err := os.Stat(filepath.Join(from, name))
		switch {
		case os.IsNotExist(err):
			continue
		case err != nil:
			return "", err
		case info.IsDir():
			err = os.CopyFS(filepath.Join(to, name), os.DirFS(filepath.Join(from, name)))
		default:
			var text []byte
			if text, err = os.ReadFile(filepath.Join(from, name)); err == nil {
				err = os.WriteFile(filepath.Join(to, name), text, 0o644)
			}
		}
		if err != nil {
			return "", err
		}
	}
	return to, nil
}

// makeRelease makes this platform's release in the sources at dir, and returns
// what it printed.
func makeRelease(dir string, args ...string) (string, error) {
	args = append([]string{"run", "./packaging/release", "-out", "dist", "-compression", "1",
		"-platforms", runtime.GOOS + "/" + runtime.GOARCH}, args...)
	build := exec.Command("go", args...)
	build.Dir = dir
	build.Env = append(os.Environ(), "GOFLAGS=-buildvcs=false")
	out, err := build.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out), err
}

// releasedOnce is the sources in which a release was made once for the whole run; it
// lies in dist there.
var releasedOnce = sync.OnceValues(func() (string, error) {
	dir, err := snapshot("..")
	if err != nil {
		return "", err
	}
	_, err = makeRelease(dir)
	return dir, err
})

// releaseDir: release VAR sets VAR to the directory of a release of this
// platform.
func releaseDir(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 1, "release VAR")
	dir, err := releasedOnce()
	ts.Check(err)
	ts.Setenv(args[0], filepath.Join(dir, "dist"))
}

// serve dir VAR: serves dir over HTTP until the script ends, at the address in
// VAR. The latest release's page leads to the tag that dir/tag names; the log of
// what was asked for is dir.log.
func serve(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 2, "serve dir VAR")
	dir := ts.MkAbs(args[0])
	files := http.FileServer(http.Dir(dir))
	const latest = "/cniska/agent-worktree/releases/latest"
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if tag, err := os.ReadFile(filepath.Join(dir, "tag")); err == nil && r.URL.Path == latest {
			http.Redirect(w, r, strings.Replace(latest, "latest", "tag/"+strings.TrimSpace(string(tag)), 1), http.StatusFound)
			return
		}
		files.ServeHTTP(w, r)
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	server := &http.Server{Handler: handler}
	go server.Serve(listener)
	ts.Defer(func() { server.Close() })
	ts.Setenv(args[1], "http://"+listener.Addr().String())
}

// checked channel latest age: the last check for a newer release was made this
// long ago (such as 1m), of that channel, and knew this latest version.
func checked(ts *testscript.TestScript, neg bool, args []string) {
	need(ts, neg, args, 3, "checked channel latest age")
	age, err := time.ParseDuration(args[2])
	ts.Check(err)
	dir := filepath.Join(ts.Getenv("XDG_STATE_HOME"), "agent-worktree")
	ts.Check(os.MkdirAll(dir, 0o755))
	text := fmt.Sprintf("{\"asked\":%q,\"channel\":%q,\"latest\":%q}\n",
		time.Now().UTC().Add(-age).Format(time.RFC3339), args[0], args[1])
	ts.Check(os.WriteFile(filepath.Join(dir, "update-check.json"), []byte(text), 0o644))
}

// TestReleaseTwice makes the release a second time, elsewhere, and holds every
// file of it to the first.
func TestReleaseTwice(t *testing.T) {
	t.Parallel()
	first, err := releasedOnce()
	if err != nil {
		t.Fatal(err)
	}
	second, err := snapshot(first)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := makeRelease(second); err != nil {
		t.Fatal(err)
	}
	count := 0
	err = filepath.WalkDir(filepath.Join(first, "dist"), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		count++
		rel, _ := filepath.Rel(first, path)
		one, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if two, _ := os.ReadFile(filepath.Join(second, rel)); !bytes.Equal(one, two) {
			t.Errorf("%s is not the same in both", rel)
		}
		return nil
	})
	if err != nil || count == 0 {
		t.Errorf("compared %d files: %v", count, err)
	}
}

// TestReleaseTag stops on a tag that is not the version's, before it builds.
func TestReleaseTag(t *testing.T) {
	t.Parallel()
	dir, err := snapshot("..")
	if err != nil {
		t.Fatal(err)
	}
	out, err := makeRelease(dir, "-tags", "v9.9.9 nightly")
	want := "the tag is v9.9.9 and lib/release/VERSION says " + released.Version()
	if err == nil || !strings.Contains(out, want) {
		t.Errorf("printed %q, %v; want it to stop with %q", out, err, want)
	}
	if _, err := os.Stat(filepath.Join(dir, "dist")); err == nil {
		t.Error("it began the release")
	}
}
