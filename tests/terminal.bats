#!/usr/bin/env bats
# What a terminal shows: tables that fit it, and nothing that it would obey.

bats_require_minimum_version 1.5.0

load helper

setup() {
	cd "$BATS_TEST_TMPDIR"
	export TERM=xterm NO_COLOR=1
	unset COLUMNS
}

# The line that holds $1.
line_of() {
	grep -F -e "$1" typed
}

# Records as those of operations: long names, many numbers.
many_columns() {
	local i
	for i in 1 2 3 4 5; do
		printf '{"kind":"op","src":"a","rank":%d,"stream":"7","name":"%s","call":"%s","device_name":"the same","sum_ns":%d,"min_ns":%d234,"max_duration_ns":9%d000,"mean_duration_ns":5%d000,"share_of_all_ratio":0.%d,"self_ns":4%d00}\n' \
		    $i "void at::native::vectorized_elementwise_kernel<4, CUDAFunctor_add<float> >(int, $i)" \
		    "cudaLaunchKernel of some other long name $i" \
		    $((i * 1000)) $i $i $i $i $i
	done
}

@test "terminal: every kind of record fits 80 and 120 columns, and 20" {
	cat "$TP_BUILD"/want/*/*/out | grep -a '^{"kind":' >all.jsonl
	[ "$(wc -l <all.jsonl)" -gt 300 ]
	kinds=$(sed 's/^{"kind":"\([^"]*\)".*/\1/' all.jsonl | sort -u | wc -l)
	for width in 80 120 20; do
		on_terminal $width 'tp-render all.jsonl'
		[ -z "$(wide_lines $width)" ] || fail "$(wide_lines $width)"
		# every kind has a heading, and a header once
		[ "$(grep -c '^$' typed)" -ge $((kinds - 1)) ]
		[ -z "$(grep -n $'[\001-\010\013-\037\177]' typed)" ] ||
		    fail "a control character"
	done
}

@test "terminal: names are cut in the middle, numbers never, the rest is named" {
	many_columns >op.jsonl
	on_terminal 80 'tp-render op.jsonl'
	[ -z "$(wide_lines 80)" ]
	# the header once, rank to the left of the name, both ends of which stay
	[ "$(grep -c 'rank  name' typed)" = 1 ]
	for i in 1 2 3 4 5; do
		[[ $(line_of "(int, $i)") = "   $i  void at::"*..*" $i.00 us"* ]]
	done
	[[ $(cat typed) = *'the same in every row: stream 7, device_name the same'* ]]
	[[ $(tr -s '\n' ' ' <typed) = *'not shown: call, '*' (wider terminal, or | less -S) ' ]]
	# nothing is missing on a wide one
	on_terminal 400 'tp-render op.jsonl'
	[ "$(grep -c 'not shown\|the same in' typed)" = 0 ]
	grep -q -F 'CUDAFunctor_add<float> >(int, 3)' typed
}

@test "terminal: every column is in the table, or named below it" {
	many_columns >op.jsonl
	for width in 20 30 40 60 80 100 120 160; do
		on_terminal $width 'tp-render op.jsonl'
		[ -z "$(wide_lines $width)" ] || fail "$width: $(cat typed)"
		for key in rank name call; do
			grep -q -w "$key" typed || fail "$width: no $key"
		done
	done
}

@test "terminal: long headers are folded, and are there once" {
	for i in 1 2 3 4 5 6; do
		printf '{"kind":"x","name":"n%d","first_of_all_duration_sum_ns":%d,"second_of_all_duration_sum_ns":2%d,"third_of_all_duration_sum_ns":3%d,"fourth_of_all_duration_sum_ns":4%d}\n' \
		    $i $i $i $i $i
	done >x.jsonl
	on_terminal 80 'tp-render x.jsonl'
	[ -z "$(wide_lines 80)" ]
	[ "$(grep -c 'not shown' typed)" = 0 ]
	# in as few lines as do
	[ "$(sed -n 3p typed)" = \
	    'name  duration_sum_ns  duration_sum_ns  duration_sum_ns  duration_sum_ns' ]
	[ "$(wc -l <typed)" -eq 9 ]
	on_terminal 60 'tp-render x.jsonl'
	[ "$(wc -l <typed)" -eq 11 ]
	grep -q '^name *sum_ns *sum_ns *sum_ns *sum_ns$' typed
}

@test "terminal: a record of many keys stands upright" {
	many_columns | head -n 1 >op.jsonl
	on_terminal 80 'tp-render op.jsonl'
	[ -z "$(wide_lines 80)" ]
	[ "$(grep -c 'not shown' typed)" = 0 ]
	grep -q '^sum_ns  *1.00 us$' typed
	grep -q '^name  *void at::native.*\.\..*(int, 1)$' typed
}

@test "terminal: COLUMNS wins over the terminal, if it is a width" {
	many_columns >op.jsonl
	on_terminal 120 'COLUMNS=60 tp-render op.jsonl'
	[ -z "$(wide_lines 60)" ]
	cp typed sixty
	on_terminal 60 'tp-render op.jsonl'
	cmp typed sixty
	for none in '' 0 19 -60 60x 99999 ' 60'; do
		on_terminal 60 "COLUMNS='$none' tp-render op.jsonl"
		cmp typed sixty || fail "'$none'"
	done
	# what is too small, or unknown, is 80
	on_terminal 80 'tp-render op.jsonl'
	cp typed eighty
	for width in 0 10 19; do
		on_terminal $width 'tp-render op.jsonl'
		cmp typed eighty || fail "$width"
	done
}

@test "terminal: a section is a page of its width, and Markdown elsewhere" {
	tp-page --check || skip "built without md4c"
	printf '%s\n' '{"kind":"finding","src":"t","id":"a","severity":"high","section":"gpu","rank":1,"title":"A","text":"`f` takes longer than it did before, because it is called more often than it was, as far as the trace says."}' >f.jsonl
	on_terminal 60 'tp-render findings f.jsonl'
	[ -z "$(wide_lines 60)" ] || fail "$(wide_lines 60)"
	[ "$(sed -n 1,2p typed | tr -d '\r')" = "Findings
$(printf '%.0s=' {1..60})" ] || fail "$(cat typed)"
	run ! grep -e '^#' -e '\*\*' -e '`' typed
	tp-render findings f.jsonl >plain
	grep -q '^# Findings$' plain
	on_terminal 60 'tp-render findings f.jsonl | cat'
	cmp typed plain
}

@test "terminal: what goes elsewhere is as it was, whatever COLUMNS says" {
	many_columns >op.jsonl
	tp-render op.jsonl >plain
	[ "$(wc -L <plain)" -gt 120 ] || skip "no wc -L"
	COLUMNS=40 tp-render op.jsonl | cmp - plain
	on_terminal 80 'tp-render op.jsonl | cat'
	cmp typed plain
	on_terminal 80 'tp-render -o file op.jsonl'
	cmp file plain
	tp-render --markdown op.jsonl >plain
	on_terminal 80 'tp-render --markdown op.jsonl'
	cmp typed plain
}

@test "terminal: the dots are one character where the locale is of UTF-8" {
	many_columns >op.jsonl
	on_terminal 80 'LC_ALL=en_US.UTF-8 tp-render op.jsonl'
	grep -q $'void at::.*\xe2\x80\xa6.*(int, 1)' typed
	on_terminal 80 'LC_ALL= LC_CTYPE= LANG=de_DE.utf8 tp-render op.jsonl'
	grep -q $'void at::.*\xe2\x80\xa6.*(int, 1)' typed
	on_terminal 80 'LC_ALL=C LANG=de_DE.utf8 tp-render op.jsonl'
	[ "$(grep -c $'\xe2\x80\xa6' typed)" = 0 ]
	grep -q 'void at::.*\.\..*(int, 1)' typed
}

@test "terminal: wide characters take two columns, marks none" {
	for name in '漢字漢字' 'abcdefgh' 'éééééééé'; do
		printf '{"kind":"x","name":"%s","next":"|"}\n' "$name"
	done >x.jsonl
	# the third with marks that combine
	sed 's/é/é/g' x.jsonl >marks.jsonl
	on_terminal 80 'LC_ALL=C.UTF-8 tp-render marks.jsonl'
	# every "|" stands in column 11
	[ "$(sed -n 3p typed)" = '漢字漢字  |' ]
	[ "$(sed -n 4p typed)" = 'abcdefgh  |' ]
	[ "$(sed -n 5p typed)" = 'éééééééé  |' ]
	printf '{"kind":"x","name":"%s","n_ns":1}\n' \
	    "$(printf '漢%.0s' $(seq 60))" >long.jsonl
	cat long.jsonl long.jsonl >x.jsonl
	on_terminal 80 'LC_ALL=C.UTF-8 tp-render x.jsonl'
	# 35 of two columns each, the dots, blanks and "1 ns": at most 80
	[ "$(sed -n 3p typed | grep -o 漢 | wc -l)" -le 37 ]
	[ "$(sed -n 3p typed | grep -o 漢 | wc -l)" -ge 34 ]
	grep -q '漢…漢.*1 ns$' typed
}

@test "terminal: no name can give it an order" {
	evil='a\u001b[31mred\u001b]0;title\u0007\u009b2Jb\u202eturned\u202c\u2066x\u2069\u200f\r\n\u0085\u2028new\tline\u007f\u0000\b'
	{
		for i in 1 2 3; do
			printf '{"kind":"ev\\u001b[1mil","src":"s%s","name":"%s %d","%s":"%s","n_count":%d}\n' \
			    "$evil" "$evil" $i 'key\u001b[7m\u202e' "$evil" $i
		done
		printf '{"kind":"one","src":"%s","k\\u001b[5m":"%s"}\n' \
		    "$evil" "$evil"
		# bytes that are no UTF-8, a C1 character as one byte
		printf '{"kind":"two","name":"\\u001b[2J\xff\x9b2J\xc2\x9b2Jx"}\n'
	} >evil.jsonl
	for width in 20 80 200 1000; do
		on_terminal $width 'tp-render evil.jsonl'
		[ -s typed ]
		! grep -q $'[\001-\011\013-\037\177]' typed || fail "a control"
		! grep -q $'\xc2[\x80-\x9f]' typed || fail "a C1 control"
		! grep -q $'\xe2\x80[\x8e\x8f\xa8-\xae]' typed || fail "bidi"
		! grep -q $'\xe2\x81[\xa6-\xa9]' typed || fail "an isolate"
		! grep -q $'^turned\|^new' typed || fail "a line of its own"
	done
	grep -q -F 'a\e[31mred\e]0;title\x07\u{9b}2Jb\u{202e}turned' typed
}

# Lines of the help in "typed" that are wider than $1; command lines to copy,
# and single words, may be.
wide_help() {
	awk -v most="$1" '/^examples:/ { inside = 1 } /^$/ { inside = 0 }
	    length($0) > most && !inside && NF > 1' typed
}

help_of_all() {
	local t
	for t in $(tools) tracepipe; do
		$t --help
		echo
	done
}

@test "terminal: --help fits 80 columns where there is no terminal" {
	help_of_all >typed
	[ -z "$(wide_help 80)" ] || fail "$(wide_help 80)"
	(export COLUMNS=40 && help_of_all) | cmp - typed
}

# bats test_tags=rest
@test "terminal: --help is as wide as the terminal, and no wider than 100" {
	declare -f tools help_of_all >all.sh
	echo "TP_ROOT=$TP_ROOT; help_of_all" >>all.sh
	while read -r columns as widest; do
		on_terminal "$columns" "$as bash all.sh"
		[ "$(grep -c '^usage: ' typed)" -gt 40 ]
		[ -z "$(wide_help $widest)" ] || fail "$(wide_help $widest)"
	done <<-'END'
	60 env 60
	300 env 100
	300 COLUMNS=70 70
	END
	# words that have room are on one line
	for t in tp-gpu-intervals tp-report; do
		on_terminal 100 "$t --help=all"
		grep -q 'more than N times' typed || fail "$t: $(cat typed)"
		[ "$(awk 'length($0) > 80' typed | wc -l)" -gt 3 ] ||
		    fail "$t: $(cat typed)"
	done
}

@test "terminal: what an option does stands beside it, in one column" {
	for t in tp-gpu-intervals tp-report; do
		$t --help=all | sed -n '/^options:/,/^$/p' >lines
		grep -q '^      --max-expand=N  *refuse packed data' lines
		# what goes on begins where it began
		[ "$(grep -v '^  .*--\|^$\|^options:' lines |
		    grep -c -v '^ \{29\}[^ ]')" = 0 ] || fail "$t"
		[ "$(grep -c '^ \{29\}[^ ]' lines)" -gt 3 ] || fail "$t"
	done
}

# Records, slowly: NAME of their file, or - for standard input, read by a
# filter with what else is said.
slowly() {	# NAME COMMAND
	many_columns >op.jsonl
	rm -f -- "$1"
	[ "$1" = - ] || mkfifo -- "$1"
	echo "#!/bin/sh
{ cat op.jsonl; sleep 0.7; cat op.jsonl; sleep 0.9; }" >feed
	if [ "$1" = - ]; then
		on_terminal "${columns:-80}" "sh feed | $2 >/dev/null"
	else
		name=$1 on_terminal "${columns:-80}" \
		    "sh feed >\"\$name\" & $2 \"\$name\" >/dev/null"
	fi
}

@test "terminal: long work says what it reads, and the line goes in the end" {
	slowly - tp-render
	grep -q '^tp-render: reading standard input: [1-9] kB' typed
	# its last look is wiped, and nothing follows
	[[ $(<typed) = *[!K]$'\033[K\033[K' ]] || fail "$(cat -v typed)"
	[ "$(wc -l <typed)" = 0 ]
	slowly 'some file' tp-render
	grep -q '^tp-render: reading some file: [1-9] kB' typed
}

# bats test_tags=rest
@test "terminal: no line where none is wanted, or can be" {
	slowly - 'tp-render -q'
	[ ! -s typed ]
	slowly - 'TERM=dumb tp-render'
	[ ! -s typed ]
	slowly - 'TERM= tp-render'
	[ ! -s typed ]
	slowly - '2>err tp-render'
	[ ! -s typed ]
	[ ! -s err ]
	# short work
	many_columns >op.jsonl
	on_terminal 80 'tp-render op.jsonl >/dev/null'
	[ ! -s typed ]
}

@test "terminal: a message has a line of its own, beside the progress" {
	many_columns >op.jsonl
	on_terminal 80 '{ cat op.jsonl; sleep 1.5; cat op.jsonl; printf "{\"kind\":3}\n"; sleep 0.3; } |
	    tp-render >/dev/null'
	grep -q '^tp-render: reading standard input' typed
	[ "$(sed $'s/.*\033\[K//' typed | head -n 1)" = \
	    "tp-render: <stdin>:11: an object without \"kind\" is not a record; row skipped" ] ||
	    fail "$(sed $'s/.*\033\[K//' typed)"
}

@test "terminal: one filter of a pipeline draws, and none into what is printed" {
	many_columns >op.jsonl
	on_terminal 80 '{ cat op.jsonl; sleep 1.5; cat op.jsonl; } |
	    tee copy | tp-render --output a | tp-render --output b copy'
	many_columns >op.jsonl
	# the first has a line; the second one waits for it
	on_terminal 80 '{ cat op.jsonl; sleep 1.6; } | tp-query -r op.name |
	    tp-render >/dev/null'
	! grep -q 'tp-render: reading' typed || fail "$(cat -v typed)"
	# the table on the terminal, after the line is wiped
	on_terminal 80 '{ cat op.jsonl; sleep 1.6; } | tp-render'
	grep -q 'reading standard input' typed
	! sed $'1s/.*\033\[K//' typed | grep -q $'reading\|\033' ||
	    fail "$(cat -v typed)"
}

# bats test_tags=rest
@test "terminal: the line fits, and no name on it can give an order" {
	local evil=$'a\e[31mred\e]0;title\a\n'$'\u202e'$'turned\xff.json'
	for columns in 20 40 80; do
		slowly "$evil" tp-render
		grep -q 'tp-rend' typed
		# without what draws it
		sed $'s/\033\[K/\\n/g' typed | tr -d '\n' >shown
		! grep -q $'[\001-\037\177]' shown || fail "a control"
		! grep -q $'\xe2\x80\xae' shown || fail "bidi"
		sed -i $'s/\033\[K/\\n/g' typed
		[ -z "$(wide_lines $((columns - 1)))" ] || fail "$(cat -v typed)"
	done
	TP_PROGRESS=$'\e[2Jmy report' slowly - tp-render
	grep -q '^\\e\[2Jmy report: writing: [1-9] kB' typed
}

# bats test_tags=rest
@test "terminal: of files it says the share of all, and which one is read" {
	local line='^tp-query: reading file [12] of 2, [ab].jsonl: [0-9]* % of .*B'
	many_columns >op.jsonl
	# as many as take a second; a busy machine may show less than that
	for ((n = 64; n < 65536; n *= 4)); do
		for ((i = 0; i < n; i++)); do cat op.jsonl; done >a.jsonl
		cp a.jsonl b.jsonl
		on_terminal 80 'TP_BLOCK=2 tp-query -r --all op.name a.jsonl b.jsonl >/dev/null'
		! grep -q "$line" typed || break
	done
	grep -q "$line" typed || fail "$(cat -v typed)"
}
