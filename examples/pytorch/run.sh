#!/bin/sh
# Make the example trace and say how to report on it.
#
#	run.sh [FOLDER [OPTION...]]
#
# FOLDER/rank0.json is the trace; without FOLDER a temporary folder gets it.
# Options go to the generator (--seed N, --rank N, --steps N).  MKTORCH names
# the generator when it is not build/mktorch of the source tree.
set -eu

here=$(dirname "$0")
mktorch=${MKTORCH:-$here/../../build/mktorch}
if [ ! -x "$mktorch" ]; then
	echo "run.sh: no '$mktorch': run make first, or set MKTORCH" >&2
	exit 2
fi
if [ $# -gt 0 ]; then
	folder=$1
	shift
else
	folder=$(mktemp -d) || exit 4
fi
case $folder in
-*)	folder=./$folder ;;
esac
file=$("$mktorch" "$@" "$folder")
trace=$(printf '%s\n' "$file" | sed "s/'/'\\\\''/g")
echo "tp-report -o report '$trace'"
