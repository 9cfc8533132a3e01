#!/usr/bin/env bats
# Whether compiling has fused: the example, and a pair of real traces.

bats_require_minimum_version 1.5.0
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
	cd "$BATS_TEST_TMPDIR"
	for m in eager compiled; do
		tp-report "$EXAMPLE/$m" >report.md
		grep -q '^# 4' report.md
		[ "$(grep -c "Eager or compiled" report.md)" -eq 0 ]
	done
}

@test "examples of MLX: a command buffer is one GPU interval" {
	cd "$BATS_TEST_TMPDIR"
	for f in "$EXAMPLE"/*/*gpu*.csv "$TP_ROOT/examples/metal/gpu.csv"; do
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

# side FILE WORD...: GPU intervals of steps (tests/diagnosis/side.awk).  Which
# verdict is right is counted by tests/diagnosis/pairs.sh.
side() {
	file=$1
	shift
	awk -f "$TP_ROOT/tests/diagnosis/side.awk" -v words="$*" >"$file" \
	    2>"$file.end"
}

@test "fusion: fused and yet slower is told" {
	cd "$BATS_TEST_TMPDIR"
	side b.csv buffer=50 120*40
	side a.csv buffer=50 pause=9000 40*45
	tp-cmdbuf -q --gpu b.csv >b
	tp-cmdbuf -q --gpu a.csv >a
	tp-compare b a | tp-render fusion >section.md
	grep -q '^\*\*Fused\.' section.md
	grep -q '^A step takes longer all the same' section.md
	! grep -q 'are gaps between intervals that' section.md
}

@test "fusion: no section of whatever the verdict lacks a number" {
	cd "$BATS_TEST_TMPDIR"
	grep -v '^#' "$TP_ROOT/tests/diagnosis/pairs.tsv" | tr '\t' '|' |
	    while IFS='|' read -r name want back same before after; do
		# shapes are words
		side b.csv $before
		side a.csv $after
		tp-cmdbuf -q --gpu b.csv >b
		tp-cmdbuf -q --gpu a.csv >a
		tp-compare -q b a | tp-render fusion >section.md 2>err
		[ -s section.md ] && [ ! -s err ] &&
		    ! grep -q 'n/a\|[^ -]  *$\|: \.\|  [a-z]' section.md ||
		    { echo "$name"; cat err section.md; }
	done >wrong
	[ ! -s wrong ] || fail "$(cat wrong)"
}

@test "fusion: a comparison has the section only when it was asked for" {
	cd "$BATS_TEST_TMPDIR"
	tp-report --compare "$EXAMPLE/eager" "$EXAMPLE/compiled" >without.md
	! grep -q '^## Kernel fusion' without.md
	tp-report --compare --fusion "$EXAMPLE/eager" "$EXAMPLE/compiled" \
	    >with.md
	grep -q '^## Kernel fusion' with.md
	run -2 tp-report --fusion "$EXAMPLE/eager"
	[[ $output = *"--fusion needs --compare"* ]]
}

@test "fusion: a report of both modes tells their parts, and their times" {
	cd "$BATS_TEST_TMPDIR"
	tp-report -o out "$EXAMPLE/both" >/dev/null
	grep -q '^The run has 2 parts, by the signposts' out/report.md
	grep -q '^| 1 `eager` | .* | 20 | 231 ms |' out/report.md
	grep -q '^| 2 `compiled` | .* | 20 | 50\.1 ms |' out/report.md
	# and the steps of the run are those of one mode
	grep -q '^20 steps, marked by signposts `call`' out/report.md
	tp-compare --segments out/gpu.jsonl | tp-query -r \
	    fusion.summary.rests_on - | grep -x labels-compiled
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
