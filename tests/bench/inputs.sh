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

# A trace of trace events: GENERATOR ITEMS FILE.
make_trace() {
	[ -e "$3" ] && return
	mkdir -p "$data"
	"$bench/$1" "$2" >"$3.tmp"
	mv "$3.tmp" "$3"
}

make_traces() {
	calls=$((SCALE * 90))
	jax_events=$((SCALE * 500))
	kineto=$data/$SCALE/kineto.json
	jax=$data/$SCALE/jax.json
	# as many events as the trace that the goal was set with
	torch_calls=$((SCALE * 4092 / 1000))
	torch=$data/$SCALE/torch.json
	timeline=$data/$SCALE/etdump_all_runs_timeline.csv
	make_trace mkkineto $calls "$kineto"
	make_trace mkjax $jax_events "$jax"
	# about as long as the GPU intervals, so that times are per byte
	make_trace mketdump $((SCALE * 321 / 100)) "$timeline"
	make_trace mkpytorch $torch_calls "$torch"
	[ -e "$torch.gz" ] || gzip -6 -k "$torch"
	[ -e "$jax.gz" ] || gzip -1 -k "$jax"
	summary=$bench/tp-summary
	[ -e "$summary" ] || ln -s ../../tp-trace "$summary"
}
