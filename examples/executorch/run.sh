#!/bin/sh
# run.sh FOLDER [OPTION...]: make the ExecuTorch example in FOLDER and say
# what to do with it.  Options go to the generator (--runs N, --seed N);
# MKETDUMP names it when it is not build/mketdump of the source tree.
set -eu

mketdump=${MKETDUMP:-$(dirname "$0")/../../build/mketdump}
[ $# -gt 0 ] || { echo 'usage: run.sh FOLDER [OPTION...]' >&2; exit 2; }
[ -x "$mketdump" ] || { echo "run.sh: no '$mketdump': run make" >&2; exit 2; }
folder=$(printf '%s/' "$1" | sed 's|^-|./-|')
shift
mkdir -p "$folder"
"$mketdump" "$@" "$folder"
one=${folder}runs/mac/mac_sme2_on/segment_fp32_mac_sme2_on_t1_exec
one=$(printf '%s\n' "${one}_all_runs_timeline.csv" | sed "s/'/'\\\\''/g")
echo "tp-etdump '$one' >et.jsonl"
echo 'tp-findings et.jsonl | tp-render etdump et.jsonl -'
runs=$(printf '%s\n' "${folder}runs" | sed "s/'/'\\\\''/g")
echo "tp-report '$runs/mac' >report.md"
echo "tp-report --combined '$runs/mac' '$runs/android' >combined_report.md"
