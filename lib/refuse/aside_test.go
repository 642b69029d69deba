package refuse

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAside(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a b")
	for _, want := range []string{".old'", ".old-2'", ".old-3'"} {
		act := Aside(path)
		if !strings.HasSuffix(act, " '"+path+"' '"+path+want) {
			t.Errorf("%s; want it to end in %s", act, want)
		}
		free := strings.TrimSuffix(act[strings.LastIndex(act, "'"+path)+1:], "'")
		if err := os.Symlink("nowhere", free); err != nil { // a link that dangles is there as well
			t.Fatal(err)
		}
	}
}
