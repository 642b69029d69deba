//go:build !unix

package settle

// alive cannot be asked here: every process counts as living.
func alive(int) bool { return true }
