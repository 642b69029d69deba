package refuse

import "testing"

func TestShell(t *testing.T) {
	for s, want := range map[string]string{
		"/a/b-c_d.e": "/a/b-c_d.e", "": "''", "a b": "'a b'", "it's": `'it'\''s'`, "ü": "ü",
		"~x": "'~x'", "$x": "'$x'",
	} {
		if got := Shell(s); got != want {
			t.Errorf("Shell(%q) = %s; want %s", s, got, want)
		}
	}
}
