#!/bin/sh
# check.sh BUILD [rest]: run the tests and count them
#
# Unit tests, golden cases, rule tables and fuzz corpora are programs that
# print "ok ..." and "not ok ..." lines; the rest is bats.  All write TAP into
# BUILD/tap, two at a time.  The last lines say which CPU time they took and
# how many passed; the status is 1 when any failed.
#
# What takes long is left to "check.sh BUILD rest", make check-all, which runs
# that and nothing else: tests of bats with the tag "rest", and the "long" ones
# below.  What is left is said by name.  TP_ALL=1 leaves nothing out.
set -u
cd "$(dirname "$0")/.." || exit 2
TP_BUILD=$(cd "$1" && pwd) || exit 2
PATH=$TP_BUILD:$PATH
LC_ALL=C
# rules of whoever runs the tests are none of theirs
XDG_CONFIG_HOME=/nonexistent
export TP_BUILD PATH LC_ALL XDG_CONFIG_HOME
# A build folder that is not beside share/ must be told where that is.
if [ ! -e "$TP_BUILD/../share/tables" ]; then
	TP_SHARE=$PWD/share
	export TP_SHARE
fi
for program in bats jq awk; do
	command -v $program >/dev/null || {
		echo "check: no '$program'; run 'make deps'" >&2
		exit 2
	}
done

tap=$TP_BUILD/tap
rm -rf "$tap"
mkdir -p "$tap" || exit 2

# Whether FILE is left out with sanitizers: it proves scripts, words or
# judgements, which "make check" has done, and starts thousands of programs,
# each of which takes ten times as long.  TP_ALL=1 leaves nothing out.
same_with_san() {
	[ -z "${TP_ALL-}" ] || return 1
	case ${SAN:+$1} in
	*/artifacts.bats | */bench.bats | */cli.* | */compare*.bats | \
	*/docs.bats | */draw.bats | */executorch-report.bats | \
	*/export.bats | */fusion.bats | */html.bats | */install.bats | \
	*/intake.bats | */order.bats | */package.bats | */page.bats | \
	*/report.bats | */terminal.bats | */tracepipe.bats | \
	*/writing.bats | \
	*/scripts.sh | */diagnosis/run.sh)
		echo "ok $1 # skip not with SAN; make check has it" \
		    >"$tap/$(echo "$1" | tr / -).tap"
		return ;;
	esac
	return 1
}

# Whether PART has what is of "rest", or the others.
has() {
	[ "$part" = both ] || [ "$part" = "$1" ]
}

# long NAME COMMAND...: a test that takes long.
long() {
	if ! has rest; then
		echo "$1" >>"$tap/left"
		return
	fi
	same_with_san "$3" && return
	name=$1
	shift
	echo "$tap/$name.tap $*"
}

# bats_job FILE: its tests, of the part that is run.
bats_job() {
	same_with_san "$1" && return
	all=$(grep -c '^@test' "$1") rest=$(grep -c '^# bats test_tags=rest$' "$1")
	! grep -q '^# bats file_tags=rest$' "$1" || rest=$all
	[ "$part" != main ] || [ "$rest" -eq 0 ] ||
	    echo "$1 ($rest of $all)" >>"$tap/left"
	tags=
	case $part in
	main) [ "$rest" -lt "$all" ] || return
	    [ "$rest" -eq 0 ] || tags='--filter-tags !rest' ;;
	rest) [ "$rest" -gt 0 ] || return
	    [ "$rest" -eq "$all" ] || tags='--filter-tags rest' ;;
	esac
	echo "$tap/$(basename "$1").tap bats --tap $tags $1"
}

# The longest first, so that none is left alone at the end.
jobs() {
	long diagnosis sh tests/diagnosis/run.sh
	# a sample; "make check-faults" tries all
	long scripts sh tests/faults/scripts.sh -n 1
	long parsers-of-600-documents env TP_ALL=1 "$TP_BUILD/unit/test_parsers"
	long events-of-3000-traces env TP_ALL=1 "$TP_BUILD/unit/test_events"
	for f in tests/*.bats; do
		bats_job "$f"
	done
	has main || return
	same_with_san tests/cli.c || echo "$tap/cli.tap $TP_BUILD/cli $TP_BUILD"
	for f in tests/*/run.sh; do
		[ "$f" = tests/diagnosis/run.sh ] || same_with_san "$f" ||
		    echo "$tap/$(basename "$(dirname "$f")").tap sh $f"
	done
	for f in tests/golden/*.test; do
		f=${f##*/} f=${f%.test}
		echo "$tap/golden-$f.tap sh tests/golden.sh $TP_BUILD $f"
	done
	for f in "$TP_BUILD"/unit/*; do
		[ -x "$f" ] && echo "$tap/$(basename "$f").tap $f"
	done
}

part=${2-main}
left_to='make check-all'
[ -z "${SAN-}" ] || left_to='TP_ALL=1'
[ -z "${TP_ALL-}" ] || part=both
sh tests/golden.sh -x "$TP_BUILD" || exit 2
jobs | xargs -P "${JOBS:-2}" -L 1 sh tests/tap.sh
[ ! -e "$tap/left" ] || echo "left to $left_to: $(
    paste -s -d , "$tap/left" | sed 's:tests/::g; s:,:, :g')"
sh tests/summary.sh "$tap"
