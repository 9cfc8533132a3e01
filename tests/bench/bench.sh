#!/usr/bin/env bash
# bench.sh BUILD: speed beside the peers, as ratios of one run.  Inputs come from
# the seeded generator; a peer that is not installed is named and skipped.
# SCALE (default 2000: about 180 MB of GPU intervals) and RUNS (default 5).
set -eu
LC_ALL=C
export LC_ALL
B=$1
SCALE=${SCALE:-2000}
RUNS=${RUNS:-5}
here=$(dirname "$0")
data=$B/bench-data
T=$data/flux_example/Trace1.run/Attachments/flux_example

if [ ! -e "$data/scale-$SCALE" ]; then
	rm -rf "$data"
	mkdir -p "$data"
	"$B/mkflux" --format csv --scale "$SCALE" "$data" >/dev/null
	"$B/mkflux" --format xml --scale $((SCALE / 20)) "$data" >/dev/null
	gzip -1 -k "${T}_metal_gpu_intervals.csv"
	touch "$data/scale-$SCALE"
fi

size() { wc -c <"$1" | awk '{ printf "%.0f MB", $1 / 1e6 }'; }
csv=${T}_metal_gpu_intervals.csv
xml=${T}_metal_gpu_intervals.xml
echo "GPU intervals: CSV $(size "$csv"), $(wc -l <"$csv") rows; XML $(size "$xml")"
echo "median seconds of ours and of the other, resident memory of ours, ratios (range)"
pair() { "$B/tests/bench/pair" "$RUNS" "$@"; }

pair 'CSV / read + memchr' "$B/tp-gpu-intervals $csv" \
    "$B/tests/bench/floor lines $csv"
if command -v gawk >/dev/null; then
	pair 'CSV / gawk, same aggregate' "$B/tp-gpu-intervals $csv" \
	    "gawk -F, -f $here/gpu.awk $csv"
else
	echo 'CSV / gawk: skipped, gawk is not installed'
fi
pair 'CSV.gz / zcat | wc -c' "$B/tp-gpu-intervals $csv.gz" \
    "zcat $csv.gz | wc -c"
pair 'XML / bare expat' "$B/tp-gpu-intervals $xml" \
    "$B/tests/bench/floor expat $xml"
pair 'rows out / cat' "$B/tp-rows $csv" "cat $csv"
"$B/tp-rows" "$csv" >"$data/rows.jsonl"
pair 'rows in / read + memchr' "$B/tp-gpu-intervals $data/rows.jsonl" \
    "$B/tests/bench/floor lines $data/rows.jsonl"
rm -f "$data/rows.jsonl"
