#!/bin/sh
# Stop a job when a change made things slower.
#
#	gate.sh BEFORE AFTER
#
# Each is a folder of runs, a file of records (*.jsonl) each: BEFORE of the main
# branch, AFTER of the change.  Three runs a side tell a change of 5 % from
# noise of 1 %.  A file alone is one run, which tells less.  Exits 0 when all
# limits are kept, 1 when one is exceeded or when it cannot be told, more when
# something went wrong.
# Leaves gate.xml (JUnit), comparison.md and, with HISTORY=FILE, a line in it.
# On GitHub and Gitea the comparison also becomes the summary of the job.
set -u

if [ $# -ne 2 ]; then
	echo 'usage: gate.sh BEFORE AFTER' >&2
	exit 2
fi

tp-compare --before "$1" --after "$2" >comparison.jsonl &&
    tp-render compare comparison.jsonl >comparison.md || exit
if [ -n "${GITHUB_STEP_SUMMARY-}" ]; then
	cat comparison.md >>"$GITHUB_STEP_SUMMARY"
fi
tp-track ${GITHUB_ACTIONS:+--github} --junit gate.xml \
    ${HISTORY:+--history "$HISTORY"} ${LABEL:+--label "$LABEL"} \
    --before "$1" --after "$2"
