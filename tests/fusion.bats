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

# side FILE SHAPE: GPU intervals of steps that are alike, 1.05 ms apart, from
# SHAPE: words n*DURATION for the intervals of a step (us), and in front of them
# steps=N, buffer=N (intervals to a command buffer), pause=US, first=TIMES (the
# first step), noise=PERCENT.
side() {
	file=$1
	shift
	awk -v words="$*" 'BEGIN {
		steps = 12; buffer = 1; pause = 1050; first = 1; noise = 3
		srand(length(words))
		for (i = split(words, w, " "); i; i--) {
			split(w[i], p, /[=*]/)
			if (w[i] ~ /\*/) { times[++shapes] = p[1]; us[shapes] = p[2] }
			else if (p[1] == "steps") steps = p[2]
			else if (p[1] == "buffer") buffer = p[2]
			else if (p[1] == "pause") pause = p[2]
			else if (p[1] == "first") first = p[2]
			else noise = p[2]
		}
		print "start,duration,channel-name,process,cmdbuffer-id"
		for (at = 1e9; step++ < steps; at += pause * 1000)
			for (s = shapes; s; s--)
				for (i = 0; i < times[s]; i++) {
					d = us[s] * 1000 * (step == 1 ? first : 1)
					d *= 1 + noise / 100 * (2 * rand() - 1)
					printf "%.0f,%.0f,Compute,python3.11 (7),%d\n",
					    at, d, 1 + int(n / buffer)
					n++
					at += d + 5000
				}
	}' >"$file"
}

@test "fusion: GPU time decides first, then how many intervals there are" {
	cd "$BATS_TEST_TMPDIR"
	failed=0
	while IFS='|' read -r want before after; do
		# shapes are words
		side b.csv $before
		side a.csv $after
		tp-cmdbuf -q --gpu -l b b.csv >b
		tp-cmdbuf -q --gpu -l a a.csv >a
		tp-compare b a >out
		got=$(tp-query -r fusion.summary.verdict out)
		tp-render fusion out >section.md
		[ "$got" = ${want% } ] && ! grep -q 'n/a' section.md ||
		    { echo "$before ->$after: $got, not $want"; failed=1; }
	done <<-'END'
	fused |buffer=50 120*40|buffer=50 40*45
	fused |buffer=50 steps=20 noise=20 120*40|buffer=50 steps=40 40*45
	fused |buffer=50 first=8 120*40|buffer=50 40*45
	fused |buffer=50 120*40|buffer=50 first=8 40*45
	fused |buffer=50 120*40|buffer=50 pause=40000 steps=40 40*45
	less-work |120*40|40*45
	less-work |120*1800|30*1800
	less-work |20*20000|12*15000
	not-fused |120*1800|120*1800
	not-fused |12*2000|12*2000
	not-fused |buffer=50 40*45|buffer=50 120*40
	not-fused |30*1800|120*1800
	same-kernels-faster |120*80|120*40
	same-kernels-faster |buffer=50 120*80|buffer=50 120*40
	faster-inside |1*480|1*120
	faster-inside |4*1600|3*500
	partly-fused |buffer=50 40*200 40*20 40*20|buffer=50 40*200 30*25
	partly-fused |40*200 40*20 40*20|40*200 30*25
	batched |120*40|30*160
	batched |buffer=50 120*40|buffer=50 30*160
	fewer-slower |120*40|30*530
	END
	[ $failed = 0 ]
	# fused, and yet slower
	side b.csv buffer=50 120*40
	side a.csv buffer=50 pause=9000 40*45
	tp-cmdbuf -q --gpu b.csv >b
	tp-cmdbuf -q --gpu a.csv >a
	tp-compare b a | tp-render fusion >section.md
	grep -q '^\*\*Fused\.' section.md
	grep -q '^A step takes longer all the same' section.md
	! grep -q 'are gaps between intervals that' section.md
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
