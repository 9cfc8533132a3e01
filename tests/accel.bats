#!/usr/bin/env bats
# Two ExecuTorch runs beside each other: the example, and reference answers.

load helper

setup() {
	cd "$BATS_TEST_TMPDIR"
	DATA=$TP_ROOT/../shared/data/executorch/synth/runs
	EXPECTED=$TP_ROOT/../shared/expected/executorch
}

needs_shared() {
	[ -d "$DATA" ] && [ -d "$EXPECTED" ] || skip "no ../shared"
}

# compare FOLDER PLATFORM: off.jsonl, on.jsonl and change.jsonl of two runs.
compare() {
	local s
	for s in off on; do
		tp-etdump --samples \
		    "$1/$2/$2_sme2_$s"/*_all_runs_timeline.csv >$s.jsonl
	done
	tp-compare --name1 SME2-Off --name2 SME2-On off.jsonl on.jsonl \
	    >change.jsonl
}

@test "accel: the comparison of the example is as committed" {
	"$TP_BUILD/mketdump" .
	compare runs mac
	tp-render accel change.jsonl >comparison.md
	diff "$TP_ROOT/examples/executorch/comparison.md" comparison.md
}

@test "accel: records of the example are what the schema says" {
	"$TP_BUILD/mketdump" .
	compare runs android
	cat off.jsonl on.jsonl change.jsonl |
	    "$TP_BUILD/check-schema" "$TP_ROOT/share/schema"
}

@test "accel: parts add up to the mean latency of either side" {
	"$TP_BUILD/mketdump" .
	compare runs mac
	jq -es '(map(select(.kind == "accel.part")) |
	    [(map(.before_ns) | add), (map(.after_ns) | add)]) as $sum |
	    map(select(.kind == "accel.summary"))[0] |
	    ([.before_mean_ns, .after_mean_ns] | to_entries |
	    all(.value - $sum[.key] | fabs <= 9))' change.jsonl
}

@test "accel: what each run took adds up to what all took" {
	"$TP_BUILD/mketdump" .
	compare runs mac
	for of in 'category category op.category' 'op op_joined op.latency'; do
		set -- $of
		jq -es --arg run "$1.run" --arg key "$2" --arg kind "$3" '
		    def sums(f): group_by(.[$key]) | map({key: .[0][$key],
			value: (map(f) | add)}) | from_entries;
		    (map(select(.kind == $run)) | sums(.run_ns)) as $runs |
		    (map(select(.kind == $kind and (.basis // "run") == "run"))
		    | sums(.sum_ns)) as $all | $runs == $all and
		    ($all | length) > 3' on.jsonl || fail "$1"
	done
}

@test "accel: factors are those of the reference answers" {
	needs_shared
	for p in mac android; do
		compare "$DATA" "$p"
		jq -es --slurpfile off "$EXPECTED/truth/${p}_sme2_off.json" \
		    --slurpfile on "$EXPECTED/truth/${p}_sme2_on.json" '
		    def near($a; $b): ($a / $b - 1 | fabs) < 1e-6;
		    near(map(select(.kind == "accel.summary"))[0].speedup_factor;
			$off[0].e2e_ms.median / $on[0].e2e_ms.median) and
		    (map(select(.kind == "accel.part" and
			(.is_overhead | not))) | length == 5 and all(
			near(.before_ns / .after_ns;
			    $off[0].per_inference_ms.categories[.part] /
			    $on[0].per_inference_ms.categories[.part])))' \
		    change.jsonl || fail "$p"
	done
}

@test "accel: statistics are those of the kit, but rounded to nanoseconds" {
	needs_shared
	compare "$DATA" mac
	tp-json robust-stats off.jsonl >ours
	jq -es '.[0] as $ours | .[1] as $theirs |
	    [$theirs | paths(type == "number")] | length > 30 and
	    all(. as $p | ($ours | getpath($p)) - ($theirs | getpath($p)) |
	    fabs < 2e-6)' ours "$EXPECTED"/peer/robust_mac/*robust_stats.json
	# its speedup is of the medians without outliers, baseline first
	tp-json robust-comparison change.jsonl >ours
	jq -es '.[0].speedup.median_based / .[1].speedup.median_based - 1 |
	    fabs < 1e-6' ours "$EXPECTED"/peer/robust_mac/*_comparison.json
}

@test "accel: a model that its name says is without SME2 can be the second" {
	"$TP_BUILD/mketdump" .
	compare runs mac
	tp-compare on.jsonl off.jsonl >back.jsonl
	[ "$(tp-query -r accel.summary.verdict back.jsonl)" = slower ]
	[ "$(tp-query -r accel.summary.dispatch back.jsonl)" = given-up ]
	[ "$(tp-query -r accel.summary.is_expected back.jsonl)" = false ]
}

@test "accel: tp-track holds one run to the other, and fails the other way" {
	"$TP_BUILD/mketdump" .
	compare runs mac
	tp-track -q off.jsonl on.jsonl >/dev/null
	run tp-track -q on.jsonl off.jsonl
	[ "$status" -eq 1 ]
	[[ $output = *'"gate":"latency-median"'*'"outcome":"fail"'* ]]
}
