#!/bin/sh
# Make the example traces and say how to report on them.
#
#	run.sh [FOLDER [OPTION...]]
#
# FOLDER/rank0.json and rank1.json are the traces of two ranks; the same on
# another platform are in FOLDER/other.  Without FOLDER a temporary folder gets
# them.  Options go to the generator (--seed N, --steps N).  MKTORCH names
# the generator when it is not build/mktorch of the source tree.
set -eu

here=$(dirname "$0")
variable=MKTORCH generator=${MKTORCH:-$here/../../build/mktorch}
. "$here/../folder.sh"

"$generator" "$@" "$folder" >/dev/null
"$generator" --platform 2 "$@" "$folder/other" >/dev/null
one=$(quote "$folder/rank0.json")
cat <<END
tp-report -o report $one
tp-report $one $(quote "$folder/rank1.json") >ranks.md
tp-report --compare $one $(quote "$folder/other/rank0.json") >comparison.md
END
