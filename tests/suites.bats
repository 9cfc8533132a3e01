#!/usr/bin/env bats
# Other people's collections of what breaks parsers and pages, where they are
# beside this tree.  (JSONTestSuite: events.bats; csv-spectrum: test_libcsv.c.)

bats_require_minimum_version 1.5.0
load helper

setup() {
	SUITES=${TP_DATA:-$TP_ROOT/../shared/data}/suites
	cd "$BATS_TEST_TMPDIR"
}

@test "suites: --strict gives the verdicts of JSON_checker" {
	[ -d "$SUITES/json-checker" ] || skip "no json-checker here"
	count=0
	for f in "$SUITES"/json-checker/data/*/*.json; do
		status=0
		tp-rows -q --strict "$f" >out 2>err || status=$?
		case ${f##*/} in
		# the suite leaves them to the parser: a bare string, 20 levels
		*_EXCLUDE.json) [ "$status" -eq 0 ] || [ "$status" -eq 3 ] ;;
		fail*) [ "$status" -eq 3 ] ;;
		*) [ "$status" -eq 0 ] ;;
		esac || fail "$f: $status"
		count=$((count + 1))
	done
	[ $count -ge 60 ]
}

@test "suites: odd CSV is the same to the fast way and to libcsv, in blocks of any size" {
	[ -d "$SUITES/rust-csv" ] || skip "no rust-csv here"
	export TP_SHARE=$TP_ROOT/share
	find "$SUITES" -name '*.csv' >files
	[ "$(wc -l <files)" -ge 19 ]
	while read -r f; do
		# under a header that names a table, as many columns or not
		for header in start,duration,channel-name \
		    'start,duration,process,channel-name,cmdbuffer-id'; do
			{ echo "$header"; head -c 60000 "$f"; } >in
			"$TP_BUILD/fuzz/fuzz_csv" in || fail "$f"
		done
	done <files
}

@test "suites: JSON of every kind is the same in blocks of any size" {
	[ -d "$SUITES/json-checker" ] || skip "no json-checker here"
	"$TP_BUILD/fuzz/fuzz_events" "$SUITES"/json-checker/data/*/*.json
	find "$SUITES/JSONTestSuite" -name '*.json' -size -64k -print0 |
	    xargs -0 "$TP_BUILD/fuzz/fuzz_events"
}

# page REPORT: render it, and see that names are text and tables whole.
page() {
	cmark-gfm --unsafe -e table -e autolink -e strikethrough "$1" >page
	grep -n -i -E '<(a|img|script|b|i|del|em|strong|svg|iframe|style|details|input|marquee|body|html|p align)[ >/]' \
	    page | grep -v '<code>[^<]*</code>' | head -n 3 >live
	[ ! -s live ] || fail "$1: $(cat live)"
	awk '/<table>/ { head = 0 } /<tr>/ { n = 0 } /<t[hd][ >]/ { n++ }
	/<\/tr>/ { if (!head) head = n; else if (n != head) print n, head
		rows++ }
	/<p>\|/ { print "a row outside of a table: " $0 }
	END { if (!rows) print "no tables" }' page >uneven
	[ ! -s uneven ] || fail "$1: $(head -n 3 uneven)"
}

@test "suites: naughty strings stay text in every column of names" {
	[ -d "$SUITES/blns" ] || skip "no blns here"
	skip_unless cmark-gfm
	naughty=$SUITES/blns/blns.json
	count=$(jq length "$naughty")
	[ "$count" -gt 400 ]
	# as keys of records, in a table of all
	jq -c 'to_entries[] | {kind: "x.item", src: "a", name: .value,
	    rank: .key, title: .value}' "$naughty" |
	    tp-render --markdown >all.md
	page all.md
	[ "$(grep -c '<tr>' page)" -ge "$count" ]
	# as processes and channels of the GPU
	{
		echo start,duration,channel-name,process,cmdbuffer-id
		jq -r 'to_entries[] | [(.key * 1000 | tostring), "900",
		    (.value | gsub("[\n\r]"; " ")),
		    ((.value | gsub("[\n\r]"; " ")) + " (\(.key + 1))"),
		    (.key | tostring)] | @csv' "$naughty"
	} >gpu.csv
	tp-gpu-intervals -q gpu.csv >gpu.jsonl
	[ "$(grep -c '"kind":"gpu.process"' gpu.jsonl)" -gt 1 ]
	tp-render --markdown gpu.jsonl >gpu-all.md
	page gpu-all.md
	tp-render -q gpu gpu.jsonl >gpu.md
	page gpu.md
	# as functions and threads
	jq -c 'to_entries[] | {kind: "row.time-profile", src: "a",
	    start_ns: .key, weight_ns: 1000000, thread: .value,
	    stack: [.value, "main"]}' "$naughty" | tp-cpu-top -q >cpu.jsonl
	tp-render --markdown cpu.jsonl >cpu-all.md
	page cpu-all.md
	# as names of events, their threads and arguments
	jq -c '{traceEvents: [to_entries[] | {ph: "X", pid: 1, tid: .key,
	    ts: .key, dur: 1, name: .value, cat: .value,
	    args: {a: .value}}]}' "$naughty" >in.json
	tp-rows -q -a a in.json | tp-render --markdown >events.md
	page events.md
	[ "$(grep -c '<tr>' page)" -ge "$count" ]
}
