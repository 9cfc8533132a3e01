#!/usr/bin/env bats
# Captures of JAX from end to end: the example, folders, summaries alone.

load helper

setup_file() {
	"$TP_BUILD/mkjax" "$BATS_FILE_TMPDIR/jax_example" >/dev/null
	"$TP_BUILD/mkjax" --no-steps "$BATS_FILE_TMPDIR/bare/jax_example" \
	    >/dev/null
}

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
	JAX=$BATS_FILE_TMPDIR/jax_example
	BARE=$BATS_FILE_TMPDIR/bare/jax_example
	export JAX BARE
}

# lacks PATTERN FILE
lacks() {
	if grep -E -- "$1" "$2"; then
		fail "$2 holds '$1'"
	fi
}

@test "the report of the example capture is the one in examples/jax" {
	tp-report --platform "TPU v6e" "$JAX" >report.md
	diff -u "$TP_ROOT/examples/jax/report.md" report.md
}

@test "without step markers there is a full report that says how to get them" {
	tp-report "$BARE" >report.md
	diff -u "$TP_ROOT/examples/jax/report-no-steps.md" report.md
	grep -q StepTraceAnnotation report.md
	grep -q '^# Appendix' report.md
}

@test "examples/jax/run.sh makes the capture and prints the command that works" {
	MKJAX=$TP_BUILD/mkjax sh "$TP_ROOT/examples/jax/run.sh" --gzip "it's" \
	    >command
	sh command >report.md
	tp-report --platform "TPU v6e" "$JAX" >plain.md
	# packed, it has another name and digest
	sed '/host.trace.json/d' report.md >a
	sed '/host.trace.json/d' plain.md >b
	diff a b
}

@test "a file alone is reported like its folder" {
	tp-report "$JAX"/plugins/profile/*/host.trace.json |
	    sed -n '/^## Findings/,/^## Recording/p' >a
	tp-report "$JAX" | sed -n '/^## Findings/,/^## Recording/p' >b
	[ -s a ]
	diff a b
}

@test "the latest capture is read, and the report says what was passed over" {
	cp -R "$JAX" two
	cp -R two/plugins/profile/2026_01_15_10_30_00 \
	    two/plugins/profile/2025_12_31_00_00_00
	tp-report two >report.md
	grep -q 'profile/2026_01_15_10_30_00/host.trace.json' report.md
	lacks 2025_12_31 report.md
	grep -q 'files of others in the folder were passed over | 1 |' report.md
}

@test "files of one capture are its hosts, and their devices are told apart" {
	cp -R "$JAX" hosts
	cp hosts/plugins/profile/*/host.trace.json \
	    hosts/plugins/profile/2026_01_15_10_30_00/other.trace.json
	tp-report hosts >report.md
	grep -q '8 devices with operations' report.md
	grep -q '/device:TPU:3` (`other`)' report.md
}

@test "hosts are brought together by steps, and the slow one is named" {
	mkjax --hosts 2 --steps 12 pair >/dev/null
	tp-report pair >report.md
	grep -q '^`host2` is the slowest of 2 hosts: in 7 of 7 steady steps' \
	    report.md
	grep -q 'One host keeps the others waiting' report.md
	lacks 'cut off' report.md
	# each is as busy beside the other as alone
	for h in host1 host2; do
		tp-trace -q pair >all.jsonl
		tp-trace -q --host "$h" pair >one.jsonl
		jq "select(.kind == \"host\" and .host == \"$h\") |
		    .busy_of_span_ratio" all.jsonl >a
		jq 'select(.kind == "timeline.summary") |
		    .busy_of_span_ratio' one.jsonl >b
		diff a b
	done
	tp-report --host host1 pair >one.md
	lacks '^## Hosts' one.md
	grep -q '4 devices with operations' one.md
}

@test "steps that are not marked are matched by their order, and that is said" {
	mkjax --no-steps --hosts 2 --steps 12 pair >/dev/null
	tp-report pair >report.md
	grep -q '^`host2` is the slowest of 2 hosts' report.md
	grep -q 'matched by their number, counted from the start of each trace' \
	    report.md
}

@test "a host that is not there is refused, and those that are are named" {
	mkjax --hosts 2 --steps 1 pair >/dev/null
	run tp-trace --host host3 pair
	[ "$status" -eq 2 ]
	[[ $output = *"there is: host1, host2"* ]]
}

@test "a summary document alone is reported, and what it lacks is said" {
	SOURCE_DATE_EPOCH=0 tp-summary -q "$JAX" >summary.json
	tp-report summary.json >report.md
	grep -q 'the trace itself was not read' report.md
	grep -q 'Slow steps at a fixed interval' report.md
	grep -q 'shares are of the .* of all [0-9]* operations' report.md
	lacks 'first rows of this list|n/a' report.md
	tp-summary -q --hot-ops 2 "$JAX" >cut.json
	tp-report cut.json >report.md
	grep -q 'first rows of this list only' report.md
	grep -q 'shares are of the .* of all [0-9]* operations' report.md
	lacks 'n/a' report.md
	tp-summary -q --breakdown per-track "$JAX" >old.json
	tp-report old.json >report.md
	grep -q 'does not hold the time of each device' report.md
}

# said RECORDS: what the rules say, and the times they say it of.
said() {
	tp-findings -q --repo none "$1" >findings || return
	jq -c 'select(.kind | test("^(verdict|finding|proposal|remark)")
	    or test("^(budget|gap|host|device|timeline|op.summary|platform)")) |
	    del(.src, .is_cut, .family_is_cut)' findings "$1" | sort
}

@test "records beside the capture that they were made of are not in its report" {
	cp -r "$JAX" P
	tp-trace -q P >P/rec.jsonl
	tp-report "$JAX" >alone.md
	tp-report P >both.md 2>err
	grep -q 'also holds records that were made of what is there itself' err
	diff <(sed '1d; /^## Recording/,$d' alone.md) \
	    <(sed '1d; /^## Recording/,$d' both.md)
	[ "$(grep -c '^- File' both.md)" -eq 1 ]
	[ "$(grep -c '^- File' alone.md)" -eq 1 ]
	# of another capture they are
	mkdir Q
	sed 's/"file":"[^"]*"/"file":"other.json"/' P/rec.jsonl >Q/rec.jsonl
	cp -r "$JAX"/. Q
	tp-report Q 2>err >/dev/null || true
	! grep -q 'made of what is there' err
}

@test "a summary document says what its capture says" {
	skip_unless jq
	local n=0 t
	for t in "$JAX" "$BARE" "$TP_ROOT"/../shared/data/jax/*/*.trace.json.gz \
	    "$TP_ROOT"/../shared/data/jax/xplane/*.pb \
	    "$TP_ROOT"/../shared/data/corpus/jax/*.pb; do
		[ -e "$t" ] || continue
		tp-trace -q "$t" >capture.jsonl
		tp-summary -q "$t" >summary.json
		tp-from-summary -q summary.json >document.jsonl
		said capture.jsonl >capture
		said document.jsonl >document
		grep -q '"kind":"verdict"' capture
		diff capture document || fail "$t"
		# and the document itself has them for its readers
		jq -c '.tracepipe.findings[] | select(.kind == "verdict")' \
		    summary.json >verdict
		[ -s verdict ]
		n=$((n + 1))
	done
	[ "$n" -ge 2 ]
}

@test "of many rows the document keeps the first, and says so" {
	cp -R "${TP_ROOT:?}/share" .
	printf '{"rows": 2, "except": ["step", "budget"]}' >share/summary.json
	TP_SHARE=$PWD/share tp-summary -q "$JAX" >summary.json
	tp-from-summary summary.json >records
	[ "$(grep -c '"kind":"op.canonical"' records)" = 2 ]
	[ "$(grep -c '"kind":"budget"' records)" = 0 ]
	grep -q '"code":"summary.cut".*first 2 rows' records
}

@test "no name of a program or record stands in a report of a capture" {
	SOURCE_DATE_EPOCH=0 tp-summary -q "$JAX" >summary.json
	for t in "$JAX" "$BARE" summary.json; do
		tp-report "$t" >report.md
		lacks 'tp-[a-z]|timeline\.|step\.(class|summary)' report.md
		lacks '\{\{|n/a|op\.(family|canonical)' report.md
	done
}

@test "the parts write what tp-trace writes of them" {
	tp-trace "$JAX" >all
	for part in timeline steps ops comm gaps regions; do
		"tp-$part" "$JAX" >part
		grep -v -E '"kind":"(source|note)"' part >records
		[ -s records ]
		while IFS= read -r line; do
			grep -q -x -F -- "$line" all || fail "$part: $line"
		done < <(head -n 5 records)
		wc -l <records
	done >counts
	[ "$(awk '{ n += $1 } END { print n }' counts)" -eq \
	    "$(grep -c -v -E '"kind":"(source|note|trace.summary|(budget|path)[.a-z]*|gap.(class|part|sync)|device.summary)"' \
	    all)" ]
}

@test "--list says what was recognised" {
	run tp-report --list "$JAX"
	[ "$status" -eq 0 ]
	[[ $output = "host.trace.json "*"trace events" ]]
}

@test "rules for captures leave exports of Instruments alone, and the reverse" {
	"$TP_BUILD/mkflux" flux >/dev/null
	tp-cmdbuf --gpu flux/*/*/*/* 2>/dev/null | tp-findings >flux.jsonl || :
	[ -s flux.jsonl ]
	lacks '"id":"(jax-|communication-heavy|no-dominant)' flux.jsonl
	tp-trace "$JAX" | tp-findings >jax.jsonl
	jq -r 'select(.kind == "verdict") | .id' jax.jsonl >verdicts
	[ "$(cat verdicts)" = jax-bound-math ]
}

@test "folded stacks of a capture have the time of its regions" {
	tp-regions --only region.summary "$JAX" | jq .exclusive_ns >regions
	tp-trace --folded gpu "$JAX" >stacks
	awk '{ ns += $NF } END { printf "%d\n", ns }' stacks | diff regions -
	# and go on to pprof
	tp-pprof <stacks >gpu.pb
	[ -s gpu.pb ]
}

@test "a trace cut at any place keeps the events before it" {
	TRACE=$TP_BUILD/cases/tp-trace/two-devices/in.json
	last=0
	for n in $(seq 200 150 3800); do
		head -c "$n" "$TRACE" >cut.json
		tp-trace -q --only trace.summary cut.json >out || [ $? -eq 3 ]
		now=$(jq .complete_count out)
		[ "$now" -ge "$last" ] || fail "$n: $now after $last"
		last=$now
	done
	[ "$last" -gt 20 ]
}

@test "kernels of a GPU capture have the cost of their program, once" {
	F=${TP_DATA:-$TP_ROOT/../shared/data}/jax/xplane/tracelens_mi300_jax_conv_08.xplane.pb
	[ -e "$F" ] || skip 'no ../shared/data/jax/xplane'
	tp-ops -q --only op "$F" >ops.jsonl
	# bf16[1,5120,34,31,53] of 16 channels by kernels of 1x2x2
	jq -r 'select(.name | startswith("Cijk")) |
	    "\(.work_flops) \(.accessed_bytes) \(.shape)"' ops.jsonl >conv
	[ "$(cat conv)" = "36609720320 579072000 1,5120,34,31,53|7150336" ]
	# what only prepares it, and what is of no instruction, has none
	[ "$(jq 'select(.work_flops)' -c ops.jsonl | wc -l)" -eq 1 ]
	[ "$(jq -r 'select(.name == "Im3d2Col.kd") | .accessed_bytes' \
	    ops.jsonl)" = null ]
	jq -r 'select(.name == "input_transpose_fusion.kd") |
	    .accessed_bytes, .source_file' ops.jsonl >fusion
	[ "$(head -n 1 fusion)" -eq $((2 * 2 * 55862 * 5120)) ]
	[[ $(tail -n 1 fusion) = *generate_conv_trace.py:23 ]]
}

# varies RECORDS ROWS FILE...: ROWS rows vary from step to step as the events say
varies() {
	local records=$1 rows=$2
	shift 2
	run jq -n -r --slurpfile records "$records" \
	    -f "$TP_ROOT/tests/samples.jq" "$@"
	[ "$status" -eq 0 ] && [ "$output" = "$rows rows of 5 kinds" ] ||
		fail "$output"
}

# bats test_tags=rest
@test "property: operations vary from step to step as their events do, in any order, on all hosts" {
	for seed in 1 2 3; do
		mkjax --seed $seed --steps 23 seed$seed >/dev/null
		tp-trace seed$seed >records
		varies records 38 seed$seed/plugins/profile/*/host.trace.json
	done
	mkjax --hosts 3 --steps 12 hosts >/dev/null
	tp-trace hosts >records
	varies records 38 hosts/plugins/profile/*/host*.json
	jq -c '.traceEvents |= (map(select(.ph != "X")) +
	    (map(select(.ph == "X")) | sort_by(.name, .dur)))' \
	    "$JAX"/plugins/profile/*/host.trace.json >other.trace.json
	tp-trace other.trace.json >records
	varies records 38 other.trace.json
}

@test "how operations vary from step to step is no metric of its own" {
	mkjax --seed 2 other/jax_example >/dev/null
	tp-trace "$JAX" >before
	tp-trace other/jax_example >after
	grep -q step_stdev_ns before
	tp-compare before after >compared
	lacks 'step_(sample_count|mean_ns|stdev_ns)' compared
	# of one step that is no warm-up there is nothing to say
	mkjax --steps 6 one >/dev/null
	tp-trace one >few
	lacks step_stdev_ns few
}
