#!/usr/bin/env bats
# What every command line tool is expected to do, beside what tests/cli.c shows
# of each.

bats_require_minimum_version 1.5.0
load helper

setup() {
	cd "$BATS_TEST_TMPDIR"
	small_gpu >gpu.csv
	tp-gpu-intervals gpu.csv >gpu.jsonl
}

@test "cli: a reader that goes away ends a filter without a word" {
	"$TP_BUILD/mkflux" --format csv --scale 4 . >/dev/null
	for t in tp-rows 'tp-rows --csv'; do
		run bash -c "$t -q flux_example/*/*/*gpu_intervals.csv 2>err |
		    head -n 1 >/dev/null; echo \${PIPESTATUS[0]}"
		[ "$output" = 141 ] || fail "$t: status $output"
		[ ! -s err ] || fail "$(cat err)"
	done
}

@test "cli: a bad number is a usage error that says what is wanted" {
	run tp-gpu-intervals --short soon gpu.csv
	[ "$status" -eq 2 ]
	[[ $output = "tp-gpu-intervals: --short takes a duration such as"* ]]
	run tp-mem --jumps -3 gpu.csv
	[ "$status" -eq 2 ]
	run tp-gpu-intervals --from never gpu.csv
	[ "$status" -eq 2 ]
	[[ $output = *"--from takes a time such as 1.5s or a share from 0% to 100%, not 'never'" ]]
	run tp-gpu-intervals --last 10 gpu.csv
	[ "$status" -eq 2 ]
	[[ $output = *"--last takes a time with its unit, such as 10s or 10ns, not '10'" ]]
	tp-gpu-intervals --from 0 gpu.csv >out
	run tp-gpu-intervals --last=-1s gpu.csv
	[ "$status" -eq 2 ]
	run tp-gpu-intervals --to 101% gpu.csv
	[ "$status" -eq 2 ]
}

@test "cli: behind '--' a name may begin with '-'" {
	cp gpu.csv ./-x.csv
	tp-gpu-intervals -- -x.csv | grep -q '"src":"-x"'
}

@test "cli: a file that is not there is told, the others are read" {
	tp-gpu-intervals nowhere.csv gpu.csv 2>/dev/null >out || :
	grep -q '"kind":"gpu.summary"' out
	grep -q '"code":"input.failed"' out
}

@test "cli: the size of blocks changes nothing" {
	"$TP_BUILD/mkflux" . >/dev/null
	"$TP_BUILD/mkflux" --format csv csv >/dev/null
	cp flux_example/*/*/*current_alloc.xml a.xml
	cp csv/flux_example/*/*/*current_alloc.csv b.csv
	head -c 20000 csv/flux_example/*/*/*time_profile.csv >cut.csv
	gzip -nc a.xml >c.gz
	tp-rows b.csv >d.jsonl
	for f in a.xml b.csv c.gz d.jsonl cut.csv flux_example/*/*/*toc.xml
	do
		tp-rows -q "$f" >want || [ $? -eq 3 ]
		for block in 1 7 64 4096; do
			TP_BLOCK=$block tp-rows -q "$f" >got ||
			    [ $? -eq 3 ]
			cmp want got || fail "$f, blocks of $block bytes"
		done
	done
	[ "$(wc -l <d.jsonl)" -gt 50 ]
	bench=$TP_BUILD/cases/tp-bench/two-files/new.json
	for block in 1 7 4096; do
		TP_BLOCK=$block tp-inventory d.jsonl >got
		tp-inventory d.jsonl | cmp - got
		TP_BLOCK=$block tp-bench $bench >got
		tp-bench $bench | cmp - got
	done
}

# run_to OUT COMMAND...: its output, error and status; without the output where a
# limit (5) ends the program in the middle of it, which depends on blocks
run_to() {
	local out=$1 status=0
	shift
	"$@" 2>err >"$out" || status=$?
	[ $status -ne 5 ] || : >"$out"
	echo "$(<err) $status" >>"$out"
}

# whether "want" and "got" are the same but for how many bytes were read of a
# damaged file
is_same() {
	cmp -s want got ||
	    cmp <(sed 's/"bytes":[0-9]*//' want) <(sed 's/"bytes":[0-9]*//' got)
}

# same_by_threads THREADS COMMAND...: gives the same with so many threads, in
# blocks of several sizes: all pairs with TP_ALL; else each of both with tp-rows,
# and one pair with options and analyses
same_by_threads() {
	local threads=$1 n=0
	shift
	run_to want "$@"
	for j in $threads; do
		for block in '' 1000 65536; do
			case ${TP_ALL:+all}$1$#-$((n++)) in
			all* | tp-rows2-[08] | *-4) ;;
			*) continue ;;
			esac
			TP_BLOCK=$block run_to got "$@" -j $j
			is_same || fail "$* -j $j, blocks of $block"
		done
	done
}

@test "cli: threads that read change nothing, however many" {
	"$TP_BUILD/mkflux" --format csv --scale 5 . >/dev/null
	cp flux_example/*/*/*metal_gpu_intervals.csv whole.csv
	[ "$(wc -c <whole.csv)" -gt 300000 ]
	head -c 200000 whole.csv >cut.csv
	# a row of too many fields, one that is no time, quotes over lines,
	# one that is never closed, behind the first blocks
	awk 'NR == 700 { $0 = $0 ",one,two" }
	    NR == 800 { sub(/^[0-9]+/, "soon") }
	    NR % 97 == 5 { sub(/,[0-9]+/, ",never") }
	    NR % 89 == 7 { sub(/^[0-9]+/, "") }
	    NR == 900 { print "\"a\nb\"," $0; next }
	    NR == 1000 { $0 = "\"" $0 } 1' whole.csv >damaged.csv
	head -n 1 whole.csv >empty.csv
	gzip -kc whole.csv >whole.csv.gz
	printf x >tiny.csv
	# a row longer than a part, and one longer than rows may be
	head -c 300000 /dev/zero | tr '\0' ' ' >x
	awk 'NR == FNR { x = $0 "x"; next }
	    FNR == 700 { sub(/Command Buffer/, x) } 1' x whole.csv >long.csv
	for f in *.csv whole.csv.gz; do
		for how in tp-rows 'tp-rows --max-line 100000' tp-gpu-intervals \
		    'tp-gpu-intervals --last 50%'; do
			same_by_threads "2 3 8${TP_ALL:+ 4 5 6 7}" $how $f
		done
	done
	tp-rows -j 2 damaged.csv | jq -e 'select(.code == "row.damaged")'
	# so does standard input, be it no file
	tp-gpu-intervals <whole.csv >want
	tp-gpu-intervals -j 3 <whole.csv | cmp want -
	cat whole.csv | tp-gpu-intervals -j 3 | cmp want -
}

# bats test_tags=rest
@test "cli: threads that read the events of a trace change nothing" {
	"$TP_BUILD/mktorch" torch >/dev/null
	awk '/"traceEvents"/ { print; list = 1; next }
	    /^]/ { for (k = 0; k < 4; k++) for (i = 0; i < n; i++)
		print line[i] (k < 3 && i == n - 1 ? "," : ""); list = 0 }
	    list { line[n++] = $0; next } 1' torch/rank0.json >whole.json
	jq -e '.traceEvents | length > 1500' whole.json >/dev/null
	jq . whole.json >pretty.json
	jq -c .traceEvents whole.json >bare.json
	head -c 300000 whole.json >cut.json
	head -c 300000 pretty.json >pretty-cut.json
	# values to repair, elements that are none or no events, and others
	# that look as if an event began there
	LC_ALL=C awk '/^{"ph": "X"/ && NR % 5 == 1 && NR > 300 {
	    k++
	    if (k % 9 == 1) sub(/"ts": [0-9.]+/, "\"ts\": NaN")
	    if (k % 9 == 2) print "{},"
	    if (k % 9 == 3) print "5, \"},{\","
	    if (k % 9 == 4) sub(/"name": "/, "&\t\377\\u00e9")
	    if (k % 9 == 5) sub(/"dur": [0-9.]+/, "\"dur\": -3")
	    if (k % 9 == 6) sub(/"args": {/, "&\"x\": [{\"ph\": 1},\n" \
		"{\"ph\": 2},\n{\"ph\": \"X\"}], ")
	    if (k % 9 == 7) sub(/"args": {/, "&\"bytes\": [1,\n2], ")
	    if (k % 9 == 8) sub(/"ts": [0-9.]+/, "\"ts\": \"7.5\"") } 1' \
	    whole.json >damaged.json
	# an event longer than a part, and a long member without an event
	head -c 300000 /dev/zero | tr '\0' x >x
	awk 'NR == FNR { x = $0; next } /^{"ph": "X"/ && ++k == 400 {
	    sub(/"args": {/, "&\"x\": \"" x "\", ") } 1' x whole.json \
	    >long.json
	{ sed '$d' whole.json; printf ', "more": [1'; yes ,2 | head -n 99999
	    echo '], "traceEvents": ['; grep '^{' torch/rank1.json
	    echo ']}'; } >twice.json
	sed 's/^]/, ]/' whole.json >comma.json
	{ cat whole.json; head -c 3000 torch/rank1.json; } >behind.json
	awk 'NR == 900 { $0 = "]" $0 } 1' whole.json >closed.json
	for f in *.json; do
		for how in tp-rows 'tp-rows --max-line 100000' \
		    tp-trace; do
			same_by_threads '2 3 5' $how $f
		done
	done
	tp-rows -j 3 damaged.json | jq -es 'map(select(.kind == "note").code) |
	    contains(["event.baddur", "event.empty", "json.repaired"])'
	# parts without an end nearby, cut anywhere in what follows
	head -c 200000 /dev/zero | tr '\0' x | awk '
	    BEGIN { print "["
		few = "{\"ph\": \"X\", \"ts\": 1, \"dur\": 1},\n"
		for (i = 0; i < 2000; i++) printf "%s", few }
	    { for (i = 0; i < 144; i++) print few few few "{\"name\": \"" \
		substr($0, 1, 162900 + 7 * i) "\", \"ph\": \"X\", \"ts\": 1, " \
		"\"dur\": 1}," }
	    END { print "{}]" }' >seldom.json
	tp-rows -q seldom.json | cksum >want
	TP_BLOCK=1000 tp-rows -q -j 2 seldom.json | cksum | cmp want -
	for f in damaged.json behind.json whole.json; do
		run_to want tp-rows --strict $f
		run_to got tp-rows --strict -j 3 $f
		is_same || fail "strict, $f"
	done
	tp-trace <whole.json >want
	tp-trace -j 3 <whole.json | cmp want -
}

@test "cli: files of one folder are one trace, of several folders several" {
	mkdir -p one/run_a.trace/Trace1.run/Attachments two
	cp gpu.csv one/run_a.trace/Trace1.run/Attachments/x.csv
	# other rows: a copy would be counted twice, which is status 3
	sed 's/^300,/700,/' gpu.csv >one/run_a.trace/Trace1.run/Attachments/y.csv
	cp gpu.csv two/z.csv.gz
	tp-gpu-intervals one/*/*/*/*.csv two/z.csv.gz >out
	[ "$(jq -r 'select(.kind == "gpu.summary" and .scope == "all") |
	    "\(.src) \(.rows)"' out)" = 'run_a 4
z 2' ]
}

@test "cli: two traces of one name are told apart, with a note" {
	mkdir a b c
	for d in a b c; do
		cp gpu.csv $d/same.csv
	done
	tp-gpu-intervals */same.csv >out
	[ "$(jq -r 'select(.scope == "all" and .kind == "gpu.summary").src' \
	    out)" = 'same
same (2)
same (3)' ]
	[ "$(jq -r 'select(.code == "src.repeated").src' out)" = 'same (2)
same (3)' ]
}

@test "cli: a file and standard input differ only in what names them" {
	for t in tp-rows tp-gpu-intervals tp-cmdbuf; do
		$t gpu.csv | plain >a
		$t <gpu.csv | plain | cmp - a || fail "$t"
		[ -s a ]
	done
	tp-gpu-intervals <gpu.csv | grep -q '"src":"-"'
}

@test "cli: a link is reported by the name of what it points to" {
	mkdir in
	ln -s "$PWD/gpu.csv" in/metal-gpu-intervals
	tp-gpu-intervals in/metal-gpu-intervals >out
	[ "$(jq -r 'select(.kind == "source").file' out)" = gpu.csv ]
	printf 'soon,100,Compute,x (1),5\n' >>gpu.csv
	run tp-gpu-intervals in/metal-gpu-intervals
	[[ $output = *"gpu.csv:4: bad start 'soon'"* ]] || fail "$output"
}

@test "cli: --output appears whole or not at all" {
	echo old >out
	run tp-gpu-intervals --output out --from 2s --to 1s gpu.csv
	[ "$status" -eq 2 ]
	[ "$(cat out)" = old ]
	run tp-gpu-intervals --output no/such/folder gpu.csv
	[ "$status" -eq 4 ]
	[[ $output = *"cannot write 'no/such/folder': "* ]]
	[ -z "$(find . -name '.?*')" ]
}

@test "cli: --output to a pipe or a device leaves it one" {
	mkfifo pipe
	cat pipe >got &
	tp-gpu-intervals --output pipe gpu.csv
	wait
	tp-gpu-intervals gpu.csv | cmp - got
	[ -p pipe ]
	tp-gpu-intervals --output /dev/null gpu.csv
	[ -c /dev/null ]
}

@test "cli: a row of CSV is too long or not wherever blocks end" {
	{ cat gpu.csv; printf '5,1,Compute,%0300d (1),1\n6,1,Compute,x (1),1\n' 0; } \
	    >long.csv
	{ cat gpu.csv; printf '5,1,Compute,"%0150d\n%0150d (1)",1\n' 0 0; } >two.csv
	for block in 7 64 200 331 4096 1000000; do
		for f in long two; do
			TP_BLOCK=$block run -5 tp-gpu-intervals --max-line 300 $f.csv
			[[ $output = *"a line, if this is CSV, of more than 300 bytes"* ]]
			TP_BLOCK=$block tp-gpu-intervals --max-line 350 $f.csv |
			    cmp - <(tp-gpu-intervals $f.csv)
		done
	done
}

# 70 MB of records in 70 parts, each of a thousandth; a ratio counts beyond 64 MiB.
bomb() {
	{ printf '{"kind":"x","t":"'; head -c 1MB /dev/zero | tr '\0' a
	    echo '"}'; } | gzip >part
	yes part | head -n 70 | xargs cat
}

@test "cli: limits can be set, and are told" {
	printf '[{"ph":"X","ts":1,"dur":1,"args":{"a":[[[1]]]}}]' >deep.json
	run -5 tp-rows --max-depth 3 deep.json
	[[ $output = *": objects and lists nest deeper than 3"* ]]
	tp-rows --max-depth 4 deep.json
	run -2 tp-rows --max-depth 1025 deep.json
	{ cat gpu.csv; yes '1,1,Compute,x (1),1' | head -n 99999; } >long.csv
	run -5 tp-gpu-intervals --max-bytes 1MiB long.csv
	[[ $output = *"tp-gpu-intervals: long.csv: more than 1 MiB, the limit of --max-bytes"* ]]
	tp-gpu-intervals --max-bytes 3MB long.csv
	{ cat gpu.csv; head -c 3MB /dev/zero | tr '\0' a; } >line.csv
	run -5 tp-gpu-intervals --max-line 1MB line.csv
	[[ $output = *"a line, if this is CSV, of more than 1000000 bytes; --max-line raises the limit"* ]]
	bomb >a.gz
	run -5 tp-gpu-intervals --max-expand 100 a.gz
	[[ $output = *"inflates more than 100 times"* ]]
	tp-gpu-intervals --max-expand 2000 a.gz
	run -2 tp-gpu-intervals --max-expand 0 a.gz
}

@test "cli: limits can be set by the environment, and options win" {
	printf '[{"ph":"X","ts":1,"dur":1,"args":{"a":[[[1]]]}}]' >deep.json
	TP_MAX_DEPTH=3 run -5 tp-rows deep.json
	[[ $output = *": objects and lists nest deeper than 3"* ]]
	TP_MAX_DEPTH=3 tp-rows --max-depth 4 deep.json
	TP_MAX_DEPTH= tp-rows deep.json
	{ cat gpu.csv; yes '1,1,Compute,x (1),1' | head -n 99999; } >long.csv
	TP_MAX_BYTES=1MiB run -5 tp-gpu-intervals long.csv
	[[ $output = *"tp-gpu-intervals: long.csv: more than 1 MiB, the limit of --max-bytes"* ]]
	{ cat gpu.csv; head -c 3MB /dev/zero | tr '\0' a; } >line.csv
	TP_MAX_LINE=1MB run -5 tp-gpu-intervals line.csv
	bomb >a.gz
	TP_MAX_EXPAND=100 run -5 tp-gpu-intervals a.gz
	[[ $output = *"inflates more than 100 times"* ]]
}

@test "cli: a limit that the environment sets wrongly is told by its name" {
	TP_MAX_EXPAND=-1 run -2 tp-rows gpu.csv
	[ "${lines[0]}" = "tp-rows: TP_MAX_EXPAND takes a whole number, not '-1'" ]
	TP_MAX_EXPAND=0 run -2 tp-rows gpu.csv
	[ "$output" = "tp-rows: TP_MAX_EXPAND takes 1 and more" ]
	TP_MAX_DEPTH=1025 run -2 tp-rows gpu.csv
	[ "$output" = "tp-rows: TP_MAX_DEPTH takes 1 to 1024" ]
	TP_MAX_LINE=x tp-rows --max-line 1MiB gpu.csv
	TP_MAX_LINE=x tp-rows --help
}

@test "cli: calls of the system are failed under every filter" {
	commands=$(<"$TP_ROOT/tests/faults/commands")
	for t in $(filters); do
		[[ $commands = *[\ \|]"$t "* ]] || fail "$t"
	done
}

@test "cli: --output with bad input keeps what was good" {
	head -c 100 gpu.csv >cut.csv
	printf 'junk' >>cut.csv
	run tp-gpu-intervals --strict --output out cut.csv
	[ "$status" -eq 3 ]
	grep -q '"kind":"gpu.summary"' out
}

@test "cli: --quiet takes warnings off standard error, not the notes" {
	printf 'soon,100,Compute,x (1),5\n' >>gpu.csv
	tp-gpu-intervals gpu.csv 2>err >a
	[ -s err ]
	tp-gpu-intervals -q gpu.csv 2>err >b
	[ ! -s err ]
	cmp a b
	grep -q '"code":"row.damaged"' b
}

@test "cli: --only writes the kinds that were asked for" {
	tp-gpu-intervals --only gpu.channel gpu.csv |
	    jq -e -s 'length > 0 and all(.kind == "gpu.channel")'
	tp-gpu-intervals --only 'gpu.summary[target]' gpu.csv |
	    jq -e -s 'length == 1 and .[0].scope == "target"'
}

@test "cli: --only with what a filter never writes says what it does write" {
	run tp-gpu-intervals --only gpu.sumary gpu.csv
	[ "$status" -eq 2 ]
	[[ $output = *"--only 'gpu.sumary'"*' gpu.summary gpu.channel '*window* ]]
	run tp-gpu-intervals --only 'gpu.summary[all' gpu.csv
	[ "$status" -eq 2 ]
	run tp-mem --only mem.summaryx gpu.csv
	[ "$status" -eq 2 ]
	# a kind that this input has nothing of is no mistake
	run --separate-stderr tp-gpu-intervals --only label gpu.csv
	[ "$status" -eq 0 ] && [ -z "$output" ]
	tp-rows --only row.metal-gpu-intervals gpu.csv | grep -q '"start_ns"'
	tp-rows --only source gpu.csv | grep -q '"kind":"source"'
	run tp-rows --only row. gpu.csv
	[ "$status" -eq 2 ]
}

@test "cli: a filter says of every kind it writes that it writes it" {
	local tool kind
	declare -A of
	# what this tool alone has written
	(
		cd "$TP_BUILD/want"
		grep -o 'tp-[a-z-]*' */*/cmd | awk -F '[/:]' '
			{ all[$1 "/" $2 "/out"] }
			$4 != $1 { other[$1 "/" $2 "/out"] }
			END { for (f in all) if (!(f in other)) print f }' |
		    xargs grep -s -a -o '^{"kind":"[^"]*"'
	) | sed 's,/.*:"\(.*\)"$, \1,' | sort -u >kinds
	while read -r tool kind; do
		of[$tool]=${of[$tool]-}${of[$tool]+,}$kind
	done <kinds
	[ ${#of[@]} -gt 20 ] || fail "${!of[*]}"
	for tool in $(filters); do
		[ -n "${of[$tool]-}" ] || continue
		run "$tool" -q --only "${of[$tool]}" </dev/null
		[ "$status" -eq 0 ] || [[ $output != *--only* ||
		    $output = *"unknown option '--only'"* ]] ||
		    fail "$tool: $output"
	done
}

@test "cli: nothing coloured, and no escape in messages about names" {
	printf 'start,duration\nx\033[31my,1\n' >evil.csv
	run tp-gpu-intervals -t metal-gpu-intervals evil.csv
	[[ $output != *$'\033'* ]] || fail "an escape got through"
	skip_unless script
	script -qec true /dev/null >/dev/null 2>&1 ||
	    skip "no pseudo-terminal"
	NO_COLOR=1 script -qec "tp-gpu-intervals gpu.csv | tp-render" \
	    /dev/null >out
	[ "$(grep -c $'\033' out)" = 0 ]
}

# Run a command on a pseudo-terminal, which "typed" then holds the output of.
on_terminal() {
	skip_unless script
	script -qec true /dev/null >/dev/null 2>&1 ||
	    skip "no pseudo-terminal"
	script -qec "$1" /dev/null >typed </dev/null
}

@test "cli: headings of tables are bold on a terminal and nowhere else" {
	export TERM=xterm
	on_terminal 'NO_COLOR=1 tp-render gpu.jsonl'
	tr -d '\r' <typed >plain
	[ "$(grep -c $'\033' plain)" = 0 ]
	on_terminal 'tp-render gpu.jsonl'
	grep -q $'^\033\[1mgpu.summary (gpu)\033\[m' typed
	# that is all there is of it
	sed -e $'s/\033\[1m//; s/\033\[m//; s/\r$//' typed | cmp - plain
	tr -d '\r' <typed | grep -v $'^\033\[1m.*\033\[m$' >rest
	[ "$(grep -c $'\033' rest)" = 0 ]
	for no in 'TERM=dumb' 'TERM='; do
		on_terminal "env $no tp-render gpu.jsonl"
		tr -d '\r' <typed | cmp - plain || fail "$no"
	done
	for to in '--output x' '--markdown' '| cat'; do
		on_terminal "tp-render gpu.jsonl $to"
		[ "$(grep -c $'\033' typed)" = 0 ] || fail "$to"
	done
	[ "$(grep -c $'\033' x)" = 0 ]
}

@test "cli: work of more than a second shows how far it is, on a terminal" {
	rows() {
		awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++)
		    printf "%d,100,Compute,python3.11 (7),1\n", i * 200 }'
	}
	{ small_gpu; rows 20000; } >long.csv
	cat >slow <<-'END'
	head -n 5000 long.csv
	sleep 1.2
	tail -n +5001 long.csv
	END
	tp-gpu-intervals <long.csv >want
	export TERM=xterm
	on_terminal 'sh slow | tp-gpu-intervals >got'
	grep -q 'tp-gpu-intervals: reading standard input: [1-9]' typed
	# and is taken away again
	[ "$(tail -c 3 typed)" = $'\033[K' ]
	cmp want got
	on_terminal 'sh slow | tp-gpu-intervals -q >got'
	[ ! -s typed ]
	sh slow | tp-gpu-intervals 2>err >got
	[ ! -s err ]
	on_terminal 'tp-gpu-intervals long.csv >got'
	[ ! -s typed ] || fail "shown for less than a second"
}

@test "cli: the share folder is found beside the program, or by TP_SHARE" {
	mkdir -p tree/bin tree/share/tracepipe
	cp "$TP_BUILD/tp-gpu-intervals" tree/bin
	cp -R "$TP_ROOT"/share/{tables,schema} tree/share/tracepipe
	env -u TP_SHARE tree/bin/tp-gpu-intervals gpu.csv >a
	TP_SHARE=$TP_ROOT/share tp-gpu-intervals gpu.csv | cmp - a
	run env TP_SHARE="$PWD/nowhere" tp-gpu-intervals gpu.csv
	[ "$status" -eq 4 ]
	[[ $output = *nowhere* ]]
}

@test "cli: without tp-fetch beside it or in PATH a program says so" {
	mkdir bin
	cp "$TP_BUILD/tp-trace" bin/tp-summary
	run -4 env PATH=/usr/bin:/bin TP_SHARE="$TP_ROOT/share" \
	    bin/tp-summary --run-target a/b/c
	[ "$output" = "tp-summary: tp-fetch cannot be run: is it installed?" ]
}

@test "cli: tp-cpu-top reads the buckets of what it is given, and no others" {
	cp -R "$TP_ROOT/share" own
	echo 'main;f 3' >stacks.folded
	tp-cpu-top stacks.folded >a
	rm own/ops/cpu.json
	TP_SHARE=$PWD/own tp-cpu-top stacks.folded | cmp - a
	rm own/ops/cpu-stacks.json
	run env TP_SHARE="$PWD/own" tp-cpu-top stacks.folded
	[ "$status" -eq 4 ]
	[[ $output = *cpu-stacks.json* ]]
}

@test "cli: sections and limits are found by their names of before" {
	c=$TP_BUILD/cases/tp-compare/torch-on-another-gpu
	for side in before after; do
		tp-trace -q "$c/$side.json" >$side.jsonl
	done
	for name in torch pytorch; do
		tp-track -r $name before.jsonl after.jsonl >$name.jsonl ||
		    [ $? -eq 1 ]
	done
	grep -q gpu-idle-share torch.jsonl
	cmp torch.jsonl pytorch.jsonl
	run tp-track -r pytorchy before.jsonl after.jsonl
	[ "$status" -eq 2 ]
	tp-render executorch-metadata <before.jsonl >new.md
	tp-render et-metadata <before.jsonl | cmp - new.md
	# what a user puts there is not followed in circles
	cp -R "$TP_ROOT/share" mine
	echo '{"aliases": {"sections/a": "sections/b", "sections/b": "sections/a"}}' \
	    >mine/aliases.json
	TP_SHARE=$PWD/mine run tp-render ax </dev/null
	[ "$status" -eq 2 ]
}

@test "a file that is given twice is read once, and told" {
	run -0 --separate-stderr tp-gpu-intervals gpu.csv ./gpu.csv
	[[ $stderr = *'./gpu.csv: given twice, read once' ]]
	diff <(tp-gpu-intervals gpu.csv) <(printf '%s\n' "$output")
}

@test "tp-csv: a kind that is not there is told" {
	run -2 --separate-stderr tp-csv gpu.proces gpu.jsonl
	[ -z "$output" ]
	[[ $stderr = "tp-csv: no kind of record is called 'gpu.proces'; there is: gpu.summary, "*"; did you mean 'gpu.process'?" ]]
	# one that exists and is not in the stream is an empty table
	run -0 --separate-stderr tp-csv finding gpu.jsonl
	[ -z "$output" ]
	[[ $stderr = "tp-csv: there is no record 'finding'; "* ]]
}

@test "cli: what leaves nothing to say is told, and is no success" {
	printf 'start;duration;process\n1,5;2,5;p\n3,5;4,5;p\n' >lost.csv
	run -3 --separate-stderr tp-gpu-intervals lost.csv
	[[ $stderr = *'a fraction of a nanosecond: is it in another unit?'*'lost.csv: none of the rows of table metal-gpu-intervals can be used'* ]]
	[[ $output = *'"code":"input.lost"'*'"status":3'* ]]
	run -1 --separate-stderr tp-gpu-intervals --from 1h gpu.csv
	[[ $stderr = "tp-gpu-intervals: the window leaves nothing of 'gpu': its last row ends at "* ]]
	run -0 --separate-stderr tp-mem gpu.jsonl
	[ "$stderr" = 'tp-mem: gpu.jsonl: records without a row of a table; tp-render and tp-query read them' ]
	run -0 --separate-stderr tp-render gpu-intervals gpu.jsonl ./gpu.jsonl
	[ "$stderr" = 'tp-render: ./gpu.jsonl: given twice, read once' ]
	diff <(tp-render gpu-intervals gpu.jsonl) <(printf '%s\n' "$output")
	cp gpu.csv copy.csv
	ln copy.csv link.csv
	run -2 --separate-stderr tp-gpu-intervals -o link.csv copy.csv
	[ "$stderr" = "tp-gpu-intervals: --output 'link.csv' is an input: choose another name" ]
	cmp gpu.csv copy.csv
	run -2 --separate-stderr tp-gpu-intervals --laebl x gpu.csv
	[[ $stderr = "tp-gpu-intervals: unknown option '--laebl'; did you mean '--label'?"* ]]
	run -1 --separate-stderr tp-report -p nobody gpu.csv
	[[ $stderr = *"no row is of process 'nobody'; there is: "* ]]
	[ -z "$output" ]
}

@test "cli: the filter that share/tables names for a table reads it" {
	cd "$TP_ROOT/share/tables"
	jq -rn --slurpfile exports exports.json '
	    (reduce inputs.tables as $t ({}; . + $t)) as $columns |
	    $exports[0] | .filters as $f | .roles as $r |
	    (.exports[] | [.table, .filter // $f[.role // .section // "none"] //
	    "tp-rows"]),
	    ($r | to_entries[] | [.key, $f[.value]]) |
	    [.[], ($columns[.[0]] // [] | map(.[0]) | join(","))] | @tsv' \
	    metal.json executorch.json xnnpack.json >"$OLDPWD/readers"
	cd "$OLDPWD"
	[ "$(wc -l <readers)" -gt 20 ]
	while IFS=$'\t' read -r table filter columns; do
		[ "$table" != toc ] || continue
		[ -n "$columns" ] || continue	# they come with it
		echo "$columns" >one.csv
		run $filter --table "$table" one.csv
		[[ $output != *'is not read here'* &&
		    $output != *table.unused* ]] || fail "$filter: $table"
	done <readers
	# and another says so
	run -0 --separate-stderr tp-mem gpu.csv
	[ "$stderr" = 'tp-mem: gpu.csv: table metal-gpu-intervals is not read here; tp-gpu-intervals reads it' ]
}

# A rule that fires when a trace has more than ROWS GPU intervals.
own_rule() {	# ID ROWS
	printf '{"source": "mine", "rules": [{"id": "%s", "when": ["gpu.summary[all].rows > %s"], "severity": "high",
"section": "gpu", "title": "Too many rows", "text":
"{{gpu.summary[all].rows}} rows.", "evidence": [{"metric":
"gpu.summary[all].rows", "source": "gpu"}]}]}\n' "$1" "$2"
}

@test "tp-findings: rules of one's own, of a file, a folder and the configuration" {
	tp-findings gpu.jsonl >ours
	mkdir -p 'my rules/deep' config/tracepipe
	own_rule mine 0 >'my rules/a.json'
	own_rule not-mine 1000 >'my rules/deep/b.json'
	echo 'no rules' >'my rules/readme.txt'
	tp-findings --rules './my rules/a.json' gpu.jsonl >got
	grep -q '"id":"mine"' got
	diff <(grep -v -e mine -e rules.own got | sed 's/"rank":[0-9]*,//') \
	    <(sed 's/"rank":[0-9]*,//' ours)
	tp-findings --rules './my rules' gpu.jsonl >got
	[ "$(grep -c '"code":"rules.own"' got)" -eq 2 ]
	grep -q '"code":"rules.own","text":"./my rules/a.json: ' got
	! grep '"id":"not-mine"' got || false
	cp -r 'my rules' config/tracepipe/rules
	XDG_CONFIG_HOME=$PWD/config tp-findings gpu.jsonl >got
	grep -q '"id":"mine"' got
	grep -q '"code":"rules.own","text":"'"$PWD"'/config/tracepipe/rules/a.json: ' got
	mkdir -p home
	cp -r config home/.config
	env -u XDG_CONFIG_HOME HOME="$PWD/home" tp-findings gpu.jsonl |
		grep -q '"id":"mine"'
	# one of ours alone is that alone
	XDG_CONFIG_HOME=$PWD/config tp-findings --rules metal gpu.jsonl >got
	! grep -e mine -e rules.own got || false
}

@test "tp-findings: a rule of one's own says which kind or key no record has" {
	echo '{"source": "mine", "rules": [{"id": "a", "when": ["gpu.summary[all].rws > 1",
"gpu.summry.rows > 1", "!gpu.summary.absent", "gpu.summary[all].rows > 0"], "severity": "low",
"section": "gpu", "title": "A", "text": "x", "evidence": []},
{"id": "b", "each": "gpu.gap[all]", "when": ["durtion_ns > 1"], "severity": "low",
"section": "gpu", "title": "B", "text": "x", "evidence": []}]}' >mine.json
	tp-findings --rules ./mine.json gpu.jsonl |
	    jq -r 'select(.code == "rules.unknown").text' >got
	diff - got <<-'END'
	./mine.json: rule 'a' never holds: 'gpu.summary[all].rws': gpu.summary has no key 'rws'; did you mean 'rows'?
	./mine.json: rule 'a' never holds: 'gpu.summry.rows': no kind of record is called 'gpu.summry'
	./mine.json: rule 'b' never holds: 'durtion_ns': gpu.gap has no key 'durtion_ns'; did you mean 'duration_ns'?
	END
}

@test "tp-findings: what a finding costs is its severity; the costliest is never low" {
	cost() {	# IMPACT... of 100 ms
		local n=0 ns
		echo '{"kind":"budget.window","src":"t","scope":"span","role":"main","wall_ns":100000000}'
		for ns; do
			printf '{"kind":"step","src":"t","index":%s,"wall_ns":%s}\n' $((++n)) "$ns"
		done
	}
	echo '{"source": "mine", "rules": [{"id": "a", "each": "step", "when": [], "severity": "info",
"section": "gpu", "title": "A", "text": "x", "impact": "wall_ns", "evidence": []}]}' >mine.json
	graded() {
		cost "$@" | tp-findings --rules ./mine.json | jq -r 'select(.kind == "finding" and .title == "A") |
		    [.severity, .impact_ratio, .ceiling_factor, .confidence] | map(tostring) | join(" ")'
	}
	[ "$(graded 20000000 19000000 5000000 4000000)" = "high 0.2 1.25 estimated
medium 0.19 1.2345679012345678 estimated
medium 0.05 1.0526315789473684 estimated
low 0.04 1.0416666666666667 estimated" ]
	[ "$(graded 4000000 3000000)" = "medium 0.04 1.0416666666666667 estimated
low 0.03 1.0309278350515463 estimated" ]
	# without the window the rule's own
	[ "$(cost 4000000 | sed 1d | tp-findings --rules ./mine.json |
	    jq -r 'select(.title == "A") | .severity')" = info ]
}

@test "tp-findings: a rule of one's own that is wrong is status 2, with its file" {
	echo '{"source": 1}' >bad.json
	run -2 --separate-stderr tp-findings --rules ./bad.json gpu.jsonl
	[ "$stderr" = "tp-findings: ./bad.json: wrong type of 'source'" ]
	echo '{"source": ' >bad.json
	run -2 --separate-stderr tp-findings --rules ./bad.json gpu.jsonl
	[ "$stderr" = "tp-findings: ./bad.json: line 1 is not JSON" ]
	run -4 --separate-stderr tp-findings --rules ./nosuch.json gpu.jsonl
	[[ $stderr = *"'./nosuch.json'"* ]]
	own_rule gpu-idle 0 >bad.json
	run -2 --separate-stderr tp-findings --rules ./bad.json gpu.jsonl
	[[ $stderr = *"two rules are called 'gpu-idle'"* ]]
}

@test "tp-report: rules of one's own are named in the report; those beside a trace are not read" {
	mkdir -p trace/rules config/tracepipe/rules rules
	cp gpu.csv trace
	own_rule beside 0 >trace/rules/a.json
	own_rule beside 0 >rules/a.json
	own_rule mine 0 >config/tracepipe/rules/a.json
	own_rule once 0 >'o n c e.json'
	tp-report trace >plain.md
	! grep 'Too many rows' plain.md || false
	export XDG_CONFIG_HOME=$PWD/config
	tp-report --rules 'o n c e.json' trace >report.md
	[ "$(grep -c "^\*\*Too many rows\*\*" report.md)" -eq 2 ]
	grep 'config/tracepipe/rules/a.json: rules of your own' report.md
	grep 'o n c e.json: rules of your own' report.md
	mkdir folder
	mv 'o n c e.json' folder
	tp-report --rules folder trace >report.md
	grep 'o n c e.json: rules of your own' report.md
	# a kept report sees a rule that has changed
	tp-report -o out trace
	sed -i.old 's/Too many/Far too many/' config/tracepipe/rules/a.json
	tp-report -o out trace
	grep 'Far too many rows' out/report.md
}

@test "render: notes have no HTML for GitHub's reader, and no link to a script" {
	skip_unless cmark-gfm
	for f in "$TP_ROOT"/tests/fuzz/corpus/markdown/notes-*; do
		tp-render --notes "$f" | cmark-gfm --unsafe -e table \
		    -e autolink -e strikethrough -e tasklist >html
		! grep -i -n -e '<script' -e '<b[ >]' -e '<!' -e '<?' \
		    -e 'href="[^"/?#]*script:' -e 'src="data:' html || fail "$f"
	done
}

@test "cli: a copy of a table is refused with status 3, and nothing is summed" {
	cp gpu.csv copy.csv
	run -3 --separate-stderr tp-gpu-intervals gpu.csv copy.csv
	[[ $stderr = *"copy.csv: its rows of table metal-gpu-intervals are the same as those of gpu.csv: name only one of them"* ]]
	[[ $output != *gpu.summary* ]]
	[[ $output = *'"code":"table.repeated"'*'"status":3'* ]]
	# what only prints rows sums nothing
	tp-rows gpu.csv copy.csv >out
	tp-rows --count gpu.csv copy.csv >out
}
