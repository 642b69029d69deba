package git

import (
	"context"
	"slices"
	"strings"
)

// asIs keeps replacement refs and grafts out of a judgement: they change what this
// clone shows, and nothing of what the remote holds.
var asIs = []string{"GIT_NO_REPLACE_OBJECTS=1", "GIT_GRAFT_FILE=/dev/null"}

// walk is one rev-list over what its standard input names. --stdin comes last: git reads
// the input when it meets that, by the options before it alone.
func (r *Repo) walk(ctx context.Context, in []string, args ...string) ([]string, error) {
	answer, err := r.Run(ctx, Call{Dir: r.Primary, Env: asIs, Stdin: []byte(strings.Join(in, "\n") + "\n"),
		Args: Quiet(append(append([]string{"rev-list"}, args...), "--stdin")...)})
	return answer.Lines(), err
}

// Beyond are the commits that tips reach and none of without does, each with its
// parents. Empty strings in without are left out.
func (r *Repo) Beyond(ctx context.Context, tips []string, without ...string) (map[string][]string, error) {
	lines, err := r.walk(ctx, revisions(tips, without), "--parents")
	if err != nil {
		return nil, err
	}
	graph := make(map[string][]string, len(lines))
	for _, line := range lines {
		ids := strings.Fields(line)
		graph[ids[0]] = ids[1:]
	}
	return graph, nil
}

func revisions(tips, without []string) []string {
	in := append([]string{}, tips...)
	for _, id := range without {
		if id != "" {
			in = append(in, "^"+id)
		}
	}
	return in
}

// Holds tells whether a ref of this clone reaches the commit, which means that all of
// it is here. A commit that is here and hangs from no ref may lack its trees, as after
// a fetch that was killed; it is not held, and neither is one git cannot answer about.
func (r *Repo) Holds(ctx context.Context, commit string) bool {
	answer, err := r.Run(ctx, Call{Dir: r.Primary, Env: asIs,
		Args: Quiet("rev-list", "--max-count=1", commit, "--not", "--all")})
	return err == nil && len(answer.Stdout) == 0
}

// Here are those of the commits whose objects this clone has.
func (r *Repo) Here(ctx context.Context, ids []string) (map[string]bool, error) {
	lines, err := r.walk(ctx, ids, "--no-walk", "--ignore-missing")
	here := make(map[string]bool, len(lines))
	for _, id := range lines {
		here[id] = true
	}
	return here, err
}

// A Kin tells how the commits that it was asked for are related.
type Kin struct {
	root  string // all of them reach it, "" when there is none
	graph map[string][]string
}

// Kin walks the commits back to the best one that all of them reach, in two calls.
func (r *Repo) Kin(ctx context.Context, ids []string) (k Kin, err error) {
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	if len(ids) < 2 {
		return Kin{root: strings.Join(ids, "")}, nil
	}
	if k.root, err = r.CommonBase(ctx, ids...); err == nil {
		k.graph, err = r.Beyond(ctx, ids, k.root)
	}
	return k, err
}

// Reaches tells whether the history of from holds to, itself included. What the walk left
// out cannot lie between them: it is older than the root, and to is not, or is the root.
func (k Kin) Reaches(from, to string) bool {
	if from == to || to == k.root {
		return true
	}
	seen, open := map[string]bool{from: true}, []string{from}
	for len(open) > 0 {
		at := open[len(open)-1]
		open = open[:len(open)-1]
		for _, parent := range k.graph[at] {
			if parent == to {
				return true
			}
			if !seen[parent] {
				seen[parent] = true
				open = append(open, parent)
			}
		}
	}
	return false
}

// OnLine tells whether to is on the first-parent line of from, from itself included.
func (k Kin) OnLine(from, to string) bool {
	for at := from; at != to; at = k.graph[at][0] {
		if len(k.graph[at]) == 0 {
			return false
		}
	}
	return true
}

// Ancestor tells whether the commit to reaches from, with the clone's replacements
// left out. A commit that is not here is an error.
func (r *Repo) Ancestor(ctx context.Context, from, to string) (bool, error) {
	answer, err := r.Run(ctx, Call{Dir: r.Primary, Env: asIs, OK: []int{1},
		Args: Quiet("merge-base", "--is-ancestor", from, to)})
	return err == nil && answer.Status == 0, err
}

// CommonBase is the best commit that all the commits reach, "" when there is none.
func (r *Repo) CommonBase(ctx context.Context, ids ...string) (string, error) {
	answer, err := r.Run(ctx, Call{Dir: r.Primary, Env: asIs, OK: []int{1},
		Args: Quiet(append([]string{"merge-base", "--octopus"}, ids...)...)})
	if err != nil || answer.Status == 1 || len(answer.Lines()) == 0 {
		return "", err
	}
	return answer.Lines()[0], nil
}

// PlainBase is MergeBase with the clone's replacements left out.
func (r *Repo) PlainBase(ctx context.Context, a, b string) (string, error) {
	answer, err := r.Run(ctx, Call{Dir: r.Primary, Env: asIs, OK: []int{1}, Args: Quiet("merge-base", a, b)})
	if err != nil || answer.Status == 1 {
		return "", err
	}
	return answer.Text(), nil
}
