#!/usr/bin/env bash
# peers.sh: what others read the CSV of GPU intervals and the trace events
# with, and how.
#
# Of the CSV every command prints rows, sum of durations and, but for Miller,
# their union in its first line; of the trace all print the same.

csv_peers='gawk mawk mlr python pandas duckdb polars'
event_peers='events_simdjson events_yajl cjson node python duckdb jq'

# Debian's modules belong to the system's Python.
python=$(command -v /usr/bin/python3 || command -v python3 || echo python3)

# What needs building or a look at modules; has() then answers from it.
make_peers() {
	make_peer simd simdjson
	make_peer events_simdjson simdjson
	make_peer events_yajl yajl
}

make_peer() {	# PROGRAM LIBRARY
	[ "$bench/$1" -nt "$here/$1.cc" ] && [ "$bench/$1" -nt "$here/top.h" ] ||
		"${CXX:-c++}" -std=c++17 -O2 -o "$bench/$1" "$here/$1.cc" \
		    "-l$2" 2>/dev/null || :
}

has() {	# PEER
	case $1 in
	simdjson) [ -x "$bench/simd" ] ;;
	events_*) [ -x "$bench/$1" ] ;;
	cjson) ;;
	python) command -v "$python" >/dev/null ;;
	pandas) "$python" -c 'import pandas' 2>/dev/null ;;
	duckdb) node -e 'require("@duckdb/node-api")' 2>/dev/null ;;
	polars) node -e 'require("nodejs-polars")' 2>/dev/null ;;
	*) command -v "$1" >/dev/null ;;
	esac
}

says() {	# PEER
	case $1 in
	mawk) echo 'mawk, no percentiles' ;;
	mlr) echo 'Miller stats1, no union' ;;
	python) echo 'Python csv, same aggregate' ;;
	duckdb) echo 'DuckDB, same aggregate' ;;
	*) echo "$1, same aggregate" ;;
	esac
}

command_of() {	# PEER FILE
	case $1 in
	gawk) echo "gawk -F, -f $here/gpu.awk -f $here/quantile.awk $2" ;;
	mawk) echo "mawk -F, -f $here/gpu.awk $2" ;;
	mlr) echo "mlr --icsv --ojson stats1 -a count,sum,p50,p99 -f duration -g channel-name $2" ;;
	python) echo "$python $here/gpu.py $2" ;;
	pandas) echo "$python $here/gpu_pandas.py $2" ;;
	duckdb | polars) echo "node $here/gpu_$1.js $2" ;;
	esac
}

event_peer_says() {	# PEER
	case $1 in
	events_simdjson) echo 'simdjson on demand' ;;
	events_yajl) echo 'yajl' ;;
	cjson) echo 'cJSON' ;;
	node) echo 'node JSON.parse' ;;
	python) echo 'Python json' ;;
	duckdb) echo 'DuckDB' ;;
	*) echo "$1" ;;
	esac
}

event_command_of() {	# PEER FILE
	case $1 in
	events_*) echo "$bench/$1 $2" ;;
	cjson) echo "$bench/events cjson $2" ;;
	node) echo "node $here/events.js $2" ;;
	python) echo "$python $here/events.py $2" ;;
	duckdb) echo "node $here/events_duckdb.js $2" ;;
	jq) echo "jq -r -f $here/events.jq $2" ;;
	esac
}

nsys_command_of() {	# PEER FILE
	case $1 in
	sqlite3) echo "sh $here/nsys_sqlite3.sh $2" ;;
	duckdb) echo "node $here/nsys_duckdb.js $2" ;;
	esac
}

# A peer that gives another answer does other work: no bench then.
same_answers() {
	make_csv $((SCALE / 100))
	f=$data/$((SCALE / 100))/$A.csv
	ours=$("$gpu" --only='gpu.summary[all]' "$f" |
	    sed 's/.*"rows":\([0-9]*\).*"busy_ns":\([0-9]*\).*"duration_sum_ns":\([0-9]*\).*/\1 \3 \2/')
	for p in $csv_peers; do
		[ "$p" != mlr ] && has "$p" || continue
		theirs=$(sh -c "$(command_of "$p" "$f")" |
		    sed -n '1s/^\([0-9]* [0-9]* [0-9]*\).*/\1/p')
		[ "$theirs" = "$ours" ] && continue
		echo "bench: $p says '$theirs', we say '$ours'" >&2
		exit 1
	done
	f=$data/$((SCALE / 100))/kineto.json
	make_input kineto.json $((SCALE / 100))
	ours=$("$bench/events" ours "$f")
	for p in $event_peers; do
		has "$p" || continue
		[ "$(sh -c "$(event_command_of "$p" "$f")")" != "$ours" ] ||
			continue
		echo "bench: $p and ours disagree on $f" >&2
		exit 1
	done
	[ -x "$B/mkdb" ] || return 0
	f=$data/$((SCALE / 100))/nsys.sqlite
	make_input nsys.sqlite $((SCALE / 100))
	ours=$("$bench/events" ours "$f" | head -1)
	for p in sqlite3 duckdb; do
		has "$p" || continue
		theirs=$(sh -c "$(nsys_command_of "$p" "$f")" | head -1)
		[ "$theirs" != "$ours" ] || continue
		echo "bench: $p says '$theirs', we say '$ours' of $f" >&2
		exit 1
	done
}
