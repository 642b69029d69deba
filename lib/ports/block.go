package ports

import (
	"slices"
	"strconv"
	"strings"
)

// The range that blocks are cut from. It lies below the ephemeral ports of Linux and macOS, so
// the system hands none of them to an outgoing connection by default.
const (
	First    = 24000 // the lowest port handed out
	Last     = 24999 // the highest port handed out
	UnitSize = 10    // ports in one unit; a unit starts at a multiple of it

	unitCount = (Last - First + 1) / UnitSize
)

// A Block is the units one worktree holds: the first port of each, ascending. It is one run of
// neighbours as claimed; a hand that deletes claims can leave it as several.
type Block []int

// Units returns how many units a request for n ports takes.
func Units(n int) int {
	return (n + UnitSize - 1) / UnitSize
}

// First returns the block's lowest port, 0 for an empty block.
func (b Block) First() int {
	if len(b) == 0 {
		return 0
	}
	return b[0]
}

// OneRunOf reports whether b is exactly that many units, one after the other.
func (b Block) OneRunOf(units int) bool {
	if len(b) != units || units == 0 {
		return false
	}
	return len(b.runs()) == 1
}

// String shows each run as <first port>-<last port>, joined by commas: "24000-24019,24040-24049".
// An empty block is "".
func (b Block) String() string {
	var text []string
	for _, run := range b.runs() {
		last := run[len(run)-1] + UnitSize - 1
		text = append(text, strconv.Itoa(run[0])+"-"+strconv.Itoa(last))
	}
	return strings.Join(text, ",")
}

// runs cuts b wherever a unit is not the next one's neighbour.
func (b Block) runs() []Block {
	var runs []Block
	start := 0
	for i := range b {
		if i+1 == len(b) || b[i+1] != b[i]+UnitSize {
			runs = append(runs, b[start:i+1])
			start = i + 1
		}
	}
	return runs
}

// without returns b's units that are not in other.
func (b Block) without(other Block) Block {
	var rest Block
	for _, unit := range b {
		if !slices.Contains(other, unit) {
			rest = append(rest, unit)
		}
	}
	return rest
}
