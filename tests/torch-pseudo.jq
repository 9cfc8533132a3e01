# Pseudo operations of operators, and what TraceLens says they cost
# (models.jsonl): a trace of them, and with the RECORDS of that trace what
# differs.  See torch-costs.jq.

# What a rule looks for in an operator: kernels, and the function around calls.
def shape:
    if .name | test("flydsl") then {f: ": flydsl_moe_\(.name | capture(
	"(?<s>stage[12])").s)", k: .kernels, in: true}
    elif .name | test("mla_decode") then
	{f: "aiter/mla.py(12): mla_decode_fwd", k: ["mla_asm", "mla_reduce"]}
    elif .name | test("mla_prefill") then
	{f: "aiter_mla.py(9): mla_fp8_prefill_attn", k: ["mla_ps", "reduce"]}
    elif .name | test("v4_paged") then {f:
	"vllm/paged_decode.py(7): sparse_attn_v4_paged_decode", in: true,
	k: .kernels}
    elif .name | test("1stage") then {k: (.kernels + ["MoeSorting"])}
    else {k: (.kernels + .kernels)} end;

# Trees rewritten by hand, with settings that no trace tells, are left out.
def told: (.name | startswith("pseudo_")) and (has("error") | not) and
    (.environment | not) and (.name | test("moe_triton") | not);

def launches($t; $i; $k): $k | to_entries[] | ($i * 100 + .key) as $n |
    {ph: "X", cat: "cuda_runtime", name: "hipLaunchKernel", pid: 1, tid: 1,
	ts: ($t + 10 * .key), dur: 4, args: {correlation: $n}},
    {ph: "X", cat: "kernel", name: .value, pid: 0, tid: 7,
	ts: ($t + 300 + 10 * .key), dur: 10,
	args: {correlation: $n, stream: 7, device: 0}};

def events: .key as $i | ($i * 1000) as $t | .value | shape as $s |
    if .annotation then {ph: "X", cat: "user_annotation", name: .annotation,
	pid: 1, tid: 1, ts: $t, dur: 900} else empty end,
    {ph: "X", cat: "cpu_op", name: (.donor // .name), pid: 1, tid: 1,
	ts: ($t + 100), dur: (if $s.in or ($s.f | not) then 100 else 8 end),
	args: (.args + {"External id": $i})},
    if $s.f then {ph: "X", cat: "python_function", name: $s.f, pid: 1,
	tid: 1, ts: ($t + 99 + (if $s.in then 2 else 0 end)), dur: 80}
    else empty end,
    launches($t + 102; $i; $s.k);

def near($got; $want): $want == null or ($got != null and
    ($got - $want | fabs) <= ([1, $want * 1e-6] | max));

[inputs | select(told)] | to_entries | map(.key += 1) as $calls |
if $ARGS.named.records == null then {schemaVersion: 1, deviceProperties:
    [{id: 0, name: "AMD Instinct MI300X"}], traceEvents: [$calls[] | events]}
else
	($ARGS.named.records | map(select(.kind == "op.perf")) |
	    group_by(.op) | INDEX(.[0].op)) as $perf |
	($ARGS.named.overlay[0].not_followed | map(.ops[])) as $known |
	$calls[] | .value as $want |
	[$perf[$want.name][]? | select((.input_dims // "" | gsub(" "; "") |
	    startswith($want.args["Input Dims"] | tojson | .[:-1])) and
	    ((.input_types // "") | gsub(", "; ",") | startswith(
	    $want.args["Input type"] | tojson | .[:-1])))] as $got |
	select($got | any(near(.work_flops; $want.flops) and
	    near(.least_bytes; $want.bytes) and ($want.spec == "" or
	    .compute_spec == $want.spec)) | not) |
	select($known | index($want.name) | not) |
	"\($want.name) case \($want.case): \($got | map([.work_flops,
	    .least_bytes, .compute_spec])), want \($want | [.flops, .bytes,
	    .spec])"
end
