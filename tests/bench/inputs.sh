#!/usr/bin/env bash
# inputs.sh: the seeded inputs of the bench, made once.

A=flux_example/Trace1.run/Attachments/flux_example_metal_gpu_intervals
timelines=etdump_all_runs_timeline.csv

make_csv() {	# SCALE
	[ -e "$data/$1/$A.csv" ] && return
	mkdir -p "$data/$1"
	"$B/mkflux" --format csv --scale "$1" "$data/$1" >/dev/null
}

# Of as many other tables nothing is read.
make_gigabyte() {
	gigabyte=$data/10000/$A.csv
	make_csv 10000
	find "$data/10000" -type f ! -path "$gigabyte" -delete
}

make_inputs() {
	make_csv "$SCALE"
	csv=$data/$SCALE/$A.csv
	xml=$data/$SCALE/$A.xml
	[ -e "$csv.gz" ] || gzip -1 -k "$csv"
	[ -e "$csv.zst" ] || ! has zstd || zstd -q -1 "$csv"
	[ -e "$xml" ] && return
	"$B/mkflux" --format xml --scale $((SCALE / 20)) "$data/xml" >/dev/null
	mv "$data/xml/$A.xml" "$xml"
}

# What a generator of the bench makes: GENERATOR ITEMS FILE.
make_trace() {
	[ -e "$3" ] && return
	mkdir -p "$(dirname "$3")"
	"$bench/$1" "$2" >"$3.tmp"
	mv "$3.tmp" "$3"
}

# make_input NAME SCALE: $data/SCALE/NAME.
make_input() {
	case $1 in
	kineto.json) make_trace mkkineto $(($2 * 90)) "$data/$2/$1" ;;
	jax.json) make_trace mkjax $(($2 * 500)) "$data/$2/$1" ;;
	# as many events as the trace that the goal was set with
	torch.json) make_trace mkpytorch $(($2 * 4092 / 1000)) "$data/$2/$1" ;;
	# about as long as the GPU intervals, so that times are per byte
	"$timelines") make_trace mketdump $(($2 * 321 / 100)) "$data/$2/$1" ;;
	# a million events at the usual scale
	nsys.sqlite)
		[ -e "$data/$2/$1" ] || {
			mkdir -p "$data/$2"
			"$B/mkdb" nsys "$data/$2/$1.tmp" --plain \
			    --kernels $(($2 * 97))
			mv "$data/$2/$1.tmp" "$data/$2/$1"
		} ;;
	"$A.csv") make_csv "$2" ;;
	rows.jsonl)
		make_csv "$2"
		"$B/tp-rows" "$data/$2/$A.csv" >"$data/$2/$1" ;;
	esac
}

make_traces() {
	for name in kineto.json jax.json torch.json "$timelines"; do
		make_input "$name" "$SCALE"
	done
	kineto=$data/$SCALE/kineto.json
	jax=$data/$SCALE/jax.json
	jax_events=$((SCALE * 500))
	torch=$data/$SCALE/torch.json
	timeline=$data/$SCALE/$timelines
	[ -e "$torch.gz" ] || gzip -6 -k "$torch"
	[ -e "$jax.gz" ] || gzip -1 -k "$jax"
	# 15 million events at the usual scale
	xplane=$data/$SCALE/jax.xplane.pb
	xplane_of_jax=$data/$SCALE/same.xplane.pb
	xplane_events=$((SCALE * 7500))
	if [ ! -e "$xplane" ]; then
		"$bench/mkjax" 5000 >"$data/$SCALE/short.json"
		"$B/mkxplane" --repeat $((SCALE * 3 / 2)) \
		    "$data/$SCALE/short.json" >"$xplane.tmp"
		mv "$xplane.tmp" "$xplane"
		"$B/mkxplane" "$jax" >"$xplane_of_jax"
	fi
	timeline_of=$bench/tp-timeline
	[ -e "$timeline_of" ] || ln -s ../../tp-trace "$timeline_of"
	summary=$bench/tp-summary
	[ -e "$summary" ] || ln -s ../../tp-trace "$summary"
}
