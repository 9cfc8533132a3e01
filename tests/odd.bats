#!/usr/bin/env bats
# One odd event, row, file or folder decides nothing for the others.

bats_require_minimum_version 1.5.0
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

# bats test_tags=rest
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

# An element of JSON that nests too deep.
deep() {
	printf '{"ph": "X", "name": "x", "ts": 1, "dur": 1, "pid": 3, "tid": 3, "args": %s%s}' \
	    "$(printf '%3000s' '' | tr ' ' '[')" "$(printf '%3000s' '' | tr ' ' ']')"
}

# one_refused TRACE FILE: the report is made and says which file hit a limit.
one_refused() {
	run -3 --separate-stderr tp-report "$1"
	[ ${#lines[@]} -gt 100 ]
	[[ ${lines[*]:0:12} = *"**Not everything could be read** ("*"$2: "*" nest deeper than 1024; no export does)"* ]] ||
		fail "${lines[*]:0:12}"
	[[ $stderr = *"$2"*"nest deeper than 1024; no export does"* ]]
}

@test "odd: a file that hits a limit hides no other: Instruments, read or not" {
	mkflux m >/dev/null
	at=m/flux_example/Trace1.run/Attachments
	{ echo '<trace-query-result><node>'
	    printf '%2000s' '' | sed 's/ /<a>/g'; } >$at/evil.xml
	one_refused m/flux_example evil.xml
	rm $at/evil.xml
	gpu=$at/flux_example_metal_gpu_intervals.xml
	sed "s,</node>,<row>$(printf '%2000s' '' | sed 's/ /<a>/g')," $gpu >cut
	mv cut $gpu
	one_refused m/flux_example ${gpu##*/}
}

@test "odd: a file that hits a limit hides no other: ranks of PyTorch, hosts of JAX" {
	mktorch t >/dev/null
	printf '{"traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "ts": 1, "dur": 1}, %s]}' \
	    "$(deep)" >t/rank1.json
	one_refused t rank1.json
	mkjax j >/dev/null
	at=j/plugins/profile/2026_01_15_10_30_00
	{ sed '$s/]}$//' $at/host.trace.json; echo ",$(deep)]}"; } >$at/host2.trace.json
	one_refused j host2.trace.json
}

# without_events KIND GOOD: a file that nobody can use, beside GOOD.
without_events() {
	case $1 in
	empty) ;;
	nul) head -c 99999 /dev/zero ;;
	garbage) head -c 3000 "$TP_BUILD/tp-put" | gzip ;;
	none) echo '{"traceEvents": []}' ;;
	deep) printf '{"traceEvents": [%s]}' "$(deep)" ;;
	long) printf '{"traceEvents": [{"ph": "X", "name": "%s' \
	    "$(printf '%100000s' '' | tr ' ' x)" ;;
	cut) sed '/"traceEvents"/q' "$2" ;;
	packed) gzip -c "$2" | head -c 300 ;;
	html) echo '<html><body>404</body></html>' ;;
	esac
}

# bats test_tags=rest
@test "odd: a file without events blocks neither hosts of JAX nor ranks of PyTorch" {
	mktorch t >/dev/null
	mktorch --rank 1 t >/dev/null
	mkjax j >/dev/null
	at=j/plugins/profile/2026_01_15_10_30_00
	cp $at/host.trace.json $at/host2.trace.json
	for kind in empty nul garbage none deep long cut packed html; do
		want=3
		[ $kind != none ] || want=0
		without_events $kind t/rank0.json >t/rank2.json
		run -$want --separate-stderr tp-report t
		[ ${#lines[@]} -gt 100 ]
		[[ $output = *'| rank2.json: '* ]] || fail "$kind: $output"
		without_events $kind $at/host.trace.json >$at/a.trace.json
		run -$want --separate-stderr tp-report j
		[ ${#lines[@]} -gt 100 ]
		[[ $output = *'a.trace.json: '* ]] || fail "$kind: $output"
		run --separate-stderr tp-trace --only trace.summary j
		[[ $status -eq $want || $status -eq 5 ]]
		[[ $output = *'"host_count":'[23]* ]]
	done
	: >t/rank0.json >t/rank1.json
	run ! tp-report t
}

@test "odd: a rank whose clock is days off is noted, another day's capture is asked about" {
	mktorch t >/dev/null
	mktorch --rank 1 t >/dev/null
	sed -i 's/1700000000000000000/1700300000000000000/' t/rank1.json
	run -0 --separate-stderr tp-report t
	[[ $output = *'the job has 2 ranks'*'rank 1 began after rank 0 had ended'* ]]
	mv t/rank1.json t/tuesday-rank1.json
	run -2 tp-report t
	[[ $output = *'holds 2 captures: '* ]]
	# each day has all ranks
	mkdir days
	for day in 1 2; do
		for rank in 0 1; do
			mktorch --rank $rank x >/dev/null
			sed "s/17000000000/170${day}0000000/" x/rank$rank.json \
			    >days/day$day-rank$rank.json
		done
	done
	run -2 tp-report days
	[[ $output = *'holds 2 captures: day1-rank0 (2 files, '*', day2-rank0 (2 files, '* ]] ||
		fail "$output"
}

# bats test_tags=rest
@test "odd: a file of a known name that cannot be read is named, as an empty one is" {
	mktorch torch >/dev/null
	mkjax jax >/dev/null
	mkflux m >/dev/null
	mv m/flux_example/*/*/ metal
	mketdump et >/dev/null
	while read -r folder name kinds; do
		for kind in $kinds; do
			rm -rf w
			cp -r "$folder" w
			case $kind in
			empty) : ;;
			nul) head -c 9999 /dev/zero ;;
			text) echo hello there ;;
			open) printf '[[[[' ;;
			cut) printf '{"a": [1, 2' ;;
			esac >"w/$name"
			run -3 --separate-stderr tp-report w
			[ ${#lines[@]} -gt 100 ]
			[[ $output = *"$name: "* || $output = *"$name'"* ]] ||
				fail "$kind $name: $output"
			[[ $output != *"\`${name%.*}\` (not exported)"* ]] || fail "$kind $name: not exported"
		done
	done <<-'EOF'
	torch rank1.json empty nul text open cut
	torch a.sqlite empty nul
	jax config.json nul cut
	metal flux_example_time_profile.xml nul text open
	metal flux_benchmark.json nul open
	et doc.json empty nul
	et new_exec_all_runs_timeline.csv nul text
	et a.etdp empty nul
	EOF
	# JSON of another program is none of ours
	echo '{"a": [1, NaN]}' >torch/rank1.json
	tp-report torch >/dev/null
}

@test "odd: a table of contents without runs is damaged, without a word of a template" {
	mkdir t
	echo '<?xml version="1.0"?><trace-toc/>' >t/toc.xml
	run -3 --separate-stderr tp-report t
	[[ $output = *'- `toc.xml`: not read ('* ]]
	[[ $stderr != *tp-render* ]]
}

# bats test_tags=rest
@test "odd: links that lead to where they are, or to many, end a walk" {
	mkdir -p loop fan/20 folders/plugins/profile
	for i in a b; do
		ln -s . loop/$i
		ln -s ../../fan loop/up$i
	done
	for ((i = 0; i < 20; i++)); do
		mkdir -p fan/$i
		for j in a b c; do
			ln -s ../$((i + 1)) fan/$i/$j
		done
	done
	mkjax j >/dev/null
	ln -s "$PWD/j/plugins/profile/2026_01_15_10_30_00" folders/plugins/profile/
	ln -s ../../.. folders/plugins/profile/up
	tp-trace j >want
	for f in tp-trace tp-ops tp-steps tp-gaps tp-comm tp-timeline tp-summary; do
		for d in loop fan; do
			KIB=400000 run -3 limited $f $d
		done
		KIB=400000 limited $f folders >got
		[ $f != tp-trace ] || diff <(plain <want) <(plain <got)
	done
	for d in loop fan; do
		KIB=400000 limited tp-look $d >/dev/null
		KIB=400000 run -3 limited tp-compare $d $d
		KIB=400000 run -3 limited tp-track $d $d
		KIB=400000 run limited tp-report $d
		[ $status -le 3 ]
		KIB=400000 run limited tp-manifest $d
		[ $status -le 3 ]
	done
	tp-trace j >fan/7/x.jsonl
	tp-compare --allow-same fan fan | grep -c '"compare.summary"'
}

@test "odd: a clock at the end of its numbers has an end after its start" {
	cat >in.json <<-'EOF'
	[{"ph":"M","pid":3,"name":"process_name","args":{"name":"/device:TPU:0"}},
	{"ph":"M","pid":3,"tid":3,"name":"thread_name","args":{"name":"XLA Ops"}},
	{"ph":"X","pid":3,"tid":3,"ts":9223372036854775807,"dur":90,"name":"a.1"}]
	EOF
	tp-summary in.json >out
	grep -q '"profile_end_ts": 9.223372036854776e+18' out
	grep -q '"profile_start_ts": 9.223372036854776e+18' out
}

@test "odd: bytes of a name that are no UTF-8 are U+FFFD in every table" {
	printf '{"kind":"gpu.channel","src":"r","channel":"a\377b"}\n' >r.jsonl
	[ "$(tp-csv gpu.channel r.jsonl | tail -n 1)" = 'r,a�b' ]
	printf 'start,duration,channel-name,process,cmdbuffer-id\n0,1,"a\377,b",p (1),1\n' >t.csv
	tp-rows --csv t.csv >out
	iconv -f UTF-8 -t UTF-8 <out | grep -q '"a�,b"'
}

# bats test_tags=rest
@test "odd: events of another profiler, first, do not decide whose a trace is" {
	mktorch t >/dev/null
	jq -c '.traceEvents[:0] = [
	    {ph: "M", name: "process_name", pid: 77, args: {name: "/device:TPU:0"}},
	    {ph: "M", name: "thread_name", pid: 77, tid: 1, args: {name: "XLA Ops"}},
	    {ph: "X", pid: 77, tid: 1, ts: 5e6, dur: 4, name: "fusion.1"}]' \
	    t/rank0.json >odd.json
	[ "$(tp-trace odd.json | jq '.gpu_count | numbers' | head -n 1)" -eq 65 ]
	[ "$(tp-look odd.json | jq -r '.source | strings')" = torch ]
	mkjax j >/dev/null
	cp j/plugins/profile/*/host.trace.json good.json
	jq -c '.traceEvents[:0] = [{ph: "X", cat: "cpu_op", name: "aten::mm",
	    pid: 0, tid: 7, ts: 100, dur: 5, args: {}}]' good.json >odd.json
	tp-ops good.json | jq -c 'select(.kind == "op") | del(.src)' >want
	[ -s want ]
	tp-ops odd.json | jq -c 'select(.kind == "op") | del(.src)' | diff want -
	[ "$(tp-look odd.json | jq -r '.source | strings')" = jax ]
	# names fill what is looked at
	jq -c '.traceEvents[:1] = [.traceEvents[0]] + [range(2000) | {ph: "M",
	    pid: 9, tid: ., name: "thread_name", args: {name: "pool"}}]' \
	    good.json >odd.json
	tp-ops odd.json | jq -c 'select(.kind == "op") | del(.src)' | diff want -
}

@test "odd: events without a name or phase, or of an unknown id, are losses" {
	for lacks in name ph; do
		jq -nc --arg lacks $lacks '[{ph: "M", pid: 3, name: "process_name",
		    args: {name: "/device:TPU:0"}}] + [range(9) | {ph: "X", pid: 3,
		    tid: 3, ts: (. * 9), dur: 5, name: "a.1"} |
		    if .ts < 45 then del(.[$lacks]) else . end]' >in.json
		run -3 tp-trace in.json
		[[ $output = *'"skipped_count":5,'* || $output = *'"skipped_count":5}'* ]]
		[[ $output = *'"code":"input.lost","text":"in.json: 5 of 9 events'* ]]
	done
	{	printf '\012\105\022\015/device:TPU:0\032\051\022\007XLA Ops'
		for id in 001 011 011 011; do
			printf "\\042\\006\\010\\$id\\020\\001\\030\\005"
		done
		printf '\042\011\010\001\022\005\010\001\022\001f'
	} >in.xplane.pb
	run -3 tp-trace in.xplane.pb
	[[ $output = *'"skipped_count":3'* ]]
	[[ $output = *'"code":"input.lost","text":"in.xplane.pb: 3 of 4 events'* ]]
}

@test "odd: a process that is called nothing, or anew, is told or as before" {
	mkjax j >/dev/null
	cp j/plugins/profile/*/host.trace.json good.json
	late() {
		jq -c --arg name "$1" '.traceEvents += [.traceEvents[] |
		    select(.name == "process_name")] | .traceEvents[-1].args.name =
		    $name' good.json >odd.json
		tp-timeline odd.json >odd.jsonl
	}
	late ""
	diff <(tp-timeline good.json | unnumbered | sed 's/"good"/"odd"/') \
	    <(unnumbered <odd.jsonl)
	late x
	grep -q '"code":"event.renamed".*"count":1,' odd.jsonl
}

@test "odd: a GPU interval of an unknown state, or of no process, is told" {
	make_example
	cp "$(table csv metal_gpu_intervals)" good.csv
	sed '2{h; s/,Active,/,Odd,/; p; g}' good.csv >odd.csv
	same_but_one csv tp-gpu-intervals
	small_gpu | sed '2s/python3.11 (7)//' >odd.csv
	tp-gpu-intervals odd.csv | grep -q '"code":"row.process".*"count":1,'
}
