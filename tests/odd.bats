#!/usr/bin/env bats
# One odd event, row, file or folder decides nothing for the others.

load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
}

# Records without numbers that count all events before them.
unnumbered() {
	plain | sed -E 's/"(event_count|[a-z_]*uids?)":("[^"]*"|[0-9]+)//g'
}

# same_but_one END FILTER...: its records of good.END and of odd.END, where one
# event was added, are the same, and it says that one was skipped.
same_but_one() {
	local end=$1
	shift
	"$@" good."$end" >good.jsonl
	"$@" odd."$end" >odd.jsonl 2>odd.err
	unnumbered <good.jsonl >want
	unnumbered <odd.jsonl >got
	[ -s want ] && diff want got | head -c 2000 >differ
	[ ! -s differ ] || fail "$(cat differ)" || return
	grep -q 'skipped$' odd.err || fail "nothing is said: $*" || return
	grep -q '"skipped_count":1[,}]' odd.jsonl
}

# odd_events TRACE EVENT FILTER...: the event, at each time that no other is near,
# before all others of the trace in 2023, and behind the first.
odd_events() {
	local at where
	jq -c '(.traceEvents[] | select(.ts)).ts += 1700000000000000' "$1" >good.json
	for at in 0 9e18 4102444800000000; do
		for where in 0 1; do
			jq -c --argjson at $at --argjson e "$2" ".traceEvents |=
			    .[:$where] + [\$e + {ts: \$at}] + .[$where:]" \
			    good.json >odd.json
			same_but_one json "${@:3}" || return
		done
	done
}

@test "odd: a time in a trace of PyTorch" {
	mktorch t >/dev/null
	odd_events t/rank0.json \
	    '{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "dur": 1, "pid": 1, "tid": 1}' \
	    tp-trace
}

@test "odd: a time in a trace of JAX, and in its xplane.pb" {
	mkjax j >/dev/null
	odd_events j/plugins/profile/*/host.trace.json \
	    '{"ph": "X", "name": "fusion.1", "dur": 1, "pid": 3, "tid": 3}' tp-trace
	# a line of its own, and an event far behind in one
	cp j/plugins/profile/*/host.trace.json good.json
	mkxplane good.json >good.pb
	for at in -4102444800000000 4102444800000000; do
		for where in '{pid: 701, tid: 9999}' .traceEvents[20]; do
			jq -c "$where as \$e | .traceEvents += [\$e + {ph: \"X\",
			    name: \"odd\", ts: $at, dur: 1}]" \
			    good.json >odd.json
			mkxplane odd.json >odd.pb
			same_but_one pb tp-trace
		done
	done
}

@test "odd: a time in a database of Nsight Systems" {
	mkdb nsys good.sqlite
	for kind in first-long-ago first-far; do
		mkdb nsys odd.sqlite --damage $kind
		same_but_one sqlite tp-trace
	done
}

@test "odd: a time in what nsys stats prints" {
	awk 'BEGIN {
		print "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem (MB),Bytes (MB),Throughput (MBps),SrcMemKd,DstMemKd,Device,Ctx,Strm,Name"
		for (i = 0; i < 40; i++)
			printf "17%017d,50,%d,1,1,1,1,1,1,8,0,0,,,,,GPU (0),1,7,gemm\n", i * 100, i
	}' >good.csv
	for at in 0 4102444800000000000; do
		sed "1{p; s/.*/$at,50,99,1,1,1,1,1,1,8,0,0,,,,,GPU (0),1,7,gemm/}" \
		    good.csv >odd.csv
		same_but_one csv tp-trace
	done
}

@test "odd: a time in a table of Instruments, as CSV and as XML" {
	make_example
	cp "$(table csv metal_gpu_intervals)" good.csv
	sed '2{h; s/^[0-9]*,[0-9]*/9000000000000000,5/; p; g}' good.csv >odd.csv
	same_but_one csv tp-gpu-intervals
	sed '2{h; s/^\([0-9]*\),[0-9]*/\1,90000000000000/; p; g}' good.csv >odd.csv
	same_but_one csv tp-gpu-intervals
	cp "$(table xml metal_gpu_intervals)" good.xml
	awk '(at = index($0, "<row>")) && !n++ {
		odd = substr($0, at)
		sub(/>[0-9]+<\/start/, ">9000000000000000</start", odd)
		$0 = substr($0, 1, at - 1) odd substr($0, at)
	}
	{ print }' good.xml >odd.xml
	same_but_one xml tp-gpu-intervals
}
