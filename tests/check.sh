#!/bin/sh
# check.sh BUILD: run every test and count them
#
# Unit tests, golden cases, rule tables and fuzz corpora are programs that
# print "ok ..." and "not ok ..." lines; the rest is bats.  All write TAP into
# BUILD/tap, two at a time.  The last line says how many passed; the status is 1
# when any failed.
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
	*/artifacts.bats | */bench.bats | */cli.bats | */docs.bats | \
	*/draw.bats | */executorch-report.bats | */export.bats | */html.bats | \
	*/install.bats | */intake.bats | */order.bats | */package.bats | */page.bats | \
	*/report.bats | */terminal.bats | */tracepipe.bats | */writing.bats | \
	*/scripts.sh | */diagnosis/run.sh)
		echo "ok $1 # skip not with SAN; make check has it" \
		    >"$tap/$(echo "$1" | tr / -).tap"
		return ;;
	esac
	return 1
}

# The longest first, so that none is left alone at the end.
jobs() {
	for f in tests/*/run.sh; do
		same_with_san "$f" ||
		    echo "$tap/$(basename "$(dirname "$f")").tap sh $f"
	done
	# a sample; "make check-faults" tries all
	same_with_san tests/faults/scripts.sh ||
	    echo "$tap/scripts.tap sh tests/faults/scripts.sh -n 1"
	for f in tests/*.bats; do
		same_with_san "$f" ||
		    echo "$tap/$(basename "$f").tap bats --tap $f"
	done
	for f in tests/golden/*.test; do
		f=${f##*/} f=${f%.test}
		echo "$tap/golden-$f.tap sh tests/golden.sh $TP_BUILD $f"
	done
	for f in "$TP_BUILD"/unit/*; do
		[ -x "$f" ] && echo "$tap/$(basename "$f").tap $f"
	done
}

sh tests/golden.sh -x "$TP_BUILD" || exit 2
jobs | xargs -P "${JOBS:-2}" -L 1 sh tests/tap.sh
sh tests/summary.sh "$tap"
