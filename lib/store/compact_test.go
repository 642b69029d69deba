package store

import (
	"slices"
	"testing"
)

func TestCompact(t *testing.T) {
	whole := []string{"a", "d/b", "d/e/c", "d/e/f", "g/h"}
	tests := []struct{ set, want []string }{
		{whole, []string{"./"}},
		{nil, nil},
		{[]string{"a", "d/b", "d/e/c", "d/e/f"}, []string{"a", "d/"}},
		{[]string{"d/e/c", "d/e/f", "g/h"}, []string{"d/e/", "g/"}},
		{[]string{"d/e/c"}, []string{"d/e/c"}},
	}
	for _, test := range tests {
		got := Compact(test.set, whole)
		if !slices.Equal(got, test.want) {
			t.Errorf("Compact(%q) = %q; want %q", test.set, got, test.want)
		}
		within := Within(got)
		for _, file := range whole {
			if within(file) != slices.Contains(test.set, file) {
				t.Errorf("Within(%q)(%s) = %v", got, file, within(file))
			}
		}
	}
}
