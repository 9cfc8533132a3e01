#!/usr/bin/env bats
# A report on a terminal: a page through the pager, and Markdown elsewhere.

load helper

setup_file() {
	make_example
	"$TP_BUILD/mktorch" "$BATS_FILE_TMPDIR/torch" >/dev/null
	"$TP_BUILD/mkjax" "$BATS_FILE_TMPDIR/jax" >/dev/null
	"$TP_BUILD/mketdump" "$BATS_FILE_TMPDIR/et" >/dev/null
}

setup() {
	tp-page --check || skip "built without md4c"
	cd "$BATS_TEST_TMPDIR"
	export TERM=xterm
	unset COLUMNS NO_COLOR PAGER TP_PAGER LESS
	metal=$BATS_FILE_TMPDIR/csv/flux_example
	torch=$BATS_FILE_TMPDIR/torch
}

# Line of "typed" that holds $1 first.
at() {
	grep -n -m 1 -F -e "$1" typed | cut -d : -f 1
}

before() {
	[ "$(at "$1")" -lt "$(at "$2")" ] ||
	    fail "'$1' is at $(at "$1"), '$2' at $(at "$2")"
}

# headings: as they stand in "typed", each above a line of its own width.
plain_page() {
	sed $'s/\033\\[[0-9;]*m//g' typed >page
	! grep -q $'[\001-\010\013-\037\177]' page || fail "a control character"
	# what begins a line of a picture may be a number sign, too
	! grep -n -e '^##* [^%]*$' -e '^|' -e '\*\*[[:alnum:]`]' -e '!\[' page
}

# bats test_tags=rest
@test "page: a report on a terminal is a page with verdict and findings first" {
	on_terminal 80 "tp-report --no-pager '$metal'"
	plain_page
	before 'GPU-bound' 'What to do first'
	before 'What to do first' 'Bottlenecks & Hypotheses'
	before 'Bottlenecks & Hypotheses' 'Run Metadata'
	before 'Run Metadata' 'Data Appendix'
	[ "$(at GPU-bound)" -le 4 ]
	[ "$(at 'What to do first')" -le 30 ]
	# bold numbers and titles
	grep -q $'\033\\[1m' typed
	on_terminal 80 "tp-report --no-pager '$torch/rank0.json'"
	plain_page
	before 'What to do first' 'Findings'
	before 'Findings' 'Appendix'
	on_terminal 80 "tp-report --no-pager '$BATS_FILE_TMPDIR/jax'"
	plain_page
	before 'What to do first' 'Findings'
	before 'Findings' 'Appendix'
	on_terminal 80 "tp-report --no-pager --compare '$torch/rank0.json' '$torch/rank1.json'"
	plain_page
	[ "$(at 'Before and After')" -eq 1 ]
	on_terminal 80 "tp-report --no-pager '$BATS_FILE_TMPDIR/et'"
	plain_page
	before 'What to do first' 'Metadata'
}

# bats test_tags=rest
@test "page: nothing but names and code is wider than the terminal" {
	for width in 60 80 120; do
		for trace in "$metal" "$torch" "$BATS_FILE_TMPDIR/jax"; do
			NO_COLOR=1 on_terminal $width \
			    "LC_ALL=C.UTF-8 tp-report --no-pager '$trace'"
			wide_lines $width | grep '[^ ] [^ ]' >wide || :
			[ ! -s wide ] || fail "$width: $(cat wide)"
		done
	done
}

@test "page: pictures are characters, as the locale shows them" {
	on_terminal 80 "LC_ALL=C.UTF-8 tp-report --no-pager '$metal'"
	grep -q '^python3.11 Compute .*11[^3]*2222' typed
	grep -q '^wired memory .*█' typed
	on_terminal 80 "LC_ALL=C tp-report --no-pager '$metal'"
	grep -q '^python3.11 Compute .*11[^3]*2222' typed
	grep -q '^ .*####' typed
	! LC_ALL=C grep -q '█' typed
	# as wide as the terminal
	on_terminal 120 "LC_ALL=C tp-report --no-pager '$metal'"
	[ "$(grep -m 1 '^python3.11 Compute' typed | wc -c)" -gt 100 ]
	[ -z "$(wide_lines 120 | grep '^python3.11 Compute')" ]
}

# bats test_tags=rest
@test "page: into a pipe or a file a report is Markdown, without a picture" {
	tp-report "$metal" >md
	grep -q '^# 2. High-level Summary' md
	! grep -q -e '!\[' -e $'\033' -e '█' md
	before_md=$(sed -n 's/^# //p' md | tr '\n' ' ')
	[[ $before_md = 1.*2.*3.*4.*5.*6.*7.*8.* ]]
	on_terminal 80 "tp-report '$metal' >md2; tp-report '$metal' | cat >md3"
	diff md md2
	diff md md3
	tp-report -o out "$metal"
	diff <(printed md) <(printed out/report.md) >diff ||
	    ! grep '^[<>]' diff | grep -v '^[<>] *$' || fail "$(cat diff)"
}

# bats test_tags=rest
@test "page: the pager gets the page, by the rules of git" {
	printf '# A title\n\nWords.\n' >a.md
	on_terminal 80 'PAGER="tr a-z A-Z" tp-page a.md'
	grep -q 'A TITLE' typed
	on_terminal 80 'PAGER=false TP_PAGER="tr a-z A-Z" tp-page a.md'
	grep -q 'WORDS' typed
	for none in 'PAGER=cat tp-page' 'PAGER= tp-page' \
	    'TP_PAGER=cat PAGER="tr a-z X" tp-page' \
	    'PAGER="tr a-z X" tp-page --no-pager' 'TERM=dumb tp-page'; do
		on_terminal 80 "$none a.md"
		grep -q '^Words.' typed || fail "$none"
	done
	# never into a pipe or file
	on_terminal 80 'PAGER="tr a-z X" tp-page a.md >file; cat file'
	grep -q '^Words.' typed
	# options of less that are not the user's own
	on_terminal 80 'PAGER="echo \$LESS; cat" tp-page a.md'
	grep -q '^FRX$' typed
	on_terminal 80 'LESS=S PAGER="echo \$LESS; cat" tp-page a.md'
	grep -q '^S$' typed
	# without one the page is there, and why
	on_terminal 80 'PAGER=/nonexistent/pager tp-page a.md'
	grep -q '^Words.' typed
	grep -q "^tp-page: cannot run the pager '/nonexistent/pager'" typed
	# nor is it drawn over while it is read
	on_terminal 80 'PAGER="sleep 2.5; cat" tp-page a.md'
	grep -q '^Words.' typed
	! grep -q 'so far' typed
	# a fault of its own is told, and the page is there
	on_terminal 80 'PAGER="kill -SEGV \$\$" tp-page a.md'
	grep -q '^Words.' typed
	# one that leaves early is no fault
	seq -f '- line %g' 20000 >long.md
	on_terminal 80 'PAGER="head -n 2" tp-page long.md; echo "status $?"'
	[ "$(grep -c 'line' typed)" -eq 2 ]
	grep -q '^status 0' typed
	# the report's too
	on_terminal 80 "PAGER='tr a-z A-Z' tp-report '$metal'"
	grep -q 'GPU-BOUND' typed
}

@test "page: colours are for a terminal that shows them, or as --color says" {
	printf '# A title\n\n**Bold** of 3.00 s.\n' >a.md
	on_terminal 80 'PAGER=cat tp-page a.md'
	grep -q $'\033\\[1m' typed
	cp typed coloured
	for plain in 'NO_COLOR=1 tp-page' 'TERM=dumb tp-page' \
	    'tp-page --color never'; do
		on_terminal 80 "PAGER=cat $plain a.md"
		! grep -q $'\033' typed || fail "$plain"
		# the same page without them
		sed $'s/\033\\[[0-9;]*m//g' coloured | diff - typed
	done
	on_terminal 80 'PAGER=cat NO_COLOR= tp-page a.md'
	diff coloured typed
	! tp-page a.md | grep -q $'\033'
	tp-page --color always a.md | grep -q $'\033\\[1m'
	run tp-report --color red "$metal"
	[ "$status" -eq 2 ]
	[[ $output = "tp-report: --color takes auto, always or never, not 'red'"* ]]
}

@test "page: every report of the goldens is read without a mark left over" {
	for f in "$TP_ROOT"/examples/*/*report*.md \
	    "$TP_ROOT"/examples/*/comparison.md; do
		tp-page --width 100 "$f" >page
		# rows of tables and headings that were taken for words
		! grep -n -e '^|' -e '^##* ' -e '^[-:|]*$' page |
		    grep -v '^[0-9]*:-*$' | grep -v '^[0-9]*:$' ||
		    fail "$f"
	done
}
