package tests

import (
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// pictureFile is what the README shows.
const pictureFile = "docs/picture.svg"

// TestDocsPicture holds the README's picture to what the tools print today: it runs
// docs/picture.sh and draws its transcript.
func TestDocsPicture(t *testing.T) {
	bin, home := tools(t), t.TempDir()
	script, err := filepath.Abs("../docs/picture.sh")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", script)
	cmd.Dir = home
	cmd.Env = []string{"HOME=" + home, "PATH=" + bin + ":" + os.Getenv("PATH"), "CI=1", "LC_ALL=C"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want := draw(steady(string(out), home))
	if *update {
		if err := writeDocument(pictureFile, want); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got, _ := os.ReadFile(filepath.Join("..", pictureFile)); string(got) != want {
		t.Errorf("%s is stale; run make docs", pictureFile)
	}
}

// steady puts one value for all that differs from run to run.
func steady(transcript, home string) string {
	if real, err := filepath.EvalSymlinks(home); err == nil {
		transcript = strings.ReplaceAll(transcript, real, "~")
	}
	transcript = strings.ReplaceAll(transcript, home, "~")
	for _, varies := range [][2]string{
		{`shop-[0-9a-f]{8}`, "shop-fe8d257a"},
		{`\b24[0-9]{3}-24[0-9]{3}\b`, "24000-24009"},
		{`on port 24[0-9]{3}\b`, "on port 24000"},
		{`\b[0-9]{8}T[0-9]{6}Z`, "20261201T090000Z"},
	} {
		transcript = regexp.MustCompile(varies[0]).ReplaceAllString(transcript, varies[1])
	}
	return strings.TrimSuffix(transcript, "\n")
}

// The picture's measures, in pixels; columns is where a line is wrapped.
const (
	columns   = 96
	charWide  = 8
	lineHigh  = 19
	margin    = 18
	titleHigh = 34
	gap       = 6 // above a command
)

// draw is the transcript as a terminal window. Its text can be selected, and it names no
// font that a reader may not have.
func draw(transcript string) string {
	var lines []string
	for _, line := range strings.Split(transcript, "\n") {
		lines = append(lines, wrap(line)...)
	}
	commands := strings.Count("\n"+transcript, "\n$ ")
	width, height := columns*charWide+2*margin, len(lines)*lineHigh+commands*gap+titleHigh+margin
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" role="img" xml:space="preserve" aria-labelledby="title desc">
<title id="title">agent-worktree in a terminal</title>
<desc id="desc">A worktree is created and set up, refuses to be removed while it has an uncommitted change, is removed with its branch once that has landed, and is brought back.</desc>
<style>text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#d5dbe5}.cmd{fill:#fff;font-weight:600}.note{fill:#8b98ad}.good{fill:#7ee2a8}.bad{fill:#ff9d8f}.act{fill:#ffd479}</style>
<rect width="%d" height="%d" rx="9" fill="#1b2130"/>
<circle cx="20" cy="18" r="5.5" fill="#ff6159"/><circle cx="38" cy="18" r="5.5" fill="#ffbd2e"/><circle cx="56" cy="18" r="5.5" fill="#28c941"/>
`, width, height, width, width, height)
	class, y := "", titleHigh
	for _, line := range lines {
		if line == "" || !strings.HasPrefix(line, "\t") { // else it goes on
			class = classOf(line)
		}
		if y += lineHigh; strings.HasPrefix(line, "$ ") {
			y += gap
		}
		text := html.EscapeString(strings.TrimPrefix(line, "\t"))
		fmt.Fprintf(&b, "<text x=\"%d\" y=\"%d\"%s>%s</text>\n", margin, y-5, class, text)
	}
	return b.String() + "</svg>\n"
}

// classOf is how a line is coloured.
func classOf(line string) string {
	name := ""
	switch {
	case strings.HasPrefix(line, "$ "):
		name = "cmd"
	case strings.HasPrefix(line, "agent-worktree: "), strings.HasPrefix(line, "setup: "):
		name = "note"
	case strings.HasPrefix(line, "ok: true"), strings.HasPrefix(line, "  outcome: "):
		name = "good"
	case strings.HasPrefix(line, "ok: false"), strings.HasPrefix(line, "  code: "):
		name = "bad"
	case strings.HasPrefix(line, "  resolve: "):
		name = "act"
	default:
		return ""
	}
	return fmt.Sprintf(" class=%q", name)
}

// wrap cuts a long line between words; what goes on begins with a tab.
func wrap(line string) []string {
	var lines []string
	for first := true; ; first = false {
		room, lead := columns, ""
		if !first {
			room, lead = columns-4, "\t    "
		}
		if len(line) <= room {
			return append(lines, lead+line)
		}
		cut := strings.LastIndexByte(line[:room+1], ' ')
		if cut <= 0 {
			cut = room
		}
		lines = append(lines, lead+line[:cut])
		line = strings.TrimPrefix(line[cut:], " ")
	}
}
