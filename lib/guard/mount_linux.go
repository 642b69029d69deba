package guard

import (
	"os"
	"strings"
)

// mountPoints are all mount points this process sees, none where there is no /proc.
// Their devices would not tell: a bind mount has the device of what it shows.
func mountPoints() []string {
	data, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil
	}
	return parseMounts(string(data))
}

// parseMounts reads the fifth field of each line, in which white space and
// backslashes are written in octal.
func parseMounts(data string) []string {
	plain := strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)
	var points []string
	for line := range strings.Lines(data) {
		if fields := strings.Fields(line); len(fields) > 4 {
			points = append(points, plain.Replace(fields[4]))
		}
	}
	return points
}
