package keep

import (
	"strings"
	"testing"
)

// Text of every kind that there is much of must be gone over in a few passes, in time
// that grows with its length.
func BenchmarkRedact(b *testing.B) {
	for name, part := range map[string]string{
		"notes":    "- ran the tests again: 12 passed, see https://ci.example/run/4711 for the token count\n",
		"minified": `{"id":1,"token":"a1b2c3d4e5","name":"x","password":"hunter2 it is"},`,
		"slashes":  "://a:b",
		"keys":     "-----BEGIN " + "PRIVATE KEY-----",
		"words":    "token=",
		"spaced":   "password:            ",
		"jwt":      "eyJ.",
		"base64":   "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAf",
		"marks":    "[redacted:",
		"curl":     "curl -u ",
	} {
		text := strings.Repeat(part, 1<<20/len(part))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Redact(text, "/home/u")
			}
		})
	}
}
