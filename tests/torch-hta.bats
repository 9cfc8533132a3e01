#!/usr/bin/env bats
# Idle time, overlap, queues and launches against tables that another analyser
# made of the same traces.  Its numbers are ours where it looks at the same
# events; as_hta makes a trace what it looks at.  The differences, all of them:
#
# - It leaves out what was launched in the last ProfilerStep and after it,
#   and GPU work without a call of its correlation.  We keep all.  Of
#   tl_mi300_resnet the last step is one of the GPU's annotations, so that
#   nothing falls away but the latter.
# - It rounds starts up and ends down to whole microseconds.  We keep what is
#   written.  Work between two whole microseconds gets -1 us there: in
#   tl_mi300_resnet 21 kernels, so it has 21 us less of computation and as
#   much more of waiting on their stream.
# - Memory sets are memory there and computation here.
# - Its bandwidth is a mean over copies, in which short ones count as much as
#   long ones; ours is bytes over time.  Not compared.
# - Shares by kind of kernel with overlaps count three kinds there; ours are
#   computation, exposed communication, exposed copies.  Not compared.

load helper

DATA=${TP_DATA:-$TP_ROOT/../shared/data}/pytorch
HTA=$DATA/../../expected/pytorch/hta

# What the other analyser sees of trace NAME, on stdout.
as_hta() {
	gzip -dc "$DATA/$1.json.gz" | jq -c '
	def is_gpu: .cat | IN("kernel", "gpu_memcpy", "gpu_memset", "Kernel",
	    "Memcpy", "Memset");
	def is_call: .cat | IN("cuda_runtime", "cuda_driver", "Runtime");
	def rounded: (.ts + .dur | floor) as $to | .ts |= ceil |
	    .dur = ([0, $to - .ts] | max);
	.traceEvents |= ((map(select(.ph == "X" and
	    (.name | startswith("ProfilerStep"))) | .ts) | max) as $last |
	  (map(select(.ph == "X" and is_call and .args.correlation and
	    .ts < $last) | {key: "\(.args.correlation)", value: 1}) |
	    from_entries) as $kept |
	  map(select((is_gpu | not) or $kept["\(.args.correlation)"]) |
	    if .ph == "X" and .dur then rounded else . end |
	    if .cat | IN("gpu_memset", "Memset") then .cat = "gpu_memcpy"
	    else . end))'
}

# Compare trace NAME; of computation LESS us are missing there.
compare() {
	local name=$1 less=${2:-0} d=$HTA/$1
	[ -d "$HTA" ] || skip "no ../shared/expected/pytorch/hta"
	cd "$BATS_TEST_TMPDIR" || return 1
	as_hta "$name" >trace.json
	tp-trace trace.json >all.jsonl
	jq -r --argjson less "$less" 'select(.kind == "timeline.summary" and
	    .scope == "all") | .idle_ns as $idle | .span_ns as $span |
	    [$idle, .compute_ns - $less * 1000,
	     .busy_ns - .compute_ns + $less * 1000, $span] |
	    map(. / 1000) | @csv' all.jsonl >got
	awk -F, 'NR > 1 { printf "%d,%d,%d,%d\n", $3, $4, $5, $6 }' \
	    "$d/temporal_breakdown.csv" | diff - got
	jq -r 'select(.kind == "timeline.summary" and .scope == "all") |
	    .communication_hidden_ratio // empty | . * 10000 | round' \
	    all.jsonl >got
	awk -F, 'NR > 1 && $3 != "" { printf "%d\n", $3 * 100 + 0.5 }' \
	    "$d/comm_comp_overlap.csv" | diff - got
}

# bats test_tags=rest
@test "hta: two ranks' worth of collectives on an A100" {
	compare hta_a100_nccl
	jq -r 'select(.kind == "stream.queue") |
	    "\(.stream),\(.linked_count * 2),\(.queue_max_count)"' \
	    all.jsonl >got
	awk -F, 'NR > 3 { printf "%d,%d,%d\n", $2, $3, $10 }' \
	    "$HTA/hta_a100_nccl/queue_length_summary.csv" | diff - got
	# launches: how many, short, late and slow
	jq -r 'select(.kind == "launch.summary") | [.linked_count,
	    .outrun_count, .delayed_count, .slow_call_count,
	    .launch_delay_max_ns / 1000] | @csv' all.jsonl >got
	awk -F, -v OFS=, 'NR > 1 { n++; s += $4 < $3; d += $5 > 100;
	    c += $3 > 50; if ($5 > max) max = $5 + 0 }
	    END { print n, s, d, c, max }' \
	    "$HTA/hta_a100_nccl/cuda_kernel_launch_stats_rank0.csv" |
	    diff - got
}

# bats test_tags=rest
@test "hta: a V100 whose queue is full" {
	compare hta_v100_ns
	[ "$(jq 'select(.kind == "stream.queue") | .queue_max_count' \
	    all.jsonl)" = 1022 ]
}

@test "hta: a short trace of an MI250" {
	compare hta_mi250_mini
}

# bats test_tags=rest
@test "hta: training on an MI300, but for 21 kernels below a microsecond" {
	compare tl_mi300_resnet 21
}

@test "hta: a trace with one kernel" {
	compare hta_cmp_base
}
