#!/usr/bin/env bats
# Traces of events: what is JSON, what is too large, what a folder is called.

bats_require_minimum_version 1.5.0
load helper

setup() {
	cd "$BATS_TEST_TMPDIR"
}

@test "tp-rows: --strict tells JSON from what is not" {
	wrong=0
	count=0
	while IFS= read -r line; do
		case $line in
		[yn]' '*) ;;
		*) continue ;;
		esac
		count=$((count + 1))
		printf '%b' "${line#??}" >in
		status=0
		tp-rows -q --strict in >out 2>err || status=$?
		case $line in
		y*) want=0 ;;
		*) want=3 ;;
		esac
		[ "$status" -eq $want ] || {
			echo "$line: $status"
			wrong=1
		}
	done <"$BATS_TEST_DIRNAME/json-documents"
	[ $count -ge 80 ]
	[ $wrong -eq 0 ]
}

@test "tp-rows: without --strict no document is a crash" {
	while IFS= read -r line; do
		printf '%b' "${line#??}" >in
		status=0
		tp-rows -q in >out 2>err || status=$?
		[ "$status" -eq 0 ] || [ "$status" -eq 3 ]
	done <"$BATS_TEST_DIRNAME/json-documents"
}

@test "tp-rows: --strict gives JSONTestSuite's verdicts" {
	suite=$BATS_TEST_DIRNAME/../../shared/data/suites/JSONTestSuite
	[ -d "$suite" ] || skip "no JSONTestSuite here"
	for f in "$suite"/test_parsing/*; do
		status=0
		tp-rows -q --strict "$f" >out 2>err || status=$?
		case ${f##*/} in
		y_*) [ "$status" -eq 0 ] ;;
		# a hundred thousand brackets are a limit
		n_structure_100000_* | n_structure_open_array_object*)
			[ "$status" -eq 5 ] ;;
		n_*) [ "$status" -eq 3 ] ;;
		*) [ "$status" -eq 0 ] || [ "$status" -eq 3 ] ;;
		esac || {
			echo "$f: $status"
			false
		}
	done
}

@test "tp-rows: nesting without end is refused, with --strict too" {
	for option in -q --strict; do
		for open in '[' '{"a":' '[{"ph":"X","args":{"a":['; do
			status=0
			{ echo '[{"ph":"X","ts":1,"dur":1},'
			    yes "$open" | head -50000 | tr -d '\n'
			} >in
			tp-rows -q $option in >out 2>err || status=$?
			[ "$status" -eq 5 ]
			grep -q '"input.limit".*nest deeper than 1024' out
		done
	done
}

@test "tp-rows: an event of more than 64 MiB is a limit" {
	run -5 sh -c '{ printf "[{\"ph\":\"X\",\"ts\":1,\"dur\":1,\"name\":\""
	    head -c 100000000 /dev/zero | tr "\0" a
	    printf "\"}]"; } | tp-rows 2>&1'
	[[ $output = *"an element of more than 64 MiB"* ]]
}

@test "tp-rows: a large member beside the events is passed over" {
	{ printf '{"stackFrames":{"1":"'
	    head -c 3000000 /dev/zero | tr '\0' a
	    printf '"},"traceEvents":[{"ph":"X","ts":1,"dur":1,"name":"a"}]}'
	} >in.json
	run -0 tp-rows in.json
	[[ $output = *'"name":"a"'*'"code":"json.large"'* ]]
}

@test "tp-rows: gzip, blocks of any size and ways to inflate agree" {
	jq -nc '{traceEvents: [range(3000) | {ph: "X", pid: 1, tid: (. % 3),
	    ts: (. / 8), dur: 1.5, name: "op \(. % 7) \"q\"",
	    args: {a: ., b: [1, {c: "}"}]}}]}' >in.json
	gzip -c in.json >in.json.gz
	tp-rows -a a <in.json | grep '"row.event"' >want
	[ "$(wc -l <want)" -eq 3000 ]
	for block in 1 7 4099; do
		TP_BLOCK=$block tp-rows -a a <in.json |
		    grep '"row.event"' | cmp - want
		TP_BLOCK=$block tp-rows -a a <in.json.gz |
		    grep '"row.event"' | cmp - want
	done
}

@test "tp-rows: a capture is called as the folder of its run" {
	mkdir -p run_7/plugins/profile/2026_01_02_03_04_05
	echo '[{"ph":"X","ts":1,"dur":1,"name":"a"}]' |
	    gzip >run_7/plugins/profile/2026_01_02_03_04_05/host.trace.json.gz
	run -0 tp-rows --name run_7/plugins/profile/2026_01_02_03_04_05
	[ "$output" = run_7 ]
}
