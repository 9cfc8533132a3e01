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
"$mktorch" "$@" "$folder" >/dev/null
"$mktorch" --platform 2 "$@" "$folder/other" >/dev/null
folder=$(printf '%s\n' "$folder" | sed "s/'/'\\\\''/g")
cat <<END
tp-report -o report '$folder/rank0.json'
tp-report '$folder/rank0.json' '$folder/rank1.json' >ranks.md
tp-report --compare '$folder/rank0.json' '$folder/other/rank0.json' >comparison.md
END
