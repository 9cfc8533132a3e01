#!/bin/sh
# Make the two example traces and say how to compare them.
#
#	run.sh [FOLDER [OPTION...]]
#
# FOLDER gets eager/, compiled/ and times.txt; without it a temporary folder
# does.  Options go to the generator (--seed N).  MKFUSION names the generator
# when it is not build/mkfusion of the source tree.
set -eu

here=$(dirname "$0")
mkfusion=${MKFUSION:-$here/../../build/mkfusion}

if [ ! -x "$mkfusion" ]; then
	echo "run.sh: no '$mkfusion': run make first, or set MKFUSION" >&2
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
"$mkfusion" "$@" "$folder"
cd -- "$folder"
quoted=$(pwd | sed "s/'/'\\\\''/g")
cat <<EOF
cd '$quoted'
for run in eager compiled; do
	tp-cmdbuf --gpu --label \$run \$run/*.csv >\$run.jsonl
done
tp-compare --times times.txt eager.jsonl compiled.jsonl | tp-render fusion
EOF
