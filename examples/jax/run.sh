#!/bin/sh
# Make the example capture and say how to report on it.
#
#	run.sh [--gzip] [FOLDER [OPTION...]]
#
# FOLDER/jax_example gets the capture; without FOLDER a temporary folder does.
# --gzip packs the trace, as the profiler does.  Options go to the generator
# (--no-steps, --seed N, --steps N).  MKJAX names the generator when it is not
# build/mkjax of the source tree.
set -eu

here=$(dirname "$0")
mkjax=${MKJAX:-$here/../../build/mkjax}
pack=no

if [ ! -x "$mkjax" ]; then
	echo "run.sh: no '$mkjax': run make first, or set MKJAX" >&2
	exit 2
fi
if [ "${1-}" = --gzip ]; then
	pack=yes
	shift
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
file=$("$mkjax" "$@" "$folder/jax_example")
if [ $pack = yes ]; then
	gzip -9nf "$file"
fi
trace=$(printf '%s\n' "$folder/jax_example" | sed "s/'/'\\\\''/g")
echo "tp-report '$trace'"
