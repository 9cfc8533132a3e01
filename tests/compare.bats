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
	# the kernels took longer, and one is started less often; a machine that
	# was busy otherwise, gaps, and totals of another number of command
	# buffers say nothing
	jq -r 'select(.kind != "compare.shown" and
	    (.change == "regressed" or .change == "improved")) |
	    .change + " " + (.metric // .name)' out | sort >judged
	printf '%s\n' "regressed cmdbuf.summary[target].busy_p50_ns" \
	    "regressed cmdbuf.summary[target].duration_mean_ns" \
	    "regressed cmdbuf.summary[target].duration_p50_ns" \
	    "regressed cmdbuf.summary[target].duration_p95_ns" \
	    "regressed cmdbuf.summary[target].start_to_start_p50_ns" \
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

# judged STEP_METRIC BEFORE AFTER: what is said of it, whoever it is said of.
judged() {
	tp-compare "$2" "$3" | grep -F "\"metric\":\"step[all].$1\"" |
	    grep '"kind":"compare.metric"' | sed 's/"src":"[^"]*",//'
}

@test "two documents are judged as the two captures they are of" {
	cd "$BATS_TEST_TMPDIR"
	mkjax --steps 30 a >/dev/null
	mkjax --steps 30 --seed 7 b >/dev/null
	for x in a b; do
		tp-summary "$x" >"$x.json"
		tp-trace "$x" >"$x.jsonl"
	done
	for m in wall_ns start_to_start_ns; do
		judged $m a.jsonl b.jsonl >records
		judged $m a.json b.json >documents
		grep -q '"change_low_factor":' records
		diff records documents
	done
	# and so through the filter that turns a document into records
	tp-from-summary a.json >a.from
	tp-from-summary b.json >b.from
	judged wall_ns a.from b.from >records
	judged wall_ns a.json b.json >documents
	diff records documents
}

@test "a report of a document is the same with the steps as without them" {
	skip_unless jq
	cd "$BATS_TEST_TMPDIR"
	mkjax --steps 30 a >/dev/null
	mkdir with without
	tp-summary a >with/a.json
	jq 'del(.tracepipe.steady_steps)' with/a.json >without/a.json
	for x in with without; do
		tp-report $x/a.json | sed '/^## Recording/,$d' >$x.md
	done
	diff with.md without.md
	tp-from-summary with/a.json | grep -c '"kind":"step"' | grep -qx 25
}

@test "a document without single steps says that it cannot tell noise" {
	skip_unless jq
	cd "$BATS_TEST_TMPDIR"
	mkjax --steps 30 a >/dev/null
	mkjax --steps 30 --seed 7 b >/dev/null
	tp-summary a | jq 'del(.tracepipe.steady_steps)' >a.json
	tp-summary b >b.json
	tp-from-summary a.json >out
	[ "$(grep -c '"code":"summary.no-samples".*"status":0' out)" = 1 ]
	for tool in tp-compare tp-track; do
		$tool a.json b.json >out
		[ "$(grep -c 'the document before has only medians' out)" = 1 ]
		$tool --allow-same b.json b.json >out || [ $tool = tp-track ]
		[ "$(grep -c summary.no-samples out)" = 0 ]
	done
}

# many_steps N SEED: a trace of one device with N steps.
many_steps() {
	awk -v n="$1" -v x="$2" -v t=0 'BEGIN {
		m = "{\"ph\":\"M\",\"pid\":3,"
		print "{\"traceEvents\":["
		print m "\"name\":\"process_name\"," \
		    "\"args\":{\"name\":\"/device:TPU:0\"}},"
		print m "\"tid\":1,\"name\":\"thread_name\"," \
		    "\"args\":{\"name\":\"Steps\"}},"
		print m "\"tid\":3,\"name\":\"thread_name\"," \
		    "\"args\":{\"name\":\"XLA Ops\"}}"
		for (i = 0; i < n; i++) {
			x = (x * 16807) % 2147483647
			d = 1000 + x % 200
			e = ",{\"ph\":\"X\",\"pid\":3,\"ts\":" t ",\"dur\":" d
			print e ".5,\"tid\":1,\"name\":\"" i "\"}"
			print e ",\"tid\":3,\"name\":\"fusion.1\"}"
			x = (x * 16807) % 2147483647
			t = t + d + 1 + x % 50
		}
		print "]}"
	}'
}

@test "of very many steps a document keeps some, with their median and p90" {
	skip_unless jq
	cd "$BATS_TEST_TMPDIR"
	# 5 of them are warm-up
	many_steps 4101 1 >4096.json
	many_steps 10005 1 >10000.json
	for n in 4096 10000; do
		tp-summary $n.json >$n.sum
		tp-from-summary $n.sum >$n.out
		[ "$(grep -c '"kind":"step"' $n.out)" = 4096 ]
		jq '.tracepipe.steady_steps.count' $n.sum | grep -qx $n
	done
	[ "$(wc -c <10000.sum)" -lt 100000 ]
	[ "$(grep -c summary.thinned 4096.out)" = 0 ]
	grep -q 'the times of 4096 of its 10000 steps' 10000.out
	# the same steps, in the same order, as of the trace
	few='select(.kind == "step" and .is_warmup == false) |
	    {index, wall_ns, start_to_start_ns}'
	tp-trace 4096.json | jq -c "$few" >records
	jq -c "$few" 4096.out | diff records -
	# quantiles: within a thousandth of those of all steps
	quantiles='map(select(.kind == "step" and .is_warmup == false)) |
	    (map(.wall_ns), map(.start_to_start_ns | values)) | sort |
	    .[length * 0.5 | floor], .[length * 0.9 | floor]'
	tp-trace 10000.json | jq -s "$quantiles" >all
	jq -s "$quantiles" 10000.out >kept
	paste all kept | awk '{ x = $2 / $1 - 1; if (x < 0) x = -x }
	    x > 0.001 { bad = 1 } END { exit bad || NR != 4 }'
}
