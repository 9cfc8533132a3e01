#!/bin/sh
# From two runs in a store to a published result, on made-up captures.
#
#	run.sh [FOLDER]
#
# FOLDER (else a temporary one) gets a store, what is fetched from it and the
# bundle; the verdict is printed.  MKJAX names the generator of captures when
# it is not build/mkjax of the source tree, whose programs must be on PATH.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
mkjax=${MKJAX:-$here/../../build/mkjax}
folder=${1-}
[ -n "$folder" ] || folder=$(mktemp -d)
mkdir -p "$folder/store"
cd "$folder"
TP_STORE=$PWD/store
export TP_STORE

# what a trainer does: the profile of each run goes into the store
seed=1
for run in baseline candidate; do
	"$mkjax" --steps 30 --seed $seed $run >/dev/null
	tp-publish --run-target lab/llm/$run --capture $run
	seed=$((seed + 6))
done

# measure, compare, keep, publish
tp-report --bundle -o bundle --download-root fetched --history history.jsonl \
    --label candidate lab/llm/baseline lab/llm/candidate >manifest.json
tp-publish --summary bundle/after.summary.json --report bundle/after.report.md
cat bundle/verdict.md
