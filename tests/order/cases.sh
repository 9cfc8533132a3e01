#!/bin/sh
# cases.sh BUILD FORM SEED FILE/CASE...: golden cases in another order of input
#
# Runs the "cmd" of each case twice, with its files as they are and as
# shuffle.py gives them in FORM, and says which answers differ.  Answers are
# without what tells of the file itself: its source, which of the damaged rows
# was the first, that rows are out of order, first_uid, and the tables that
# keep the order of other analyses (op.table); blanks in lists are none of
# their text.  Cases whose order is information stand in "information" beside
# this, with the reason; they are not run.
set -u

build=$(cd "$1" && pwd) form=$2 seed=$3
shift 3
here=$(cd "$(dirname "$0")" && pwd)
PATH=$build:$PATH LC_ALL=C
export PATH LC_ALL
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT

answer() {
	(cd "$1" && exec sh "$build/want/$2/cmd") </dev/null 2>/dev/null
	echo "status $?"
}

plain() {
	grep -v -e '^{"kind":"source"' -e '^{"kind":"op.table"' \
	    -e '"code":"row.unordered"' -e '"code":"row.damaged"' \
	    -e '"code":"event.bad' -e '"trace_sha256"' |
	    sed 's/,"first_uid":[0-9]*//; s/, /,/g'
}

ran=0 failed=0
for case in "$@"; do
	name=${case#*/}
	grep -q "^$form $case	" "$here/information" && continue
	rm -rf "$tmp/a" "$tmp/b" && mkdir "$tmp/a" "$tmp/b" &&
	    cp -R "$build/cases/$case" "$tmp/a" &&
	    cp -R "$build/cases/$case" "$tmp/b" || exit 2
	n=0
	for f in $(cd "$tmp/a/$name" && find . -name '*.csv' -o -name '*.json' \
	    -o -name '*.xml'); do
		python3 -B "$here/shuffle.py" "$form" "$seed" "$tmp/a/$name/$f" \
		    >"$tmp/other" 2>/dev/null || continue
		cmp -s "$tmp/other" "$tmp/a/$name/$f" && continue
		cp "$tmp/other" "$tmp/b/$name/$f" && n=$((n + 1))
	done
	[ $n -gt 0 ] || continue
	ran=$((ran + 1))
	answer "$tmp/a/$name" "$case" | plain >"$tmp/want"
	answer "$tmp/b/$name" "$case" | plain >"$tmp/got"
	cmp -s "$tmp/want" "$tmp/got" && continue
	echo "# $form $seed $case differs"
	diff "$tmp/want" "$tmp/got" | cut -c 1-400 | head -n 6 | sed 's/^/# /'
	failed=$((failed + 1))
done
echo "$form: $ran cases, $failed differ"
[ $failed -eq 0 ]
