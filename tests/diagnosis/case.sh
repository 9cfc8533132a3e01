#!/bin/sh
# case.sh DIR NAME WORD...: make a run, judge it, hold that to the truth
#
# NAME is SOURCE/CAUSE/SIZE/NOISE/SEED, the words are for the generator.
# DIR/NAME gets the run, its report, which is made as every report is, and one
# line on what came of it, result: alone, unless KEEP is set.  CASES is the file
# that has it.
set -u
dir=$1 name=$2
shift 2
at=$dir/$name
found=findings
case $name in
torch/*) generator=mkkineto records=torch ;;
jax/*) generator=mkxla records=trace ;;
executorch/*)
	generator=mketrun records=experiments
	found=findings-[pr][0-9]* ;;	# of the unit, a pair or a run
*) generator=mkmetal records='[cg]pu' ;;
esac
mkdir -p "$at" && $generator --out "$at" "$@" || exit 255
tp-report -j 1 -o "$at/out" "$at/trace" 2>"$at/err"
status=$?
if [ $status -ne 0 ] && [ $status -ne 3 ]; then
	echo "$name: no report, status $status" >&2
	cat "$at/err" >&2
	exit 255
fi
cat "$at"/out/$records.jsonl >"$at/records" || exit 255
jq -nc --arg name "$name" --slurpfile truth "$at/truth.json" \
    --slurpfile found "$at"/out/$found.jsonl \
    --slurpfile records "$at/records" --slurpfile cases "$CASES" \
    -f "$(dirname "$0")/judge.jq" >"$at/result" || exit 255
[ -n "${KEEP-}" ] || rm -rf "$at/trace" "$at/out" "$at/records"
