#!/bin/sh
# golden.sh [-u] BUILD CASE...: run golden cases, or with -u rewrite them
#
# Prints TAP itself: a test of bats for each costs nine times as much.
#
# A case is a folder tests/golden/TOOL/CASE.  Its "cmd" is run by sh in a
# fresh copy of the folder; what it prints must be "out", what it says on
# standard error "err", its exit status "status".  Absent means empty, and 0.
# The copy is called as the case is: the src of several files is "CASE".
set -u

update=no
if [ "${1-}" = -u ]; then
	update=yes
	shift
fi
build=$(cd "$1" && pwd) || exit 2
shift
PATH=$build:$PATH
LC_ALL=${TP_LOCALE-C}
# rules of whoever runs it are none of what a case has
XDG_CONFIG_HOME=/nonexistent
export PATH LC_ALL XDG_CONFIG_HOME
# A build folder that is not beside share/ must be told where that is; one
# that is finds it, and not what the shell of whoever runs this has set.
if [ -e "$build/../share/tables" ]; then
	unset TP_SHARE
else
	: "${TP_SHARE:=$(cd "$(dirname "$0")/.." && pwd)/share}"
	export TP_SHARE
fi
unset NO_COLOR TP_BLOCK TP_INFLATE TP_FAIL SOURCE_DATE_EPOCH
unset TP_MAX_BYTES TP_MAX_LINE TP_MAX_DEPTH TP_MAX_EXPAND
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT

# compare CASE NAME: hold what was got to what the case has.
compare() {
	want=$1/$2
	[ -e "$want" ] || want=/dev/null
	cmp -s "$want" "$tmp/$2" && return 0
	if [ $update = no ]; then
		echo "# $1: $2 differs"
		diff -u "$want" "$tmp/$2" | sed 's/^/# /'
		return 1
	fi
	if [ -s "$tmp/$2" ]; then
		cp "$tmp/$2" "$1/$2"
	else
		rm -f "$1/$2"
	fi
	echo "updated $1/$2"
}

failed=0
for case in "$@"; do
	copy=$tmp/copy/$(basename "$case")
	rm -rf "$tmp/copy"
	mkdir "$tmp/copy" && cp -R "$case" "$copy" || exit 2
	rm -f "$copy/out" "$copy/err" "$copy/status"
	mv "$copy/cmd" "$tmp/cmd" || exit 2
	(cd "$copy" && exec sh "$tmp/cmd") \
	    </dev/null >"$tmp/out" 2>"$tmp/err"
	status=$?
	: >"$tmp/status"
	[ $status -eq 0 ] || echo $status >"$tmp/status"
	result=ok
	for part in out err status; do
		compare "$case" $part || result='not ok' failed=1
	done >"$tmp/said"
	[ $update = yes ] || echo "$result ${case#tests/golden/}"
	cat "$tmp/said"
done
exit $failed
