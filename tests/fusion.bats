#!/usr/bin/env bats
# Whether compiling has fused: the example, and a pair of real traces.

load helper

DATA=${TP_DATA:-$TP_ROOT/../shared/data}

setup_file() {
	export EXAMPLE=$BATS_FILE_TMPDIR/example
	mkfusion "$EXAMPLE"
}

@test "examples/fusion/run.sh makes traces and prints a comparison that works" {
	MKFUSION=$TP_BUILD/mkfusion sh "$TP_ROOT/examples/fusion/run.sh" \
	    "$BATS_TEST_TMPDIR/it's" >"$BATS_TEST_TMPDIR/cmd.sh"
	sh "$BATS_TEST_TMPDIR/cmd.sh" |
	    diff -u "$TP_ROOT/examples/fusion/comparison.md" -
}

@test "fusion: the same seed gives the same traces, another gives others" {
	mkfusion --seed 11 "$BATS_TEST_TMPDIR/same"
	diff -r "$EXAMPLE" "$BATS_TEST_TMPDIR/same"
	mkfusion --seed 12 "$BATS_TEST_TMPDIR/other"
	! cmp -s "$EXAMPLE/eager/metal_gpu_intervals.csv" \
	    "$BATS_TEST_TMPDIR/other/eager/metal_gpu_intervals.csv"
}

# encoders N DURATION GAP: ten steps of N command buffers, each of 50 encoders
# of DURATION ns, GAP ns apart.  No MLX, which has one encoder in a buffer.
encoders() {
	awk -v n="$1" -v duration="$2" -v gap="$3" 'BEGIN {
		print "start,duration,channel-name,process,cmdbuffer-id"
		for (at = 1e9; step++ < 10; at += 3e6)
			for (i = 0; i < 50 * n; i++) {
				printf "%.0f,%d,Compute,probe (7),%d\n", at,
				    duration, b += i % 50 == 0
				at += duration + gap
			}
	}'
}

@test "fusion: a report of one trace says eager-like or compiled-like" {
	cd "$BATS_TEST_TMPDIR"
	encoders 20 44700 2600 >eager.csv
	encoders 3 245000 74000 >compiled.csv
	for m in eager compiled; do
		tp-report $m.csv | grep "Eager or compiled: \*\*$m-like"
	done
}

@test "fusion: intervals of many operations are neither eager-like nor compiled-like" {
	for m in eager compiled; do
		tp-report "$EXAMPLE/$m" |
		    grep 'Eager or compiled: \*\*undecided'
	done
}

@test "examples of MLX: a command buffer is one GPU interval" {
	cd "$BATS_TEST_TMPDIR"
	for f in "$EXAMPLE"/*/*.csv "$TP_ROOT/examples/metal/gpu.csv"; do
		tp-cmdbuf -q --only 'cmdbuf.summary[target]' "$f" >r
		[ "$(tp-query -r cmdbuf.summary.count r)" -gt 100 ]
		[ "$(tp-query -r cmdbuf.summary.rows r)" -eq \
		    "$(tp-query -r cmdbuf.summary.count r)" ] || fail "$f"
	done
}

@test "fusion: the script of the example is Python, and warms up ten times" {
	command -v python3 >/dev/null || skip "no python3"
	cp "$TP_ROOT/examples/fusion/profile_fusion.py" "$BATS_TEST_TMPDIR"
	python3 -m py_compile "$BATS_TEST_TMPDIR/profile_fusion.py"
	grep -q '^WARM_UP = 10 ' "$BATS_TEST_TMPDIR/profile_fusion.py"
}

@test "fusion: of two real traces without a compiled run nothing was fused" {
	T=$DATA/instruments/m1-ab
	[ -d "$T" ] || skip "no ../shared/data/instruments/m1-ab"
	cd "$BATS_TEST_TMPDIR"
	for t in baseline threadgroup-heavy; do
		tp-cmdbuf -q --gpu "$T/$t"/*.xml >$t.jsonl
	done
	for pair in 'baseline threadgroup-heavy' 'threadgroup-heavy baseline'; do
		set -- $pair
		tp-compare $1.jsonl $2.jsonl >out
		tp-query -r fusion.summary.verdict out | grep -x not-fused
		tp-render fusion out >section.md
		grep -F '**Nothing was fused' section.md
		! grep -q 'a speedup of' section.md
	done
}

@test "fusion: the order of steps and blocks of any size change nothing" {
	cd "$BATS_TEST_TMPDIR"
	tp-cmdbuf -q --gpu "$EXAMPLE/eager/metal_gpu_intervals.csv" >e
	tp-cmdbuf -q --gpu "$EXAMPLE/compiled/metal_gpu_intervals.csv" >c
	tp-compare e c | grep '"fusion' >one
	TP_BLOCK=7 tp-compare e c | grep '"fusion' | cmp - one
	{ grep -v '"kind":"step"' e; grep '"kind":"step"' e | sort -r; } >r
	tp-compare r c | tp-query -r fusion.summary.step_speedup_factor - >two
	tp-query -r fusion.summary.step_speedup_factor one | cmp - two
}
