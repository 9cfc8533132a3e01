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
variable=MKJAX generator=${MKJAX:-$here/../../build/mkjax}
pack=no
if [ "${1-}" = --gzip ]; then
	pack=yes
	shift
fi
. "$here/../folder.sh"

file=$("$generator" "$@" "$folder/jax_example")
if [ $pack = yes ]; then
	gzip -9nf "$file"
fi
echo "tp-report --platform \"TPU v6e\" $(quote "$folder/jax_example")"
