# Traces of PyTorch: the example, its report and its tables.
bats_require_minimum_version 1.5.0
load helper

setup_file() {
	load helper
	cd "$BATS_FILE_TMPDIR" || return 1
	"$TP_BUILD/mktorch" example >/dev/null
	"$TP_BUILD/tp-report" -o report example/rank0.json
}

@test "the report of the example trace is the one in examples/torch" {
	# which is printed: without the pictures of one that is kept
	diff <(printed "$TP_ROOT/examples/torch/report.md") \
	    <(printed "$BATS_FILE_TMPDIR/report/report.md")
}

@test "examples/torch/run.sh makes the trace and prints the command" {
	cd "$BATS_TEST_TMPDIR"
	MKTORCH=$TP_BUILD/mktorch sh "$TP_ROOT/examples/torch/run.sh" "it's" \
	    >said
	eval "$(cat said)"
	cmp report/report.md "$BATS_FILE_TMPDIR/report/report.md"
}

@test "stacks of py-spy beside a trace name the lines of Python" {
	cd "$BATS_TEST_TMPDIR"
	trace=$BATS_FILE_TMPDIR/example/rank0.json
	stacks=$TP_ROOT/examples/torch/stacks.folded
	tp-report "$trace" "$stacks" >both.md
	# in a section of their own, in the findings, and in the list of inputs
	run diff "$TP_ROOT/examples/torch/report.md" both.md
	grep -q '^> ## What Python Did' <<<"$output"
	grep -qF '> | `decode (corpus.py:47)` | 214 | 214 | 46.0 % |' \
	    <<<"$output"
	grep -qF 'The largest share of the CPU samples, 46.0 %, is in `decode (corpus.py:47)`.' \
	    <<<"$output"
	[ "$(grep -c '^<' <<<"$output")" = "$(grep -cF 'largest share of the CPU samples' both.md)" ]
	grep -qF '| `stacks.folded` | folded-stacks | 6 |' both.md
	# of several ranks, too
	tp-report "$BATS_FILE_TMPDIR/example" "$stacks" |
		grep -q '^## What Python Did'
	# alone they are no report
	run -3 tp-report "$stacks"
	[[ $output = *"no trace to show them beside: tp-cpu-top"* ]] || false
}

@test "tables are beside a report that is kept, and only those with rows of a family" {
	cd "$BATS_FILE_TMPDIR/report/perf_report_csvs"
	[ -s gpu_timeline.csv ] && [ -s GEMM.csv ] && [ ! -e CONV_fwd.csv ]
	run head -n 2 ops_summary_by_category.csv
	[ "${lines[0]}" = "op category,Count,total_direct_kernel_time_ms,Percentage (%),Cumulative Percentage (%)" ]
	[[ ${lines[1]} = GEMM,16,* ]]
}

@test "the tables are sheets of a workbook too, and scripts are made for what was asked" {
	cd "$BATS_TEST_TMPDIR"
	trace=$BATS_FILE_TMPDIR/example/rank0.json
	tp-report -o out --replay aten::mm --replay 'no::$(touch pwned)' \
	    "$trace" 2>said
	grep -q "no script can be written for operator" said
	[ "$(ls out/replay_packages)" = aten__mm.py ]
	python3 -m py_compile out/replay_packages/aten__mm.py
	[ ! -e pwned ] && [ ! -e out/pwned ]
	if tp-xlsx --check 2>/dev/null; then
		head -c 2 out/perf_report.xlsx | grep -q PK
	else
		grep -q 'no perf_report.xlsx' said
	fi
	run tp-report --replay aten::mm "$trace"
	[ "$status" -eq 2 ] && [[ $output = *"needs -o"* ]]
}

@test "the records of a trace are read once for each kind of output" {
	cd "$BATS_FILE_TMPDIR/report"
	programs=$(env -u MAKEFLAGS -u MAKELEVEL make -B -n OUT=. TABLES=1 XLSX=1 \
	    -f "$TP_ROOT/share/report.mk" ./report.md |
	    grep -oE '(^|[[:space:]])tp-[a-z]+ ' | tr -d '[:blank:]' |
	    sort | uniq -c |
	    awk '{ printf "%s %s,", $2, $1 }')
	[ "$programs" = "tp-csv 1,tp-draw 1,tp-findings 1,tp-json 1,tp-put 4,tp-render 2,tp-trace 1,tp-xlsx 1," ]
}

@test "no name of a program or record stands in the report of a trace" {
	# but how to look into its timeline
	printed "$BATS_FILE_TMPDIR/report/report.md" >report.md
	run grep -nE 'tp-[a-z]|launcher\.|timeline\.s[^v]|op\.perf' report.md
	[ "$status" -eq 1 ]
}

@test "property: parts of the time line add up to the span, and kernels to their rows" {
	cd "$BATS_TEST_TMPDIR"
	for seed in 1 2 3 4 5; do
		"$TP_BUILD/mktorch" --seed $seed --steps 2 t$seed >/dev/null
		tp-trace --micro-idle 2us t$seed/rank0.json >t$seed.jsonl
		jq -e -s '
		  ([.[] | select(.kind == "timeline.summary" or
		    .kind == "timeline.stream" or .kind == "timeline.step")
		    | .compute_ns + .communication_ns + .memcpy_ns + .idle_ns ==
		      .span_ns and .busy_ns + .idle_ns == .span_ns] | all)
		  and ([.[] | select(.kind == "timeline.summary")
		    | .micro_idle_ns + .macro_idle_ns == .idle_ns] | all)
		  and ([.[] | select(.kind == "launcher") | .own_sum_ns] | add)
		    == ([.[] | select(.kind == "launcher.category")
		      | .own_sum_ns] | add)
		  and ([.[] | select(.kind == "launcher") | .own_sum_ns] | add)
		    == ([.[] | select(.kind == "launcher.name")
		      | .own_sum_ns] | add)
		  and ([.[] | select(.kind == "launcher.kernel") | .count] | add) +
		    ([.[] | select(.kind == "memcpy") | .count] | add) ==
		    ([.[] | select(.kind == "trace.quality") | .gpu_count] | add)
		' t$seed.jsonl
	done
}

@test "property: the order of events in the file changes no sum" {
	cd "$BATS_TEST_TMPDIR"
	"$TP_BUILD/mktorch" t >/dev/null
	jq -c '.traceEvents |= (map(select(.ph == "M")) +
	    (map(select(.ph != "M")) | reverse)) | .traceEvents |= (
	    map(select(.cat == "cpu_op")) + map(select(.cat != "cpu_op")))' \
	    t/rank0.json >turned.json
	for f in t/rank0.json turned.json; do
		tp-trace "$f" | jq -c 'select(.kind == "launcher.name" or
		    .kind == "timeline.stream") | del(.src)' | sort
	done >both
	lines=$(wc -l <both)
	[ "$(sort both | uniq -d | wc -l)" -eq $((lines / 2)) ]
}

@test "ranks of one folder are told apart in the records" {
	cd "$BATS_TEST_TMPDIR"
	"$TP_BUILD/mktorch" two >/dev/null
	"$TP_BUILD/mktorch" --rank 1 two >/dev/null
	run sh -c 'tp-report --records two | jq -c "select(.kind ==
	    \"ranks.rank\") | [.src, .process_rank]"'
	[ "${lines[0]}" = '["two",0]' ]
	[ "${lines[1]}" = '["two",1]' ]
	tp-report -o out two
	[ ! -e out/perf_report_csvs ]
}

@test "the report of two ranks is the one in examples/torch, however many jobs" {
	cd "$BATS_TEST_TMPDIR"
	"$TP_BUILD/mktorch" example >/dev/null
	tp-report -j 1 example >one.md
	tp-report -j 4 example >four.md
	diff "$TP_ROOT/examples/torch/ranks.md" one.md
	cmp one.md four.md
	run grep -nE 'tp-[a-z]|ranks\.[a-z]' one.md
	[ "$status" -eq 1 ]
}

@test "traces none of which says its rank are captures, listed in one message" {
	cd "$BATS_TEST_TMPDIR"
	mkdir job
	for n in a b; do
		sed 's/"rank": *[0-9]*/"rank": null/' \
		    "$BATS_FILE_TMPDIR/example/rank0.json" >"job/$n.json"
	done
	run tp-report -o report job
	[ "$status" -eq 2 ]
	[ "$(grep -c '^tp-' <<<"$output")" -eq 1 ]
	[[ $output = "tp-report: 'job' holds 2 captures: a ("*'), b ('*'); name one with --run' ]]
	tp-report --run b job >b.md
	grep -q '`b.json`' b.md
	! grep -q '`a.json`' b.md
}

@test "the comparison of two platforms is the one in examples/torch" {
	cd "$BATS_TEST_TMPDIR"
	"$TP_BUILD/mktorch" x >/dev/null
	"$TP_BUILD/mktorch" --platform 2 x/other >/dev/null
	tp-report --compare x/rank0.json x/other/rank0.json >comparison.md
	diff "$TP_ROOT/examples/torch/comparison.md" comparison.md
	# another number of steps is other work: totals are not judged
	"$TP_BUILD/mktorch" --steps 3 fewer >/dev/null
	tp-trace x/rank0.json >a.jsonl
	tp-trace fewer/rank0.json >b.jsonl
	tp-compare a.jsonl b.jsonl >c.jsonl
	jq -e -s '[.[] | select(.kind == "compare.row" and .of == "launcher")
	    | .change] | unique == ["neutral"]' c.jsonl
}

@test "two platforms: an operator and shape that both ran is one" {
	d=$TP_ROOT/../shared/data/pytorch/unit
	[ -e "$d/cmp_test02_trace1.json.gz" ] || skip "no cmp_test02_trace1.json.gz"
	tp-report --compare "$d/cmp_test02_trace1.json.gz" \
	    "$d/cmp_test02_trace2.json.gz" >"$BATS_TEST_TMPDIR/c.md"
	grep -qF '| `aten::bmm / [[8, 512, 64], [8, 64, 512]]` | 180 us | 80.0 us | 0.444x |  |' \
	    "$BATS_TEST_TMPDIR/c.md"
}

@test "a trace that ends early before a backward pass is not called inference" {
	cd "$BATS_TEST_TMPDIR"
	"$TP_BUILD/mktorch" t >/dev/null
	# up to the first operations, whole and cut off
	head -c 9000 t/rank0.json >cut.json
	run -3 tp-trace -q cut.json
	tp-render torch-appendix <<<"$output" >page
	grep -q 'cannot be told: no backward pass was recorded before the trace ends early$' page
	! grep -qe inference: -e 'forward only' page
	jq '.traceEvents |= map(select(.cat == "kernel" or
	    (.name | test("ackward|ptimizer") | not)))' t/rank0.json >forward.json
	tp-trace -q forward.json | tp-render torch-appendix |
	    grep -q 'forward only: no backward pass was recorded$'
}

@test "ranks in any order give the same bytes" {
	cd "$BATS_TEST_TMPDIR"
	"$TP_BUILD/mktorch" --seed 3 e >/dev/null
	for r in 0 1; do
		tp-trace --ranks --label x e/rank$r.json >$r.jsonl
	done
	tp-ranks 0.jsonl 1.jsonl >a
	cat 1.jsonl 0.jsonl | tp-ranks >b
	cmp a b
	(cd e && tp-trace --ranks --label x rank1.json rank0.json) |
	    sed 's|"file":"|&e/|' | tp-ranks >c
	cmp a c
	# waits of the ranks are those of the collectives
	jq -e -s '([.[] | select(.kind == "ranks.rank") | .wait_sum_ns] | add)
	    == ([.[] | select(.kind == "ranks.collective") | .wait_sum_ns]
	    | add)' a
}

@test "a rank that says its number only in the name of its file is found" {
	cd "$BATS_TEST_TMPDIR"
	"$TP_BUILD/mktorch" e >/dev/null
	sed 's/"rank": 1, //' e/rank1.json >e/my_rank-1_x.json
	rm e/rank1.json
	tp-trace -q --ranks e/rank0.json e/my_rank-1_x.json >both
	grep -q '"code":"rank.name"' both
	[ "$(tp-ranks --rank 0 both | grep -c '"kind":"ranks.rank"')" -eq 2 ]
	sed '/"trace.clock"/d' both | tp-ranks >unknown
	grep -q '"clock":"unknown"' unknown && grep -q rank.clock unknown
	! grep -q straggler unknown
	cat both both >twice
	run tp-ranks twice
	[ "$status" -eq 3 ]
	run tp-ranks --rank 7 both
	[ "$status" -eq 2 ]
}

@test "two of the 128 ranks of a real job: the rest is missing, and who waits is withheld" {
	d=$TP_ROOT/../shared/data/pytorch
	[ -e "$d/hta_r0of128.json.gz" ] || skip "no hta_r0of128.json.gz"
	tp-trace -q --ranks "$d/hta_r0of128.json.gz" "$d/hta_r1of128.json.gz" |
	    tp-ranks >"$BATS_TEST_TMPDIR/r"
	jq -e -s '.[] | select(.kind == "ranks.summary") | .missing_rank_count == 126
	    and .clock == "apart" and .matched_count == 10 and
	    (has("straggler_rank") | not)' "$BATS_TEST_TMPDIR/r"
}

# bats test_tags=rest
@test "reference tables of real traces are met to 1e-6" {
	[ -e "$TP_ROOT/../shared/check/pytorch.jsonl" ] || skip "no ../shared"
	command -v python3 >/dev/null || skip "no python3"
	run python3 "$TP_ROOT/../shared/check/check.py" --bin "$TP_BUILD" \
	    "$TP_ROOT/../shared/check/pytorch.jsonl" \
	    "$TP_ROOT/../shared/check/pytorch-more.jsonl"
	echo "$output"
	[ "$status" -eq 0 ]
}

# bats test_tags=rest
@test "costs and parameters of 753 calls are those of TraceLens, or the overlay says why not" {
	calls=$TP_ROOT/../shared/expected/pytorch/models.jsonl
	[ -e "$calls" ] || skip "no ../shared"
	cd "$BATS_TEST_TMPDIR"
	jq -nc -f "$TP_ROOT/tests/torch-costs.jq" "$calls" >t.json
	tp-ops -q t.json >r.jsonl
	[ "$(grep -c '"kind":"op.perf"' r.jsonl)" -gt 650 ]
	jq -nr --slurpfile records r.jsonl --slurpfile overlay \
	    "$TP_ROOT/share/ops/torch-tracelens.json" \
	    -f "$TP_ROOT/tests/torch-costs.jq" "$calls" | tee differ
	[ ! -s differ ]
	# the parameters of all that has a table, and no row besides; a backward
	# pass that its forward pass tells brings rows of that one
	jq -c 'select(.forward | not)' "$calls" >alone.jsonl
	jq -nc -f "$TP_ROOT/tests/torch-costs.jq" alone.jsonl >t.json
	tp-ops -q t.json >r.jsonl
	"$TP_BUILD/check-schema" "$TP_ROOT/share/schema" <r.jsonl
	jq -nr --slurpfile records r.jsonl --slurpfile overlay \
	    "$TP_ROOT/share/ops/torch-tracelens.json" \
	    -f "$TP_ROOT/tests/torch-params.jq" alone.jsonl | tee differ
	[ "$(cat differ)" = "696 calls in 692 rows of 219 operators are the same" ]
}

@test "costs of pseudo operations are those of TraceLens, or the overlay says why not" {
	calls=$TP_ROOT/../shared/expected/pytorch/models.jsonl
	[ -e "$calls" ] || skip "no ../shared"
	cd "$BATS_TEST_TMPDIR"
	jq -nc -f "$TP_ROOT/tests/torch-pseudo.jq" "$calls" >t.json
	tp-ops -q --pseudo-ops t.json >r.jsonl
	[ "$(grep -c '"op":"pseudo_' r.jsonl)" -gt 40 ]
	jq -nr --slurpfile records r.jsonl --slurpfile overlay \
	    "$TP_ROOT/share/ops/torch-tracelens.json" \
	    -f "$TP_ROOT/tests/torch-pseudo.jq" "$calls" | tee differ
	[ ! -s differ ]
}

@test "tp-report divides operators of servers by itself, and says so" {
	cd "$BATS_TEST_TMPDIR"
	in=$TP_BUILD/cases/tp-ops/torch-pseudo-operations/in.json
	tp-report -o of-itself "$in"
	grep -q 'pseudo_op::moe_gptq_awq_up' of-itself/torch.jsonl
	grep -q 'sglang_profiler::attention_paged_attention_ragged_100' \
	    of-itself/torch.jsonl
	grep -q 'pseudo operations, made of .* kernels and copies in' \
	    of-itself/report.md
	tp-report -o asked --pseudo-ops "$in"
	grep -q 'pseudo_op::moe_gptq_awq_up' asked/torch.jsonl
	! grep 'attention_paged_attention_ragged_100' asked/torch.jsonl
	tp-report --no-pseudo-ops "$in" >never
	! grep pseudo never
	# no server, no pseudo operation, unless it is asked for
	grep -v execute_ "$in" >alone.json
	tp-report alone.json >alone
	! grep pseudo alone
	tp-report --pseudo-ops alone.json | grep -q 'pseudo_op::moe_gptq_awq_up'
}

@test "property: pseudo operations keep every kernel and all sums" {
	cd "$BATS_TEST_TMPDIR"
	in=$TP_BUILD/cases/tp-ops/torch-pseudo-operations/in.json
	for order in . reverse 'sort_by(.name)'; do
		jq -c ".traceEvents |= $order" "$in" >t.json
		tp-trace t.json >without
		tp-trace --pseudo-ops t.json >with
		for f in with without; do
			jq -s 'def all(kind; value): map(select(.kind ==
			  kind) | value) | add;
			  [all("op.perf"; .gpu_sum_ns),
			  all("launcher.name"; .own_sum_ns),
			  all("launcher.kernel"; .count),
			  all("launcher.kernel"; .duration_sum_ns)]' \
			    $f >$f.sums
			# what the host did, and when the GPU worked
			grep -e timeline -e gap.class -e gap.summary \
			    -e launch.summary -e '"region' -e server.phase $f |
			    sort >$f.rest
		done
		cmp with.sums without.sums
		[ "$(jq '.[2]' with.sums)" = 57 ]
		cmp with.rest without.rest
		[ "$(grep -c '"op":"pseudo_' with)" -gt 20 ]
		! grep '"op":"pseudo_' without
	done
}

@test "property: causes of gaps add up to idle time, whatever the order of events" {
	cd "$BATS_TEST_TMPDIR"
	for seed in 1 2 3 4 5; do
		"$TP_BUILD/mktorch" --seed $seed --steps 3 t$seed >/dev/null
		tp-trace t$seed/rank0.json >t$seed.jsonl
		jq -e -s '
		  ([.[] | select(.kind == "gap.summary")][0]) as $gaps |
		  $gaps.gap_total_ns as $idle |
		  ([.[] | select(.kind == "gap.class") | .time_ns] | add) +
		    $gaps.short_gap_total_ns == $idle and
		  ([.[] | select(.kind == "gap.part") | .time_ns] | add) +
		    $gaps.short_gap_total_ns == $idle and
		  $gaps.gap_total_ns == $idle and
		  ([.[] | select(.kind == "path.class") | .time_ns] | add) ==
		    ([.[] | select(.kind == "budget.window")][0].wall_ns)
		' t$seed.jsonl
		# times count from the first event of the file
		jq -c '.traceEvents |= reverse' t$seed/rank0.json >r.json
		for f in t$seed/rank0.json r.json; do
			tp-gaps --label x $f | grep -v '"kind":"source"' |
			    sed 's/"start_ns":[-0-9]*,//'
		done >both
		[ "$(sort both | uniq -c | awk '$1 % 2' | wc -l)" -eq 0 ] ||
			fail "seed $seed: $(sort both | uniq -c |
			    awk '$1 % 2')"
	done
}

@test "pages of the system tier are there when they have something to say" {
	cd "$BATS_FILE_TMPDIR/report/system_findings"
	[ ! -e cpu_idle_findings.md ]
	[ "$(head -n 1 multi_kernel_findings.md)" = "# Copies and Communication" ]
	cd "$BATS_TEST_TMPDIR"
	cp "$TP_BUILD/cases/tp-gaps/torch-every-cause/trace.json" .
	tp-report -o out trace.json
	[ "$(head -n 1 out/system_findings/cpu_idle_findings.md)" = "# CPU and Idle Time" ]
	[ ! -e out/system_findings/multi_kernel_findings.md ]
	# alone, and again from what is kept
	tp-report --tier system trace.json >alone.md
	tp-report --tier system -o out trace.json
	cmp alone.md out/system.md
	run grep -nE 'tp-[a-z]|gap\.|timeline\.s' alone.md
	[ "$status" -eq 1 ]
}

@test "tables of ExecuTorch in the same folder are told, not used" {
	cd "$BATS_TEST_TMPDIR"
	cp -R "$BATS_FILE_TMPDIR/example" mixed
	printf 'name,duration_ms,run_index\nMethod::execute,1,0\n' \
	    >mixed/a_all_runs_timeline.csv
	tp-report mixed >mixed.md 2>err
	grep -q "^tp-report: 'mixed' also holds tables of ExecuTorch" err
}

@test "tables of another program beside a trace are listed, and none of a report's losses" {
	cd "$BATS_TEST_TMPDIR"
	mkdir beside
	cp "$BATS_FILE_TMPDIR/example/rank0.json" beside
	printf 'Device_id,API Name,Time(us)\n0,launch,3.5\n' \
	    >beside/api_statistic.csv
	tp-report beside >beside.md
	! grep 'could be read' beside.md || false
	tp-report --list beside | grep -q '^api_statistic.csv  *no table that is known, not read'
}

@test "a tier is of PyTorch, and is one there is" {
	cd "$BATS_TEST_TMPDIR"
	run tp-report --tier compete "$BATS_FILE_TMPDIR/example"
	[ "$status" -eq 2 ]
	printf '{"runs":[{"model":"a","latency":{"mean":1}}]}' >bench.json
	run tp-report --tier system bench.json
	[ "$status" -eq 2 ]
	[[ $output = *"--tier is for traces of PyTorch"* ]]
}

# modules N: N calls of modules in each other, a kernel in the inmost.
modules() {
	awk -v n="$1" 'BEGIN {
		print "{\"schemaVersion\": 1, \"traceEvents\": ["
		for (i = 0; i < n; i++)
			printf "{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"nn.Module: C%dm\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":%d},\n", i, i, 4 * n - 2 * i
		printf "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":9,\"args\":{\"External id\":1}},\n", n + 1
		printf "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":3,\"args\":{\"correlation\":7}},\n", n + 2
		printf "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"gemm\",\"pid\":0,\"tid\":7,\"ts\":%d,\"dur\":30,\"args\":{\"device\":0,\"stream\":7,\"correlation\":7}}\n]}\n", n + 9
	}'
}

@test "modules that lie deep in each other end, and their paths do" {
	cd "$BATS_TEST_TMPDIR"
	modules 40 >in.json
	tp-ops in.json >few
	grep -q '"module":"C39m","module_path":"\.\.\./C8m/C9m/.*/C39m",' few
	grep -q '"module":"C31m","module_path":"C0m/C1m/.*/C31m",' few
	[ "$(grep -c frame.deep few)" -eq 0 ]
	modules 100000 >in.json
	timeout 30 tp-ops in.json >many
	grep -q '"code":"frame.deep",.*"count":98001,"status":0}' many
	[ "$(wc -c <many)" -lt 2000000 ]
}

# bats test_tags=rest
@test "a trace is found among more files than a command takes words" {
	cd "$BATS_TEST_TMPDIR"
	long=$(printf '%0100d' 0)
	mkdir -p "many/$long/$long"
	cp "$BATS_FILE_TMPDIR/example/rank0.json" many/
	(cd "many/$long/$long" && seq -f "$long%06g.bin" 8000 | xargs touch)
	tp-report many >report.md
	grep -q 'Trace: `rank0.json`' report.md
}

# one OP DIMS TYPES: a trace of one operator with one kernel of 10 us.
one() {
	jq -nc --arg op "$1" --argjson dims "$2" --argjson types "$3" '
	{deviceProperties: [{id: 0, name: "NVIDIA A100-SXM4-80GB"}], traceEvents: [
	 {ph: "X", cat: "cpu_op", name: $op, pid: 1, tid: 1, ts: 10, dur: 20,
	  args: {"External id": 1, "Input Dims": $dims, "Input type": $types,
	   "Concrete Inputs": ($dims | map(""))}},
	 {ph: "X", cat: "cuda_runtime", name: "cudaLaunchKernel", pid: 1, tid: 1,
	  ts: 12, dur: 2, args: {correlation: 5, "External id": 1}},
	 {ph: "X", cat: "kernel", name: "k", pid: 0, tid: 7, ts: 20, dur: 10,
	  args: {correlation: 5, stream: 7, device: 0, "External id": 1}}]}'
}

@test "torch: a user adds an operator by one row" {
	cd "$BATS_TEST_TMPDIR"
	one mine::scale '[[4,8],[8]]' '["float","float"]' >t.json
	tp-ops -q --only op.perf t.json | tee before | jq -e '
	    has("work_flops") or has("least_bytes") | not'
	tp-ops -q --uncosted t.json | cmp - before
	cat >mine.json <<-'END'
	{"families": {"mine": {"category": "elementwise", "unit": "vector",
	 "ops": {"mine::*": {"let": ["n = n(0)"],
	 "flops": "n", "bytes": "2 * n * b(0) + n(1) * b(1)", "type": 0}}}}}
	END
	tp-ops -q --only op.perf --ops mine.json t.json | jq -e '
	    .work_flops == 32 and .least_bytes == 288 and
	    .compute_spec == "vector_fp32" and .category == "elementwise" and
	    .bound == "memory"'
	[ -z "$(tp-ops -q --uncosted --ops mine.json t.json)" ]
	# a later row of a name counts, and one that is always there
	mkdir -p config/tracepipe/ops
	sed 's/"n"/"2 * n"/' mine.json >config/tracepipe/ops/mine.json
	XDG_CONFIG_HOME=$PWD/config tp-ops -q --only op.perf t.json |
	    jq -e '.work_flops == 64'
	XDG_CONFIG_HOME=$PWD/config tp-ops -q --only op.perf --ops mine.json \
	    t.json | jq -e '.work_flops == 32'
	tp-report --ops mine.json -o out t.json >/dev/null
	jq -se 'any(.[]; .kind == "op.perf" and .work_flops == 32)' \
	    out/torch.jsonl
}

@test "torch: a row that is wrong is named, with its file and what is wrong" {
	cd "$BATS_TEST_TMPDIR"
	one mine::scale '[[4,8]]' '["float"]' >t.json
	while IFS='|' read -r row says; do
		echo "{\"families\": {\"mine\": {\"ops\": {\"mine::x\": $row}}}}" \
		    >mine.json
		run -2 tp-ops --ops mine.json t.json
		[[ $output = *"mine.json: $says"* ]] || fail "$row: $output"
	done <<-'END'
	{"flops": "2 * n(0"}|no formula for 'mine::x'
	{"flops": "n(0)", "bytez": "1"}|unknown key 'bytez' of 'mine::x'
	{"let": [1], "flops": "1"}|no formula for 'mine::x' at 'let'
	{"let": ["M = nosuch(1)"], "flops": "M"}|no formula for 'mine::x' at 'nosuch(1)'
	{"a": 0}|neither a formula nor a known family for 'mine::x'
	END
	run -4 tp-ops --ops nosuch.json t.json
	echo '{' >mine.json
	run -2 tp-ops --ops mine.json t.json
	run -4 tp-report --ops nosuch.json t.json
}

@test "torch: attention of a server costs what its step says" {
	cd "$BATS_TEST_TMPDIR"
	one vllm::unified_attention_with_output \
	    '[[4,2,8],[4,1,8],[4,1,8]]' '["float","float","float"]' |
	    jq -c '.traceEvents += [{ph: "X", cat: "user_annotation",
		name: "execute_1_context_1(sq4sk4sqsq16sqsk16)_generation_0(sq0sk0sqsq0sqsk0)",
		pid: 1, tid: 2, ts: 5, dur: 50}]' >t.json
	# 2 heads of 2*16-16 pairs and 16 numbers; 4 tokens of 3 heads
	tp-ops -q --only op.perf t.json | jq -e '.work_flops == 2 * 16 * 16 and
	    .least_bytes == 4 * 3 * 16 * 4'
	# two steps are two rows
	jq -c '.traceEvents |= . + (map(.ts += 100 |
	    if .args.correlation then .args.correlation += 1 else . end |
	    if .args."External id" then .args."External id" += 1 else . end |
	    .name |= sub("sq4sk4sqsq16sqsk16"; "sq2sk4sqsq4sqsk8")))' t.json >two.json
	[ "$(tp-ops -q --only op.perf two.json | jq .work_flops | sort -n |
	    tr '\n' ' ')" = "384 512 " ]
}

# bats test_tags=rest
@test "records of real traces hold to their schemas" {
	[ -d "$TP_ROOT/../shared/data/pytorch" ] || skip "no ../shared"
	for f in "$TP_ROOT"/../shared/data/pytorch/*.json.gz; do
		tp-trace -q "$f" >"$BATS_TEST_TMPDIR/r.jsonl" || true
		"$TP_BUILD/check-schema" "$TP_ROOT/share/schema" \
		    <"$BATS_TEST_TMPDIR/r.jsonl"
	done
}

@test "property: rows vary from step to step as their events do, in any order" {
	cd "$BATS_TEST_TMPDIR"
	for seed in 1 2 3; do
		"$TP_BUILD/mktorch" --seed $seed --steps 7 in$seed >/dev/null
		jq -c '.traceEvents |= (map(select(.ph != "X")) +
		    (map(select(.ph == "X")) | sort_by(.name, .dur)))' \
		    in$seed/rank0.json >other$seed.json
		for f in in$seed/rank0.json other$seed.json; do
			tp-trace $f >records
			run jq -n -r --slurpfile records records \
			    -f "$TP_ROOT/tests/samples.jq" $f
			[ "$output" = "29 rows of 4 kinds" ] || fail "$output"
		done
	done
}

@test "how rows vary from step to step is no metric of its own" {
	cd "$BATS_TEST_TMPDIR"
	"$TP_BUILD/mktorch" --seed 2 other >/dev/null
	tp-trace "$BATS_FILE_TMPDIR/example/rank0.json" >before
	tp-trace other/rank0.json >after
	grep -q step_stdev_ns before
	tp-compare before after >compared
	[ -s compared ]
	run grep -E 'step_(sample_count|mean_ns|stdev_ns)' compared
	[ "$status" -eq 1 ]
}

# memory_run SEED LEAK: eight steps that allocate and free at random in three
# operators, in which aten::cat keeps LEAK bytes a step for ever; a cache is
# filled in the first step, and 50 MB were there before.
memory_run() {
	awk -v seed="$1" -v leak="$2" 'function op(name, at, dur) {
		printf ",\n{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"%s\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":%d}", name, at, dur
	}
	function memory(at, bytes, address) {
		level += bytes
		if (level > reserved) reserved = level
		printf ",\n{\"ph\":\"i\",\"s\":\"t\",\"cat\":\"cpu_instant_event\",\"name\":\"[memory]\",\"pid\":1,\"tid\":1,\"ts\":%d,\"args\":{\"Total Reserved\":%d,\"Total Allocated\":%d,\"Bytes\":%d,\"Addr\":%d,\"Device Id\":0,\"Device Type\":1}}", at, reserved, level, bytes, address
	}
	BEGIN {
		srand(seed); level = 50000000; next_address = 4096
		printf "{\"traceEvents\":[{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"tid\":1,\"args\":{\"name\":\"python\"}}"
		for (s = 0; s < 8; s++) {
			at = s * 10000
			printf ",\n{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#%d\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":9900}", s, at
			if (s == 0) { op("aten::empty", 1, 5); memory(3, 9000000, next_address++) }
			n = 0
			for (i = 0; i < 20; i++) {
				t = at + 100 + i * 200
				op(i % 2 ? "aten::mm" : "aten::add", t, 100)
				size[n] = 512 * int(1 + rand() * 4000); address[n] = next_address++
				memory(t + 50, size[n], address[n]); n++
			}
			op("aten::cat", at + 5000, 100)
			if (leak) memory(at + 5050, leak, next_address++)
			for (i = 0; i < n; i++)
				memory(at + 6000 + i * 100, -size[i], address[i])
		}
		print "\n]}"
	}'
}

# bats test_tags=rest
@test "property: memory that a loop keeps is found, to the byte, and no other" {
	for seed in $(seq 1 "${SEEDS:-6}"); do
		memory_run "$seed" 0 >healthy.json
		tp-trace -q healthy.json >healthy
		tp-findings healthy >found
		run grep torch-memory found
		[ "$status" -eq 1 ] || fail "seed $seed: $output"
		run grep '"scope":"kept"' healthy
		[ "$status" -eq 1 ] || fail "seed $seed: $output"
		leak=$((seed * 1024 + 2097152))
		memory_run "$seed" $leak >leak.json
		tp-trace -q leak.json >leaks
		grep -q "\"low_growth_bytes\":$((leak * 6))[,}]" leaks
		grep -q "\"scope\":\"kept\",\"rank\":1,\"live_bytes\":$((leak * 6)),.*\"count\":6,\"op\":\"aten::cat\"" leaks
		tp-findings leaks | grep -q '"id":"torch-memory-growing"'
		# what is live at the peak is all of the peak
		[ "$(jq -s 'map(select(.kind == "mem.live" and .scope == "peak").live_bytes) | add' leaks)" = \
		    "$(jq 'select(.kind == "mem.device").peak_bytes' leaks)" ]
		# and the order of events in the file says nothing but where time starts
		{ head -n 1 leak.json; sed '1d;$d' leak.json | sed '$s/$/,/' |
		    shuf --random-source=<(yes "$seed") | sed '$s/,$//'; echo ']}'; } >mixed.json
		for run in leak mixed; do
			tp-trace -q --label leak $run.json |
			    jq -c 'select(.kind | startswith("mem.")) | del(.start_ns, .end_ns, .peak_at_ns)' >$run.records
		done
		[ "$(grep -c mem.step leak.records)" -eq 8 ]
		cmp leak.records mixed.records
	done
}

@test "torch: a table has no cell that a spreadsheet would run, unless --csv-raw asks" {
	cat >t.json <<'END'
{"traceEvents": [
{"ph": "X", "cat": "cpu_op", "name": "=HYPERLINK(1)", "ts": 1, "dur": 9, "pid": 1, "tid": 1, "args": {"External id": 1, "Input Dims": [[2]], "Input type": ["+1"]}},
{"ph": "X", "cat": "cuda_runtime", "name": "-call", "ts": 2, "dur": 3, "pid": 1, "tid": 1, "args": {"External id": 1, "correlation": 5}},
{"ph": "X", "cat": "kernel", "name": "@SUM(1)", "ts": 6, "dur": 9, "pid": 0, "tid": 7, "args": {"External id": 1, "stream": 7, "device": 0, "correlation": 5}}]}
END
	tp-report -o out t.json
	find out -name '*.csv' -exec cat {} + >cells
	grep -q "'=HYPERLINK" cells
	! grep -n -E '(^|[,;"])[=@+]|(^|,)"?-[a-z]' cells || fail "a formula"
	tp-report -o raw --csv-raw t.json
	grep -q '^=HYPERLINK' raw/perf_report_csvs/ops_summary.csv
	# the option is remembered where nothing else changed
	tp-report -o raw t.json
	grep -q "^'=HYPERLINK" raw/perf_report_csvs/ops_summary.csv
}

@test "names of functions, ranges, operators and calls mean what they say" {
	cd "$BATS_TEST_TMPDIR"
	# one slice of 0.1 ms each, in a function of the program
	awk -F'\t' '
	function slice(cat, name, ts, dur) {
		gsub(/\\/, "&&", name)
		printf "%s{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\"," \
		    "\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":%d,\"args\":" \
		    "{\"Python id\":%d}}", n++ ? ",\n" : "", cat, name, ts,
		    dur, n
	}
	BEGIN {
		split("function python_function range user_annotation " \
		    "operator cpu_op call cuda_runtime", c, " ")
		for (i = 1; i in c; i += 2)
			cat[c[i]] = c[i + 1]
		print "{\"traceEvents\":["
		slice("python_function", "train.py(9): around", 0, 1000000)
	}
	NR > 1 { slice(cat[$1], $3, NR * 1000, 100) }
	END { print "]}" }' "$TP_ROOT/tests/path_names.tsv" >in.json
	tp-path --pieces --only path.piece in.json |
	    jq -r '[.start_ns / 1e6, .path_class, .name] | @tsv' >pieces
	# a library has no piece: it is a part of the function around it
	awk -F'\t' '
	NR == FNR { class[$1] = $2; name[$1] = $3; next }
	FNR > 1 {
		said = !(FNR in class) ? "library" : class[FNR] == "python" &&
		    name[FNR] == $3 ? "own" : class[FNR]
		print $1 "\t" said "\t" $3
	}' pieces "$TP_ROOT/tests/path_names.tsv" >got
	diff <(tail -n +2 "$TP_ROOT/tests/path_names.tsv") got
}
