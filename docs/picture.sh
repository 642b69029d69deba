#!/bin/sh
# The run that the README shows. The test TestDocsPicture runs it in an empty home, with the
# tools on PATH, and draws what it prints: make docs writes docs/picture.svg.
set -eu

git config --global user.name dev
git config --global user.email dev@example.com
git config --global init.defaultBranch main
git init -q --bare origin.git
git clone -q origin.git shop 2>/dev/null
cd shop
mkdir .worktree-hooks
cat >.worktree-hooks/setup <<'EOF'
#!/bin/sh
echo "setup: shop of $WORKTREE_NAME on port $WORKTREE_PORT"
EOF
chmod +x .worktree-hooks/setup
echo 10 >.worktree-hooks/ports
echo 'round down' >price.txt
git add .
git commit -qm 'shop'
git push -qu origin HEAD

show() {
	printf '$ %s\n' "$*"
	eval "$*" 2>&1 || true
}

show agent-worktree create fix-rounding
show 'cd "$(agent-worktree path --plain fix-rounding)"'
show "echo 'round half up' >price.txt"
show agent-worktree remove fix-rounding
show "git commit -qam 'Round half up' && git push -q origin HEAD:main"
show 'cd ~/shop'
show agent-worktree remove fix-rounding
show agent-worktree restore fix-rounding
