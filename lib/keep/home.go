package keep

import (
	"path/filepath"
	"strings"
)

// homes finds the home directory in a text, where it is a path of its own or the start
// of one: /home/u is neither in /home/u2 nor in /mnt/home/u.
func homes(text, home string) []Finding {
	if !filepath.IsAbs(home) || strings.Contains(home, "~") {
		return nil
	}
	home = filepath.Clean(home)
	if home == "/" {
		return nil
	}
	var found []Finding
	for at := 0; ; {
		i := strings.Index(text[at:], home)
		if i < 0 {
			return found
		}
		start, end := at+i, at+i+len(home)
		if at = start + 1; startsPath(text, start) && endsName(text[end:]) {
			found = append(found, Finding{kindHome, start, end})
			at = end
		}
	}
}

// startsPath tells whether the slash at i does not go on a path. A tilde there is the
// home directory's own, from an earlier pass.
func startsPath(text string, i int) bool {
	if i == 0 || escaped(text, i) {
		return true
	}
	return !inName(text[i-1]) && text[i-1] != '.' && text[i-1] != '~'
}

// endsName tells whether a name of a path cannot go on with rest.
func endsName(rest string) bool {
	if rest == "" {
		return true
	}
	if rest[0] == '.' {
		return len(rest) == 1 || !inName(rest[1]) && rest[1] != '.'
	}
	return !inName(rest[0])
}

func inName(c byte) bool { return isAlnum(c) || c == '_' || c == '-' || c >= 0x80 }
