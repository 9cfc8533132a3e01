#!/usr/bin/env bats
# Workbooks.  "cells" (tests/cells.c) prints what is in one.

bats_require_minimum_version 1.5.0
load helper

setup() {
	tp-xlsx --check || skip 'this build makes no workbooks'
	cd "$BATS_TEST_TMPDIR"
}

# sheet NAME: what "cells" prints of a sheet of out.xlsx, without its header.
sheet() {
	cells out.xlsx | awk -v name="[$1]" '
		/^\[/ { on = $0 == name; next }
		on && !/^[A-Z]+1 b/'
}

@test "tp-xlsx: a sheet per file, its header bold and frozen, with a filter" {
	printf 'a,b\n1,x\n' >one.csv
	printf 'c\n2\n' >two.csv
	tp-xlsx one.csv two.csv --output out.xlsx
	run cells out.xlsx
	[ "$output" = '[one]
frozen A2
A1 bs a
B1 bs b
A2 n 1
B2 s x
filter A1:B2
[two]
frozen A2
A1 bs c
A2 n 2
filter A1:A2' ]
}

@test "tp-xlsx: every column is as wide as what it holds, of 8 to 60" {
	printf 'a,long\n1,%070d\n' 7 >one.csv
	printf 'b,a name of 22 letters..\n' >two.csv
	tp-xlsx one.csv two.csv -o out.xlsx
	# and room for the button of the filter
	[ "$(cells out.xlsx -w | grep width)" = 'width 1-1 11
width 2-2 63
width 1-1 11
width 2-2 25' ]
}

@test "tp-xlsx: what is a number as written is one, everything else is text" {
	cat >n.csv <<-'END'
	v
	0
	-12.50
	1e-05
	123456789012345
	1234567890123456
	007
	+5
	1e5
	.5
	5.
	0x10
	nan
	inf
	1,000
	2026-01-01
	END
	sed -i 's/^1,000$/"1,000"/' n.csv
	tp-xlsx n.csv -o out.xlsx
	run sheet n
	[ "$output" = 'frozen A2
A2 n 0
A3 n -12.5
A4 n 1E-05
A5 n 123456789012345
A6 s 1234567890123456
A7 s 007
A8 s +5
A9 s 1e5
A10 s .5
A11 s 5.
A12 s 0x10
A13 s nan
A14 s inf
A15 s 1,000
A16 s 2026-01-01
filter A1:A16' ]
}

@test "tp-xlsx: cells are the cells of the table" {
	awk 'BEGIN { srand(7); print "a,b,c,d"; for (i = 0; i < 2000; i++)
		printf "%d,%.6f,n%d,%d.%d\n", rand() * 1e9, rand() * 1e4 + 1,
		    rand() * 99, i, i % 9 + 1 }' >t.csv
	tp-xlsx t.csv -o out.xlsx
	sheet t | awk '/^[A-D]/ { v = $3; if ($2 == "n") v = sprintf("%.6f", v)
		printf "%s%s", v, /^D/ ? "\n" : "," }' >got
	awk -F, 'NR > 1 { printf "%.6f,%.6f,%s,%.6f\n", $1, $2, $3, $4 }' \
	    t.csv >want
	cmp want got
}

@test "tp-xlsx: hostile cells stay text, and what they are" {
	printf 'name\n=1+1\n"=cmd|""/c calc""!A0"\n@SUM(1)\n-2+3\n+x\n{=A1}\n' >h.csv
	printf 'http://example.com/\n_x0041_\n"a\nb"\n' >>h.csv
	printf '\033[31mred\n<t>&amp;\n\377\n\357\277\277\n"  two"\n' >>h.csv
	tp-xlsx h.csv -o out.xlsx
	run sheet h
	[ "$output" = 'frozen A2
A2 s =1+1
A3 s =cmd|"/c calc"!A0
A4 s @SUM(1)
A5 s -2+3
A6 s +x
A7 s {=A1}
A8 s http://example.com/
A9 s _x005F_x0041_
A10 s a\nb
A11 s _x001B_[31mred
A12 s <t>&amp;
A13 s '$'\357\277\275''
A14 s '$'\357\277\275''
A15 s   two
filter A1:A15' ]
	cells out.xlsx | grep FORMULA && fail 'a formula'
	# the directory of an archive is plain
	grep -a 'xl/worksheets/sheet1\.xml' out.xlsx >/dev/null
	grep -a -i 'rels/sheet' out.xlsx && fail 'a link'
	true
}

@test "tp-xlsx: names of sheets are such as a spreadsheet takes" {
	printf 'a\n1\n' >"it's [a] *b? c:d\\e.csv"
	printf 'a\n1\n' >"'quoted'.csv"
	printf 'a\n1\n' >History.csv
	mkdir x y
	printf 'a\n1\n' >x/a-name-that-is-longer-than-the-31.csv
	cp x/* y/A-name-that-is-longer-than-the-31.csv
	printf 'a\n1\n' >$'\346\227\245'.tsv
	printf 'a\n1\n' >.csv
	tp-xlsx -o out.xlsx ./*.csv .csv x/* y/* ./*.tsv - <.csv
	run sh -c 'cells out.xlsx | grep "^\[" | sort'
	[ "$output" = "$(printf '%s\n' "[_quoted_]" '[History (2)]' \
	    "[it's _a_ _b_ c_d_e]" '[a-name-that-is-longer-than-the-]' \
	    '[A-name-that-is-longer-than- (2)]' '[.csv]' '[table]' \
	    $'[\346\227\245]' | sort)" ]
}

@test "tp-xlsx: the same tables give the same bytes, at any time and place" {
	printf 'a,b\n1,x\n' >t.csv
	mkdir tmp
	export TMPDIR=$PWD/tmp
	tp-xlsx t.csv -o one.xlsx
	sleep 1
	TZ=Asia/Tokyo tp-xlsx <t.csv >two.xlsx
	mv t.csv table.csv
	tp-xlsx table.csv -o three.xlsx
	cmp two.xlsx three.xlsx
	[ "$(cells one.xlsx | tail -n +2)" = "$(cells two.xlsx | tail -n +2)" ]
	SOURCE_DATE_EPOCH=86400000 tp-xlsx table.csv -o then.xlsx
	run cmp then.xlsx two.xlsx
	[ "$status" -eq 1 ]
	tp-xlsx not-there.csv -o then.xlsx || true
	[ -z "$(ls -A tmp)" ]
}

@test "tp-xlsx: more rows than a sheet holds go on in another, and it is told" {
	seq 0 1048577 | sed '1s/.*/n/' >long.csv
	run --separate-stderr tp-xlsx long.csv -o out.xlsx
	[ "$status" -eq 0 ]
	[ "$stderr" = "tp-xlsx: 'long' has more rows than a sheet can hold: it continues in 1 more" ]
	cells out.xlsx >all
	[ "$(grep -c '^A[0-9]* n' all)" -eq 1048577 ]
	[ "$(sed -n '/long (2)/,$p' all)" = '[long (2)]
frozen A2
A1 bs n
A2 n 1048576
A3 n 1048577
filter A1:A3' ]
}

@test "tp-xlsx: a cell of more characters than fit ends in a mark" {
	awk 'BEGIN { print "a"; for (i = 0; i < 2; i++) {
		for (n = 0; n < 32767 + i; n++) printf "x"; print "" } }' >c.csv
	run --separate-stderr tp-xlsx c.csv -o out.xlsx
	[ "$status" -eq 0 ]
	[ "$stderr" = "tp-xlsx: 'c': cells of more than 32767 characters, cut where they end in \" [cut]\" (1)" ]
	run awk '/^A[23]/ { print length($0) - 5, substr($0, length($0) - 6) }' \
	    <(cells out.xlsx)
	[ "$output" = '32767 xxxxxxx
32767 x [cut]' ]
	run -3 tp-xlsx --strict -q c.csv -o out.xlsx
}

@test "tp-xlsx: columns that fit nowhere are told" {
	awk 'BEGIN { for (r = 0; r < 2; r++) for (i = 0; i < 16386; i++)
		printf "%d%s", i, i < 16385 ? "," : "\n" }' >w.csv
	run --separate-stderr tp-xlsx w.csv -o out.xlsx
	[ "$stderr" = "tp-xlsx: 'w': cells to the right of column 16384, which are left out (4)" ]
	cells out.xlsx | grep -q '^XFD2 n 16383$'
}

@test "tp-xlsx: a damaged table is told, and keeps what was good" {
	printf 'a,b\n1,2\n3,x"y\n5,6\n' >bad.csv
	printf 'a\n7\n' >good.csv
	run --separate-stderr tp-xlsx bad.csv good.csv -o out.xlsx
	[ "$status" -eq 3 ]
	[ "$stderr" = 'tp-xlsx: bad.csv:3: a quote where none may stand' ]
	[ "$(cells out.xlsx | grep ' n ')" = 'A2 n 1
B2 n 2
A2 n 7' ]
	printf 'a\n1\n"open\n2\n' >open.csv
	run --separate-stderr tp-xlsx open.csv -o out.xlsx
	[ "$status" -eq 3 ]
	[ "$stderr" = 'tp-xlsx: open.csv:3: a quote is never closed' ]
	: >empty.csv
	run --separate-stderr tp-xlsx empty.csv -o none.xlsx
	[ "$status" -eq 3 ]
	[ ! -e none.xlsx ]
	printf 'a,b\n1\n1,2,3\n' >uneven.csv
	run --separate-stderr tp-xlsx uneven.csv -o out.xlsx
	[ "$status" -eq 0 ]
	[ "$stderr" = "tp-xlsx: 'uneven': rows of more or fewer cells than the header (2)" ]
	cells out.xlsx | grep -q '^C3 n 3$'
}

@test "tp-xlsx: where there is no room for its file it says so" {
	printf 'a\n1\n' >t.csv
	TMPDIR=/nowhere run --separate-stderr tp-xlsx t.csv -o out.xlsx
	[ "$status" -eq 4 ]
	[[ $stderr = "tp-xlsx: cannot write '/nowhere/"* ]]
	[ ! -e out.xlsx ]
}

@test "tp-xlsx: the same tables are the same bytes, at any time and epoch" {
	printf 'a\n1\n' >t.csv
	for epoch in '' 0 86400 1700000000; do
		SOURCE_DATE_EPOCH=$epoch tp-xlsx t.csv -o "$epoch.xlsx"
	done
	sleep 2.1
	for epoch in '' 0 86400 1700000000; do
		SOURCE_DATE_EPOCH=$epoch tp-xlsx t.csv -o again.xlsx
		cmp "$epoch.xlsx" again.xlsx || fail "$epoch"
	done
}
