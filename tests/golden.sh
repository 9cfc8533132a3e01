#!/bin/sh
# golden.sh [-u | -x] BUILD [FILE | FILE/CASE]...: run golden cases; without
# operands, all
#
# tests/golden/FILE.test holds cases, each begun by a line "== CASE ==".  A line
# "-- NAME --" begins a file of the case, which ends at the next such line:
# "cmd" is run by sh; what it prints must be "out", what it says on standard
# error "err", its exit status "status" (absent: nothing, and 0).  Every other
# name is a file that is there when it runs.  "-- NAME, cut --" has no newline
# at its end; "-- NAME = FILE/CASE/NAME --" is a file of another case.  What is
# long, or no text, lies in the folder FILE/CASE beside FILE.test.
#
# Prints TAP itself: a test of bats for each costs nine times as much.  With -u
# the files get what their cases say now, and the difference is printed.  All
# that cases need is written to BUILD/cases/FILE/CASE first, "cmd" and what must
# come of it to BUILD/want/FILE/CASE; other tests read it there.  -x does just
# that.
#
# A case runs in a folder of its name: the src of several files is "CASE".
set -u

mode=run
case ${1-} in
-u | -x)
	mode=$1
	shift
	;;
esac
build=$(cd "$1" && pwd) || exit 2
shift
tests=$(cd "$(dirname "$0")" && pwd) || exit 2
LC_ALL=C
export LC_ALL
[ $# -gt 0 ] || set -- $(cd "$tests/golden" && ls ./*.test |
    sed 's:^[.]/::; s/[.]test$//')

# lay_out: write the files of every FILE.test below BUILD.
lay_out() {
	cd "$build" && rm -rf cases want && mkdir cases want || return
	find "$tests/golden" -mindepth 1 -maxdepth 1 -type d \
	    -exec cp -R {} cases \;
	awk -f "$tests/golden.awk" -v mode=folders "$tests"/golden/*.test |
	    tr '\n' '\0' | xargs -0 mkdir -p || return
	awk -f "$tests/golden.awk" -v mode=files "$tests"/golden/*.test |
	    while IFS='	' read -r name from; do
		cp "$from" "$name" || exit
	done && : >cases/.whole
}

[ -e "$build/cases/.whole" ] &&
    [ -z "$(find "$tests"/golden* -newer "$build/cases/.whole" | head -n 1)" ] ||
    (lay_out) || exit 2
[ $mode != -x ] || exit 0

PATH=$build:$PATH
LC_ALL=${TP_LOCALE-C}
# rules of whoever runs it are none of what a case has
XDG_CONFIG_HOME=/nonexistent
export PATH XDG_CONFIG_HOME
# A build folder that is not beside share/ must be told where that is; one
# that is finds it, and not what the shell of whoever runs this has set.
if [ -e "$build/../share/tables" ]; then
	unset TP_SHARE
else
	: "${TP_SHARE:=$tests/../share}"
	export TP_SHARE
fi
unset NO_COLOR TP_BLOCK TP_INFLATE TP_FAIL SOURCE_DATE_EPOCH
unset TP_MAX_BYTES TP_MAX_LINE TP_MAX_DEPTH TP_MAX_EXPAND
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT

# compare NAME: hold what a case printed to what it must.
compare() {
	[ -e "$want/$1" ] || [ -s "$got.$1" ] || return 0
	[ ! -e "$want/$1" ] || ! cmp -s "$want/$1" "$got.$1" || return 0
	result='not ok' failed=1
	[ -e "$want/$1" ] || : >"$want/$1"
	{
		echo "# $name: $1 differs"
		diff -u "$want/$1" "$got.$1" | sed 's/^/# /'
	} >>"$got.said"
}

# run FILE/CASE: print what came of it.
run() {
	name=$1
	want=$tmp/want/$1 got=$tmp/got/${1#*/}
	(cd "$tmp/cases/$1" && exec sh "$want/cmd") \
	    </dev/null >"$got.out" 2>"$got.err"
	status=$?
	: >"$got.status"
	[ $status -eq 0 ] || echo $status >"$got.status"
	[ $mode = run ] || return
	result=ok
	compare out
	compare err
	compare status
	echo "$result $1"
	[ "$result" = ok ] || cat "$got.said"
}

# update FILE: write what was got into FILE.test; print the difference.
update() {
	for got in "$tmp"/got/*.out "$tmp"/got/*.err; do
		[ -z "$(tail -c 1 "$got")" ] || : >"$got.cut"
	done
	(cd "$tmp" && awk -f "$tests/golden.awk" -v mode=update \
	    "$tests/golden/$1.test") >"$tmp/new" || return
	diff -u "$tests/golden/$1.test" "$tmp/new" ||
	    cp "$tmp/new" "$tests/golden/$1.test"
}

failed=0
for given; do
	rm -rf "$tmp/cases" "$tmp/want" "$tmp/got"
	file=${given%%/*}
	mkdir "$tmp/cases" "$tmp/want" "$tmp/got" || exit 2
	case $given in
	*/*) mkdir "$tmp/cases/$file" "$tmp/want/$file" ;;
	esac
	cp -R "$build/cases/$given" "$tmp/cases/${given%"${given#*/}"}" &&
	    cp -R "$build/want/$given" "$tmp/want/${given%"${given#*/}"}" ||
	    exit 2
	case $given in
	*/*) run "$given" ;;
	*)
		for each in "$tmp/cases/$file"/*; do
			run "$file/${each##*/}"
		done
		;;
	esac
	[ $mode = run ] || update "$file" || exit
done
[ $mode = run ] || (lay_out)
exit $failed
