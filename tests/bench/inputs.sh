#!/usr/bin/env bash
# inputs.sh: the seeded inputs of the bench, made once.

A=flux_example/Trace1.run/Attachments/flux_example_metal_gpu_intervals

make_csv() {	# SCALE
	[ -e "$data/$1/$A.csv" ] && return
	mkdir -p "$data/$1"
	"$B/mkflux" --format csv --scale "$1" "$data/$1" >/dev/null
}

make_inputs() {
	make_csv "$SCALE"
	csv=$data/$SCALE/$A.csv
	xml=$data/$SCALE/$A.xml
	[ -e "$csv.gz" ] || gzip -1 -k "$csv"
	[ -e "$xml" ] && return
	"$B/mkflux" --format xml --scale $((SCALE / 20)) "$data/xml" >/dev/null
	mv "$data/xml/$A.xml" "$xml"
}
