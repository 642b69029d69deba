package verbs

import (
	"strings"
	"testing"
)

func TestAll(t *testing.T) {
	seen := map[string]bool{}
	for _, verb := range All {
		if seen[verb.Name] {
			t.Errorf("%s occurs twice", verb.Name)
		}
		seen[verb.Name] = true
		if first, _, _ := strings.Cut(verb.Usage, " "); first != verb.Name {
			t.Errorf("%s: usage %q; want it to start with the name", verb.Name, verb.Usage)
		}
		if want := "aw-" + verb.Name; verb.Binary != want {
			t.Errorf("%s: binary %q; want %q", verb.Name, verb.Binary, want)
		}
		if verb.Summary == "" || strings.HasSuffix(verb.Summary, ".") {
			t.Errorf("%s: summary %q; want a clause with no full stop", verb.Name, verb.Summary)
		}
	}
}

func TestFind(t *testing.T) {
	for _, name := range []string{"create", "hook"} {
		if verb, ok := Find(name); !ok || verb.Name != name {
			t.Errorf("Find(%q) = %v, %v; want it", name, verb, ok)
		}
	}
	for _, name := range []string{"", "CREATE", "aw-create", "latest"} {
		if verb, ok := Find(name); ok {
			t.Errorf("Find(%q) = %v; want none", name, verb)
		}
	}
}
