package release

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// Channel is the way by which an install came onto the machine, which is also
// the way it is upgraded. The zero Channel is none: a checkout's build, a
// distribution's package, a copy made by hand.
type Channel string

// The channels.
const (
	Homebrew Channel = "homebrew"
	NPM      Channel = "npm"
	Bun      Channel = "bun"
	Curl     Channel = "curl"
)

// Installer is the command that installs the latest release, or replaces an
// install by it.
const Installer = "curl -fsSL https://github.com/cniska/agent-worktree/releases/latest/download/install.sh | sh"

// Upgrade is the command that brings an install of this channel up to date.
func (c Channel) Upgrade() string {
	switch c {
	case Homebrew:
		return "brew upgrade agent-worktree"
	case NPM:
		return "npm update -g @cniska/agent-worktree"
	case Bun:
		return "bun update -g @cniska/agent-worktree"
	case Curl:
		return Installer
	}
	return ""
}

// ChannelOf tells the channel from where executable, a path without symlinks,
// lies; home is the user's home directory, or "". It reads at most two directory
// entries.
func ChannelOf(executable, home string) Channel {
	dir := filepath.ToSlash(filepath.Dir(executable))
	packaged := strings.Contains(dir+"/", "/node_modules/@cniska/agent-worktree-"+npmPlatform()+"/")
	switch {
	case strings.Contains(dir, "/Cellar/agent-worktree/"):
		return Homebrew
	case packaged && strings.Contains(dir, "/install/global/node_modules/"):
		return Bun
	case packaged:
		return NPM
	case filepath.IsAbs(home) && sameDirectory(dir, filepath.Join(home, ".local", "bin")):
		return Curl
	}
	return ""
}

// npmPlatform is this build's platform in npm's words.
func npmPlatform() string {
	return runtime.GOOS + "-" + strings.Replace(runtime.GOARCH, "amd64", "x64", 1)
}

func sameDirectory(a, b string) bool {
	if a == b {
		return true
	}
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	two, err := os.Stat(b)
	return err == nil && os.SameFile(one, two)
}

// Newer reports whether version a is later than b. It is false unless both are
// x.y.z, three numbers of digits alone.
func Newer(a, b string) bool {
	left, ok := numbers(a)
	right, too := numbers(b)
	if !ok || !too {
		return false
	}
	for i := range left {
		if left[i] != right[i] {
			return left[i] > right[i]
		}
	}
	return false
}

func numbers(version string) (n [3]uint64, ok bool) {
	parts := strings.Split(version, ".")
	if len(parts) != len(n) {
		return n, false
	}
	for i, part := range parts {
		number, err := strconv.ParseUint(part, 10, 64)
		if err != nil {
			return n, false
		}
		n[i] = number
	}
	return n, true
}
