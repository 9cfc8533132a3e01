# Traces of PyTorch: the example, its report and its tables.
load helper

setup_file() {
	load helper
	cd "$BATS_FILE_TMPDIR" || return 1
	"$TP_BUILD/mktorch" example >/dev/null
	"$TP_BUILD/tp-report" -o report example/rank0.json
}

@test "the report of the example trace is the one in examples/pytorch" {
	diff "$TP_ROOT/examples/pytorch/report.md" \
	    "$BATS_FILE_TMPDIR/report/report.md"
}

@test "examples/pytorch/run.sh makes the trace and prints the command" {
	cd "$BATS_TEST_TMPDIR"
	MKTORCH=$TP_BUILD/mktorch sh "$TP_ROOT/examples/pytorch/run.sh" "it's" \
	    >said
	eval "$(cat said)"
	cmp report/report.md "$BATS_FILE_TMPDIR/report/report.md"
}

@test "tables are beside a report that is kept, and only those with rows of a family" {
	cd "$BATS_FILE_TMPDIR/report/perf_report_csvs"
	[ -s gpu_timeline.csv ] && [ -s GEMM.csv ] && [ ! -e CONV_fwd.csv ]
	run head -n 2 ops_summary_by_category.csv
	[ "${lines[0]}" = "op category,Count,total_direct_kernel_time_ms,Percentage (%),Cumulative Percentage (%)" ]
	[[ ${lines[1]} = GEMM,16,* ]]
}

@test "no name of a program or record stands in the report of a trace" {
	run grep -nE 'tp-[a-z]|launcher\.|timeline\.s|op\.perf' \
	    "$BATS_FILE_TMPDIR/report/report.md"
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
	    \"trace.summary\") | [.src, .process_rank]"'
	[ "${lines[0]}" = '["two",0]' ]
	[ "${lines[1]}" = '["two",1]' ]
	tp-report -o out two
	[ ! -e out/perf_report_csvs ]
}

@test "reference tables of real traces are met to 1e-6" {
	[ -e "$TP_ROOT/../shared/check/pytorch.jsonl" ] || skip "no ../shared"
	command -v python3 >/dev/null || skip "no python3"
	run python3 "$TP_ROOT/../shared/check/check.py" --bin "$TP_BUILD" \
	    "$TP_ROOT/../shared/check/pytorch.jsonl"
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "property: causes of gaps add up to idle time, whatever the order of events" {
	cd "$BATS_TEST_TMPDIR"
	for seed in 1 2 3 4 5; do
		"$TP_BUILD/mktorch" --seed $seed --steps 3 t$seed >/dev/null
		tp-trace t$seed/rank0.json >t$seed.jsonl
		jq -e -s '
		  ([.[] | select(.kind == "timeline.summary" and
		    .scope == "all") | .idle_ns][0]) as $idle |
		  ([.[] | select(.kind == "gap.class") | .gap_total_ns] | add)
		    == $idle and
		  ([.[] | select(.kind == "gap.summary") | .gap_total_ns][0])
		    == $idle and
		  ([.[] | select(.kind == "gap.class") | .gap_count] | add) ==
		    ([.[] | select(.kind == "gap.summary") | .gap_count][0])
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
	cp "$TP_ROOT/tests/golden/tp-gaps/pytorch-every-cause/trace.json" .
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

@test "a tier is of PyTorch, and is one there is" {
	cd "$BATS_TEST_TMPDIR"
	run tp-report --tier compete "$BATS_FILE_TMPDIR/example"
	[ "$status" -eq 2 ]
	printf '{"runs":[{"model":"a","latency":{"mean":1}}]}' >bench.json
	run tp-report --tier system bench.json
	[ "$status" -eq 2 ]
	[[ $output = *"--tier is for traces of PyTorch"* ]]
}
