package refuse

// Code names one kind of refusal or fault in an error's envelope. A code never
// changes its meaning, since scripts and agents branch on it.
type Code string

// Names, places and repositories.
const (
	// InvalidName: the worktree name is no single path segment that git takes as
	// a branch name, or is one of the words kept for git.
	InvalidName Code = "invalid_name"
	// CaseCollision: the name differs only in case from a worktree, a directory
	// of the store or a branch that exists.
	CaseCollision Code = "case_collision"
	// UnsupportedLayout: the checkout's git directory is not a plain .git
	// directory inside the primary checkout.
	UnsupportedLayout Code = "unsupported_layout"
	// NotACheckout: the working directory is in no git checkout, or is gone.
	NotACheckout Code = "not_a_checkout"
	// NotAManagedCheckout: init ran neither in the primary checkout nor in a
	// registered worktree.
	NotAManagedCheckout Code = "not_a_managed_checkout"
	// UnsafeStore: a level of the data directory is not a real directory of the
	// caller's that only the caller can write.
	UnsafeStore Code = "unsafe_store"
	// UnsupportedPlatform: this system is neither Linux nor macOS.
	UnsupportedPlatform Code = "unsupported_platform"
	// InvalidConfig: a git configuration key of this tool's has a value that it
	// cannot mean.
	InvalidConfig Code = "invalid_config"
	// InHook: a project hook called the tool on the worktree it runs for.
	InHook Code = "in_hook"
)

// Branches and commits.
const (
	// UnknownRef: --from names no commit in the checkout create runs in.
	UnknownRef Code = "unknown_ref"
	// BranchExists: --from was given and the branch to cut exists already.
	BranchExists Code = "branch_exists"
	// UnknownBranch: --branch names no branch and no --from says where to cut it.
	UnknownBranch Code = "unknown_branch"
	// InvalidBranch: git or this tool does not take --branch as a branch name.
	InvalidBranch Code = "invalid_branch"
	// CheckedOut: the branch is checked out in another worktree.
	CheckedOut Code = "checked_out"
	// RefConflict: the branch cannot be made since another ref is in its way, as
	// feat is in the way of feat/x.
	RefConflict Code = "ref_conflict"
	// NoCommits: the repository has no commit to cut a branch from.
	NoCommits Code = "no_commits"
	// RemoteUnreachable: the remote to cut a branch from cannot be asked.
	RemoteUnreachable Code = "remote_unreachable"
)

// The state that a worktree is in.
const (
	// NotRegistered: no worktree of that name is registered.
	NotRegistered Code = "not_registered"
	// Unmanaged: what stands at the worktree's place was not put there by us.
	Unmanaged Code = "unmanaged"
	// Orphaned: the worktree is registered and its directory is gone.
	Orphaned Code = "orphaned"
	// NotAWorktree: the worktree is registered and there, and git lists it not.
	NotAWorktree Code = "not_a_worktree"
	// Unreachable: the worktree's directory and its parent are missing, as on an
	// unmounted disk, or another repository's directory stands there.
	Unreachable Code = "unreachable"
	// LegacyLocation: the worktree is where earlier releases kept worktrees.
	LegacyLocation Code = "legacy_location"
	// PrimaryCopied: the clone is a copy, and the worktree is the original's.
	PrimaryCopied Code = "primary_copied"
	// PrimaryMoved: the clone was moved since the worktree was made.
	PrimaryMoved Code = "primary_moved"
)

// What keeps a worktree from being removed, and from coming back.
const (
	// Dirty: the worktree has changed, staged, untracked or hidden edits, or an
	// operation such as a rebase is under way in it.
	Dirty Code = "dirty"
	// Submodules: the worktree contains submodules.
	Submodules Code = "submodules"
	// Locked: git worktree lock holds the worktree.
	Locked Code = "locked"
	// NestedRepository: an ignored path holds a repository with work of its own.
	NestedRepository Code = "nested_repository"
	// NestedWorktree: another worktree lies inside this one.
	NestedWorktree Code = "nested_worktree"
	// MountInside: the worktree is a mount point or contains one.
	MountInside Code = "mount_inside"
	// NotDeletable: the worktree's directory cannot be renamed away.
	NotDeletable Code = "not_deletable"
	// ArchiveFailed: a file that the keep hook names could not be archived.
	ArchiveFailed Code = "archive_failed"
	// TeardownFailed: the teardown hook failed, so the worktree was kept.
	TeardownFailed Code = "teardown_failed"
	// RemovalsFailed: prune, or remove from standard input, kept at least one
	// worktree that it should have removed.
	RemovalsFailed Code = "removals_failed"
	// Exists: restore found the name taken.
	Exists Code = "exists"
	// NotRemoved: restore found nothing of that name to bring back.
	NotRemoved Code = "not_removed"
)

// Setup, hooks and ports.
const (
	// SetupFailed: the setup hook failed; the worktree is pending.
	SetupFailed Code = "setup_failed"
	// CreatesFailed: create from standard input failed for at least one name.
	CreatesFailed Code = "creates_failed"
	// HookNotExecutable: a setup or teardown hook exists and is not executable.
	HookNotExecutable Code = "hook_not_executable"
	// HookUnrunnable: a hook is executable and cannot be started.
	HookUnrunnable Code = "hook_unrunnable"
	// HookUnwritable: something stands where install would write a hook.
	HookUnwritable Code = "hook_unwritable"
	// UntrustedHook: agent-worktree.trust is strict and nobody trusted the hook.
	UntrustedHook Code = "untrusted_hook"
	// InvalidPorts: the ports hook holds no whole number from 1 to 1000.
	InvalidPorts Code = "invalid_ports"
	// NoFreePorts: no free block of ports of the size the project asks for.
	NoFreePorts Code = "no_free_ports"
)

// The command line, and Claude Code's events.
const (
	// Usage: the command line is wrong. It alone exits 2.
	Usage Code = "usage"
	// ToolNotInstalled: the dispatcher knows the verb and finds no tool for it.
	ToolNotInstalled Code = "tool_not_installed"
	// HookInput: standard input is no JSON object with the event's fields.
	HookInput Code = "hook_input"
	// HookEvent: the event is neither WorktreeCreate nor WorktreeRemove.
	HookEvent Code = "hook_event"
	// ForeignPath: the path to remove is none of this project's worktrees.
	ForeignPath Code = "foreign_path"
)

// Faults.
const (
	// GitFailed: git ended in a way that no rule foresees. Meta: args, exit,
	// stderr.
	GitFailed Code = "git_failed"
	// LedgerCorrupt: a ledger file is no JSON object. Meta: file.
	LedgerCorrupt Code = "ledger_corrupt"
	// Internal: anything else, which is a defect here or in the system.
	Internal Code = "internal"
)
