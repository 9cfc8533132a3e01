#!/bin/sh
# corpus.sh BUILD SHARED: captures as people publish them
#
# Reports each file of SHARED/data/corpus and prints its status, the seconds it
# took and the line that says what it is.  tests/corpus.tsv says which status a
# file has and which facts (selectors of tp-query and their values) must be in
# its records: they were read from the raw files by other programs.  A file
# that the table does not name must end with status 0 or say on standard error
# what it is.  The last line counts; status 1 when anything differs.
set -u
PATH=$(cd "$1" && pwd):$PATH
export PATH
corpus=$2/data/corpus
table=$(cd "$(dirname "$0")" && pwd)/corpus.tsv
if [ ! -d "$corpus" ]; then
	echo "ok # skip no $corpus"
	echo "0 passed, 0 failed, 1 skipped"
	exit 0
fi
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
passed=0 failed=0

wrong() {
	echo "not ok $name: $1"
	good=no
}

for file in $(cd "$corpus" && find . -type f | sed 's|^\./||' | LC_ALL=C sort); do
	name=$file good=yes
	began=$(date +%s%N)
	tp-report --no-pager "$corpus/$file" >"$tmp/report" 2>"$tmp/err"
	status=$?
	ended=$(date +%s%N)
	first=$(grep -m1 -E '^(- )?[*][*]' "$tmp/report")
	[ -n "$first" ] || first=$(head -n 1 "$tmp/err")
	printf '%s\t%d\t%d ms\t%s\n' "$file" $status \
	    $(((ended - began) / 1000000)) "$first"
	row=$(awk -F '\t' -v f="$file" '$1 == f { print; exit }' "$table")
	want=$(printf '%s\n' "$row" | cut -f 2)
	if [ -n "$row" ]; then
		[ "$status" = "$want" ] || wrong "status $status, not $want"
		tp-report --records "$corpus/$file" >"$tmp/records" 2>/dev/null
		for fact in $(printf '%s\n' "$row" | cut -f 3); do
			got=$(tp-query -r "${fact%=*}" "$tmp/records" 2>&1)
			[ "$got" = "${fact##*=}" ] ||
			    wrong "${fact%=*} is $got, not ${fact##*=}"
		done
	elif [ $status -ne 0 ] && ! grep -q "^tp-report: " "$tmp/err"; then
		wrong "status $status without a message"
	fi
	[ -n "$first" ] || wrong "no line says what it is"
	if [ $good = yes ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
	fi
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
