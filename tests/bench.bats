#!/usr/bin/env bats
# The bench measures nothing here: its table and its musts are held together.

load helper

bench=$TP_ROOT/tests/bench

# line ID WALL_OURS WALL_OTHER MB CPU_RATIO: what pair would print.
line() {
	awk -v OFS='\t' -v id="$1" -v a="$2" -v b="$3" -v mb="$4" -v c="$5" \
	    'BEGIN { print id, "row " id, a, b, mb, 1, a / b, a / b, a / b,
	    c, c, c, 2e9, 1e8 }'
}

table() {
	awk "$@" -f "$bench/table.awk" "$BATS_TEST_TMPDIR/musts" -
}

@test "bench: a must is judged by the measure it names" {
	printf '%s\t%s\t%s\t%s\n' '# id' a '<=' 1 csv/floor wall '<=' 4 \
	    csv/floor mb '<=' 15 csv/floor ns '<=' 19 csv/floor mbps '>=' 1000 \
	    csv/gawk cpu '<=' .333 >"$BATS_TEST_TMPDIR/musts"
	{ line csv/floor 2 0.5 16 5; line csv/gawk 2 8 3 0.4; } | table \
	    >"$BATS_TEST_TMPDIR/out"
	grep -q 'wall <= 4, mb <= 15, ns <= 19, mbps >= 1000 | yes, no, no, yes |' \
	    "$BATS_TEST_TMPDIR/out"
	grep -q 'cpu <= .333 | no |' "$BATS_TEST_TMPDIR/out"
}

@test "bench: rates stand beside the floor of their group" {
	echo '#' >"$BATS_TEST_TMPDIR/musts"
	{ line csv/floor 2 0.5 16 5; line csv/gawk 2 8 3 0.4
	    line in/jq 2 8 3 0.4; } | table >"$BATS_TEST_TMPDIR/out"
	grep -q '^| row csv/gawk | 2.000 | 8.000 | 1000 MB/s | 4.00, 16.00 |' \
	    "$BATS_TEST_TMPDIR/out"
	grep -q '^| row in/jq | 2.000 | 8.000 | 1000 MB/s |  |' \
	    "$BATS_TEST_TMPDIR/out"
}

@test "bench: a peer that is not there is named, its must not judged" {
	printf 'csv/polars\tcpu\t<=\t0.333\n' >"$BATS_TEST_TMPDIR/musts"
	printf 'csv/polars\tCSV: skipped, polars is not installed\n' | table \
	    >"$BATS_TEST_TMPDIR/out"
	grep -q 'skipped, polars .*| cpu <= 0.333 | |$' "$BATS_TEST_TMPDIR/out"
}

@test "bench: a must without a row fails a whole bench" {
	printf 'csv/polras\tcpu\t<=\t0.333\n' >"$BATS_TEST_TMPDIR/musts"
	line csv/floor 2 0.5 16 5 >"$BATS_TEST_TMPDIR/in"
	table <"$BATS_TEST_TMPDIR/in" >/dev/null
	run table -v whole=1 <"$BATS_TEST_TMPDIR/in"
	[ "$status" -eq 1 ]
	[[ $output = *"bench: no row 'csv/polras'" ]]
}
