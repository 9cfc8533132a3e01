#!/usr/bin/env bash
# bench.sh BUILD: speed beside the peers, as ratios of one run, as Markdown.
# Inputs come from the seeded generator; a peer that is not installed is named
# and skipped (make bench-deps installs them).  SCALE (default 2000: about
# 180 MB of GPU intervals) and RUNS (default 5).
set -eu
LC_ALL=C
export LC_ALL
B=$1
SCALE=${SCALE:-2000}
RUNS=${RUNS:-5}
here=$(dirname "$0")
data=$B/bench-data
bench=$B/tests/bench
A=flux_example/Trace1.run/Attachments/flux_example_metal_gpu_intervals

make_csv() {	# SCALE
	[ -e "$data/$1/$A.csv" ] && return
	mkdir -p "$data/$1"
	"$B/mkflux" --format csv --scale "$1" "$data/$1" >/dev/null
}
make_csv "$SCALE"
csv=$data/$SCALE/$A.csv
xml=$data/$SCALE/$A.xml
[ -e "$csv.gz" ] || gzip -1 -k "$csv"
if [ ! -e "$xml" ]; then
	"$B/mkflux" --format xml --scale $((SCALE / 20)) "$data/xml" >/dev/null
	mv "$data/xml/$A.xml" "$xml"
fi
size() { wc -c <"$1" | awk '{ printf "%.0f MB", $1 / 1e6 }'; }

echo "GPU intervals: CSV $(size "$csv"), $(wc -l <"$csv") rows; XML $(size "$xml"); medians of $RUNS runs in turn."
echo
echo '| ours / other | ours, s | other, s | ours, MiB | wall ratio (range) | CPU ratio (range) |'
echo '|---|---:|---:|---:|---|---|'
pair() { "$bench/pair" "$RUNS" "$@"; }
peer() {	# PROGRAM NAME A B
	if command -v "$1" >/dev/null; then
		pair "$2" "$3" "$4"
	else
		echo "| $2: skipped, $1 is not installed | | | | | |"
	fi
}

gpu="$B/tp-gpu-intervals"
pair 'CSV / read + memchr' "$gpu $csv" "$bench/floor lines $csv"
pair 'CSV / libcsv alone' "$gpu $csv" "$gpu --parser=libcsv $csv"
peer gawk 'CSV / gawk, same aggregate' "$gpu $csv" \
    "gawk -F, -f $here/gpu.awk $csv"
peer python3 'CSV / Python csv, same aggregate' "$gpu $csv" \
    "python3 $here/gpu.py $csv"
peer mlr 'CSV / Miller stats1, no union' "$gpu $csv" \
    "mlr --icsv --ojson stats1 -a count,sum,p50,p99 -f duration -g channel-name $csv"
pair 'CSV.gz / zcat to wc -c' "$gpu $csv.gz" "zcat $csv.gz | wc -c"
pair 'XML / bare expat' "$gpu $xml" "$bench/floor expat $xml"
pair 'rows out / cat of the CSV' "$B/tp-rows $csv" "cat $csv"
"$B/tp-rows" "$csv" >"$data/rows.jsonl"
pair "rows in ($(size "$data/rows.jsonl")) / read + memchr" \
    "$gpu $data/rows.jsonl" "$bench/floor lines $data/rows.jsonl"
peer jq 'rows in / jq, sum of durations' "$gpu $data/rows.jsonl" \
    "jq -n 'reduce inputs as \$r (0; . + (\$r.duration_ns // 0))' $data/rows.jsonl"
rm -f "$data/rows.jsonl"
pair 'union of 10 M intervals / qsort' "$bench/micro union 10000000" \
    "$bench/micro union-sort 10000000"
pair 'p50, p99 of 10 M durations / qsort' "$bench/micro quantile 10000000" \
    "$bench/micro quantile-sort 10000000"

echo
echo 'Resident memory of tp-gpu-intervals as its input grows:'
echo
echo '| input | rows | MiB |'
echo '|---:|---:|---:|'
for scale in $((SCALE / 100)) $((SCALE / 10)) "$SCALE"; do
	make_csv "$scale"
	f=$data/$scale/$A.csv
	"$bench/pair" 1 x "$gpu $f" true |
	    awk -F '|' -v s="$(size "$f")" -v r="$(wc -l <"$f")" '
	        { gsub(/ /, "", $5); printf "| %s | %d | %s |\n", s, r, $5 }'
done
