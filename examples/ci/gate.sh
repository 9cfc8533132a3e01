#!/bin/sh
# Stop a job when a change made things slower.
#
#	gate.sh BEFORE AFTER
#
# Each is a folder of runs, a file of records (*.jsonl) each: BEFORE of the main
# branch, AFTER of the change.  Three runs a side tell a change of 5 % from
# noise of 1 %.  A file alone is one run, which tells less.  Exits 0 when no
# limit is exceeded, 1 when one is or a number is missing, more when something
# went wrong.  0 does not prove that nothing got slower: POWER=5 makes it 1 when
# a change of 5 % would be found in less than half of all cases.
# Leaves comparison.md, the same as a page with pictures in comparison.html,
# gate.xml (JUnit) and, with HISTORY=FILE, a line in it.
# On GitHub and Gitea the comparison also becomes the summary of the job.
set -u

if [ $# -ne 2 ]; then
	echo 'usage: gate.sh BEFORE AFTER' >&2
	exit 2
fi

# those of an earlier job on the same machine
rm -f comparison.md comparison.html gate.xml

tp-compare --before "$1" --after "$2" >comparison.jsonl &&
    tp-render compare comparison.jsonl >comparison.md || exit
if [ -n "${GITHUB_STEP_SUMMARY-}" ]; then
	cat comparison.md >>"$GITHUB_STEP_SUMMARY"
fi
tp-track ${GITHUB_ACTIONS:+--github} --junit gate.xml \
    ${HISTORY:+--history "$HISTORY"} ${LABEL:+--label "$LABEL"} \
    ${POWER:+--require-power "$POWER"} --before "$1" --after "$2" >gate.out
status=$?

# The page reads the runs one by one.  It is no part of the answer.
before=$1 after=$2
set --
for run in "$before" "$before"/*.jsonl; do
	[ ! -f "$run" ] || set -- "$@" --before "$run"
done
for run in "$after" "$after"/*.jsonl; do
	[ ! -f "$run" ] || set -- "$@" --after "$run"
done
tp-report -o comparison.html "$@" ||
	echo "gate.sh: tp-report, which makes comparison.html, exited with $?" >&2

if [ -n "${GITHUB_ACTIONS-}" ]; then
	cat gate.out
else
	tp-render track gate.out
fi
exit $status
