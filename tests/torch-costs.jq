# Calls of operators, and what TraceLens says they cost (models.jsonl): a trace
# of them, and with the RECORDS of that trace what differs from both of op.perf
# and op.unified and is no fault that OVERLAY knows.
#
#	jq -nc -f torch-costs.jq models.jsonl >trace.json
#	jq -nr --slurpfile overlay share/ops/torch-tracelens.json \
#	    --slurpfile records records.jsonl -f torch-costs.jq models.jsonl

# What needs its arguments, the step it runs in, and its forward pass.
def alone: [has("error"), .donor, .added, .below, .environment, .kernels] |
    any | not;

# An operator on thread TID at TS, whose kernel is called NAME_I.
def launch($tid; $ts; $i; $name; $args):
    {ph: "X", cat: "cpu_op", name: .name, pid: 1, tid: $tid, ts: $ts, dur: 40,
	args: (.args + $args + {"External id": $i})},
    {ph: "X", cat: "cuda_runtime", name: "hipLaunchKernel", pid: 1, tid: $tid,
	ts: ($ts + 5), dur: 4, args: {correlation: $i, "External id": $i}},
    {ph: "X", cat: "kernel", name: "\($name)_\($i)", pid: 0, tid: 7,
	ts: ($ts + 20), dur: 10, args: {correlation: $i, stream: 7, device: 0,
	"External id": $i}};

def events: .key as $i | ($i * 200) as $t | {"Sequence number": $i} as $n |
    .value |
    if (.annotation // "NA") == "NA" then empty else {ph: "X",
	cat: "user_annotation", name: .annotation, pid: 1, tid: 1,
	ts: ($t - 2), dur: 60} end,
    if .forward then
	(.forward | launch(1; $t - 100; $i + 100000; "forward"; $n)),
	{ph: "X", cat: "cpu_op", pid: 1, tid: 2, ts: ($t - 2), dur: 50,
	    name: "autograd::engine::evaluate_function: \(.name)",
	    args: ($n + {"External id": ($i + 200000)})},
	launch(2; $t; $i; "kernel"; $n)
    else launch(1; $t; $i; "kernel"; {"Sequence number": null}) end;

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
