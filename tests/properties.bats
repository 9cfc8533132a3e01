#!/usr/bin/env bats
# What must hold of the numbers, whatever the trace: forms of one trace agree,
# parts sum to the whole, order and memory do not matter.

load helper

setup_file() {
	make_example
	gunzip=$BATS_FILE_TMPDIR/gz
	mkdir "$gunzip"
	for f in "$BATS_FILE_TMPDIR"/csv/flux_example/*/*/*.csv; do
		gzip -nc "$f" >"$gunzip/$(basename "$f").gz"
	done
}

setup() {
	cd "$BATS_TEST_TMPDIR"
	gpu=$(table csv metal_gpu_intervals)
	submitted=$(table csv metal_cmd_submissions)
	completed=$(table csv metal_cmd_completed)
	wired=$(table csv metal_wired_sysmem)
	current=$(table csv metal_current_alloc)
	profile=$(table csv time_profile)
	cmdbuf="$gpu $submitted $completed"
}

# Each table filter with the tables it reads of the example, a line each:
# FILTER NAME...
readers() {
	echo tp-gpu-intervals metal_gpu_intervals
	echo tp-cmdbuf metal_gpu_intervals metal_cmd_submissions \
	    metal_cmd_completed metal_cmd_to_gpu
	echo tp-mem metal_wired_sysmem metal_current_alloc
	echo tp-cpu-top time_profile
}

@test "property: XML and CSV give the same records" {
	readers | while read -r filter names; do
		xml= csv=
		for name in $names; do
			xml="$xml $(table xml $name)"
			csv="$csv $(table csv $name)"
		done
		$filter -q $xml "$(toc xml)" | plain >a
		$filter -q $csv "$(toc csv)" | plain >b
		[ "$(wc -l <a)" -gt 4 ] || fail "$filter wrote too little"
		cmp a b || fail "$filter" || exit 1
	done
}

# CSV on stdin as JSON objects, one a line; an empty cell is left out, as jq
# users do, and a number is one.
objects() {
	awk '
	function cells(line,   n, c, out, quoted) {
		n = 1
		out = ""
		for (; line != ""; line = substr(line, 2)) {
			c = substr(line, 1, 1)
			if (quoted && c == "\"" && substr(line, 2, 1) == "\"")
				line = substr(line, 2)
			else if (c == "\"") {
				quoted = !quoted
				continue
			} else if (c == "," && !quoted) {
				cell[n++] = out
				out = ""
				continue
			}
			out = out c
		}
		cell[n] = out
		return n
	}
	function text(t) {
		gsub(/\\/, "&&", t)
		gsub(/"/, "\\\"", t)
		return "\"" t "\""
	}
	{
		count = cells($0)
		if (NR == 1) {
			for (i = 1; i <= count; i++)
				name[i] = cell[i]
			next
		}
		line = ""
		for (i = 1; i <= count; i++)
			if (cell[i] != "")
				line = line (line == "" ? "" : ",") text(name[i]) \
				    ":" (cell[i] ~ /^(0|[1-9][0-9]*)$/ ? \
				    cell[i] : text(cell[i]))
		print "{" line "}"
	}'
}

@test "property: JSON objects give the records of CSV, however they are laid out" {
	readers | while read -r filter names; do
		csv= lines= list= spread=
		for name in $names; do
			f=$(table csv $name)
			csv="$csv $f"
			objects <"$f" >$name.lines.json
			# ids beyond 2^53 are none of jq's numbers
			awk 'BEGIN { printf "[" } { printf "%s%s", n++ ? "," : "",
			    $0 } END { print "]" }' $name.lines.json \
			    >$name.list.json
			sed 's/,"/,\n  "/g; s/^{/{\n  /' $name.lines.json \
			    >$name.spread.json
			lines="$lines $name.lines.json"
			list="$list $name.list.json"
			spread="$spread $name.spread.json"
		done
		$filter -q --label x $csv | plain >a
		[ "$(wc -l <a)" -gt 4 ] || fail "$filter wrote too little"
		for form in "$lines" "$list" "$spread"; do
			$filter -q --label x $form | plain >b
			cmp a b || fail "$filter $form" || exit 1
		done
	done
}

@test "property: which JSON objects count as columns depends on no block's size" {
	# a key that comes first behind 64 KiB is of no column, in any reading
	objects <"$gpu" >lines.json
	awk '{ print; n += length($0) + 1 }
	    n > 200000 && !done++ { print "{\"late-key\":1,\"start\":0}" }
	    END { exit n < 600000 }' lines.json lines.json lines.json \
	    lines.json lines.json lines.json >late.json ||
		fail "too short to tell"
	tp-gpu-intervals --label x late.json >want 2>want.err
	grep "late-key" want.err
	for size in 7 4096 65536 524288 1048576; do
		TP_BLOCK=$size tp-gpu-intervals --label x late.json >got \
		    2>got.err
		cmp want got && cmp want.err got.err || fail "$size"
		cat late.json | TP_BLOCK=$size tp-gpu-intervals --label x |
		    plain >got
		plain <want | cmp - got || fail "pipe, $size"
	done
}

@test "property: what jq, Miller, DuckDB and pandas write is read" {
	objects <"$gpu" >lines.json
	tp-gpu-intervals -q --label x "$gpu" | plain >want
	n=0
	for by in jq mlr duckdb pandas; do
		case $by in
		jq) jq -s '[.[] | select(.duration != null)]' lines.json ;;
		mlr) mlr --icsv --ojson cat "$gpu" ;;
		duckdb) duckdb -json -c "SELECT * FROM read_csv('$gpu')" ;;
		pandas) python3 -c "import pandas, sys
pandas.read_csv(sys.argv[1]).to_json(sys.stdout, orient='records')" "$gpu" ;;
		esac >by.json 2>/dev/null && [ -s by.json ] || continue
		tp-gpu-intervals -q --label x <by.json | plain >got
		cmp got want || fail "$by"
		n=$((n + 1))
	done
	[ $n -ge 1 ]
}

@test "property: the rows of XML and CSV are the same, for every table" {
	n=0
	for f in "$BATS_FILE_TMPDIR"/csv/flux_example/*/*/*.csv; do
		x=$(echo "$BATS_FILE_TMPDIR"/xml/flux_example/*/*)/$(basename \
		    "$f" .csv).xml
		tp-rows -q "$x" | plain >a
		tp-rows -q "$f" | plain >b
		# a column that no CSV names is not in the CSV
		if [ "$(head -n 1 "$f")" = "$(tp-rows -q --csv "$x" |
		    head -n 1)" ]; then
			cmp a b || fail "$f"
			n=$((n + 1))
		fi
		tp-rows -q --csv "$x" >c.csv
		[ ! -s c.csv ] || tp-rows -q --table "$(tp-rows -q --sniff \
		    "$x" | cut -f 3)" c.csv | plain | cmp a - || fail "$x"
	done
	[ $n -ge 8 ] || fail "only $n tables were compared"
}

@test "property: gzip gives the same records" {
	readers | while read -r filter names; do
		csv= gz=
		for name in $names; do
			csv="$csv $(table csv $name)"
			gz="$gz $BATS_FILE_TMPDIR/gz/flux_example_$name.csv.gz"
		done
		$filter -q $csv | plain >a
		$filter -q $gz | plain | cmp a - || fail "$filter" || exit 1
	done
}

@test "property: rows in any order give the same records" {
	skip_unless shuf
	yes seed | head -c 1000000 >random
	for f in $cmdbuf $wired $current $profile; do
		{
			head -n 1 "$f"
			tail -n +2 "$f" | shuf --random-source=random
		} >"$(basename "$f")"
		run cmp -s "$f" "$(basename "$f")"
		[ "$status" -eq 1 ]
	done
	readers | while read -r filter names; do
		a= b=
		for name in $names; do
			[ $name = metal_cmd_to_gpu ] && continue
			a="$a $(table csv $name)"
			b="$b flux_example_$name.csv"
		done
		drawn=
		[ $filter != tp-mem ] || drawn="--levels 50"
		[ $filter != tp-cpu-top ] || drawn="--frames 500"
		$filter -q $drawn $a | plain >want
		$filter -q $drawn $b | plain | diff want - >diff ||
		    fail "$filter: $(head -n 4 diff)" || exit 1
	done
}

@test "property: tp-rows and a filter are the filter" {
	readers | while read -r filter names; do
		csv=
		for name in $names; do
			csv="$csv $(table csv $name)"
		done
		$filter -q $csv | plain >a
		tp-rows -q $csv | $filter -q | plain | cmp a - ||
		    fail "$filter" || exit 1
	done
}

@test "property: busy and idle are the span, gaps are the idle time" {
	tp-gpu-intervals -q "$gpu" >out
	jq -e -s 'map(select(.kind == "gpu.summary")) |
	    length == 2 and all(.busy_ns + .idle_ns == .span_ns and
	    .last_ns - .first_ns == .span_ns and
	    .gap_total_ns == .idle_ns and .busy_ns <= .duration_sum_ns)' out
	jq -e -s '. as $all | ["all", "target"] | all(. as $s |
	    ($all | map(select(.scope == $s))) as $r |
	    ($r | map(select(.kind == "gpu.summary"))[0]) as $sum |
	    ($r | map(select(.kind == "gpu.gap_bucket"))) as $b |
	    ($b | map(.gap_total_ns) | add) == $sum.gap_total_ns and
	    ($b | map(.gap_count) | add) == $sum.gap_count and
	    ($r | map(select(.kind == "gpu.gap"))[0].duration_ns)
	    == $sum.gap_max_ns)' out
}

@test "property: channels and processes sum to the whole" {
	tp-gpu-intervals -q "$gpu" >out
	jq -e -s '. as $all | ["all", "target"] | all(. as $s |
	    ($all | map(select(.scope == $s))) as $r |
	    ($r | map(select(.kind == "gpu.summary"))[0]) as $sum |
	    ($r | map(select(.kind == "gpu.channel"))) as $c |
	    ($c | map(.rows) | add) == $sum.rows and
	    ($c | map(.duration_sum_ns) | add) == $sum.duration_sum_ns and
	    ($c | map(.busy_ns) | max) <= $sum.busy_ns and
	    ($c | map(.busy_ns) | add) >= $sum.busy_ns)' out
	jq -e -s 'map(select(.kind == "gpu.summary" and .scope == "all"))[0]
	    as $sum | map(select(.kind == "gpu.process")) as $p |
	    ($p | map(.rows) | add) + $sum.unattributed_count == $sum.rows
	    and ($p | length) == $sum.process_count' out
	jq -e -s 'map(select(.kind == "gpu.summary")) as $s |
	    map(select(.kind == "gpu.other"))[0] as $o |
	    $s[1].busy_ns + $o.other_busy_ns - $o.overlap_ns == $s[0].busy_ns' \
	    out
}

@test "property: idle time by cause is all idle time" {
	tp-cmdbuf -q --gpu $cmdbuf >out
	jq -e -s '(map(select(.kind == "budget.window" and .role == "main"))[0]) as
	    $window | (map(select(.kind == "gap.class") | .time_ns) | add) ==
	    $window.wall_ns -
	    (map(select(.kind == "budget.part" and .role == "main" and
	    .part == "device-work"))[0].time_ns)' out
	# of the target also what the GPU intervals alone say
	jq -e -s 'map(select(.scope == "target")) |
	    (map(select(.kind == "cmdbuf.summary"))[0].idle_ns) ==
	    (map(select(.kind == "gpu.summary"))[0].idle_ns)' out
}

@test "property: the budget of each JAX host sums to its window" {
	for seed in 1 2 3 4; do
		"$TP_BUILD/mkjax" --seed $seed --steps $((seed * 5)) \
		    jax$seed >/dev/null
		tp-trace --label run$seed jax$seed/plugins/profile/*/host.trace.json
	done >all.jsonl
	cp "$TP_BUILD"/cases/tp-trace/jax-pairs/in.json pairs.json
	tp-trace pairs.json >>all.jsonl
	[ "$(jq -s 'def key: [.src, .host_index, .scope];
	    def sums($kind): map(select(.kind == $kind)) | group_by(key)
	      | map({key: .[0] | key, ns: map(.time_ns) | add});
	    (map(select(.kind == "budget.window") | {key: key, ns: .wall_ns})
	      | sort_by(.key)) as $walls
	    | ($walls | length) == 5 and sums("budget.part") == $walls and
	      sums("budget") == $walls' all.jsonl)" = true ]
}

@test "property: every buffer is counted once" {
	tp-cmdbuf -q --gpu $cmdbuf >out
	jq -e -s 'map(select(.kind == "cmdbuf.summary")) | length == 2 and
	    all((.count + .completed_without_gpu_count -
	    .gpu_without_completion_count) == .completed_count)' out
	ids=$(tp-rows -q "$gpu" | jq -r 'select(.cmdbuffer_id !=
	    "18446744073709551615" and .cmdbuffer_id) |
	    if .cmdbuffer_id == "0" then "0 \(.pid)"
	    else .cmdbuffer_id end' | sort -u | wc -l)
	[ "$(jq -s 'map(select(.kind == "cmdbuf.summary"))[0].count' out)" \
	    -eq "$ids" ]
}

@test "property: self times sum to the total" {
	tp-cpu-top -q "$profile" >out
	jq -e -s 'map(select(.kind == "cpu.summary" and .scope == "all"))[0]
	    as $sum | . as $all | ["cpu.function", "cpu.library",
	    "cpu.bucket"] | all(. as $k |
	    ($all | map(select(.kind == $k) | .self_ns) | add)
	    == $sum.total_ns)' out
	jq -e -s 'map(select(.kind == "cpu.summary" and .scope == "all"))[0]
	    as $sum | (map(select(.kind == "cpu.bucket") | .attributed_ns) |
	    add) == $sum.total_ns and
	    (map(select(.kind == "cpu.function")) |
	    all(.self_ns <= .total_ns and .total_ns <= $sum.total_ns))' out
	stray=$(tp-rows -q "$profile" | jq -s 'map(select(.kind ==
	    "row.time-profile" and .thread == null).weight_ns) | add')
	jq -e -s --argjson stray "$stray" '(map(select(.kind ==
	    "cpu.thread").self_ns) | add) + $stray == (map(select(.kind ==
	    "cpu.summary" and .scope == "all"))[0].total_ns)' out
	[ "$(tp-cpu-top -q --folded=weight "$profile" |
	    awk '{ n += $NF } END { printf "%.0f", n }')" = \
	    "$(jq -s 'map(select(.kind == "cpu.summary" and .scope ==
	    "all"))[0] | .total_ns' out)" ]
}

@test "property: each frame holds itself and what it called" {
	tp-cpu-top -q --frames 1000000000 "$profile" >out
	jq -e -s 'map(select(.kind == "cpu.summary" and .scope == "all"))[0]
	    .total_ns as $sum | map(select(.kind == "cpu.frame")) |
	    (reduce .[] as $f ({}; .["\($f.parent // 0)"] += $f.total_ns))
	    as $called | length > 10 and (map(.self_ns) | add) == $sum and
	    $called["0"] == $sum and
	    all(.total_ns == .self_ns + ($called["\(.frame)"] // 0))' out
	tp-cpu-top -q --frames 100 "$profile" |
	    jq -e -s 'map(select(.kind == "cpu.summary"))[0].total_ns as
	    $sum | map(select(.kind == "cpu.frame")) | length > 0 and
	    all(.total_ns * 100 >= $sum) and
	    all(.parent == null or .parent < .frame)'
}

@test "property: levels of memory stand in order" {
	tp-mem -q "$wired" "$current" >out
	jq -e -s 'map(select(.kind == "mem.summary")) | length >= 2 and
	    all(.min_bytes <= .time_weighted_p10_bytes and
	    .time_weighted_p10_bytes <= .time_weighted_median_bytes and
	    .time_weighted_median_bytes <= .time_weighted_p90_bytes and
	    .time_weighted_p90_bytes <= .peak_bytes and
	    .row_median_bytes <= .peak_bytes and
	    .min_bytes <= .time_weighted_mean_bytes and
	    .time_weighted_mean_bytes <= .peak_bytes and
	    .first_ns <= .peak_at_ns and .peak_at_ns <= .last_ns)' out
	jq -e -s 'map(select(.kind == "mem.jump")) | length > 0 and
	    all(.to_bytes - .from_bytes == .delta_bytes)' out
	tp-mem -q --jumps 100000 "$wired" "$current" |
	    jq -e -s '(map(select(.kind == "mem.summary") |
	    .jump_up_count + .jump_down_count) | add) ==
	    (map(select(.kind == "mem.jump")) | length)'
}

@test "property: the busy times of two halves sum to the whole" {
	whole=$(tp-gpu-intervals -q --only 'gpu.summary[all]' "$gpu" |
	    jq .busy_ns)
	for at in 5s 7000000001ns 9.5s; do
		a=$(tp-gpu-intervals -q --to $at --only 'gpu.summary[all]' \
		    "$gpu" | jq .busy_ns)
		b=$(tp-gpu-intervals -q --from $at --only 'gpu.summary[all]' \
		    "$gpu" | jq .busy_ns)
		[ "$a" -gt 0 ] && [ "$b" -gt 0 ]
		[ $((a + b)) -eq "$whole" ] || fail "at $at: $a + $b"
	done
	total=$(tp-cpu-top -q --only 'cpu.summary[all]' "$profile" |
	    jq .total_ns)
	a=$(tp-cpu-top -q --to 6s --only 'cpu.summary[all]' "$profile" |
	    jq .total_ns)
	b=$(tp-cpu-top -q --from 6s --only 'cpu.summary[all]' "$profile" |
	    jq .total_ns)
	[ $((a + b)) -eq "$total" ]
}

@test "property: a filter for one process is the target of that name" {
	for name in python3.11 WindowServer 'Lantern Helper (GPU)'; do
		tp-gpu-intervals -q -p "$name" --only 'gpu.summary[target]' \
		    "$gpu" | plain | jq -c 'del(.busy_of_gpu_ratio)' >a
		[ -s a ] || fail "$name has no rows"
		tp-rows -q -w "process=$name" "$gpu" |
		    tp-gpu-intervals -q -p "$name" \
		    --only 'gpu.summary[target]' | plain |
		    jq -c 'del(.busy_of_gpu_ratio)' | cmp a - || fail "$name"
	done
}

@test "property: a scaled trace keeps its shape" {
	"$TP_BUILD/mkflux" --format csv --scale 3 . >/dev/null
	big=$(echo flux_example/*/*/flux_example_metal_gpu_intervals.csv)
	[ "$(wc -l <"$big")" -gt "$(wc -l <"$gpu")" ]
	tp-gpu-intervals -q "$big" | jq -e -s 'map(select(.kind ==
	    "gpu.summary")) | all(.busy_ns + .idle_ns == .span_ns)'
}

@test "property: another seed is another trace, the same seed the same" {
	"$TP_BUILD/mkflux" --seed 7 a >/dev/null
	"$TP_BUILD/mkflux" --seed 8 b >/dev/null
	diff -r a/flux_example "$BATS_FILE_TMPDIR/xml/flux_example"
	run diff -rq a b
	[ "$status" -eq 1 ]
}

@test "property: the report is the same from XML, CSV and gzip" {
	skip_unless tp-report
	mkdir gz
	cp "$BATS_FILE_TMPDIR"/gz/* gz
	cp "$(toc xml)" gz
	cp "$BATS_FILE_TMPDIR"/csv/flux_example/*/*/*.json gz
	mv gz flux_example
	tp-report "$BATS_FILE_TMPDIR/xml/flux_example" >xml.md
	tp-report "$BATS_FILE_TMPDIR/csv/flux_example" >csv.md
	tp-report flux_example >gz.md
	for f in xml csv gz; do
		[ "$(grep -c '^# ' $f.md)" -eq 8 ] || fail "$f"
		# section 8 names files and their sizes
		sed '/^# 8\. /,$d' $f.md >$f.seven
	done
	cmp xml.seven csv.seven
	cmp xml.seven gz.seven
}

@test "property: the report names no tool, record kind or folder of this machine" {
	tp-report "$BATS_FILE_TMPDIR/xml/flux_example" >out.md
	[ -s out.md ]
	for word in 'tp-[a-z]' tracepipe "$BATS_FILE_TMPDIR" '"kind"' \
	    'gpu\.summary' 'cmdbuf\.' 'n/a'; do
		run grep -n "$word" out.md
		[ "$status" -eq 1 ] || fail "$word: $output"
	done
}
