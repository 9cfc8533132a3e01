#!/bin/sh
# Make the example traces and say how to compare them: two, of a mode each, and
# one with both.
#
#	run.sh [FOLDER [OPTION...]]
#
# FOLDER gets eager/, compiled/, both/ and times.txt; without it a temporary folder
# does.  Options go to the generator (--seed N).  MKFUSION names the generator
# when it is not build/mkfusion of the source tree.
set -eu

here=$(dirname "$0")
variable=MKFUSION generator=${MKFUSION:-$here/../../build/mkfusion}
. "$here/../folder.sh"

"$generator" "$@" "$folder"
cd -- "$folder"
cat <<END
cd $(quote "$(pwd)")
for run in eager compiled; do
	tp-cmdbuf --gpu --label \$run \$run/*.csv >\$run.jsonl
done
tp-compare --times times.txt eager.jsonl compiled.jsonl | tp-render fusion
echo
tp-cmdbuf --gpu --label both both/*.csv >both.jsonl
tp-compare --segments --times times.txt both.jsonl | tp-render fusion
END
