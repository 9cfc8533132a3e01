# The analysis of PyTorch traces: findings, documents, another tool's numbers.
load helper

data=$TP_ROOT/../shared/data/pytorch
agent=$TP_ROOT/../shared/expected/pytorch/agent

setup_file() {
	load helper
	cd "$BATS_FILE_TMPDIR" || return 1
	"$TP_BUILD/mktorch" example >/dev/null
	"$TP_BUILD/tp-report" --platform MI300X -o report example/rank0.json
}

@test "every category of operations has one analyser" {
	jq -n -e --slurpfile ops "$TP_ROOT/share/ops/torch.json" \
	    --slurpfile known "$TP_ROOT/share/ops/torch-operators.json" \
	    --slurpfile of "$TP_ROOT/share/ops/torch-analysis.json" '
	    ([$known[0].categories | keys[]] + [$known[0].families[] |
	      (.category, .ops[].category) | strings] + [$ops[0].matches[].name,
	      $ops[0].kernels[].name, "other"] | unique) ==
	    ([$of[0].analysers[].category | (arrays[], strings)] | sort)'
}

@test "the analysis is beside a report that is kept, with pages, tables and documents" {
	cd "$BATS_FILE_TMPDIR/report"
	[ "$(head -n 1 standalone_analysis.md)" = "# PyTorch Trace Analysis" ]
	[ "$(grep -c -E '^\| (Total Time|Compute %|Idle %|Exposed Communication %|Top Bottleneck Category) \|' standalone_analysis.md)" -eq 5 ]
	[ -s category_findings/gemm_findings.md ]
	[ ! -e category_findings/convolution_findings.md ]
	for f in category_data/category_manifest.json priority_data.json \
	    category_data/multi_kernel_data.json metadata/gemm_metadata.json \
	    metadata/model_info.json \
	    category_data/gemm_metrics.json category_data/gemm_tree_data.json \
	    category_data/validation.json; do
		jq -e 'type == "object"' "$f" || fail "$f"
	done
	[ "$(head -n 1 category_data/gemm_ops.csv | cut -d, -f1-2)" = "name,op category" ]
	run grep -nE '\btp-[a-z]|compute\.|op\.perf|n/a' standalone_analysis.md \
	    category_findings/*.md
	[ "$status" -eq 1 ]
}

@test "the analysis names the model, its modules and what could be fused" {
	cd "$BATS_FILE_TMPDIR/report"
	[ "$(grep -c -E '^## (Executive Summary|Compute Kernel Optimizations|Kernel Fusion Opportunities \(Experimental\)|System-Level Optimizations|Detailed Analysis)$' standalone_analysis.md)" -eq 5 ]
	jq -e '.model == "Net" and .architecture == "MlpBlock" and .scale == 2
	    and .precision == "fp32" and .purpose == "training" and
	    .evidence.backward_count == 24' metadata/model_info.json
	jq -e '.[0] | .base_name == "MlpBlock" and .instance_count == 8 and
	    .kernel_type_signature == ["GEMM", "Elementwise", "LayerNorm"]' \
	    category_data/fusion_candidates.json
	grep -q '^# Kernel Fusion (Experimental)' \
	    category_findings/kernel_fusion_findings.md
	jq -e '[.operations[] | select(.name == "aten::addmm")][0] |
	    .module_path == "Net/MlpBlock/Linear" and
	    .parent_chain == "[\"aten::linear\"]"' \
	    category_data/gemm_tree_data.json
}

@test "a folder that is used again keeps no table of an earlier trace" {
	cd "$BATS_TEST_TMPDIR"
	cp -R "$BATS_FILE_TMPDIR/report" again
	[ -e again/category_data/norm_fwd_ops.csv ]
	jq '.traceEvents |= map(select(.name | test("norm|nll|loss"; "i") |
	    not))' "$BATS_FILE_TMPDIR/example/rank0.json" >t.json
	"$TP_BUILD/tp-report" --platform MI300X -o again t.json
	"$TP_BUILD/tp-report" --platform MI300X -o new t.json
	diff <(cd new && find . -type f | sort) \
	    <(cd again && find . -type f | sort)
	[ ! -e again/category_data/norm_fwd_ops.csv ]
}

@test "a folder that another trace gets keeps nothing that only one had" {
	cd "$BATS_TEST_TMPDIR"
	"$TP_BUILD/tp-report" --platform MI300X --replay aten::mm -o out \
	    "$BATS_FILE_TMPDIR/example/rank0.json"
	"$TP_BUILD/tp-report" --platform MI300X --tier system -o out \
	    "$BATS_FILE_TMPDIR/example/rank0.json"
	[ -e out/replay_packages/aten__mm.py ]
	echo mine >out/category_data/mine.txt
	"$TP_BUILD/tp-report" -o out "$BATS_FILE_TMPDIR"/example/rank?.json
	[ "$(find out -path out/in -prune -o -type f -print | sort |
	    sed -n -e '/category_data/p' -e '/metadata/p' -e '/csv/p' \
		-e '/replay/p' -e '/system\.md/p' -e '/priority/p' \
		-e '/xlsx/p')" = out/category_data/mine.txt ]
	[ -e out/standalone_analysis.md ]
}

@test "a platform of one's own is found from where one is, and read again" {
	cd "$BATS_TEST_TMPDIR"
	jq '.gpus |= {Mine: .MI300X}' "$TP_ROOT/share/platforms/amd.json" \
	    >mine.json
	"$TP_BUILD/tp-report" --platform mine.json -o out \
	    "$BATS_FILE_TMPDIR/example/rank0.json"
	grep -q 'Mine' out/report.md
	sed -i.was 's/Mine/Other/' mine.json
	"$TP_BUILD/tp-report" --platform ./mine.json -o out \
	    "$BATS_FILE_TMPDIR/example/rank0.json"
	grep -q 'Other' out/report.md
	run "$TP_BUILD/tp-report" --platform no/x.json \
	    "$BATS_FILE_TMPDIR/example/rank0.json"
	[ "$status" -eq 4 ]
	[ "$output" = "tp-report: cannot open 'no/x.json'" ]
}

@test "what a trace does not say of its model is not guessed" {
	[ -e "$data" ] || skip "no ../shared"
	tp-ops -q "$data/tl_mi210_gpuonly.json.gz" >"$BATS_TEST_TMPDIR/r"
	tp-json torch-model_info "$BATS_TEST_TMPDIR/r" | jq -e 'del(.evidence) |
	    [.[]] == [null, null, null, null, null]'
	tp-ops -q "$data/tl_mi300_qwen.json.gz" >"$BATS_TEST_TMPDIR/r"
	tp-json torch-model_info "$BATS_TEST_TMPDIR/r" | jq -e '[.model,
	    .architecture, .scale, .precision, .purpose] ==
	    ["Qwen2Model", "Qwen2DecoderLayer", 24, "bf16", "forward"]'
}

@test "priorities count up over both tiers, and cards stand in their order" {
	cd "$BATS_FILE_TMPDIR/report"
	jq -e '[.priorities[].rank] | . == [range(1; length + 1)]' \
	    priority_data.json
	# the five that can gain most have a card
	diff <(grep -o '^### P[0-9]*' standalone_analysis.md) \
	    <(jq -r '.priorities[:5][] | "### P\(.rank)"' priority_data.json)
}

@test "every analyser with operations has its page, and says what it found" {
	cd "$BATS_FILE_TMPDIR/report"
	diff <(jq -r '.analysers[].page' category_data/validation.json | sort) \
	    <(ls category_findings/*_findings.md | grep -v kernel_fusion)
	jq -e '[.categories[].operations] as $c |
	    [.analysers[].operations] as $a | ($c | add) == ($a | add)' \
	    category_data/validation.json
	jq -e '(.priorities.ranks | . == [range(1; length + 1)]) and
	    (([.analysers[].findings[], .system[][]] | sort) ==
	      .priorities.ranks) and
	    .roll_up_ms.groups == .roll_up_ms.categories' \
	    category_data/validation.json
	grep -q '^| gemm | .* | \(P[0-9]\|nothing found\)' validation.md
}

# bats test_tags=rest
@test "a broken template of the pages ends the report, as one of its sections does" {
	cd "$BATS_TEST_TMPDIR"
	cp -R "$TP_ROOT/share" share
	for section in torch-validation torch-time; do
		cp "$TP_ROOT/share/sections/$section.md" "share/sections/$section.md"
		printf '{{#broken' >>"share/sections/$section.md"
		run env TP_SHARE="$PWD/share" tp-report -o "out-$section" \
		    "$BATS_FILE_TMPDIR/example/rank0.json"
		[ "$status" -eq 4 ] || fail "$section: $status $output"
		[[ $output = *"sections/$section.md"* ]]
		cp "$TP_ROOT/share/sections/$section.md" "share/sections/$section.md"
	done
}

@test "a platform is asked for when none is known, and the compute tier stands alone" {
	cd "$BATS_TEST_TMPDIR"
	tp-report --tier compute "$BATS_FILE_TMPDIR/example/rank0.json" >page.md
	# the GPU of the example has a name that no rates are of
	grep -q '^- No rates are known of a GPU called `Example GPU`' page.md
	tp-report --platform none --tier compute \
	    "$BATS_FILE_TMPDIR/example/rank0.json" >page.md
	grep -q '^- As was asked for, there are no rooflines' page.md
	grep -q '^# Matrix Products' page.md
	run tp-report --platform NoSuchGPU "$BATS_FILE_TMPDIR/example/rank0.json"
	[ "$status" -eq 2 ]
}

# What each trace that was made for one fault is to be found guilty of.
@test "each unit trace has the finding that its name states" {
	[ -e "$data/unit" ] || skip "no ../shared"
	while read -r name want; do
		tp-trace -q --platform MI300X "$data/unit/$name.json.gz" |
		    tp-findings -q >"$BATS_TEST_TMPDIR/found"
		grep -q '"kind":"finding",.*"id":"'"$want"'"' \
		    "$BATS_TEST_TMPDIR/found" || fail "$name: no $want"
	done <<'LIST'
conv_01_large_spatial_small_ch torch-roofline-compute
conv_04_depthwise torch-roofline-memory
conv_07_transposed torch-roofline-compute
elem_01_add_poor_bw torch-roofline-memory
gemm_01_compute_few_tiles torch-roofline-compute
gemm_04_memory_tall_skinny torch-roofline-memory
moe_01_many_experts_few_tokens torch-unmodelled
moe_04_top2_dense torch-unmodelled
sdpa_01_long_seq_low_eff torch-roofline-compute
sdpa_03_short_seq_overhead torch-roofline-memory
LIST
}

# Compared: the time line of linked work, categories, copies, and estimates per
# category and bound.  Differences, and why:
# - sdpa_01: its calls differ in length. There the share of the roofline is the
#   mean of the calls' (40.4 %), here that of all their time (37.7 %), which is
#   what can be gained.
# - libraries: here NVIDIA's are known and kernels of MIOpen and CK are told
#   apart, so groups of "Unknown" split; their sums are the same.
# - multi_kernel_data: there of all work, though the time line is of linked
#   work, which its own cross-check warns of. Here both totals are given.
# - kernel_analysis of cpu_idle and operation_count of recommendations are 0
#   there (columns that no longer exist): here they are not written.
# - direction of copies: there by the name, which ROCm gives wrong; here by the
#   call. Their totals are the same.
# - copies: there 15 of them are a finding whatever their time (0.03 %); here
#   their share of the span decides.
# - kernels of a few microseconds: there all above the roofline could be gained,
#   here what is above a kernel that does nothing; a platform without one.
# - norms and experts by name: there "norm-analyzer", and vllm::moe_forward is
#   generic; here batchnorm and moe.
@test "the numbers of another analysis are met, or differ for a reason" {
	[ -e "$agent" ] || skip "no ../shared"
	jq '{gpus: {MI300X: (.gpus.MI300X | del(.kernel_floor_ns))}}' \
	    "$TP_ROOT/share/platforms/amd.json" >"$BATS_TEST_TMPDIR/p.json"
	for d in "$agent"/*; do
		name=$(basename "$d")
		trace=$data/tl_$name.json.gz
		[ -e "$trace" ] || trace=$data/unit/${name#unit_}.json.gz
		tp-trace -q --platform "$BATS_TEST_TMPDIR/p.json" "$trace" \
		    >"$BATS_TEST_TMPDIR/r"
		jq -s -r --arg name "$name" \
		    --slurpfile m "$d/category_data/category_manifest.json" \
		    --slurpfile p "$d/priority_data.json" \
		    --slurpfile k "$d/category_data/multi_kernel_data.json" '
		def near($a; $b; $d): (($a // 0) - ($b // 0)) | fabs <= $d;
		def of($kind): .[] | select(.kind == $kind);
		. as $r |
		([of("timeline.summary") | select(.scope == "linked")][0]) as $t |
		($p[0].baseline_ms) as $base |
		($m[0].gpu_utilization |
		  (select(near(.total_time_ms; $t.span_ns / 1e6; 0.001) and
		    near(.computation_time_percent;
		      $t.compute_of_span_ratio * 100; 0.01) and
		    near(.idle_time_percent;
		      $t.idle_of_span_ratio * 100; 0.01) | not) |
		  "time line")),
		($m[0].categories[] | select(.tier == "compute_kernel") |
		  . as $c | ([$r | of("compute.category") |
		    select((.category | ascii_downcase) == $c.name)][0]) as $o |
		  select((near($c.gpu_kernel_time_ms; $o.gpu_sum_ns / 1e6; 0.002)
		    # of an operator that calls itself the inner call counts
		    and near($c.cpu_duration_ms; $o.host_sum_ns / 1e6; 0.01)
		    and near($c.sync_time_ms; $o.wait_ns / 1e6; 0.002)
		    and $c.ops_count == $o.variant_count) | not) |
		  "category \($c.name)"),
		(($name | startswith("mi300")) as $by_call |
		  $k[0].memcpy_summary.by_direction // {} | (if $by_call then
		    [{key: "all", value: {count: (map(.count) | add),
		      total_time_us: (map(.total_time_us) | add)}}]
		    else to_entries end)[] |
		  . as $c | ([$r | of("memcpy") |
		    select($by_call or .direction == $c.key)]) as $o |
		  select((near($c.value.count; [$o[].count] | add; 0) and
		    near($c.value.total_time_us;
		      ([$o[].duration_sum_ns] | add // 0) / 1e3; 0.02)) |
		      not) | "copies \($c.key)"),
		([$p[0].all_estimates[] | select(.category != "kernel_fusion" and
		    .impact_score != null)] | group_by([.category,
		    .estimate_method, .bound_type])[] |
		  (if .[0].estimate_method == "heuristic" then "unmodelled"
		    else .[0].bound_type end) as $bound |
		  .[0].category as $category | length as $n |
		  (map(.impact_score) | add) as $want |
		  ([$r | of("compute.group") | select(.bound == $bound and
		    (.category | ascii_downcase) == $category) | .saving_ns,
		    .saving_left_out_ns] | add // 0 | . / 1e4 / $base) as $got |
		  select(near($want; $got; 0.05 + 0.005 * $n) | not) |
		  select($name != "unit_sdpa_01_long_seq_low_eff") |
		  # we have models of more operators
		  select($bound != "unmodelled" or $got > $want) |
		  "estimate \($category) \($bound): \($got), not \($want)")
		' "$BATS_TEST_TMPDIR/r" >"$BATS_TEST_TMPDIR/differs"
		[ ! -s "$BATS_TEST_TMPDIR/differs" ] ||
			fail "$name: $(cat "$BATS_TEST_TMPDIR/differs")"
	done
}

@test "the analysis of several ranks says which rank it is of, and shows all" {
	cd "$BATS_TEST_TMPDIR"
	tp-report -o out "$BATS_FILE_TMPDIR/example" >/dev/null
	for f in out/report.md out/standalone_analysis.md; do
		grep -q '^- Only the comparison of ranks is of all; the rest is of rank 1, which waited least' \
		    "$f" || fail "$f"
		[ "$(grep -c '^## Ranks$' "$f")" -eq 1 ]
	done
}

@test "a trace of the GPU alone says so first, and claims no operator" {
	cd "$BATS_TEST_TMPDIR"
	jq -c '.traceEvents |= map(select(.cat != "cpu_op"))' \
	    "$BATS_FILE_TMPDIR/example/rank0.json" >alone.json
	tp-report -o out alone.json >/dev/null
	grep -q '^- \*\*No operators were recorded\*\*' \
	    out/standalone_analysis.md
	run grep -E 'can be trusted|No platform was named|above the roofline' \
	    out/report.md out/standalone_analysis.md
	[ "$status" -eq 1 ]
}

# The rule is taken from the page, so that the page cannot be wrong.
# bats test_tags=rest
@test "the rule that share/doc/torch.md adds finds what it says, where it says" {
	cd "$BATS_TEST_TMPDIR"
	cp -R "$TP_ROOT/share" share
	export TP_SHARE=$PWD/share
	sed -n '/^    {"source": "patterns of our own"/,/^$/s/^    //p' \
	    "$TP_ROOT/share/doc/torch.md" >share/rules/mine.json
	jq -e '.rules | length == 1' share/rules/mine.json
	sed 's/"aten::addmm"/"aten::_softmax"/' \
	    "$BATS_FILE_TMPDIR/example/rank0.json" >trace.json
	tp-report -o out trace.json >/dev/null
	grep -q '^### Attention that is written out' \
	    out/category_findings/reduce_findings.md
	grep -q '^### P[0-9]*: Attention that is written out (`aten::_softmax`)' \
	    out/standalone_analysis.md
	jq -e '[.priorities[] | select(.id == "our-softmax")] | length == 1' \
	    out/priority_data.json
	tp-findings --explain our-softmax out/torch.jsonl |
	    jq -e -s 'any(.[]; .kind == "rule.explained" and .fired)'
	run sh -c 'tp-trace "$1" | tp-findings --explain our-softmax' - \
	    "$BATS_FILE_TMPDIR/example/rank0.json"
	jq -e -s 'any(.[]; .kind == "rule.explained" and (.fired | not))' \
	    <<<"$output"
}

# Compared: which candidates there are, how many calls, kernels of the first,
# how many of them may be fused, what they are, and the time of all.  Not
# there, or otherwise, and why:
# - Sequential, BasicBlock, ResNet, DistributedDataParallel, ReluBackward0,
#   recompute_fn, train_step, ddp_worker, run_case: more than 16 kernels, which
#   nobody makes one of.
# - miopen_convolution: the kernels of Conv2d, which has nothing else.
# - _broadcast_coalesced: built in; here it is the function that calls it.
# - RowParallelLinear, and one kernel less to fuse in MLPBlock, FusedMoE and
#   VocabParallelEmbedding: multimem_all_reduce_kernel communicates.
# - sequences of siblings: of kernels that do not follow each other (both
#   residual sums of a layer), or part of a candidate that is there.
# - what is Unknown there may have a name here (norms, reductions).
# - savings: there one call stands for all of them; here every call is counted,
#   and the time that is left is that of the longest kernel.
@test "candidates for fusion are those of another analysis, or differ for a reason" {
	[ -e "$agent" ] || skip "no ../shared"
	for d in "$agent"/*; do
		name=$(basename "$d")
		trace=$data/tl_$name.json.gz
		[ -e "$trace" ] || trace=$data/unit/${name#unit_}.json.gz
		tp-ops -q "$trace" | tp-json torch-fusion_candidates \
		    >"$BATS_TEST_TMPDIR/got"
		jq -r --slurpfile got "$BATS_TEST_TMPDIR/got" '
		.[] | select(.source | not) | . as $want |
		select(.base_name | test("^(Sequential|BasicBlock|ResNet|DistributedDataParallel|ReluBackward0|RowParallelLinear|aten::miopen_convolution)$|: (recompute_fn|train_step|ddp_worker|run_case)$|^<built-in method _broadcast_coalesced") | not) |
		([$got[0][] | select(.base_name == $want.base_name)][0]) as $is |
		([.kernels[] | select(.name |
		    test("multimem_all_reduce_kernel"))] | length) as $less |
		if $is == null then "\(.base_name) is not there" else
		(select($is.instance_count != .instance_count or
		    $is.kernel_count != .kernel_count or
		    $is.eligible_kernel_count != .eligible_kernel_count - $less
		    or ($is.total_kernel_time_us - .total_kernel_time_us |
		    fabs) > 0.01) | "\(.base_name): \($is | del(.kernels))"),
		([.kernel_type_signature, $is.kernel_type_signature] |
		    transpose[] | select(.[0] != .[1] and .[0] != "Unknown") |
		    "\($want.base_name): \(.[1]), not \(.[0])") end
		' "$d/category_data/fusion_candidates.json" \
		    >"$BATS_TEST_TMPDIR/differs"
		[ ! -s "$BATS_TEST_TMPDIR/differs" ] ||
			fail "$name: $(cat "$BATS_TEST_TMPDIR/differs")"
	done
}

@test "what is promised by fusion is of the same size as another analysis promises" {
	[ -e "$agent" ] || skip "no ../shared"
	tp-ops -q "$data/tl_mi300_qwen.json.gz" >"$BATS_TEST_TMPDIR/r"
	jq -s -e --slurpfile m \
	    "$agent/mi300_qwen/category_data/kernel_fusion_metrics.json" '
	    [.[] | select(.kind == "fusion.candidate")] as $r |
	    [$m[0].impact_estimates[] |
	      select(.operation | test("RMSNorm|MLP")) | . as $e |
	      $r[] | select(.site == $e.operation) |
	      .saving_low_ns <= $e.impact_score * $m[0].total_time_ms * 1e4 and
	      .saving_high_ns >= $e.impact_score * $m[0].total_time_ms * 1e4] |
	    length == 2 and all' "$BATS_TEST_TMPDIR/r"
}
