#!/usr/bin/env bats
# The same rows and events in another order give the same records, and so does
# JSON in several lines.  Where order is information, tests/order/information
# says of which case, and why.

load helper

ORDER=$BATS_TEST_DIRNAME/order

# cases TOOL...: the golden cases of filters.
cases() {
	for tool; do
		(cd "$TP_BUILD/cases" && echo "$tool"/*)
	done
}

# shuffled FORM CASE...: every eighth case by one seed; with SEEDS all, by so
# many.
shuffled() {
	local form=$1 seed
	skip_unless python3
	shift
	[ -n "${SEEDS-}" ] ||
	    set -- $(printf '%s\n' "$@" | awk 'NR % 8 == 1')
	for seed in $(seq "${SEEDS:-1}"); do
		run sh "$ORDER/cases.sh" "$TP_BUILD" "$form" "$seed" "$@"
		[ "$status" -eq 0 ] || fail "$output"
		[[ $output = "$form: "[1-9]* ]] || fail "nothing was run"
	done
}

# same FILTER... FILE: records of FILE and of the same in other orders.
same() {
	local file=${!#} form seed
	cp "$file" in
	"${@:1:$#-1}" in 2>/dev/null | records >want
	[ -s want ] || fail "$file: no records" || return 1
	for seed in $(seq "${SEEDS:-1}"); do
		for form in $forms; do
			python3 -B "$ORDER/shuffle.py" $form $seed "$file" \
			    >in || fail "$form $file" || return 1
			"${@:1:$#-1}" in 2>/dev/null | records >got
			diff want got >diff || fail "$form $seed $* $(cut \
			    -c 1-300 diff | head -n 4)" || return 1
		done
	done
}

records() {
	grep -v -e '"kind":"source"' -e '"kind":"op.table"' \
	    -e '"code":"row.unordered"' | sed 's/,"first_uid":[0-9]*//'
}

setup() {
	cd "$BATS_TEST_TMPDIR"
}

# bats test_tags=rest
@test "order: rows of tables, in every golden case" {
	shuffled rows $(cases tp-gpu-intervals tp-cmdbuf tp-cpu-top tp-mem \
	    tp-gpu-counters)
}

# bats test_tags=rest
@test "order: events of traces, in every golden case" {
	shuffled rows $(cases tp-trace tp-timeline tp-ops tp-steps tp-gaps \
	    tp-comm tp-regions tp-summary)
}

# bats test_tags=rest
@test "order: runs of an ETDump's table, in every golden case" {
	shuffled runs $(cases tp-etdump)
}

# bats test_tags=rest
@test "order: JSON in several lines, in every golden case" {
	shuffled wide $(cases tp-trace tp-timeline tp-ops tp-steps tp-gaps \
	    tp-comm tp-regions tp-summary tp-bench)
}

# bats test_tags=rest
@test "order: the examples, with tables as CSV and XML" {
	skip_unless python3
	make_example
	forms=rows
	for form in csv xml; do
		same tp-gpu-intervals -q $(table $form metal_gpu_intervals)
		same tp-mem -q $(table $form metal_wired_sysmem)
		same tp-mem -q $(table $form metal_current_alloc)
		same tp-cpu-top -q --frames 500 $(table $form time_profile)
		same tp-cpu-top -q --folded $(table $form time_profile)
	done
	forms="rows wide"
	for seed in 1 2; do
		"$TP_BUILD/mktorch" --seed $seed torch$seed >/dev/null
		same tp-trace -q torch$seed/rank0.json
		same tp-trace -q --pseudo-ops --ranks torch$seed/rank0.json
		"$TP_BUILD/mkjax" --seed $seed --steps 6 jax$seed >/dev/null
		same tp-trace -q jax$seed/plugins/profile/*/host.trace.json
	done
	forms=runs
	"$TP_BUILD/mketdump" et >/dev/null
	for f in et/runs/*/*/*_all_runs_timeline.csv; do
		same tp-etdump -q --samples "$f"
	done
}

@test "order: files of one trace may be given in any" {
	make_example
	gpu=$(table csv metal_gpu_intervals)
	sent=$(table csv metal_cmd_submissions)
	done=$(table csv metal_cmd_completed)
	wired=$(table csv metal_wired_sysmem)
	current=$(table csv metal_current_alloc)
	tp-cmdbuf -q --gpu $gpu $sent $done | plain >a
	tp-cmdbuf -q --gpu $done $gpu $sent | plain >b
	cmp a b
	tp-mem -q $wired $current | plain >a
	tp-mem -q $current $wired | plain >b
	cmp a b
	[ -s a ]
}

# bats test_tags=rest
@test "order: real traces, where they are beside the tree" {
	skip_unless python3
	data=$TP_ROOT/../shared/data
	[ -d "$data" ] || skip "no ../shared/data"
	forms=rows SEEDS=1
	for f in time-profile/jmh__time-profile m1-per-schema/time-profile \
	    cpu-profile/apple-profiler-real__finder_cpu_profile; do
		same tp-cpu-top -q "$data/instruments/$f.xml"
	done
	same tp-gpu-intervals -q \
	    "$data/instruments/m1-per-schema/metal-gpu-intervals.xml"
	# those with times in whole microseconds say by their order what holds
	# what; so they are none of these
	forms="rows wide"
	for f in "$data"/pytorch/tl_{h100_bert,mi300_vit,vllm_decode}.json.gz \
	    "$data"/pytorch/unit/*.json.gz "$data"/jax/fixtures/*.json.gz; do
		gzip -dc "$f" >trace.json
		[ "$(wc -c <trace.json)" -lt 4000000 ] || continue
		same tp-trace -q trace.json
	done
	forms=runs
	for f in "$data"/executorch/edge/{minimal,two_sig,vulkan}*.csv \
	    "$data"/executorch/synth/runs/*/*/*_all_runs_timeline.csv; do
		same tp-etdump -q "$f"
	done
}
