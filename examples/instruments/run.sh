#!/bin/sh
# Make the example trace and say how to report on it.
#
#	run.sh [FOLDER [OPTION...]]
#
# FOLDER gets flux_example/; without it a temporary folder does.  Options go
# to the generator (--format csv, --seed N, ...).  MKFLUX names the generator
# when it is not build/mkflux of the source tree.
set -eu

here=$(dirname "$0")
mkflux=${MKFLUX:-$here/../../build/mkflux}

if [ ! -x "$mkflux" ]; then
	echo "run.sh: no '$mkflux': run make first, or set MKFLUX" >&2
	exit 2
fi
if [ $# -gt 0 ]; then
	folder=$1
	shift
	mkdir -p -- "$folder" || exit 4
else
	folder=$(mktemp -d) || exit 4
fi
case $folder in
-*)	folder=./$folder ;;
esac
"$mkflux" "$@" "$folder"
trace=$(printf '%s\n' "$folder/flux_example" | sed "s/'/'\\\\''/g")
echo "tp-report '$trace'"
