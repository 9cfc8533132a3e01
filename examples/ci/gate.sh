#!/bin/sh
# Stop a job when a change made things slower.
#
#	gate.sh BEFORE AFTER
#
# Each is a file of records (or a profile_summary.v1 document): BEFORE of the
# main branch, AFTER of the change.  Exits 0 when all limits are kept, 1 when
# one is passed or when it cannot be told, more when something went wrong.
# Leaves gate.xml (JUnit), comparison.md and, with HISTORY=FILE, a line in it.
# On GitHub and Gitea the comparison also becomes the summary of the job.
set -u

if [ $# -ne 2 ]; then
	echo 'usage: gate.sh BEFORE AFTER' >&2
	exit 2
fi

tp-report --compare "$1" "$2" >comparison.md || exit
if [ -n "${GITHUB_STEP_SUMMARY-}" ]; then
	cat comparison.md >>"$GITHUB_STEP_SUMMARY"
fi
tp-track ${GITHUB_ACTIONS:+--github} --junit gate.xml \
    ${HISTORY:+--history "$HISTORY"} ${LABEL:+--label "$LABEL"} "$1" "$2"
