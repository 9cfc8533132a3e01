#!/usr/bin/env bats
# ExecuTorch: the example, and what must hold of every timeline there is.

load helper

setup_file() {
	"$TP_BUILD/mketdump" "$BATS_FILE_TMPDIR"
}

setup() {
	cd "$BATS_TEST_TMPDIR"
	RUNS=$BATS_FILE_TMPDIR/runs
	ON=$(echo "$RUNS"/mac/mac_sme2_on/*_all_runs_timeline.csv)
}

# Parts of each basis and signature less the sum of its Method::execute: the
# sums are strings of digits to no one here, all lie below 2^53.
differences='
[inputs] | group_by(.src)[]
| (map(select(.kind == "latency.summary"))
   | map({key: "\(.basis) \(.signature)", value: .sum_ns})
   | from_entries) as $e2e
| (map(select(.kind == "op.category" or .kind == "delegation.summary"))
   | group_by([.basis, .signature])[]
   | {key: "\(.[0].basis) \(.[0].signature)",
      sum: (map(if .kind == "op.category" then .sum_ns
	else .delegate_gap_sum_ns + .operator_overhead_sum_ns
	  + .method_self_sum_ns + .unattributed_sum_ns end) | add)}
   | select(.sum != $e2e[.key]) | "\(.key): \(.sum) of \($e2e[.key])"),
  ((map(select(.kind == "op.latency" and .mismatch == null) | .sum_ns)
    | add // 0) as $ops
   | (map(select(.kind == "op.category" and .basis == "run") | .sum_ns)
      | add // 0) as $parts
   # without Method::execute operators are of no run
   | select($ops != $parts and ($e2e | length > 0)) | "operators \($ops) of \($parts)")'

# add_up FILE...: print where parts do not add up.
add_up() {
	local f
	for f in "$@"; do
		tp-etdump -q "$f" >records || [ $? -eq 3 ]
		jq -rn "$differences" records | sed "s|^|$(basename "$f"): |"
	done
}

@test "etdump: parts add up to Method::execute in the example" {
	run add_up "$RUNS"/*/*/*.csv
	[ "$output" = "" ]
	[ "$(cat "$RUNS"/*/*/*_timeline.csv | wc -l)" -gt 800 ]
}

@test "etdump: parts add up in every golden case" {
	run add_up "$TP_BUILD"/cases/tp-etdump/*/t.csv
	[ "$output" = "" ]
}

@test "etdump: parts add up in every reference timeline" {
	data=$TP_ROOT/../shared/data/executorch
	[ -d "$data" ] || skip "no reference data"
	run add_up "$data"/*/*_timeline.csv "$data"/synth*/runs/*/*.csv \
	    "$data"/synth*/runs/*/*/*.csv
	# a file that is cut off has operators that no run ends
	[ "$output" = "" ]
}

@test "etdump: the summary of the example is as committed" {
	tp-etdump "$ON" >r
	tp-findings r | tp-render etdump r - >summary.md
	diff "$TP_ROOT/examples/executorch/summary.md" summary.md
}

@test "etdump: run.sh makes the example and says what to do" {
	run sh -c "MKETDUMP='$TP_BUILD/mketdump' \
	    sh '$TP_ROOT/examples/executorch/run.sh' \"it's\" | sh"
	[ "$status" -eq 0 ]
	[[ $output = "# Latency and operators"* ]]
	diff -r "it's/runs" "$RUNS"
}

@test "etdump: rows in the order of runs give the same records" {
	{ head -n 1 "$ON"; tail -n +2 "$ON" | sed 's/\(.*\),\([0-9]*\),/\2 &/' |
	    sort -s -n -k 1,1 | sed 's/^[0-9]* //'; } >by-run.csv
	[ "$(wc -l <by-run.csv)" -eq "$(wc -l <"$ON")" ]
	! cmp -s by-run.csv "$ON"
	tp-etdump --label x by-run.csv | grep -v '"kind":"source"' >a
	tp-etdump --label x "$ON" | grep -v '"kind":"source"' >b
	cmp a b
}

@test "etdump: the rows of a table of means give the same records in any order" {
	cat >rows <<-'EOF'
	Method::execute,138.49,
	OPERATOR_CALL,90.902,
	native_call_mm.out,70.643,
	DELEGATE_CALL,47.446,
	"Fully Connected (NC, F32) GEMM #1",29.328,
	Method::init,3,
	EOF
	n=$(wc -l <rows)
	for i in $(seq "$n"); do
		{ tail -n +"$i" rows; head -n $((i - 1)) rows; } >turned
		sort -R --random-source=<(yes "$i") rows >mixed
		for f in turned mixed; do
			{ echo 'event_name,avg (ms),is_delegated_op'
			  cat "$f"; } | tp-etdump --label x >"$f.$i"
			cmp "$f.$i" turned.1
		done
	done
	tp-findings turned.1 | grep -q '"verdict":"portable-bound"'
}

@test "etdump: blocks of any size, gzip and row records give the same" {
	tp-etdump --label x "$ON" | grep -v '"kind":"source"' >a
	TP_BLOCK=7 tp-etdump --label x "$ON" | grep -v '"kind":"source"' >b
	gzip -nc "$ON" | tp-etdump --label x | grep -v '"kind":"source"' >c
	tp-rows --label x "$ON" | tp-etdump | grep -v '"kind":"source"' >d
	cmp a b
	cmp a c
	cmp a d
}

@test "etdump: memory grows with runs and names, not with rows" {
	[ -x /usr/bin/time ] || skip "no time(1)"
	case $(uname) in Linux) ;; *) skip "needs GNU time" ;; esac
	"$TP_BUILD/mketdump" --runs 2000 big
	run /usr/bin/time -f %M tp-etdump --only delegation.nodes \
	    big/runs/mac/mac_sme2_off/*_all_runs_timeline.csv
	[ "$status" -eq 0 ]
	# the file has 7 MB
	nm "$TP_BUILD/tp-etdump" 2>/dev/null | grep -q __asan_init &&
	    skip "built with a sanitizer"
	[ "${lines[${#lines[@]}-1]}" -lt 16384 ]
}
