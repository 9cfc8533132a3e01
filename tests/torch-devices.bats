#!/usr/bin/env bats
# Devices that are no GPU: the same run in the form of each vendor, and traces
# against what the vendor's own tools made of them.

load helper

DATA=${TP_DATA:-$TP_ROOT/../shared/data}/pytorch

# The run as VENDOR writes it, one rank of eight: its records in VENDOR.jsonl.
play() {
	"$TP_BUILD/mkkineto" --out "$1" "vendor=$1" frames=1 steps=4 wait=1 \
	    python=60us seq=128 network=200000000000
	tp-trace --platform H100 "$1/trace/trace.json" >"$1.jsonl"
}

setup_file() {
	load helper
	cd "$BATS_FILE_TMPDIR" || return 1
	for vendor in 0 1 2 3; do
		play $vendor || return 1
	done
}

# Records of KINDS of vendors 0 and OTHER are the same but for names of calls,
# of kernels, what is by the name of a call (idle_parts), and KEYS.
alike() {
	cd "$BATS_FILE_TMPDIR" || return 1
	for vendor in 0 "$1"; do
		jq -cS --arg kinds "$2" --arg keys "${3-}" '
		    ($keys | split(" ")) as $keys |
		    select(.kind | test("^(\($kinds))$") and . != "gap.part") |
		    select(.kind | test("^path.(name|exposer)$") | not) |
		    del(.src, .kernel, .kernel_before, .sync_name, .host_name, .gpu_name,
		    .device_kind, .runtime_call_count, .event_count,
		    .input_strides, .concrete_inputs, .uid, .first_uid) |
		    delpaths([$keys[] | [.]])' "$vendor.jsonl" | sort \
		    >"$BATS_TEST_TMPDIR/$vendor"
	done
	[ -s "$BATS_TEST_TMPDIR/0" ] &&
	    diff "$BATS_TEST_TMPDIR/0" "$BATS_TEST_TMPDIR/$1"
}

# Idle time of vendor N by part and cause, of all names.
idle_parts() {
	jq -cs 'map(select(.kind == "gap.part")) | group_by([.part, .cause]) |
	    map([.[0].part, .[0].cause, (map(.time_ns) | add)]) |
	    if . == [] then error("none") else . end' \
	    "$BATS_FILE_TMPDIR/$1.jsonl"
}

@test "devices: a trace of XPU, whose driver is called from the runtime, has all records of one of CUDA" {
	# an XPU has no compute capability
	alike 1 '(?!gpu.device|source).*' 'compute_major runtime'
	[ "$(idle_parts 0)" = "$(idle_parts 1)" ]
	[ "$(jq -r 'select(.kind == "trace.summary") | .device_kind' \
	    "$BATS_FILE_TMPDIR/1.jsonl")" = XPU ]
}

@test "devices: a trace of MTIA has the time line, operators and gaps of one of CUDA" {
	alike 2 'timeline.*|gap.*|launch.summary|stream.queue|launcher.name|module.*|gpu.category|python.function|collective.*|trace.quality'
	[ "$(idle_parts 0)" = "$(idle_parts 2)" ]
	[ "$(jq -r 'select(.kind == "trace.summary") | .device_kind' \
	    "$BATS_FILE_TMPDIR/2.jsonl")" = MTIA ]
}

@test "devices: a trace of Ascend, where another thread launches, has the time line, operators and gaps of one of CUDA" {
	alike 3 'timeline.(summary|step)|gap.*|launch.summary|launcher.(name|category)|module.*|collective.summary|python.function|memcpy.summary' device_count
	[ "$(idle_parts 0)" = "$(idle_parts 3)" ]
	# Ascend says neither where a copy goes nor the ranks of a group
	alike 3 'gpu.category' 'latency_bound_ns uncosted_ns'
	alike 3 'collective' 'stream bus_bytes_per_s out_bytes out_element_count element_type name process_group process_group_ranks process_group_count in_split out_split'
	[ "$(jq -r 'select(.kind == "trace.summary") | .device_kind' \
	    "$BATS_FILE_TMPDIR/3.jsonl")" = NPU ]
	# all of it is read, and nothing twice
	run jq -r 'select(.kind == "note") | .code' "$BATS_FILE_TMPDIR/3.jsonl"
	[ "$output" = json.repaired ]
}

@test "devices: folded stacks add up to the GPU time to the nanosecond, in each form" {
	cd "$BATS_FILE_TMPDIR"
	for vendor in 0 1 2 3; do
		want=$(jq 'select(.kind == "trace.quality") |
		    .gpu_duration_sum_ns' $vendor.jsonl)
		got=$(tp-trace --folded gpu $vendor/trace/trace.json |
		    awk '{ s += $NF } END { printf "%d\n", s }')
		[ "$got" = "$want" ] || fail "$vendor: $got, not $want"
	done
}

@test "devices: a report of each names no part of CUDA, and no GPU" {
	cd "$BATS_FILE_TMPDIR"
	for vendor in 1 2 3; do
		# the kernels of the generator are those of CUDA
		tp-report $vendor/trace/trace.json >report.md
		! grep -E 'CUDAGraph|torch\.cuda|ProfilerActivity\.CUDA|`H100`|GPU' \
		    report.md
		grep -qE 'the (MTIA|XPU|NPU) waited for' report.md
	done
}

@test "devices: communication of Ascend that waits for other ranks is said to wait" {
	[ -d "$DATA/ascend" ] || skip "no ../shared/data/pytorch/ascend"
	tp-report "$DATA/ascend/rank0/trace_view.json" >"$BATS_TEST_TMPDIR/r.md"
	grep -q '^- NPU work: communication 91.6 % (102 ms of it waiting for other ranks), optimizer' \
	    "$BATS_TEST_TMPDIR/r.md"
}

# Times of Ascend's own table, in us, against ours of the work of the step: to
# 10 ns, as a sum of 200 rounded times.
ascend() {
	local d=$DATA/ascend/rank$1
	[ -d "$d" ] || skip "no ../shared/data/pytorch/ascend"
	cd "$BATS_TEST_TMPDIR" || return 1
	tp-trace "$d/trace_view.json" >all.jsonl
	jq -r 'select(.kind == "timeline.step") | .number, .compute_ns,
	    .communication_ns, .communication_hidden_ns,
	    .communication_union_ns' all.jsonl >got
	awk -F, 'NR == 2 { printf "%d\n", $1
	    for (i = 2; i < 6; i++) printf "%.0f\n", $i * 1000 }' \
	    "$d/step_trace_time.csv" >want
	paste got want | awk '{ d = $1 - $2; bad += d > 10 || d < -10 }
	    END { exit NR != 5 || bad }' || fail "$(paste got want)"
	# every kernel, and what its type took
	[ "$(jq 'select(.kind == "trace.quality") | .linked_ratio' \
	    all.jsonl)" = 1 ]
	kernels=$(($(wc -l <"$d/kernel_details.csv") - 1))
	[ "$(jq 'select(.kind == "timeline.summary" and .scope == "all") |
	    .gpu_count' all.jsonl)" -eq $((kernels +
	    $(jq 'select(.kind == "memcpy.summary") | .count' all.jsonl))) ]
	type layout TransData
	type GEMM 'MatMulV[23]'
	type memset MemSet
}

# The kernels of CATEGORY are those of the Ascend TYPE, to 1 ns each.
type() {
	jq -r --arg c "$1" 'select(.kind == "gpu.category" and
	    .category == $c) | .count, .gpu_sum_ns' all.jsonl | paste -s >got
	awk -F, -v type="^$2\$" '$1 ~ type { n += $3; ns += $4 * 1000 }
	    END { printf "%d\t%.0f\n", n, ns }' "$d/op_statistic.csv" >want
	paste got want | awk '{ d = $2 - $4
	    exit $1 != $3 || d > $1 || d < -$1 }' ||
	    fail "$1: $(paste got want)"
}

@test "devices: Ascend's step_trace_time.csv and op_statistic.csv, rank 0" {
	ascend 0
}

@test "devices: Ascend's step_trace_time.csv and op_statistic.csv, rank 1" {
	ascend 1
}

@test "devices: operators of Ascend have the device time of its operator_details.csv" {
	d=$DATA/ascend/rank0
	[ -d "$d" ] || skip "no ../shared/data/pytorch/ascend"
	cd "$BATS_TEST_TMPDIR"
	tp-trace "$d/trace_view.json" >all.jsonl
	python3 - "$d/operator_details.csv" <<-'EOF' >want
	import csv, sys, collections
	ns = collections.Counter()
	for row in csv.DictReader(open(sys.argv[1])):
	    ns[row["Name"]] += float(row["Device Total Duration(us)"]) * 1000
	# that leaves out copies, of which these have none
	for name in "aten::mm", "aten::addmm", "aten::_convolution", \
	        "aten::_foreach_add_", "aten::mul":
	    print(name, round(ns[name]))
	EOF
	jq -r 'select(.kind == "launcher.name") | "\(.op) \(.subtree_sum_ns)"' \
	    all.jsonl >got
	while read -r op ns; do
		mine=$(sed -n "s/^$op //p" got)
		[ $((mine - ns)) -le 20 ] && [ $((ns - mine)) -le 20 ] ||
		    fail "$op: $mine, not $ns"
	done <want
}

@test "devices: two ranks of Ascend are one job, by the names of their folders" {
	[ -d "$DATA/ascend" ] || skip "no ../shared/data/pytorch/ascend"
	tp-trace --ranks "$DATA"/ascend/rank?/trace_view.json | tp-ranks \
	    >"$BATS_TEST_TMPDIR/ranks"
	run jq -r 'select(.kind == "ranks.summary") |
	    "\(.traced_count) \(.matched_count)"' "$BATS_TEST_TMPDIR/ranks"
	[ "$output" = "2 4" ]
}

# bats test_tags=rest
@test "devices: idle time and computation of MTIA as another analyser has them" {
	[ -e "$DATA/hta_mtia.json.gz" ] || skip "no ../shared/data/pytorch"
	cd "$BATS_TEST_TMPDIR"
	# it leaves out what began before the step, and rounds starts up and
	# ends down; its sums of 25,812 times are a few us off those
	gzip -dc "$DATA/hta_mtia.json.gz" | jq -c '.traceEvents |
	    (map(select(.name == "ProfilerStep#1") | .ts) | min) as $from |
	    map(select(.cat == "mtia_ccp_events" and .ts >= $from) |
	    (.ts + .dur | floor) as $to | .ts |= ceil |
	    .dur = ([0, $to - .ts] | max))' >trace.json
	run jq 'select(.kind == "timeline.summary" and
	    .scope == "all") | [.idle_ns - 5648827000,
	    .compute_ns - 7305596000, .busy_ns - .compute_ns - 373924000,
	    .span_ns - 13328347000] | map(. / 1000 | fabs) | max <= 6' <(tp-timeline trace.json)
	[ "$output" = true ]
}

# The budget of mkkineto NAME=N... in whole ns: its window, and its parts in both
# kinds of records; then what the GPUs did of it, at once and each.
several() {
	cd "$BATS_TEST_TMPDIR" || return 1
	rm -rf run
	"$TP_BUILD/mkkineto" --out run seed=3 noise=20 steps=3 "$@" || return 1
	tp-trace --platform H100 run/trace/trace.json >run.jsonl
}

@test "devices: parts of the budget of several GPUs sum to the window to the nanosecond" {
	for n in 2 3 5 7; do
		for turns in 0 1; do
			several gpus=$n turns=$turns layers=7
			jq -se --argjson n $n '
			    def of($kind): map(select(.kind == $kind));
			    of("budget.window")[0].wall_ns as $wall |
			    of("budget.device") as $each |
			    (of("budget") | map(.time_ns) | add) == $wall and
			    (of("budget.part") | map(.time_ns) | add) == $wall and
			    ($each | length) == $n and all($each[];
				.busy_ns + .idle_ns - $wall | fabs <= 1)' \
			    run.jsonl || fail "$n $turns"
		done
	done
}

@test "devices: GPUs that work in turn would save what a program without that saves" {
	for turns in 0 1; do
		several gpus=2 turns=$turns batch=16 train=0 -- turns turns=0
		# the program without turns also starts earlier
		jq -se --argjson want "$(jq '.causes[0].window_gain_ns' \
		    run/truth.json)" --argjson turns $turns '
		    map(select(.what_if == "devices=apart"))[0].gain_ns |
		    if $turns == 1 then . > 0.7 * $want and . <= 1.1 * $want
		    else . <= 0 end' run.jsonl || fail "$turns"
	done
}

@test "devices: one GPU has no budget of its own" {
	several gpus=1
	run grep -c 'budget.device\|devices=apart' run.jsonl
	[ "$output" = 0 ]
}
