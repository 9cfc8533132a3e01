#!/usr/bin/env bash
# bench.sh BUILD: speed beside the peers, as ratios of one run, as Markdown.
# Inputs come from the seeded generator; a peer that is not installed is named
# and skipped (make bench-deps installs them).  SCALE (default 2000: about
# 180 MB of GPU intervals; at least 100), RUNS (default 5), ONLY (a pattern of
# row ids: 'csv/*').  What keeps a whole trace in memory runs twice.
set -eu -o pipefail
LC_ALL=C
export LC_ALL
B=$1
SCALE=${SCALE:-2000}
RUNS=${RUNS:-5}
ONLY=${ONLY:-*}
here=$(dirname "$0")
data=$B/bench-data
bench=$B/tests/bench
gpu=$B/tp-gpu-intervals
NODE_PATH=$PWD/$B/bench-npm/node_modules
TP_SHARE=$PWD/share
export NODE_PATH TP_SHARE
. "$here/inputs.sh"
. "$here/peers.sh"

bytes() { wc -c <"$1"; }
mb() { bytes "$1" | awk '{ m = $1 / 1e6; printf m < 10 ? "%.1f MB" : "%.0f MB", m }'; }

# pair ID NAME BYTES A B: a line of what two commands cost.
pair() {
	# shellcheck disable=SC2053 # a pattern
	[[ $1 != $ONLY ]] || "$bench/pair" "$RUNS" "$@"
}

# peer PROGRAM ID NAME BYTES A B: the same where PROGRAM is there.
peer() {
	if has "$1"; then
		shift
		pair "$@"
	elif [[ $2 = $ONLY ]]; then
		printf '%s\t%s: skipped, %s is not installed\n' "$2" "$3" "$1"
	fi
}

csv_rows() {
	n=$(bytes "$csv")
	pair csv/floor 'CSV / read + memchr' "$n" \
	    "$gpu $csv" "$bench/floor lines $csv"
	pair csv/libcsv 'CSV / libcsv on every byte, same aggregate' "$n" \
	    "$gpu $csv" "$gpu --parser=libcsv $csv"
	pair csv/bare 'CSV / libcsv on every byte, fields only counted' "$n" \
	    "$gpu $csv" "$bench/floor csv $csv"
	for p in $csv_peers; do
		peer "$p" "csv/$p" "CSV / $(says "$p")" "$n" \
		    "$gpu $csv" "$(command_of "$p" "$csv")"
	done
	pair gunzip/floor 'CSV.gz / zcat to wc -c' "$n" \
	    "$gpu $csv.gz" "zcat $csv.gz | wc -c"
	peer zstd unzstd/floor 'CSV.zst / zstdcat to wc -c' "$n" \
	    "$gpu $csv.zst" "zstdcat $csv.zst | wc -c"
}

# As large as the goal was set for, and by several threads.
gigabyte_rows() {
	# shellcheck disable=SC2053 # a pattern
	[[ csv-gb/floor = $ONLY || csv-gb/jobs = $ONLY ||
	    csv-gb/jobs4 = $ONLY ]] || return 0
	make_gigabyte
	n=$(bytes "$gigabyte")
	pair csv-gb/floor "CSV of $(mb "$gigabyte") / read + memchr" "$n" \
	    "$gpu $gigabyte" "$bench/floor lines $gigabyte"
	pair csv-gb/jobs "CSV of $(mb "$gigabyte"), -j 2 / read + memchr" \
	    "$n" "$gpu -j 2 $gigabyte" "$bench/floor lines $gigabyte"
	pair csv-gb/jobs4 "CSV of $(mb "$gigabyte"), -j 4 / read + memchr" \
	    "$n" "$gpu -j 4 $gigabyte" "$bench/floor lines $gigabyte"
}

xml_rows() {
	n=$(bytes "$xml")
	pair xml/floor 'XML / bare expat' "$n" \
	    "$gpu $xml" "$bench/floor expat $xml"
	peer python xml/etree 'XML / Python ElementTree, rows only counted' \
	    "$n" "$gpu $xml" "$python $here/xml_rows.py $xml"
}

record_rows() {
	pair out/floor "records out / plain write of the bytes" 0 \
	    "$bench/rec_out ours $events >$data/out" \
	    "$bench/rec_out plain $events >$data/out"
	pair out/cjson "records out / cJSON print" 0 \
	    "$bench/rec_out ours $events >$data/out" \
	    "$bench/rec_out cjson $events >$data/out"
	rm -f "$data/out"
	"$B/tp-rows" "$csv" >"$data/rows.jsonl"
	n=$(bytes "$data/rows.jsonl")
	pair in/floor "records in ($(mb "$data/rows.jsonl")) / read + memchr" \
	    "$n" "$rec_in" "$bench/floor lines $data/rows.jsonl"
	pair in/cjson 'records in / cJSON parse' "$n" \
	    "$rec_in" "$bench/rec_in cjson $data/rows.jsonl"
	peer simdjson in/simdjson 'records in / simdjson on demand' "$n" \
	    "$rec_in" "$bench/simd $data/rows.jsonl"
	peer jq in/jq 'records in / jq' "$n" "$rec_in" \
	    "jq -n 'reduce inputs as \$r (0; . + (\$r.duration_ns // 0))' $data/rows.jsonl"
	pair in/gpu 'tp-gpu-intervals of records / read + memchr' "$n" \
	    "$gpu $data/rows.jsonl" "$bench/floor lines $data/rows.jsonl"
	pair convert/cat 'tp-rows of the CSV / cat of the records' "$n" \
	    "$B/tp-rows $csv >$data/out" "cat $data/rows.jsonl >$data/out"
	rm -f "$data/rows.jsonl" "$data/out"
}

# Ours must be what sorting says; "long" need not.
exact() {
	[ "$1" != long ] || return 0
	ours=$("$bench/micro" "$1" "$items" 3>/dev/null)
	[ "$ours" != "$("$bench/micro" "$1-sort" "$items" 3>/dev/null)" ] ||
		return 0
	echo "bench: $1 is not what sorting says" >&2
	exit 1
}

micro_rows() {
	while IFS=: read -r w what; do
		# shellcheck disable=SC2053 # a pattern
		[[ $w/floor = $ONLY || $w/sort = $ONLY ]] || continue
		exact "$w"
		name="${what/N/$items}"
		pair "$w/floor" "$name / summing loop" 0 \
		    "$bench/micro $w $items" "$bench/micro $w-sum $items"
		pair "$w/sort" "$name / qsort" 0 \
		    "$bench/micro $w $items" "$bench/micro $w-sort $items"
	done <<-'EOF'
		union:union of N intervals
		quantile:exact p50 and p99 of N durations
		long:p50 and p99 of N durations, 38 % beyond 1 ms
	EOF
}

event_rows() {
	n=$(bytes "$kineto")
	name="Kineto JSON ($(mb "$kineto"))"
	ours="$bench/events ours $kineto"
	pair json/floor "$name, top operations / read + memchr" "$n" \
	    "$ours" "$bench/floor lines $kineto"
	for p in $event_peers; do
		case $p in
		events_*) runs=$RUNS ;;
		*) runs=$((RUNS < 2 ? RUNS : 2)) ;;
		esac
		RUNS=$runs peer "$p" "json/${p#events_}" \
		    "$name / $(event_peer_says "$p")" "$n" "$ours" \
		    "$(event_command_of "$p" "$kineto")"
	done
	pair json/count "$name, tp-rows --count / read + memchr" "$n" \
	    "$B/tp-rows --count $kineto" "$bench/floor lines $kineto"
	pair trace/floor "$name, tp-trace / read + memchr" "$n" \
	    "$B/tp-trace -q $kineto" "$bench/floor lines $kineto"
	pair trace/jobs "$name, tp-trace -j 2 / tp-trace" "$n" \
	    "$B/tp-trace -q -j 2 $kineto" "$B/tp-trace -q $kineto"
}

# An export of Nsight Systems: the rows of all tables that become events.
nsys_rows() {
	[ -x "$B/mkdb" ] || return 0
	make_input nsys.sqlite "$SCALE"
	nsys=$data/$SCALE/nsys.sqlite
	n=$(bytes "$nsys")
	name="export of Nsight Systems ($(mb "$nsys")), top operations"
	for p in sqlite3 duckdb; do
		peer "$p" "nsys/$p" "$name / $(event_peer_says "$p")" "$n" \
		    "$bench/events ours $nsys" "$(nsys_command_of "$p" "$nsys")"
	done
}

summary_rows() {
	n=$(bytes "$jax")/$jax_events
	name="JAX summary of $jax_events events"
	pair summary/floor "$name ($(mb "$jax")) / read + memchr" "$n" \
	    "$summary -q $jax" "$bench/floor lines $jax"
	RUNS=$((RUNS < 2 ? RUNS : 2)) peer python summary/python \
	    "$name / Python json.load alone" "$n" "$summary -q $jax" \
	    "$python $here/events.py load $jax"
	pair summary-gz/floor "$name, gzip / zcat to wc -c" "$n" \
	    "$summary -q $jax.gz" "zcat $jax.gz | wc -c"
}

# The time of devices of a long capture, of which no event is kept.
xplane_rows() {
	n=$(bytes "$xplane")/$xplane_events
	name="devices of an xplane.pb ($(mb "$xplane"), $xplane_events events)"
	only="--only timeline.summary,timeline.device"
	pair xplane/floor "$name / read + memchr" "$n" \
	    "$timeline_of -q $only $xplane" "$bench/floor lines $xplane"
	pair xplane/json "the same of the trace of $((SCALE * 500)) events / \
its xplane.pb" "$(bytes "$jax")/$jax_events" \
	    "$timeline_of -q $only $jax" "$timeline_of -q $only $xplane_of_jax"
}

# The whole report, made anew each time, with the tables for notebooks.
pytorch_rows() {
	n=$(bytes "$torch")/$torch_events
	name="PyTorch trace ($(mb "$torch"), $torch_events events, gzip)"
	pair pytorch/floor "$name, report and tables / zcat" "$n" \
	    "rm -rf $data/report; $B/tp-report -o $data/report $torch.gz" \
	    "zcat $torch.gz"
	pair pytorch/trace "$name, tp-trace alone / zcat" "$n" \
	    "$B/tp-trace -q $torch.gz" "zcat $torch.gz"
	rm -rf "$data/report"
}

etdump_rows() {
	n=$(bytes "$timeline")
	name="ETDump timeline ($(mb "$timeline"))"
	pair etdump/floor "$name / read + memchr" "$n" \
	    "$B/tp-etdump $timeline" "$bench/floor lines $timeline"
	pair etdump/csv "$name / GPU intervals of as many bytes" "$n" \
	    "$B/tp-etdump $timeline" "$gpu $csv"
	pair etdump/samples "$name, with samples / without" "$n" \
	    "$B/tp-etdump --samples $timeline" "$B/tp-etdump $timeline"
}

# Pictures and pages: what lanes cost their filter, drawing them, and reading a
# report beside programs that do no more than read Markdown.
picture_rows() {
	n=$(bytes "$csv")
	pair draw/lanes 'CSV with lanes to draw / without' "$n" \
	    "$gpu --lanes 600 $csv" "$gpu $csv"
	"$gpu" --lanes 600 "$csv" >"$data/lanes.jsonl"
	pair draw/floor "timeline of $(mb "$data/lanes.jsonl") of lanes / \
read + memchr" "$(bytes "$data/lanes.jsonl")" \
	    "$B/tp-draw timeline $data/lanes.jsonl" \
	    "$bench/floor lines $data/lanes.jsonl"
	for ((i = 0; i < SCALE; i += 10)); do
		cat examples/*/report.md
	done >"$data/pages.md"
	n=$(bytes "$data/pages.md")
	name="page of Markdown ($(mb "$data/pages.md"))"
	pair page/floor "$name / read + memchr" "$n" \
	    "$B/tp-page $data/pages.md" "$bench/floor lines $data/pages.md"
	peer cmark-gfm page/cmark "$name / cmark-gfm to HTML" "$n" \
	    "$B/tp-page $data/pages.md" "cmark-gfm -e table $data/pages.md"
	peer cmark-gfm page/html "$name as HTML / cmark-gfm" "$n" \
	    "$B/tp-page --html $data/pages.md" \
	    "cmark-gfm -e table $data/pages.md"
	peer lowdown page/lowdown "$name / lowdown for a terminal" "$n" \
	    "$B/tp-page $data/pages.md" "lowdown -tterm $data/pages.md"
	rm -f "$data/lanes.jsonl" "$data/pages.md"
}

# grow ID NAME INPUT COMMAND: what is kept of an input at three sizes.
grow() {
	for times in 1 10 100; do
		# shellcheck disable=SC2053 # a pattern
		[[ $1/${times}x = $ONLY ]] || continue
		scale=$((SCALE * times / 100))
		f=$data/$scale/$3
		make_input "$3" $scale
		RUNS=$((RUNS < 3 ? RUNS : 3)) pair "$1/${times}x" \
		    "memory, $2, ${times}x: $(mb "$f")" "$(bytes "$f")" \
		    "$4 $f" "$bench/floor lines $f"
	done
}

memory_rows() {
	grow rss 'GPU intervals' "$A.csv" "$gpu"
	grow rss-records 'GPU intervals as records' rows.jsonl "$gpu"
	rm -f "$data"/*/rows.jsonl
	grow rss-json 'Kineto JSON, top operations' kineto.json \
	    "$bench/events ours"
	grow rss-trace 'Kineto JSON, tp-trace' kineto.json "$B/tp-trace -q"
	grow rss-jax 'JAX summary' jax.json "$summary -q"
	grow rss-etdump 'ETDump timeline' "$timelines" "$B/tp-etdump"
}

if [ "$SCALE" -lt 100 ]; then
	echo 'bench: SCALE is at least 100' >&2
	exit 2
fi
make_inputs
make_traces
rec_in="$bench/rec_in ours $data/rows.jsonl"
items=$((SCALE * 5000))
events=$((SCALE * 500))
torch_events=$(grep -c '"ph"' "$torch")
make_peers
same_answers

echo "GPU intervals: CSV $(mb "$csv"), $(wc -l <"$csv") rows; XML $(mb "$xml"). Kineto JSON: $(mb "$kineto"). JAX JSON: $(mb "$jax"), $jax_events events. PyTorch JSON: $(mb "$torch"), $torch_events events. Medians of $RUNS runs in turn."
echo
{
	csv_rows
	gigabyte_rows
	xml_rows
	record_rows
	event_rows
	nsys_rows
	summary_rows
	xplane_rows
	pytorch_rows
	etdump_rows
	picture_rows
	micro_rows
	memory_rows
} | awk -v whole="$([ "$ONLY" != '*' ] || echo 1)" -f "$here/table.awk" \
    "$here/musts.tsv" -
