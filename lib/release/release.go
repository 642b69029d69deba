// Package release knows which release this build is.
package release

import (
	_ "embed"
	"strings"
)

//go:embed VERSION
var file string

// Version is the build's version, x.y.z, as the VERSION file beside this source
// states it. Every tool of a release prints the same.
func Version() string { return strings.TrimSpace(file) }
