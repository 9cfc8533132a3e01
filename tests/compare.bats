#!/usr/bin/env bats
# Comparison, gate and history: against the numbers of another tool, at once
# from many processes, and on captures that are known to differ.

load helper

DATA=${TP_DATA:-$TP_ROOT/../shared/data}

peer() {
	[ -d "$DATA/../expected/jax" ] || skip "no ../shared/expected/jax"
	E=$DATA/../expected/jax
}

# pair NAME: BEFORE and AFTER of a comparison of the peer.
pair() {
	case $1 in
	same) before=fix_steps_before after=fix_steps_before ;;
	steps | track) before=fix_$1_before after=fix_$1_after ;;
	synth_slow) before=synth_tpu_100k after=synth_tpu_100k_slow ;;
	synth_fast) before=synth_tpu_100k_slow after=synth_tpu_100k ;;
	mi300)
		before=tracelens_mi300_jax_conv_legacy
		after=tracelens_mi300_jax_conv_08 ;;
	esac
	before=$E/$before/summary.json after=$E/$after/summary.json
}

pairs='same steps track synth_slow synth_fast mi300'

# A small record file with a step median of $1 ns.
median() {
	printf '{"kind":"step.summary","src":"s","scope":"all",'
	printf '"wall_median_ns":%d}\n' "$1"
}

@test "compare: the documents of the peer are reproduced number by number" {
	peer
	skip_unless jq
	for p in $pairs; do
		pair $p
		tp-compare --allow-same --json "$before" "$after" |
		    jq -S 'del(.unknown_ops, .provenance_checks.messages)' \
		    >"$BATS_TEST_TMPDIR/ours"
		# messages: the words are ours; how many there are is compared
		jq -S 'del(.provenance_checks.messages)' "$E/compare.$p.json" \
		    >"$BATS_TEST_TMPDIR/theirs"
		diff "$BATS_TEST_TMPDIR/ours" "$BATS_TEST_TMPDIR/theirs" ||
		    fail "compare.$p.json differs"
		[ "$(tp-compare --allow-same --json "$before" "$after" |
		    jq '.provenance_checks.messages | length')" = \
		    "$(jq '.provenance_checks.messages | length' \
		    "$E/compare.$p.json")" ] || fail "$p: messages"
		# unknown_ops: an operation that may only have left the list of
		# the highest; the peer takes it for 0.  None in these pairs.
		[ "$(tp-compare --allow-same --json "$before" "$after" |
		    jq '.unknown_ops | length')" = 0 ]
	done
}

@test "compare: what left a list of the highest is unknown, not improved to 0" {
	peer
	skip_unless jq
	pair synth_slow
	jq '.hot_ops |= .[:24]' "$after" >"$BATS_TEST_TMPDIR/a.json"
	gone=$(jq -r '.hot_ops[24].name' "$after")
	tp-compare --json "$before" "$BATS_TEST_TMPDIR/a.json" \
	    >"$BATS_TEST_TMPDIR/out"
	[ "$(jq '.improved_ops | length' "$BATS_TEST_TMPDIR/out")" = 0 ]
	[ "$(jq -r '.unknown_ops[0].name' "$BATS_TEST_TMPDIR/out")" = "$gone" ]
	[ "$(jq -r '.unknown_ops[0].after' "$BATS_TEST_TMPDIR/out")" = null ]
}

@test "track: the assessments of the peer are reproduced number by number" {
	peer
	skip_unless jq
	for p in $pairs; do
		pair $p
		tp-track -q --no-fail --allow-same --json --label $p \
		    "$before" "$after" >"$BATS_TEST_TMPDIR/out"
		# ours alone: checks and unknowns, and in the comparison
		# unknown_ops; the texts are ours, so they are counted; the
		# time is that of the history line only
		short='{after, before, "label": .label, metrics: .assessment.metrics,
		    comparison: (.assessment.comparison |
			del(.unknown_ops, .provenance_checks.messages)),
		    failures: (.assessment.failures | length),
		    warnings: (.assessment.warnings | length)}'
		jq -S "$short" "$BATS_TEST_TMPDIR/out" \
		    >"$BATS_TEST_TMPDIR/ours"
		jq -S "$short" "$E/track.$p.json" >"$BATS_TEST_TMPDIR/theirs"
		diff "$BATS_TEST_TMPDIR/ours" "$BATS_TEST_TMPDIR/theirs" ||
		    fail "track.$p.json differs"
		theirs=$(jq -r .assessment.status "$E/track.$p.json")
		case $p in
		# the peer passes a trace compared with itself
		same) theirs=unknown ;;
		# and two traces without any step
		mi300) theirs=unknown ;;
		esac
		[ "$(jq -r .assessment.status "$BATS_TEST_TMPDIR/out")" = \
		    "$theirs" ] || fail "$p: status"
	done
}

@test "track: the peer exits with 0 on a failure, this with 1" {
	peer
	pair synth_slow
	run tp-track -q "$before" "$after"
	[ "$status" -eq 1 ]
	pair synth_fast
	run tp-track -q "$before" "$after"
	[ "$status" -eq 0 ]
}

@test "history: the history of the peer is read, its counts reproduced" {
	peer
	skip_unless jq
	tp-history "$E/history.jsonl" >"$BATS_TEST_TMPDIR/out"
	want=$(jq -c '[.num_records, .status_counts.pass,
	    .status_counts.fail]' "$E/history.summary.json")
	[ "$(head -n 1 "$BATS_TEST_TMPDIR/out" | jq -c '[.recorded_count,
	    .pass_count, .fail_count]')" = "$want" ]
	# numbers are folded out, so that a failure counts where it repeats
	[ "$(jq -s '[.[] | select(.kind == "history.message")] | length' \
	    "$BATS_TEST_TMPDIR/out")" = 2 ]
}

@test "track: a capture that is 12 % slower fails, as records and as summary" {
	T=$DATA/jax/synth
	[ -d "$T" ] || skip "no ../shared/data/jax/synth"
	cd "$BATS_TEST_TMPDIR"
	ln -s "$TP_BUILD/tp-trace" tp-summary
	for t in tpu_100k tpu_100k_slow; do
		./tp-summary -q "$T/$t.trace.json.gz" >$t.json
		tp-trace -q "$T/$t.trace.json.gz" >$t.jsonl
	done
	for f in json jsonl; do
		run tp-track tpu_100k.$f tpu_100k_slow.$f
		[ "$status" -eq 1 ]
		[[ $output = *"median step time regressed by 11.93 %"* ]]
		run tp-track tpu_100k_slow.$f tpu_100k.$f
		[ "$status" -eq 0 ]
	done
	# the interval of the steps is around the 12 %, wide enough for what
	# two runs differ by, and leaves out 1
	run tp-compare tpu_100k.jsonl tpu_100k_slow.jsonl
	[[ $output = *'"metric":"step[all].wall_ns"'*'"change_low_factor":1.07'* ]]
}

@test "compare: of two short recordings only what the process did is judged" {
	T=$DATA/instruments/m1-ab
	[ -d "$T" ] || skip "no ../shared/data/instruments/m1-ab"
	skip_unless jq
	cd "$BATS_TEST_TMPDIR"
	for t in baseline threadgroup-heavy; do
		tp-cmdbuf -q --gpu "$T/$t"/*.xml >$t.jsonl
	done
	tp-compare baseline.jsonl threadgroup-heavy.jsonl >out
	# the kernels took longer; a machine that was busy otherwise, gaps, and
	# totals of another number of command buffers say nothing
	jq -r 'select(.kind != "compare.shown" and
	    (.change == "regressed" or .change == "improved")) |
	    .change + " " + (.metric // .name)' out | sort >judged
	printf '%s\n' "regressed cmdbuf.summary[target].busy_p50_ns" \
	    "regressed cmdbuf.summary[target].duration_mean_ns" \
	    "regressed cmdbuf.summary[target].duration_p50_ns" \
	    "regressed cmdbuf.summary[target].duration_p95_ns" \
	    "regressed gpu.summary[target].duration_mean_ns" \
	    "regressed gpu.summary[target].duration_p50_ns" \
	    "regressed gpu.summary[target].duration_p95_ns" | diff - judged
}

@test "history: fifty runs at once lose nothing" {
	cd "$BATS_TEST_TMPDIR"
	median 100000 >b.jsonl
	median 101000 >a.jsonl
	for i in $(seq 50); do
		tp-track -q --label "run $i" --history h.jsonl b.jsonl a.jsonl \
		    >/dev/null &
	done
	wait
	[ "$(wc -l <h.jsonl)" -eq 50 ]
	[ "$(tp-history h.jsonl | grep -c '"recorded_count":50,"pass_count":50')" \
	    -eq 1 ]
	[ "$(grep -o '"label":"run [0-9]*"' h.jsonl | sort -u | wc -l)" -eq 50 ]
}

@test "track: a history that cannot be written is no pass" {
	cd "$BATS_TEST_TMPDIR"
	median 100000 >b.jsonl
	median 101000 >a.jsonl
	run tp-track -q --history no/such/folder b.jsonl a.jsonl
	[ "$status" -eq 4 ]
	[ -e /dev/full ] || skip "no /dev/full"
	run tp-track -q --history /dev/full b.jsonl a.jsonl
	[ "$status" -eq 4 ]
	[[ $output = *'a history is a file, not a link or device' ]]
	run tp-track -q --junit /dev/full b.jsonl a.jsonl
	[ "$status" -eq 4 ]
}

@test "track: the history alone has a time, SOURCE_DATE_EPOCH if it is set" {
	cd "$BATS_TEST_TMPDIR"
	median 100000 >b.jsonl
	median 101000 >a.jsonl
	SOURCE_DATE_EPOCH=86400 tp-track -q --history h b.jsonl a.jsonl >one
	grep -q '"recorded_at_utc":"1970-01-02T00:00:00Z"' h
	tp-track -q --history h2 b.jsonl a.jsonl >two
	cmp one two
	! grep -q 1970 h2
}

@test "compare: a file that is not there is 4" {
	cd "$BATS_TEST_TMPDIR"
	median 100000 >b.jsonl
	for t in tp-compare tp-track; do
		run $t b.jsonl none.jsonl
		[ "$status" -eq 4 ]
		[[ $output = *"none.jsonl: cannot open: "* ]]
	done
}

@test "compare: the same input gives the same bytes, in blocks of any size" {
	cd "$BATS_TEST_TMPDIR"
	for s in 1 2; do
		for i in $(seq 40); do
			printf '{"kind":"step","src":"s","scope":"all",'
			printf '"index":%d,"wall_ns":%d}\n' $i \
			    $((100000 + s * 3000 + i * 7919 % 5000))
		done >$s.jsonl
	done
	tp-compare 1.jsonl 2.jsonl >one
	TP_BLOCK=7 tp-compare 1.jsonl 2.jsonl | cmp - one
	gzip -k 1.jsonl
	tp-compare - 2.jsonl <1.jsonl.gz | grep -v before_file >two
	grep -v before_file one | cmp - two
}
