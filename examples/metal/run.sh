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
variable=MKFLUX generator=${MKFLUX:-$here/../../build/mkflux}
. "$here/../folder.sh"

"$generator" "$@" "$folder"
echo "tp-report $(quote "$folder/flux_example")"
