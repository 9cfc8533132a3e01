# A repository for the jobs of examples/ci: its last two commits are the main
# branch and a change that is slower.

make_repository() {	# FOLDER
	local C=$TP_ROOT/examples/ci
	git init -q "$1"
	cp "$C/gate.sh" "$1"
	printf '#!/bin/sh\ncp "recorded/${1##*/}" "$1"\n' >"$1/record.sh"
	chmod +x "$1/record.sh"
	for side in main change; do
		rm -rf "$1/recorded"
		cp -R "$C/$side" "$1/recorded"
		git -C "$1" add -A
		git -C "$1" -c user.name=t -c user.email=t@example.org \
		    commit -q -m "$side"
	done
}

# job NAME FROM TO FOLDER: the job of examples/ci/NAME.yml for a change from
# commit FROM to commit TO of "repository"
job() {
	ruby "$TP_ROOT/tests/job.rb" "$TP_ROOT/examples/ci/$1.yml" \
	    "$PWD/repository" "$(git -C repository rev-parse "$2")" \
	    "$(git -C repository rev-parse "$3")" "$4"
}

needs_ruby() {
	skip_unless git
	skip_unless ruby
	ruby -ryaml -e '' 2>/dev/null || skip 'no yaml of ruby'
}
