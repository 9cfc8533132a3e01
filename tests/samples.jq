# How much rows of a capture vary from step to step, computed from its events;
# prints the rows of RECORDS that differ, and how many were held against them.
#
#	jq -n -r --slurpfile records records.jsonl -f samples.jq trace.json...

def ps: . * 1e6 | round;
# Half to even, as the mean is.
def even: floor as $low | if . - $low == 0.5 then $low + $low % 2 else
    round end;
def sum: reduce .[] as $x (0; . + $x);

# Times of the same thing in N steps, in ps.
def moments($n): . as $x | ($x | sum / $n) as $mean |
    [$x[] | . - $mean | . * .] as $off |
    {step_sample_count: $n, step_mean_ns: ($mean / 1000 | even),
    step_stdev_ns: ((($off | sum) + ($n - ($x | length)) * $mean * $mean) /
	($n - 1) | sqrt / 1000 | round)};

# From {key, step, ps}: the moments of each key over N steps.
def by_key($n): group_by(.key) | map({key: .[0].key,
    value: (group_by(.step) | map(map(.ps) | sum) | moments($n))}) |
    from_entries;

# Events of a capture of JAX whose steps are lanes of the devices: what each
# operation took in each step, {pid, step, name, tf_op, ps}.
def jax_file: .traceEvents as $all |
    ([$all[] | select(.ph == "M" and .name == "thread_name") |
	{key: "\(.pid) \(.tid)", value: .args.name}] | from_entries) as $lanes |
    ([$all[] | select(.ph == "X") | . + {lane: $lanes["\(.pid) \(.tid)"],
	from: (.ts | ps), dur: (.dur | ps)}]) as $x |
    ([$x[] | select(.lane == "Steps")] | group_by(.pid) |
	map({key: (.[0].pid | tostring), value: .}) | from_entries) as $steps |
    {steps: ($steps | map_values(map(.name | tonumber))),
    ops: [$x[] | select(.lane == "XLA Ops") | . as $e |
	first($steps[.pid | tostring][] |
	    select(.from <= $e.from and $e.from < .from + .dur)) as $s |
	{step: ($s.name | tonumber), name, tf_op: (.args.tf_op // ""),
	    ps: .dur}]};

def canonical: sub("\\.[0-9]+$"; "");
def family: {"splash_mha_fwd": "attention_splash", "copy": "copy",
    "reduce-scatter": "collective", "all-reduce": "collective"
    }[canonical] // {"fusion.31": "loss_xent", "fusion.41": "optimizer_adam"
    }[.] // if test("^([^ ]*_)?fusion([._][0-9]+)*$") then "fusion" else "other" end;
def region: if .tf_op == "" then .name | canonical else
    .tf_op | sub("^jit\\((?<f>[^)]*)\\)"; .f) | sub("/pallas_call$"; "") |
    gsub("/"; "=>") end;

def jax: map(jax_file) |
    ([.[].steps[]] as $of | $of[0] | map(select(. as $step | . >= 5 and
	all($of[]; index($step) != null)))) as $steady |
    ($steady | length) as $n |
    [.[].ops[] | select(.step | IN($steady[]))] |
    {"op": (map(. + {key: .name}) | by_key($n)),
    "op.canonical": (map(. + {key: (.name | canonical)}) | by_key($n)),
    "op.family": (map(. + {key: (.name | family)}) | by_key($n)),
    "collective": (map(select(.name | family == "collective") |
	. + {key: (.name | canonical)}) | by_key($n)),
    "region": (map(. + {key: region}) | by_key($n))};

# A trace of PyTorch; what launched a kernel is what its RECORD says, and each
# of its kernels ran alone.
def torch($records): .[0].traceEvents |
    ([.[] | select(.cat == "user_annotation" and
	(.name | startswith("ProfilerStep")))]) as $steps |
    ([.[] | select(.cat == "cuda_runtime") | . as $e |
	{key: (.args.correlation | tostring), value: first(range(
	    $steps | length) | select($steps[.].ts <= $e.ts and
	    $e.ts < $steps[.].ts + $steps[.].dur))}] | from_entries) as $step |
    ($records | map(select(.kind == "launcher.kernel")) |
	INDEX(.kernel)) as $known |
    ($steps | length) as $n |
    [.[] | select(.cat == "kernel" or .cat == "gpu_memcpy") | . as $e |
    {step: $step[.args.correlation |
	tostring], key: .name, ps: (.dur | ps)} | select(.step) |
	. + if $e.cat == "kernel" then $known[.key] else
	    {op: "aten::copy_", category: "elementwise"} end |
	{step, key, ps, op, category, cat: $e.cat}] |
    map(select(.key | startswith("nccl") | not)) as $counted |
    {"launcher.kernel": (map(select(.cat == "kernel")) | by_key($n)),
    "launcher.name": ($counted | map(.key = .op) | by_key($n)),
    "launcher.category": ($counted | map(.key = .category) | by_key($n))} |
    .launcher = .["launcher.name"];

def key_of: .canonical_name as $c | if .kind == "op.canonical" then $c else
    if .kind == "op" then .name else .family // .collective // .region //
	.kernel // if .kind == "launcher.category" then .category else .op end
    end end;

$ARGS.named.records as $records | [inputs] |
if .[0].traceEvents | any(.cat == "kernel") then torch($records) else jax end |
. as $want |
[$records[] | select($want[.kind] and .step_sample_count) |
    select(.kind != "region" or .exclusive_ns > 0)] |
(.[] | . as $r | key_of as $key | $want[.kind][$key] as $w |
    select($w != ({step_sample_count, step_mean_ns, step_stdev_ns})) |
    "\(.kind) \($key): \(.step_sample_count) \(.step_mean_ns) \(
	.step_stdev_ns), want \($w | tojson)"),
"\(length) rows of \($want | length) kinds"
