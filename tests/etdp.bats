#!/usr/bin/env bats
# An ETDump itself (.etdp): what is read of it is what its tables say.

load helper

setup_file() {
	"$TP_BUILD/mketdump" --etdump yes "$BATS_FILE_TMPDIR"
}

setup() {
	cd "$BATS_TEST_TMPDIR"
	RUNS=$BATS_FILE_TMPDIR/runs
	ON=$(echo "$RUNS"/mac/mac_sme2_on/*.etdp)
	CSV=${ON%.etdp}_exec_all_runs_timeline.csv
	PTE=$RUNS/mac/mac_sme2_on/segment_fp32.pte
	GOLDEN=$TP_BUILD/cases
	REAL=$TP_ROOT/../shared/data/executorch/real
}

# said FILE...: the records of tp-etdump without those of its sources.
said() {
	tp-etdump --samples --label x "$@" | grep -v '"kind":"source"'
}

# flat FILE: its events as flatc reads them, a line each.
flat() {
	local option=
	[ "$2" = bare ] || option=--size-prefixed
	cp "$1" flat.etdp
	flatc --json $option --raw-binary --strict-json --defaults-json \
	    "$TP_ROOT/tests/etdp/etdump.fbs" -- flat.etdp
	jq -r -f "$TP_ROOT/tests/etdp/rows.jq" flat.json
}

# ours FILE: the same as tp-rows reads them, in ns.
ours() {
	tp-rows "$1" | jq -r 'select(.kind == "row.etdump-timeline") |
	    [.name, .chain_index, .instruction_id, .start_us, .duration_ms] |
	    @tsv' | awk -F '\t' -v OFS='\t' '
	    function ns(text, digits, at) {
		at = index(text, ".")
		text = substr(text, 1, at - 1) substr(substr(text, at + 1) \
		    "000000", 1, digits)
		sub(/^0+/, "", text)
		return text == "" ? "0" : text
	    }
	    { $4 = ns($4, 3); $5 = ns($5, 6); print }'
}

@test "etdp: the tutorial's ETDump says what its CSV says" {
	dump=$REAL/pytorch_executorch_tutorial_etdump.etdp
	[ -e "$dump" ] || skip "no reference data"
	said "$dump" >a
	said "$REAL/pytorch_tutorial_exec_all_runs_timeline.csv" >b
	grep -q '"kind":"op.latency"' a
	cmp a b
}

@test "etdp: the tutorial's ETDump as CSV is the CSV that other tools made" {
	dump=$REAL/pytorch_executorch_tutorial_etdump.etdp
	[ -e "$dump" ] || skip "no reference data"
	tp-rows --csv "$dump" >ours.csv
	tr -d '\r' <"$REAL/pytorch_tutorial_exec_all_runs_timeline.csv" >theirs
	# what the file is called, and end times and shares, which were rounded
	for f in ours.csv theirs; do
		sed '1!s/^[^,]*,//; s/^\([^,]*,[^,]*,[^,]*,[^,]*,\)[^,]*,/\1/' \
		    "$f" |
		    awk -F , -v OFS=, 'NR > 1 { $6 = sprintf("%.10f", $6) }
		    { print }' >"$f.rest"
	done
	[ "$(head -n 1 ours.csv)" = "$(head -n 1 theirs)" ]
	diff <(tail -n +2 ours.csv.rest) <(tail -n +2 theirs.rest)
}

@test "etdp: the example's ETDumps and program say what their CSVs say" {
	for dump in "$RUNS"/*/*/*.etdp; do
		folder=$(dirname "$dump")
		said "$dump" "$folder/segment_fp32.pte" >a
		said "$folder"/*_all_runs_timeline.csv >b
		grep -q '"backend":"XnnpackBackend"' a
		cmp a b
	done
}

@test "etdp: as CSV it is the CSV of the example, run by run" {
	tp-rows --csv "$ON" "$PTE" | tail -n +2 | cut -d , -f 2- | sort >a
	tail -n +2 "$CSV" | tr -d '\r' | cut -d , -f 2- | sort >b
	# shares were rounded there
	sed -i 's/,[0-9.]*\(,[0-9]*,[0-9]*,[A-Z][a-z]*\)$/\1/' a b
	[ "$(wc -l <a)" -gt 300 ]
	cmp a b
	tp-rows --csv "$ON" "$PTE" >again.csv
	said again.csv >a
	said "$ON" "$PTE" >b
	cmp a b
}

@test "etdp: blocks of any size, gzip, a pipe and row records give the same" {
	said "$ON" >a
	TP_BLOCK=7 said "$ON" >b
	gzip -nc "$ON" | said - >c
	tp-rows --label x "$ON" | said - >d
	cmp a b
	cmp a c
	cmp a d
}

@test "etdp: flatc reads the same events" {
	command -v flatc >/dev/null || skip "no flatc (flatbuffers-compiler)"
	for f in "$ON" "$GOLDEN"/tp-etdump/an-etdump-itself/model.etdp \
	    "$GOLDEN"/tp-etdump/a-loop-repeats-its-instructions/model.etdp \
	    "$GOLDEN"/tp-rows/an-etdump-as-records/model.etdp \
	    "$GOLDEN"/tp-etdump/an-etdump-with-allocations/model.etdp \
	    "$REAL"/*.etdp; do
		[ -e "$f" ] || continue
		flat "$f" sized >theirs
		ours "$f" >ours
		[ -s ours ]
		diff ours theirs
	done
	f=$GOLDEN/tp-etdump/an-etdump-without-its-size/model.etdp
	flat "$f" bare >theirs
	ours "$f" | diff - theirs
}

@test "etdp: what flatc writes is read" {
	command -v flatc >/dev/null || skip "no flatc (flatbuffers-compiler)"
	cp "$GOLDEN/tp-etdump/an-etdump-itself/model.etdp" in.etdp
	flatc --json --size-prefixed --raw-binary --strict-json \
	    "$TP_ROOT/tests/etdp/etdump.fbs" -- in.etdp
	flatc -b --size-prefixed -o made "$TP_ROOT/tests/etdp/etdump.fbs" \
	    in.json
	[ "$(wc -c <made/in.bin)" -ne "$(wc -c <in.etdp)" ]
	said in.etdp >a
	said made/in.bin >b
	cmp a b
}

@test "etdp: the fixtures are what mketdump writes" {
	while read -r case kind; do
		"$TP_BUILD/mketdump" --odd "$kind" made
		cmp made "$GOLDEN/$case"
	done <"$TP_ROOT/tests/etdp/fixtures"
	[ "$(wc -l <"$TP_ROOT/tests/etdp/fixtures")" -eq \
	    "$(find "$GOLDEN"/tp-etdump "$GOLDEN"/tp-rows -name '*.etdp' \
	    -o -name '*.etdump' -o -name '*.pte' | wc -l)" ]
}

# bats test_tags=rest
@test "etdp: cut off at any byte it is status 3, and no run is wrong" {
	f=$GOLDEN/tp-etdump/an-etdump-itself/model.etdp
	tp-etdump --only latency.run "$f" | grep '"latency.run"' >whole
	size=$(wc -c <"$f")
	kept=0
	mkdir cut
	# each third, which is at every place of a word
	step=3
	[ -z "${TP_ALL-}" ] || step=1
	for n in $(seq 0 $step $((size - 1))); do
		head -c "$n" "$f" >cut/model.etdp
		status=0
		tp-etdump -q --only latency.run cut/model.etdp >out 2>err ||
			status=$?
		[ $status -eq 3 ] || { echo "$n bytes: $status"; false; }
		grep '"latency.run"' out >runs || continue
		kept=$((kept + 1))
		[ -z "$(grep -v -x -F -f whole runs)" ]
	done
	[ $kept -gt 0 ]
}

# bats test_tags=rest
@test "etdp: a byte of another value never crashes, and is told or harmless" {
	f=$GOLDEN/tp-etdump/an-etdump-itself/model.etdp
	size=$(wc -c <"$f")
	for n in $(seq 0 3 $((size - 1))); do
		cp "$f" odd.etdp
		printf '\377' | dd of=odd.etdp bs=1 seek="$n" conv=notrunc \
		    status=none
		status=0
		tp-etdump -q odd.etdp >/dev/null 2>&1 || status=$?
		case $status in
		0 | 3 | 5) ;;
		*) echo "byte $n: $status"; false ;;
		esac
	done
}

@test "etdp: of an ETDump of 16 MiB or more it is known what it is" {
	printf '\000\000\000\002\010\000\000\000ED00' >large.etdp
	[ "$(tp-rows --sniff large.etdp)" = \
	    "large.etdp	etdump	etdump-timeline" ]
	# a size that looks like UTF-16
	printf 'A\000B\000\010\000\000\000ED00' >size.etdp
	[ "$(tp-rows --sniff size.etdp | cut -f 2)" = etdump ]
}

@test "etdp: a report of ETDumps alone is the report of their CSVs" {
	"$TP_BUILD/mketdump" --etdump only dumps
	[ -z "$(find dumps -name '*.csv')" ]
	tp-report "dumps/runs/mac" >report.md
	grep -q 'XnnpackBackend\|SME2' report.md
	grep -q '^| `segment_fp32_mac_sme2_on_t1`\|mac_sme2_on' report.md
	tp-report "$RUNS/mac" >both.md
	# medians of both builds, as the tables of the example have them
	for build in on off; do
		median=$(tp-etdump "$RUNS"/mac/mac_sme2_$build/*_timeline.csv |
		    tp-query -r 'latency.summary[run].median_ns')
		[ -n "$median" ]
		[ "$median" = "$(tp-etdump dumps/runs/mac/mac_sme2_$build/*.etdp |
		    tp-query -r 'latency.summary[run].median_ns')" ]
	done
	grep '^| Median' report.md >a
	grep '^| Median' both.md >b
	[ -s a ]
	cmp a b
}

@test "etdp: tp-look tells an ETDump, and a program by itself" {
	tp-look "$RUNS/mac" | jq -e -s 'any(.format == "etdump" and
	    .role == "run-001" and .state == "used")'
	mkdir alone
	cp "$PTE" alone
	run tp-report alone
	[ "$status" -eq 3 ]
	[[ $output = *"program of ExecuTorch"* ]]
}

@test "etdp: several programs, none called as the ETDump is, name nothing" {
	cp "$PTE" a.pte
	cp "$PTE" b.pte
	tp-etdump "$ON" a.pte b.pte >out
	jq -e 'select(.code == "program.unused" and .count == 2)' out
	! grep -q XnnpackBackend out
	cp "$ON" b.etdp
	tp-etdump b.etdp a.pte b.pte | grep -q XnnpackBackend
}

@test "etdp: a damaged program costs the names of backends, and is told" {
	head -c 60 "$PTE" >cut.pte
	run tp-etdump --only latency.run "$ON" cut.pte
	[ "$status" -eq 3 ]
	[[ $output = *"cut.pte: the program of ExecuTorch is damaged"* ]]
	[[ $output = *'"run_index":9,'* ]]
}

@test "etdp: memory is the file, and little more" {
	[ -x /usr/bin/time ] || skip "no time(1)"
	case $(uname) in Linux) ;; *) skip "needs GNU time" ;; esac
	nm "$TP_BUILD/tp-etdump" 2>/dev/null | grep -q __asan_init &&
	    skip "built with a sanitizer"
	"$TP_BUILD/mketdump" --runs 3000 --etdump only big
	f=$(echo big/runs/mac/mac_sme2_off/*.etdp)
	run /usr/bin/time -f %M tp-etdump --only delegation.nodes "$f"
	[ "$status" -eq 0 ]
	size=$(($(wc -c <"$f") / 1024))
	[ "$size" -gt 4096 ]
	[ "${lines[${#lines[@]}-1]}" -lt $((2 * size + 16384)) ]
}
