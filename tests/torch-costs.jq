# Calls of operators, and what TraceLens says they cost (models.jsonl): a trace
# of them, and with the RECORDS of that trace what differs from both of op.perf
# and op.unified and is no fault that OVERLAY knows.
#
#	jq -nc -f torch-costs.jq models.jsonl >trace.json
#	jq -nr --slurpfile overlay share/ops/torch-tracelens.json \
#	    --slurpfile records records.jsonl -f torch-costs.jq models.jsonl

# What needs nothing but its arguments and the step it runs in.
def alone: [has("error"), .donor, .added, .below, .environment, .forward,
    .kernels] | any | not;

def events: .key as $i | ($i * 100) as $t | .value |
    (if (.annotation // "NA") == "NA" then empty else {ph: "X",
	cat: "user_annotation", name: .annotation, pid: 1, tid: 1,
	ts: ($t - 2), dur: 60} end),
    {ph: "X", cat: "cpu_op", name: .name, pid: 1, tid: 1, ts: $t, dur: 40,
	args: (.args + {"External id": $i})},
    {ph: "X", cat: "cuda_runtime", name: "hipLaunchKernel", pid: 1, tid: 1,
	ts: ($t + 5), dur: 4, args: {correlation: $i, "External id": $i}},
    {ph: "X", cat: "kernel", name: "kernel_\($i)", pid: 0, tid: 7,
	ts: ($t + 20), dur: 10, args: {correlation: $i, stream: 7, device: 0,
	"External id": $i}};

def near($got; $want): $want == null or ($got != null and
    ($got - $want | fabs) <= ([1, $want * 1e-6] | max));

def agrees($want): near(.work_flops; $want.flops) and
    near(.least_bytes; $want.bytes) and
    (.compute_spec // "") == ($want.spec // "");

[inputs | select(alone)] | to_entries | map(.key += 1) as $calls |
if $ARGS.named.records == null then {schemaVersion: 1, deviceProperties:
    [{id: 0, name: "AMD Instinct MI300X"}], traceEvents: [$calls[] | events]}
else
	($ARGS.named.records | map(select(.kind == "op.perf")) |
	    INDEX(.kernel)) as $perf |
	($ARGS.named.records | map(select(.kind == "op.unified")) |
	    INDEX(.first_uid)) as $told |
	($ARGS.named.overlay[0].not_followed | map(.ops[])) as $known |
	$calls[] | .value as $want | $perf["kernel_\(.key)"] |
	# the same call again is counted with the first
	select(.) | $told[.first_uid | tostring] as $u |
	select((agrees($want) or ($u | agrees($want))) | not) |
	select(.op as $op | $known | index($op) | not) |
	"\(.op) case \($want.case): \([.work_flops, .least_bytes,
	    .compute_spec]), told \($u | [.work_flops, .least_bytes,
	    .compute_spec]), want \($want | [.flops, .bytes, .spec])"
end
