#!/bin/sh
# Records of many ranks by GNU parallel, and what they say together.
#
#	parallel.sh LABEL NAMES OUTPUT [HOSTS]
#
# NAMES has the path of a trace in each line.  HOSTS is for --sshloginfile: each
# of them has tp-trace and the traces, under the same paths.  RANKS is how many
# a process reads (8).  Leaves OUTPUT, and in OUTPUT.ranks what it was made of.
# Exits 0, 3 when a trace is damaged or missing among them, more when one could
# not be read.
set -eu

if [ $# -lt 3 ] || [ $# -gt 4 ]; then
	echo 'usage: parallel.sh LABEL NAMES OUTPUT [HOSTS]' >&2
	exit 2
fi
label=$1 names=$2 output=$3 here=$PWD
if [ $# -eq 4 ]; then
	set -- --sshloginfile "$4"
else
	set --
fi
export here label
# that of an earlier job
rm -f "$output"
count=$(awk 'NF { n++ } END { print n + 0 }' <"$names")

# Names are what the processes read, never words of a shell; the label and this
# folder are variables of theirs.
parallel --pipe -N "${RANKS:-8}" --env here --env label "$@" \
    'cd "$here" && tp-trace -q --ranks --only @ranks --label "$label" \
    --ok 3 --files-from -' \
    <"$names" >"$output.ranks" || {
	echo "parallel.sh: parallel exited with $?" >&2
	exit 4
}
exec tp-ranks --expect "$count" -o "$output" "$output.ranks"
