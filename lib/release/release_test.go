package release

import (
	"regexp"
	"testing"
)

func TestVersion(t *testing.T) {
	if got := Version(); !regexp.MustCompile(`^\d+\.\d+\.\d+$`).MatchString(got) {
		t.Errorf("Version() = %q; want x.y.z", got)
	}
}
