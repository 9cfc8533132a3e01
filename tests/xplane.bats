#!/usr/bin/env bats
# Captures of JAX as they are written, xplane.pb: made backwards of the traces
# that are exported of them, they say the same, and more.

load helper
bats_require_minimum_version 1.5.0

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return 1
	"$TP_BUILD/mkjax" example >/dev/null
	mv example/plugins/profile/*/host.trace.json as-made.json
	# an exporter writes events in order of time
	jq -c '.traceEvents |= (map(select(.ph == "M")) +
	    (map(select(.ph == "X")) | sort_by(.ts)))' as-made.json >run.json
	"$TP_BUILD/mkxplane" run.json >run.xplane.pb
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	JSON=$BATS_FILE_TMPDIR/run.json
	XPLANE=$BATS_FILE_TMPDIR/run.xplane.pb
	export JSON XPLANE
}

# holds FILTER FILE: jq says true, once.
holds() {
	[ "$(jq "$1" "$2")" = true ] || fail "not so: $1"
}

# Records without what says which file they are of.
told() {
	jq -c 'select(.kind != "source") | del(.src, .event_count, .named_thread_count,
	    .recorded_at)'
}

@test "an xplane.pb says what the trace says that is exported of it" {
	tp-trace --platform none "$JSON" | told >of-json
	tp-trace --platform none "$XPLANE" | told >of-xplane
	[ "$(wc -l <of-json)" -gt 100 ]
	diff of-json of-xplane
}

@test "runs of known cause are the same in both forms" {
	for run in gpu=0 gpu=1 'hosts=1 offload=20ms' 'hidden=1 gather=9ms' \
	    'marked=0 infeed=1 load=3ms'; do
		rm -rf made
		# shellcheck disable=SC2086 # words
		mkxla --out made seed=3 $run
		f=$(find made/trace -name '*.trace.json*' | head -n 1)
		gzip -dcf "$f" | jq -c '.traceEvents |=
		    (map(select(.ph == "M")) +
		    (map(select(.ph == "X")) | sort_by(.ts)))' >one.json
		mkxplane one.json >one.xplane.pb
		tp-trace --platform none one.json | told | sort >of-json
		tp-trace --platform none one.xplane.pb | told | sort >of-xplane
		[ "$(wc -l <of-json)" -gt 50 ]
		diff of-json of-xplane
	done
}

@test "work is linked to the steps of a host that runs ahead by each id" {
	for link in context correlation during group run; do
		json=$TP_BUILD/cases/tp-steps
		json=$json/host-events-of-a-host-that-runs-ahead/$link.json
		mkxplane "$json" >$link.xplane.pb
		tp-steps --warmup 1 --label x "$json" | grep '"step' >of-json
		tp-steps --warmup 1 --label x $link.xplane.pb | grep '"step' |
		    diff of-json -
		holds 'select(.kind == "step.summary") |
		    .timed_on == "device" and .wall_median_ns == 510000' of-json
	done
}

@test "captures that began half a minute apart are no hosts of one" {
	start=1768473000000000000
	mkdir -p at/plugins/profile/t
	mkxplane --start $start "$JSON" >at/plugins/profile/t/a.xplane.pb
	mkxplane --start $((start + 30000000000)) "$JSON" \
	    >at/plugins/profile/t/b.xplane.pb
	tp-trace --only trace.summary at | jq -e .host_count==2
	mkxplane --start $((start + 30000000001)) "$JSON" \
	    >at/plugins/profile/t/b.xplane.pb
	for filter in tp-trace tp-ops tp-summary; do
		run -2 $filter at
		[ "$output" = "$filter: 'at' holds 2 captures: a (TPU, \
2026-01-15), b (TPU, 2026-01-15); name the files of one" ]
	done
	run -2 tp-report at
	[[ $output = *'; name one with --run' ]]
	tp-report --run b at >b.md
	grep -q '^- File: `b.xplane.pb`' b.md
	grep -q '^- Recorded: 2026-01-15T10:30:30Z' b.md
	! grep -q 'a.xplane.pb' b.md
}

@test "it is read from a file, a pipe and gzip, and in blocks of any size" {
	tp-trace --label x "$XPLANE" | told >whole
	tp-trace --label x <"$XPLANE" | told | diff whole -
	tp-trace --label x < <(cat "$XPLANE") | told | diff whole -
	gzip -c "$XPLANE" | tp-trace --label x | told | diff whole -
	TP_BLOCK=13 tp-trace --label x "$XPLANE" | told | diff whole -
}

@test "the chip that it names is what work is held against" {
	tp-ops "$XPLANE" >ops
	[ "$(jq -r 'select(.kind == "op.summary") | .platform_basis,
	    .platform_name' ops | paste -sd ' ')" = "trace TPU v6 Lite" ]
	# 137,438 MFLOP in the mean time of a call, of 918 TFLOP/s
	holds 'select(.kind == "op" and .name == "fusion.13") |
	    (137438e6 / 918e12) / (.mean_ns / 1e9) -
	    .roofline_of_time_factor | fabs < 1e-4' ops
	tp-report "$XPLANE" >report.md
	grep -q '^- Chip: TPU v6 Lite, as the capture says' report.md
	grep -q '^- Recorded: 2026-01-15T10:30:00Z' report.md
}

# bats test_tags=rest
@test "the time of devices is the same whether events are kept or not" {
	kinds='timeline\.(summary|device)'
	mkxplane --repeat 40 "$BATS_FILE_TMPDIR/as-made.json" >long.xplane.pb
	tp-timeline long.xplane.pb | grep -E "\"$kinds\"" >kept
	tp-timeline --only timeline.summary,timeline.device long.xplane.pb \
	    >parts
	diff kept parts
	[ "$(wc -l <parts)" -eq 5 ]
	# beside a host whose events are kept whole
	mkdir -p two/plugins/profile/2026_01_15_10_30_00
	cp long.xplane.pb two/plugins/profile/2026_01_15_10_30_00/a.xplane.pb
	cp "$JSON" two/plugins/profile/2026_01_15_10_30_00/b.trace.json
	tp-timeline -q two | grep -E "\"$kinds\"" >kept
	tp-timeline -q --only timeline.summary,timeline.device two | diff kept -
	mv two/plugins/profile/2026_01_15_10_30_00/b.trace.json \
	    two/plugins/profile/2026_01_15_10_30_00/0.trace.json
	tp-timeline -q two | grep -E "\"$kinds\"" >kept
	tp-timeline -q --only timeline.summary,timeline.device two | diff kept -
	# a GPU whose operations are on lanes of their own too counts its streams
	jq -c '.traceEvents |= map(if .name == "thread_name" and .pid != 701 and
	    (.args.name == "XLA Modules") then
	    .args.name = "Stream #7(Compute)" else . end)' "$JSON" >gpu.json
	mkxplane --repeat 2 gpu.json >gpu.xplane.pb
	tp-timeline gpu.xplane.pb | grep -E "\"$kinds\"" >kept
	tp-timeline --only timeline.summary,timeline.device gpu.xplane.pb |
	    diff kept -
	holds 'select(.kind == "timeline.summary") |
	    .wrapper_exclusive_sum_ns > 0' kept
	# of a trace there is only one way
	tp-timeline "$JSON" | grep -E "\"$kinds\"" >kept
	tp-timeline --only timeline.summary,timeline.device "$JSON" | diff kept -
}

@test "the peak of the memory is told, and what was live then" {
	mkxplane --memory "$JSON" >memory.xplane.pb
	tp-timeline memory.xplane.pb >records
	holds 'select(.kind == "mem.device") | .peak_bytes == 8589934592 and
	    .heap_bytes == 6442450944 and .stack_bytes == 2147483648 and
	    .capacity_bytes == 34359738368 and
	    .allocation_count == 4 and .free_count == 2' records
	jq -r 'select(.kind == "mem.live") | [.tf_op, .count, .live_bytes / 1048576]
	    | @tsv' records >live
	printf '%s\t%s\t%s\n' '' '' 4096 params 1 1024 grads 2 1024 |
	    diff - live
	tp-report memory.xplane.pb >report.md
	grep -q 'peaks at 8.00 GiB of 32.0 GiB (25.0 %) at .* 2.00 GiB reserved for running programs, 6.00 GiB of arrays' report.md
	grep -q '| 4.00 GiB | 66.7 % |  | from before the capture |' report.md
	# nothing else changes
	tp-trace "$XPLANE" | told >without
	tp-trace memory.xplane.pb | told | grep -v '"kind":"mem\.' |
	    diff without -
}

@test "a memory without a name is unknown" {
	mkxplane --memory "$JSON" | sed 's/index_on_host/index-on-host/g
	    s/allocator_name/allocator-name/g
	    s/device_ordinal/device-ordinal/g' >nameless.xplane.pb
	tp-timeline nameless.xplane.pb >records
	check-schema "$TP_ROOT/share/schema" <records
	grep -q '"kind":"mem.device".*"memory_id":"unknown"' records
}

@test "of a folder the xplane.pb is read and not the trace beside it" {
	mkdir -p run/plugins/profile/2026_01_15_10_30_00
	cp "$XPLANE" run/plugins/profile/2026_01_15_10_30_00/host.xplane.pb
	cp "$JSON" run/plugins/profile/2026_01_15_10_30_00/host.trace.json
	tp-trace run >records
	[ "$(jq -r 'select(.kind == "source").format' records)" = xplane ]
	holds 'select(.code == "capture.beside").count == 1' records
	tp-report run >report.md
	grep -q 'xplane.pb of the capture was read, which says more' report.md
	run tp-report --list run
	[ "$status" -eq 0 ]
	[[ $output = *host.xplane.pb* ]]
}

@test "hosts come on one axis by the time of day, and steps that start together are one" {
	# the third begins its capture 3 steps late
	local one=run/plugins/profile/2026_01_15_10_30_00
	local two=run/plugins/profile/2026_01_15_10_30_04
	mkdir -p $one $two
	jq -c '.traceEvents |= map(select((.ph == "M") or .ts > 5116 ))' \
	    "$JSON" >late.json
	jq -c '.traceEvents |= map(select(.name | test("^[0-9]+$") | not))' \
	    late.json >late-bare.json
	jq -c '.traceEvents |= map(select(.name | test("^[0-9]+$") | not))' \
	    "$JSON" >bare.json
	mkxplane --start 1768473000000000000 bare.json >$one/a.xplane.pb
	mkxplane --start 1768473000000250000 late-bare.json >$two/b.xplane.pb
	tp-trace -q run >records
	holds 'select(.code == "capture.joined").count == 1' records
	holds 'select(.kind == "trace.summary") | .host_count == 2' records
	holds 'select(.kind == "host.summary") | .is_aligned and
	    .start_skew_median_ns == 250000 and
	    .skew_max_ns == 0' records
	tp-report run >report.md
	grep -q 'A step starts 250 us later on the last host' report.md
	# without the time of day each counts from its own start
	mkdir -p json/plugins/profile/2026_01_15_10_30_00
	cp bare.json json/plugins/profile/2026_01_15_10_30_00/a.trace.json
	cp late-bare.json json/plugins/profile/2026_01_15_10_30_00/b.trace.json
	tp-trace -q json >records
	holds 'select(.kind == "host.summary").is_aligned | not' records
}

@test "folders of hosts are one capture when their times are seconds apart" {
	local first second joined
	mkxplane "$JSON" >a.xplane.pb
	while read -r first second joined; do
		rm -rf run
		mkdir -p run/plugins/profile/$first run/plugins/profile/$second
		cp a.xplane.pb run/plugins/profile/$first
		cp a.xplane.pb run/plugins/profile/$second/b.xplane.pb
		# of no zone: here an hour is left out
		TZ=CET-1CEST,M3.5.0,M10.5.0/3 tp-trace -q run >records
		holds "select(.code == \"capture.joined\").count == 1" records &&
		    status=yes || status=no
		[ $status = $joined ] || { echo "$first $second"; false; }
	done <<-END
	2026_12_31_23_59_58 2027_01_01_00_00_28 yes
	2026_12_31_23_59_58 2027_01_01_00_00_29 no
	2024_02_29_23_59_59 2024_03_01_00_00_01 yes
	2026_02_28_23_59_59 2026_03_01_00_00_01 yes
	2024_02_28_23_59_59 2024_03_01_00_00_01 no
	2026_03_29_01_59_50 2026_03_29_03_00_05 no
	2026_01_15_10_30_00 2026_01_15_10_30_0x no
	2026_01_15_10_30_00 2026_13_15_10_30_00 no
	END
}

# two programs of which each has a fusion.1, and what events measure
programs() {
	jq -c '.traceEvents as $all | {
	    first: { program_id: "123456", hlo_category: "loop fusion",
		long_name: "%fusion.1 = f32[8]{0} fusion()",
		flops: "1000000", model_flops: "900000",
		bytes_accessed: "33000000",
		# 10,000 ns of reading VMEM and 1,000 of HBM, at best
		memory_access_breakdown: [[1, 3, 232960000], [1, 1, 1000000],
		    [2, 1, 637993]] },
	    second: { program_id: "77", hlo_category: "convolution fusion",
		long_name: "%fusion.1 = f32[9]{0} fusion()",
		tf_op: "jit(g)/checkpoint/rematted_computation/dot",
		model_flops: "9180000000", bytes_accessed: "1000" } } as $k |
	    def x($pid; $tid; $ts; $dur; $name; $args): { ph: "X", pid: $pid,
		tid: $tid, ts: $ts, dur: $dur, name: $name, args: $args };
	    def lane($pid; $tid; $name): { ph: "M", name: "thread_name",
		pid: $pid, tid: $tid, args: { name: $name } };
	    def process($pid; $name): { ph: "M", name: "process_name",
		pid: $pid, args: { name: $name } };
	    { traceEvents: [
		process(3; "/device:TPU:0"), process(701; "/host:CPU"),
		lane(3; 1; "XLA Ops"), lane(3; 2; "XLA Modules"),
		lane(701; 9; "main"),
		x(3; 2; 0; 50; "jit_f(123456)"; {}),
		x(3; 2; 60; 20; "jit_g(77)"; {}),
		x(3; 1; 0; 20; "fusion.1"; $k.first + {
		    dma_stall_duration_ps: "4000000",
		    "Time Scale Multiplier": 0.5 }),
		x(3; 1; 30; 20; "fusion.1"; $k.first + {
		    dma_stall_duration_ps: "1000000",
		    "Time Scale Multiplier": 1 }),
		x(3; 1; 60; 20; "fusion.1"; $k.second),
		# nothing is known of one, and of the other not which it is
		x(3; 1; 52; 1; "call.3"; { program_id: "77",
		    hlo_category: "custom-call", flops: "0",
		    bytes_accessed: "0" }),
		x(3; 1; 54; 2; "fusion.1"; {}),
		x(701; 9; 0; 7; "Read"; { _ipl_stage_id: "2",
		    _ipl_stage_name: "read", _ipl_stage_cat: "demanded read" }),
		x(701; 9; 8; 3; "Read"; { _ipl_stage_id: "2",
		    _ipl_stage_name: "read", _ipl_stage_cat: "demanded read" }),
		x(701; 9; 12; 30; "Map"; { _ipl_stage_id: "3",
		    _ipl_stage_name: "decode | jpeg" }) ] }' -n
}

@test "operations are of one program, and memories, stalls and clocks are told" {
	programs >programs.json
	mkxplane --matrix 12 programs.json >programs.xplane.pb
	tp-ops programs.xplane.pb >ops
	jq -r 'select(.kind == "op") | [.program_id, .name, .count, .bound,
	    .memory_space, (.is_rematerialised // false)] | @tsv' ops >rows
	printf '%s\n' '123456	fusion.1	2	memory	VMEM read	false' \
	    '77	fusion.1	1	compute		true' \
	    '	fusion.1	1			false' \
	    '77	call.3	1			false' | diff - rows
	holds 'select(.kind == "op" and .program_id == "123456") |
	    .roofline_ps == 10000000 and .dma_stall_ns == 5000 and
	    .dma_stall_ratio == 0.125 and .time_scale_factor == 0.75 and
	    .work_flops_per_s == 5e10 and .model_flops_per_s == 4.5e10 and
	    .normalised_flops_per_s == 3.75e10 and
	    .accessed_bytes_per_s == 1.65e12 and
	    .hbm_bytes_per_s == 81899650000 and
	    .vmem_read_bytes_per_s == 11648000000000 and
	    (has("vmem_write_bytes_per_s") | not)' ops
	holds 'select(.kind == "op.summary").matrix_unit_ratio == 0.12' ops
	jq -r 'select(.kind == "op.program") | [.program, .program_id,
	    .execution_count, .op_count, .exclusive_ns] | @tsv' ops >rows
	printf '%s\n' 'jit_f(123456)	123456	1	1	40000' \
	    'jit_g(77)	77	1	2	21000' | diff - rows
	# what has no cost is no time above the roofline
	holds 'select(.program_id == "77" and .kind == "op.program") |
	    .costed_ns == 20000 and .above_roofline_ns == 10000' ops
	jq -r 'select(.kind == "op.hlo_category") | [.hlo_category, .count] |
	    @tsv' ops >rows
	printf '%s\n' 'loop fusion	2' 'convolution fusion	1' \
	    'custom-call	1' | diff - rows
	tp-timeline programs.xplane.pb >records
	jq -r 'select(.kind == "pipeline.stage") | [.stage_id, .stage_name,
	    .stage_category, .count, .duration_sum_ns, .duration_max_ns] |
	    @tsv' records >rows
	printf '%s\n' '3	decode | jpeg		1	30000	30000' \
	    '2	read	demanded read	2	10000	7000' | diff - rows
	tp-rows -a memory_access_breakdown programs.xplane.pb >events
	grep -q '"arg_memory_access_breakdown":"VMEM read 232960000, HBM read 1000000, HBM write 637993"' events
	tp-report programs.xplane.pb >report.md
	grep -q '| 50.0 % | .*| VMEM read | .*| `fusion.1` of `jit_f(123456)` |$' report.md
	grep -q '^| 21.0 us | .*| 1 | 2 | `jit_g(77)` |$' report.md
	grep -q 'decode `&#124;` jpeg' report.md
	grep -q 'matrix units worked for 12.0 %' report.md
}

@test "a clock that is not the devices' is told, in both forms" {
	jq -c '.traceEvents |= map(if .args.hlo_category then
	    .args.device_duration_ps = (.dur * 1e6 * (if .ts < 40000 then 1.5
	    else 0.5 end) | round | tostring) else . end)' "$JSON" >clock.json
	mkxplane clock.json >clock.xplane.pb
	tp-ops --platform none clock.json | told >of-json
	tp-ops --platform none clock.xplane.pb | told | diff of-json -
	holds 'select(.kind == "op.summary") |
	    (.clock_differ_ratio - 0.5 | fabs) < 1e-6 and
	    .clock_differ_max_ns > 100000' of-json
	holds 'select(.name == "fusion.13") | .device_clock_sum_ns > 0 and
	    .device_clock_sum_ns != .duration_sum_ns' of-json
	tp-report clock.xplane.pb >report.md
	grep -q 'clock runs unevenly: .* by 50.0 % in sum' report.md
	grep -q "by the device's clock" report.md
	tp-report "$XPLANE" >report.md
	! grep -q "device's clock" report.md
	# the time of devices alone is not read from it
	tp-timeline --only timeline.summary clock.xplane.pb >records
	tp-timeline --only timeline.summary "$XPLANE" | told |
	    diff - <(told <records)
}

@test "operations are a table of xprof's with tp-csv" {
	programs >programs.json
	mkxplane programs.json >programs.xplane.pb
	tp-ops programs.xplane.pb | tp-csv op --as hlo_stats >table.csv
	head -n 2 table.csv | cut -d , -f 1-4,6-7,9-12,13 >cells
	printf '%s\n' 'rank,program_id,category,hlo_op_name,occurrences,total_time,total_self_time,total_self_time_percent,cumulative_total_self_time_percent,dma_stall_percent,measured_flop_rate' \
	    '1,123456,loop fusion,fusion.1,2,40,40,63.49206349206349,63.49206349206349,12.5,50' |
	    diff - cells
}

@test "rates and rooflines are xprof's, row by row" {
	local answers=$TP_ROOT/../shared/expected/jax/xprof
	[ -d "$answers" ] || skip "no ../shared/expected/jax/xprof"
	gzip -dc "$answers/tpu_training_roofline_model.json.gz" >xprof.json
	jq -c -f "$TP_ROOT/tests/xprof.jq" xprof.json >table.json
	mkxplane --chip 'TPU v5' 233.4 1382.388903936 table.json \
	    >table.xplane.pb
	tp-ops table.xplane.pb >ours
	jq -n --slurpfile xprof xprof.json --slurpfile ours ours '
	    def near($a; $b): ($a - $b | fabs) <= 1e-6 * ([$a, $b, 1] | max);
	    def gib: (. // 0) / 1073741824;
	    def giga: (. // 0) / 1e9;
	    def rates($x): near(.work_flops_per_s | giga; $x.measured_flop_rate)
		and near(.model_flops_per_s | giga; $x.model_flop_rate)
		and near(.accessed_bytes_per_s | gib; $x.measured_memory_bw)
		and near(.hbm_bytes_per_s | gib; $x.hbm_bw)
		and near(.vmem_read_bytes_per_s | gib; $x.vmem_read_bw)
		and near(.vmem_write_bytes_per_s | gib; $x.vmem_write_bw)
		and near(.flops_per_byte // 0; $x.operational_intensity);
	    ($ours | map(select(.kind == "op") | { ("\(.name) \(.program_id)"): . })
		| add) as $op |
	    $ours[0] as $all |
	    [$xprof[0][0] | [.cols[].id] as $ids | .rows[] |
		[$ids, [.c[] | .v?]] | transpose | map({ (.[0]): .[1] }) | add |
		select(.include_infeed_outfeed)] |
	    # a copy is not moved in the time that starting it, or waiting, takes
	    [.[] | select(.category | . != "Program" and . != "copy-start" and
		. != "copy-done")] as $rows |
	    { rows: [$rows[] | . as $x |
		$op["\(.operation) \(.hlo_module_id)"] | rates($x)] | unique,
	      rates: $rows | length,
	      program: (.[] | select(.category == "Program" and
		.step == "Total") | . as $x | $all | rates($x)),
	      judged: [.[] | . as $x | $op["\(.operation) \(.hlo_module_id)"] |
		select(.bound?)] | length,
	      bounds: [.[] | . as $x | $op["\(.operation) \(.hlo_module_id)"] |
		select(.bound?) |
		({ compute: "Compute", memory: .memory_space,
		    layout: .memory_space }[.bound] ==
		$x.bound_by) and near(.roofline_of_time_factor;
		$x.roofline_efficiency)] | unique }' >held
	cat held
	jq -e '.rows == [true] and .rates == 255 and .program and
	    .judged > 200 and .bounds == [true]' held
}

@test "real captures say what is known of them" {
	local real=$TP_ROOT/../shared/data/jax/xplane
	[ -d "$real" ] || skip "no ../shared/data/jax/xplane"
	tp-trace "$real/tpu_inference_2.xplane.pb" >records
	holds 'select(.kind == "timeline.device" and
	    .device_name == "/device:TPU:0") | .busy_ns == 78784927636' records
	holds 'select(.kind == "mem.device" and .memory_id == "0") |
	    .stack_bytes == 21491712000 and .heap_bytes == 857216 and
	    .capacity_bytes == 33550237696' records
	[ "$(jq -s '[.[] | select(.kind == "flight").count] | add' \
	    records)" -ge 2400 ]
	tp-report "$real/tpu_inference_2.xplane.pb" >report.md
	grep -q '^\*\*copy-bound\*\*' report.md
	python3 "$TP_ROOT/../shared/check/xplane2json.py" \
	    "$real/tpu_inference_2.xplane.pb" tpu.trace.json.gz >/dev/null
	# programs are not exported
	tp-ops --platform none tpu.trace.json.gz | told >of-json
	tp-ops --platform none "$real/tpu_inference_2.xplane.pb" |
	    jq -c 'select(.kind != "op.program") | del(.program_id)' | told |
	    diff of-json -
}
