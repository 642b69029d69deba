// Release makes what a release of agent-worktree publishes, in one directory:
// an archive for each platform with its sha256, the npm packages, the Homebrew
// formula, the installer, and the trees and nfpm configurations that packages
// for distributions are made from.
//
// It is run from the top of the checkout. Of the same sources and the same Go it
// makes the same bytes: nothing of the machine, the directory, the user or the
// time is in them.
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/cniska/agent-worktree/lib/release"
)

// everywhere is every platform there is a release for.
const everywhere = "linux/amd64,linux/arm64,darwin/amd64,darwin/arm64"

func main() {
	out := flag.String("out", "dist", "the directory to make")
	platforms := flag.String("platforms", everywhere, "the platforms to build for")
	tags := flag.String("tags", "", "the tags of this commit; a release tag among them is to be the version's")
	flag.IntVar(&compression, "compression", compression, "how hard to compress, from 1 to 9")
	flag.Parse()
	if err := run(*out, strings.Split(*platforms, ","), strings.Fields(*tags)); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

func run(out string, platforms, tags []string) error {
	r := maker{out: out, version: release.Version()}
	if err := checkTags(tags, r.version); err != nil {
		return err
	}
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	for _, name := range platforms {
		p, err := parsePlatform(name)
		if err != nil {
			return err
		}
		if err := r.platform(p); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return r.rest()
}

// checkTags stops a release whose tag and whose VERSION file differ: it would be
// published under a version that its tools do not print.
func checkTags(tags []string, version string) error {
	tags = slices.DeleteFunc(tags, func(tag string) bool { return !strings.HasPrefix(tag, "v") })
	if len(tags) > 0 && !slices.Contains(tags, "v"+version) {
		return fmt.Errorf("the tag is %s and lib/release/VERSION says %s", strings.Join(tags, ", "), version)
	}
	return nil
}

// maker is one release being made. Its trees grow with each platform.
type maker struct {
	out, version string
	trees        []tree
}

// rest makes what there is one of.
func (r *maker) rest() error {
	for _, make := range []func() error{r.npmShim, r.formula, r.nfpm, r.installer} {
		if err := make(); err != nil {
			return err
		}
	}
	return nil
}
