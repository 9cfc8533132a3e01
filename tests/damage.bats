#!/usr/bin/env bats
# Damage that has to be made: cut anywhere, bombs, lines without end.
# What is small stands in tests/golden/damage-*.

bats_require_minimum_version 1.5.0
load helper

# Elements of a row may nest as deep as that.
DEPTH=5000

setup() {
	cd "$BATS_TEST_TMPDIR"
}

# csv ROWS: a table of that many GPU intervals.
csv() {
	awk -v n="$1" 'BEGIN {
		print "start,duration,channel-name,process,cmdbuffer-id"
		for (i = 0; i < n; i++)
			printf "%d,500,\"Com\"\"pute\",\"a, b (7)\",%d\n",
			    i * 1000, i
	}'
}

# xml ROWS: the same as xctrace writes it.
xml() {
	awk -v n="$1" '
	function col(m, t) {
		printf "<col><mnemonic>%s</mnemonic><name>%s</name>" \
		    "<engineering-type>%s</engineering-type></col>", m, m, t
	}
	BEGIN {
		printf "<?xml version=\"1.0\"?>\n<trace-query-result>\n"
		printf "<node xpath=\"//trace-toc[1]/run[1]/data[1]/" \
		    "table[1]\"><schema name=\"metal-gpu-intervals\">"
		col("start", "start-time")
		col("duration", "duration")
		col("process", "process")
		printf "</schema>"
		for (i = 0; i < n; i++) {
			printf "<row><start-time id=\"%d\">%d</start-time>",
			    3 * i + 3, i * 1000
			printf "<duration id=\"%d\">500</duration>", 3 * i + 4
			if (i)
				printf "<process ref=\"1\"/></row>\n"
			else
				printf "<process id=\"1\" fmt=\"p (7)\">" \
				    "<pid id=\"2\">7</pid></process></row>\n"
		}
		printf "</node></trace-query-result>\n"
	}'
}

# rows_of FILE: how many rows the whole GPU has in these records.
rows_of() {
	local n
	n=$(sed -n 's/.*"kind":"gpu.summary".*"scope":"all","rows":\([0-9]*\),.*/\1/p' "$1")
	echo "${n:-0}"
}

# cut FILE STEP: cut after every STEP bytes the filter ends with 0 or 3, says
# why it is 3, and has never fewer rows than with less of the file.
cut_anywhere() {
	local size=0 last=0 n status whole
	whole=$(wc -c <"$1")
	while [ "$size" -lt "$whole" ]; do
		status=0
		head -c "$size" "$1" | tp-gpu-intervals >out 2>err || status=$?
		case $status in
		0) [ ! -s err ] || fail "$size bytes: $(cat err)" ;;
		3)
			grep -q '^tp-gpu-intervals: <stdin>' err ||
			    fail "$size bytes: no message"
			grep -q '"kind":"note".*"status":3}' out ||
			    fail "$size bytes: no note"
			;;
		*) fail "$size bytes: status $status: $(cat err)" ;;
		esac || return 1
		n=$(rows_of out)
		[ "$n" -ge "$last" ] || fail "$size bytes: $n rows, were $last"
		last=$n
		size=$((size + $2))
	done
	tp-gpu-intervals "$1" >out 2>err
	[ ! -s err ]
	[ "$(rows_of out)" -ge "$last" ]
	[ "$(rows_of out)" -gt 0 ]
}

# letters BYTES: that many of one letter.
letters() {
	head -c "$1" /dev/zero | tr '\0' n
}

# bats test_tags=rest
@test "damage: an XML export may be cut anywhere" {
	xml 12 >in
	cut_anywhere in 13
	head -c 900 in | tp-gpu-intervals 2>err >out || [ $? -eq 3 ]
	grep -q '"code":"input.truncated"' out
	grep -q 'ends early' err
}

# bats test_tags=rest
@test "damage: a CSV file may be cut anywhere" {
	csv 14 >in
	cut_anywhere in 5
}

# bats test_tags=rest
@test "damage: gzip data may be cut anywhere" {
	xml 300 | gzip -9n >in
	cut_anywhere in 29
}

# bats test_tags=rest
@test "damage: a record stream may be cut anywhere" {
	csv 8 | tp-rows >in
	cut_anywhere in 11
}

@test "damage: a cut file gives the same records in blocks of any size" {
	csv 40 | head -c 1000 >in
	status=0
	tp-gpu-intervals in >whole 2>whole.err || status=$?
	[ "$status" -eq 3 ]
	for block in 1 7 256; do
		TP_BLOCK=$block tp-gpu-intervals in >out 2>err || true
		cmp whole out
		cmp whole.err err
	done
}

# bats test_tags=rest
@test "damage: a line without end is refused and does not fill the memory" {
	{ csv 1; letters 70000000; } >long.csv
	{ printf '{"kind":"row.metal-gpu-intervals","src":"'
	    letters 70000000; } >long.jsonl
	{ xml 1 | sed '$d; s|>0</start-time>.*|>|'; letters 70000000; } >long.xml
	{ xml 1 | sed '$d; s|fmt="p .*|fmt="|'; letters 70000000; } >tag.xml
	for file in long.csv long.jsonl long.xml tag.xml; do
		run limited tp-gpu-intervals "$file"
		[ "$status" -eq 5 ]
		[[ $output == *"$file"*"more than 64 MiB"* ]]
	done
}

@test "damage: a header of a million columns is refused at once" {
	awk 'BEGIN { for (i = 0; i < 1000000; i++) printf "start,"; print "x" }' >in
	run limited tp-gpu-intervals in
	[ "$status" -eq 3 ]
	[[ $output == *"in:1: a header of more than 4096 columns"* ]]
}

@test "damage: a quote that is never closed does not eat a large file" {
	{ csv 1; echo '1,2,"oh,x (7),3'; csv 300000 | sed 1d | tr -d '"' |
	    sed 's/a, b/a/'; } >in
	run --separate-stderr limited tp-gpu-intervals in
	[ "$status" -eq 0 ]
	echo "$output" >out
	[ "$(rows_of out)" -eq 300001 ]
	[[ $stderr == "tp-gpu-intervals: in:3: a quote is never closed; row skipped" ]]
}

@test "damage: elements that nest without end are refused" {
	{ echo '<trace-query-result><node><schema name="x"></schema><row>'
	    for i in $(seq $DEPTH); do printf '<a>'; done; } >in
	run tp-gpu-intervals in
	[ "$status" -eq 5 ]
	[[ $output == *"in:2: elements nest deeper than"* ]]
}

@test "damage: a JSON document that nests without end is refused" {
	head -c $DEPTH /dev/zero | tr '\0' '[' >in
	run tp-bench in
	[ "$status" -eq 3 ]
	[[ $output == *"in:"*"ends early"* ]]
}

# bats test_tags=rest
@test "damage: gzip data that inflates a thousandfold is refused" {
	line="{\"kind\":\"x\",\"t\":\"$(letters 4000000)\"}"
	for i in $(seq 20); do echo "$line"; done | gzip -9n >in
	run limited tp-gpu-intervals in
	[ "$status" -eq 5 ]
	[[ $output == *"in: gzip data inflates more than 1000 times"* ]]
}

# bats test_tags=rest
@test "damage: thousands of tables, traces, processes and channels take no time" {
	{
		echo '<trace-query-result>'
		seq 20000 | sed 's|.*|<node><schema name="t&"></schema></node>|'
		echo '</trace-query-result>'
	} >tables.xml
	run limited tp-gpu-intervals tables.xml
	[ "$status" -eq 5 ]
	[[ $output == *"more than 4096 tables"* ]]

	seq 20000 | sed 's/.*/{"kind":"row.t&","src":"a","x":1}/' >kinds
	run limited tp-gpu-intervals kinds
	[ "$status" -eq 0 ]

	seq 5000 | sed 's/.*/{"kind":"row.metal-gpu-intervals","src":"s&","start_ns":1,"duration_ns":2}/' >traces
	limited tp-gpu-intervals traces >out
	[ "$(grep -c '"kind":"gpu.summary"' out)" -eq 5000 ]

	{ csv 0; seq 50000 | sed 's/.*/&,5,C&,p& (&),&/'; } >names.csv
	limited tp-gpu-intervals names.csv >out
	[ "$(grep -c '"kind":"gpu.process"' out)" -eq 50000 ]
	grep -q '"channel":"(other)"' out
	limited tp-cmdbuf names.csv >out
}

@test "damage: an export whose elements have names without end is refused" {
	{
		echo '<trace-query-result><node xpath="/a/table[1]"><schema name="foo">'
		echo '<col><mnemonic>x</mnemonic><name>x</name></col></schema>'
		seq 70000 | sed 's|.*|<row><tag&>1</tag&></row>|'
		echo '</node></trace-query-result>'
	} >many.xml
	run --separate-stderr tp-rows many.xml
	[ "$status" -eq 5 ]
	[[ $stderr == *"many.xml:"*"more than 65536 names"* ]]
}

@test "damage: a name of a megabyte is written whole and rendered short" {
	{ csv 0; printf '0,5,Compute,'; letters 1000000; echo ' (7),1'; } >in
	tp-gpu-intervals in >out
	[ "$(wc -c <out)" -gt 1000000 ]
	tp-render gpu out >gpu.md
	[ "$(wc -c <gpu.md)" -lt 5000 ]
}

@test "damage: a name that is taken as another trace's second is no danger" {
	for src in 'a (2)' a 'a (2)' a; do
		echo '{"kind":"row.metal-gpu-intervals","src":"'"$src"'","start_ns":1,"duration_ns":2}'
	done | tp-gpu-intervals >out
	[ "$(grep -c '"kind":"gpu.summary"' out)" -eq 2 ]
	grep -q '"src":"a",.*"rows":2,' out
}

@test "damage: a file that may not be read is status 4 and the others count" {
	[ "$(id -u)" -ne 0 ] || skip "root reads everything"
	csv 3 >good.csv
	csv 3 >closed.csv
	chmod 0 closed.csv
	run --separate-stderr tp-gpu-intervals closed.csv good.csv
	[ "$status" -eq 4 ]
	[[ $stderr == *"closed.csv: cannot open: Permission denied"* ]]
	echo "$output" >out
	[ "$(rows_of out)" -eq 3 ]
}

# bats test_tags=rest
@test "damage: no message of any filter moves the cursor" {
	name=$(printf 'x\033[2J\007\302\233\342\200\256')
	mkdir "$name"
	printf 'start,duration\n%s,1\n\001,2\n' "$name" >"$name/a.csv"
	printf '{"kind":"row.metal-gpu-intervals","src":"a","start_ns":"%s"}\n{"kind":\033\n' x >"$name/b.jsonl"
	printf '<trace-query-result><%s>\n' "$name" >"$name/c.xml"
	printf '{"runs":[{"latency":{"mean_s":"%s"}}' x >"$name/d.json"
	for tool in $(filters); do
		for file in "$name"/* "$name" "$name/none"; do
			"$tool" "$file" <"$name/a.csv" >out || true
		done 2>err
		"$tool" "--$name" "$name/a.csv" 2>>err >out || true
		if grep -q -e $'[\001-\010\013-\037\177]' -e $'\302\233' \
		    -e $'\342\200\256' err; then
			fail "$tool: $(cat -v err)"
		fi
	done
}

@test "damage: bytes changed at random neither crash nor hang" {
	csv 20 >good.csv
	xml 20 >good.xml
	tp-rows good.csv >good.jsonl
	gzip -9n <good.xml >good.gz
	for file in good.*; do
		for seed in 1 2 3 4 5 6 7 8; do
			# change a byte in every hundred, always the same ones
			od -An -v -tu1 -w1 "$file" | awk -v s="$seed" '
			BEGIN { srand(s) }
			rand() < .01 { $1 = int(rand() * 256) }
			{ printf "\\%03o\n", $1 }' | tr -d '\n' >octal
			printf "$(cat octal)" >in
			status=0
			timeout 20 tp-gpu-intervals in >out 2>err || status=$?
			case $status in
			0 | 3 | 5) ;;
			*) fail "$file, seed $seed: $status: $(cat err)" ;;
			esac
		done
	done
}

# damaged FILE JQ SAYS COMMAND...: with FILE of share changed by JQ, COMMAND
# stops with a message that says SAYS.
damaged() {
	local file=$1 change=$2 says=$3
	shift 3
	jq "$change" "$TP_ROOT/share/$file" >"share/$file"
	run --separate-stderr env TP_SHARE="$PWD/share" "$@"
	[ "$status" -eq 3 ] || fail "$file $change: status $status"
	[[ $stderr = *"$file: $says"* ]] || fail "$file $change: $stderr"
	cp "$TP_ROOT/share/$file" "share/$file"
}

# bats test_tags=rest
@test "damage: a file of ours that someone broke is named, with what is wrong" {
	cp -R "$TP_ROOT/share" share
	cp "$TP_BUILD/cases/tp-ops/torch-overlapping-siblings/in.json" torch.json
	cp "$TP_BUILD/cases/tp-ops/two-devices/in.json" jax.json
	printf '{"kind":"a.summary","src":"t","x_ns":1}\n' >a.jsonl
	sed s/1/2/ a.jsonl >b.jsonl
	f=compare/common.json
	damaged $f 'del(.kinds[0].identity)' \
	    'a kind without kind or identity' tp-compare a.jsonl b.jsonl
	damaged $f 'del(.same[0].about)' 'same without kind or about' \
	    tp-compare a.jsonl b.jsonl
	damaged $f 'del(.same[0].keys)' 'same without keys' \
	    tp-compare a.jsonl b.jsonl
	damaged $f 'del(.shown[0].metric)' 'shown without metric' \
	    tp-compare a.jsonl b.jsonl
	damaged $f 'del(.lanes[0].kind)' \
	    'lanes without kind or identity' tp-compare a.jsonl b.jsonl
	f=ops/jax.json
	damaged $f '.parts[0].match = "/(/"' \
	    "'parts', row 1 (stall): bad expression '/(/'" tp-ops jax.json
	damaged $f 'del(.parts)' "'parts': no pattern" tp-ops jax.json
	damaged $f 'del(.families[0].name)' "'families', row 1 (): no name" \
	    tp-ops jax.json
	damaged $f 'del(.families[-1])' 'the last of collectives, families and classes' \
	    tp-ops jax.json
	damaged $f '.families[1].flop = "loss"' \
	    "'families', row 2 (optimizer_adam): unknown key 'flop'" \
	    tp-ops jax.json
	damaged $f '.threads[0].name = "op"' \
	    "'threads', row 1: there is no class 'op'" tp-ops jax.json
	damaged $f 'del(.host_step)' 'host_step is missing' tp-ops jax.json
	damaged $f 'del(.copies)' "'copies': no pattern" tp-ops jax.json
	f=tables/exports.json
	damaged $f 'del(.exports[0].table)' "bad 'exports'" tp-look a.jsonl
	damaged $f '.roles |= [.[]]' "bad 'roles'" tp-look a.jsonl
	f=ops/torch.json
	damaged $f 'del(.step)' "bad 'step'" tp-ops torch.json
	damaged $f '.events = {}' "'events': no pattern" tp-ops torch.json
	damaged $f '.events[0].match += [1]' \
	    "'events', row 1 (op): no text among the patterns of 'match'" \
	    tp-ops torch.json
	damaged $f '.events[2].name = "kernal"' \
	    "'events', row 3: there is no class 'kernal'" tp-ops torch.json
	damaged $f 'del(.matches[0].name)' "'matches', row 1 (): no name" \
	    tp-ops torch.json
	damaged $f '.launch = "/(/"' "'launch': bad expression '/(/'" \
	    tp-ops torch.json
	damaged $f '.runtime |= .[:-1]' "bad 'runtime'" tp-ops torch.json
	f=ops/torch-operators.json
	damaged $f '.categories.CONV_bwd += [1]' "no name in 'CONV_bwd'" \
	    tp-ops torch.json
	damaged $f '.families = {"no": {}}' "no operators in 'no'" \
	    tp-ops torch.json
	damaged $f '.families.no = {"ops": {"x": {}}}' \
	    "neither a formula nor a known family for 'x'" tp-ops torch.json
	damaged $f '.families.no = {"ops": {"x": {"flops": "2 * n(0"}}}' \
	    "no formula for 'x'" tp-ops torch.json
	damaged $f '.families.no = {"ops": {"x": {"flops": "n(0)", "byte": 1}}}' \
	    "unknown key 'byte' of 'x'" tp-ops torch.json
	for i in '"tuple(type(0), n"' '"type(0, 1)"' '"type(0) 1"' \
	    "\"'open\"" '"has(0) ? none"' '"shape(no)"' '[]'; do
		damaged $f '.families.no = {"ops": {"x": {"flops": "n(0)",
		    "params": {"y": '"$i"'}}}}' \
		    "no parameters for 'x' at '" tp-ops torch.json
	done
	damaged $f '.families.no = {"ops": {"x": {"flops": "n(0)", "params": [1]}}}' \
	    "no parameters for 'x' at 'params'" tp-ops torch.json
	# the columns of another file, once
	jq '.columns += ["_torch-work"]' "$TP_ROOT/share/csv/torch-GEMM.json" \
	    >share/csv/torch-GEMM.json
	echo '{"kind":"op.table","src":"t","table":"GEMM"}' >table.jsonl
	run -3 --separate-stderr env TP_SHARE="$PWD/share" \
	    tp-csv op.table --as torch-GEMM table.jsonl
	[[ $stderr = *'column 49 of the mapping: no name or no key'* ]]
	f=ops/torch-tracelens.json
	damaged $f '.rows[0].byte = "1"' "unknown key 'byte'" tp-ops torch.json
	damaged $f '.rows[0].family = "gem"' "no such family 'gem'" \
	    tp-ops torch.json
	damaged $f 'del(.rows[0].about)' "a row without about 'gemm'" \
	    tp-ops torch.json
	damaged $f '.rows[0].bytes = "2 * ("' "no formula in 'bytes'" \
	    tp-ops torch.json
	damaged $f '.rows[0].let = ["x"]' "no formula in 'let'" \
	    tp-ops torch.json
	damaged $f '.rows[0].params.bias = "2 * ("' "no parameter in 'bias'" \
	    tp-ops torch.json
	damaged $f '.rows[0].params.bias = [1]' "no parameter in 'bias'" \
	    tp-ops torch.json
	damaged $f '.unknown_types += [1]' "no name in 'unknown_types'" \
	    tp-ops torch.json
	damaged $f '.uncosted_families += ["no"]' "no such family 'no'" \
	    tp-ops torch.json
	f=ops/torch-analysis.json
	damaged $f 'del(.libraries[0].name)' "'libraries', row 1 (): no name" \
	    tp-ops torch.json
	damaged $f '.analysers |= .[:-1]' "bad 'analysers'" tp-ops torch.json
	damaged $f '.analysers = []' "'analysers': no pattern" \
	    tp-ops torch.json
	damaged $f 'del(.unmodelled.low)' "bad 'estimates'" tp-ops torch.json
	damaged $f '.estimates.bands = [0,1,2,3,4,5,6,7,8]' "bad 'bands'" \
	    tp-ops torch.json
	damaged $f '.communication = "/[/"' \
	    "'communication': bad expression '/[/'" tp-ops torch.json
}

@test "xplane.pb: a plane that claims more than 3 GiB costs no memory" {
	# a host with one event; a device of 4 GiB of which 3 are there, zeros
	printf '\n\047\022\011/host:CPU\032\014\022\001t\042\007\010\001\020\001\030\350\007\042\014\010\001\022\010\010\001\022\004work' >big.xplane.pb
	printf '\n\200\200\200\200\020\010\002\022\015/device:TPU:0' >>big.xplane.pb
	truncate -s 3G big.xplane.pb
	KIB=300000 run --separate-stderr limited tp-rows big.xplane.pb
	[ "$status" -eq 3 ]
	[[ $output == *'"name":"work"'* ]]
	[[ $stderr == *"big.xplane.pb: "*" byte "* ]]
}
