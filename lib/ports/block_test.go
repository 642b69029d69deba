package ports

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestUnits(t *testing.T) {
	for n, want := range map[int]int{1: 1, 9: 1, 10: 1, 11: 2, 20: 2, 21: 3, 1000: 100} {
		if got := Units(n); got != want {
			t.Errorf("Units(%d) = %d; want %d", n, got, want)
		}
	}
}

func TestBlockString(t *testing.T) {
	tests := []struct {
		block Block
		want  string
		first int
	}{
		{nil, "", 0},
		{Block{24000}, "24000-24009", 24000},
		{Block{24010, 24020, 24030}, "24010-24039", 24010},
		{Block{24000, 24020}, "24000-24009,24020-24029", 24000},
		{Block{24000, 24010, 24980, 24990}, "24000-24019,24980-24999", 24000},
	}
	for _, test := range tests {
		if got := test.block.String(); got != test.want {
			t.Errorf("%v.String() = %q; want %q", []int(test.block), got, test.want)
		}
		if got := test.block.First(); got != test.first {
			t.Errorf("%v.First() = %d; want %d", []int(test.block), got, test.first)
		}
	}
}

// TestBlockProperties reads what String prints back and compares OneRunOf with arithmetic.
func TestBlockProperties(t *testing.T) {
	for range 2000 {
		block := randomBlock()
		if got := parseBlock(t, block.String()); !slices.Equal(got, block) {
			t.Fatalf("parse(%v.String()) = %v; want the block", []int(block), []int(got))
		}
		for units := range 5 {
			want := len(block) == units && units > 0 &&
				block[units-1]-block[0] == (units-1)*UnitSize
			if got := block.OneRunOf(units); got != want {
				t.Fatalf("%v.OneRunOf(%d) = %v; want %v", []int(block), units, got, want)
			}
		}
	}
}

// randomBlock is often short and dense, where runs and gaps both occur.
func randomBlock() Block {
	var block Block
	span := 1 + rand.IntN(unitCount)
	for range rand.IntN(6) {
		unit := First + rand.IntN(span)*UnitSize
		if !slices.Contains(block, unit) {
			block = append(block, unit)
		}
	}
	slices.Sort(block)
	return block
}

func parseBlock(t *testing.T, text string) Block {
	var block Block
	if text == "" {
		return nil
	}
	for _, run := range strings.Split(text, ",") {
		low, high, _ := strings.Cut(run, "-")
		first, err1 := strconv.Atoi(low)
		last, err2 := strconv.Atoi(high)
		if err1 != nil || err2 != nil || last < first {
			t.Fatalf("String() = %q; want <first>-<last> joined by commas", text)
		}
		for unit := first; unit < last; unit += UnitSize {
			block = append(block, unit)
		}
	}
	return block
}
