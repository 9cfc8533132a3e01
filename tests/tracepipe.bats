#!/usr/bin/env bats
# The command that names the filters, explains one, and runs one.

bats_require_minimum_version 1.5.0
load helper

setup() {
	cd "$BATS_TEST_TMPDIR"
	small_gpu >gpu.csv
}

# A folder with what tracepipe needs and no man: "bare" in PATH's place.
without_man() {
	mkdir -p bare
	for program in bash readlink; do
		ln -sf "$(command -v $program)" bare/$program
	done
}

# A man that prints what it was asked for, in the folder "man".
fake_man() {
	mkdir -p man
	printf '#!/bin/sh\nprintf "<%%s>" "$@"; echo\n' >man/man
	chmod +x man/man
	PATH=$PWD/man:$PATH
}

@test "tracepipe: without an argument it names every filter once, as it is" {
	run -0 --separate-stderr tracepipe
	[ -z "$stderr" ]
	printf '%s\n' "$output" >out
	sed -n 's/^  \(tp-[a-z-]*\)  .*/\1/p' out | sort >named
	tools | sort | diff named -
	# the purpose is that of the filter, though it may be on two lines
	tr -s ' \n' '  ' <out >line
	for t in $(tools); do
		does=$($t --help=row | cut -d '|' -f 3)
		grep -q -F " $t $does " line || fail "$t"
	done
	# by group, in the order of the README
	sed -n 's/^| \([^|]*\) | `.*/\1/p' "$TP_ROOT/README.md" | uniq >groups
	grep -x -F -f groups out | diff groups -
	[ "$(awk 'length($0) > 80' out)" = '' ]
}

@test "tracepipe: the first commands are of programs and options there are" {
	tracepipe | sed -n '/^to begin with:/,/^$/s/^  //p' >first
	[ "$(wc -l <first)" -eq 3 ]
	while read -r program rest; do
		[ -x "$TP_BUILD/$program" ] || fail "$program"
		for word in $rest; do
			case $word in
			--*) $program --help | grep -q -e " $word" || fail "$word" ;;
			esac
		done
	done <first
}

@test "tracepipe: help shows the manual, by either name" {
	fake_man
	for name in mem tp-mem; do
		run -0 tracepipe help $name
		[ "$output" = "<$TP_BUILD/man/tp-mem.1>" ] || fail "$output"
	done
	run -0 tracepipe help
	[ "$output" = "<$TP_BUILD/man/tracepipe.7>" ]
	run -0 tracepipe help record
	[ "$output" = "<$TP_BUILD/man/tp-record.5>" ]
	run -0 tracepipe help help
	[ "$output" = "<$TP_BUILD/man/tracepipe.1>" ]
}

@test "tracepipe: help is --help where there is no man, or it has no page" {
	without_man
	tp-mem --help >want
	PATH=$PWD/bare run -0 "$TP_BUILD/tracepipe" help mem
	diff want <(printf '%s\n' "$output")
	tracepipe >want
	PATH=$PWD/bare run -0 "$TP_BUILD/tracepipe" help
	diff want <(printf '%s\n' "$output")
	mkdir no
	printf '#!/bin/sh\nexit 16\n' >no/man
	chmod +x no/man
	PATH=$PWD/no:$PATH run -0 tracepipe help mem
	diff <(tp-mem --help) <(printf '%s\n' "$output")
}

@test "tracepipe: man finds the pages" {
	skip_unless man
	man "$TP_BUILD/man/tp-mem.1" 2>/dev/null | grep -q SYNOPSIS ||
	    skip "man shows no file"
	man "$TP_BUILD/man/tp-mem.1" 2>/dev/null >want
	tracepipe help mem 2>/dev/null | cmp - want
}

@test "tracepipe: it runs a filter with every argument, input and status" {
	for name in gpu-intervals tp-gpu-intervals; do
		tracepipe $name gpu.csv | cmp - <(tp-gpu-intervals gpu.csv)
		tracepipe $name <gpu.csv | cmp - <(tp-gpu-intervals <gpu.csv)
	done
	small_gpu >'a  b*.csv'
	tracepipe gpu-intervals --label ' x  $y' -- 'a  b*.csv' |
	    grep -q '"src":" x  $y"'
	run -2 tracepipe mem --no-such
	[[ $output = "tp-mem: unknown option '--no-such'"* ]]
	echo nothing >bad
	run -3 tracepipe mem bad
	run -0 tracepipe -- mem --version
	[[ $output = 'tp-mem (tracepipe) '* ]]
	# a script too
	run -0 tracepipe report --version
	[[ $output = 'tp-report (tracepipe) '* ]]
}

@test "tracepipe: it runs what is in its list and nothing else" {
	mkdir -p 'it is/bin'
	cp "$TP_BUILD/tracepipe" "$TP_BUILD/tp-mem" 'it is/bin'
	printf '#!/bin/sh\necho evil\n' | tee tp-evil >'it is/bin/tp-evil'
	chmod +x 'it is/bin/tp-evil' tp-evil
	for name in evil tp-evil ../bin/tp-mem /bin/sh . .. '' '*' 'mem|x'; do
		run -2 'it is/bin/tracepipe' "$name"
		[[ $output = "tracepipe: there is no filter '$name'"* ]] ||
		    fail "$output"
		run -2 'it is/bin/tracepipe' help "$name" ||
		    [ -z "$name" ] || fail "$output"
	done
	# in its list, but not there: not what PATH or this folder has
	cp tp-evil tp-rows
	PATH=$PWD:$PATH run -4 'it is/bin/tracepipe' rows
	[[ $output = 'tracepipe: there is no tp-rows in '* ]]
	run -2 tracepipe $'\033[31m\nx'
	[[ $output != *$'\033'* && ${#lines[@]} -eq 1 ]] || fail "$output"
}

@test "tracepipe: it finds its filters through links, whatever the folders" {
	mkdir -p 'a b/real $x' 'a b/c' "other'q"
	cp "$TP_BUILD/tracepipe" "$TP_BUILD/tp-mem" 'a b/real $x'
	ln -s '../real $x/tracepipe' 'a b/c/tracepipe'
	ln -s "$PWD/a b/c/tracepipe" "other'q/t p"
	for way in 'a b/real $x/tracepipe' 'a b/c/tracepipe' "other'q/t p" \
	    "$PWD/other'q/t p"; do
		run -0 "$way" mem --version
		[[ $output = 'tp-mem (tracepipe) '* ]] || fail "$way: $output"
	done
	PATH=$PWD/a\ b/c:$PATH run -0 tracepipe mem --version
	cd 'a b/c'
	run -0 bash tracepipe mem --version
	# a folder that looks like the path of a link from the root
	mkdir -p "evil$PWD"
	printf '#!/bin/sh\necho evil\n' >"evil$PWD/tp-mem"
	chmod +x "evil$PWD/tp-mem"
	ln -s ./here "evil$PWD/tracepipe"
	at=$PWD/tracepipe
	cd evil
	run -0 "$at" mem --version
	[[ $output = 'tp-mem (tracepipe) '* ]] || fail "$output"
}

@test "tracepipe: a name that is nearly one is told" {
	for case in 'mme mem' 'rendr render' 'tp-reprot report' \
	    'gpu-interval gpu-intervals' 'comparre compare'; do
		run -2 tracepipe ${case% *}
		[[ $output = *"did you mean tp-${case#* }?" ]] || fail "$output"
		run -2 tracepipe help ${case% *}
		[[ $output = *"did you mean tp-${case#* }?" ]] || fail "$output"
	done
	run -2 tracepipe gpu
	[[ $output = *'did you mean tp-gpu-counters, tp-gpu-intervals?' ]]
	run -2 tracepipe hlep
	[[ $output = *'did you mean help?' ]]
	run -2 tracepipe xyzzy
	[[ $output = *"; 'tracepipe' lists all" ]]
	run -2 tracepipe "$(printf 'm%.0s' $(seq 5000))"
}

@test "tracepipe: installed, it finds filters and manuals" {
	dest=$PWD/'de st'
	env TO_PREFIX=/opt TO_DESTDIR="$dest" \
	    sh "$TP_ROOT/share/package/install.sh" install "$TP_BUILD"
	dest=$dest/opt
	ln -s "$dest/bin/tracepipe" tracepipe
	run -0 ./tracepipe mem --version
	fake_man
	run -0 ./tracepipe help mem
	[ "$output" = "<$dest/bin/../share/man/man1/tp-mem.1>" ]
	run -0 ./tracepipe help
	[ "$output" = "<$dest/bin/../share/man/man7/tracepipe.7>" ]
	[ -s "$dest/share/man/man1/tracepipe.1" ]
	env TO_PREFIX=/opt TO_DESTDIR="${dest%/opt}" \
	    sh "$TP_ROOT/share/package/install.sh" uninstall "$TP_BUILD"
	[ -z "$(find "$dest" -type f)" ]
}

@test "tracepipe: options are in its manual and its completions" {
	version=$(sed -n 's/^VERSION := //p' "$TP_ROOT/Makefile")
	[ "$(tracepipe --version)" = "tracepipe (tracepipe) $version" ]
	[ "$(tracepipe -V)" = "tracepipe (tracepipe) $version" ]
	run -0 tracepipe --help
	[ "${lines[0]}" = \
	    'usage: tracepipe [options] [FILTER|help [FILTER]] [ARGUMENT...]' ]
	for option in help version; do
		[[ $output = *" --$option "* ]]
		grep -q "Fl .-$option" "$TP_BUILD/man/tracepipe.1"
		for shell in zsh fish; do
			tracepipe --help=$shell | grep -q "$option"
		done
	done
	run -2 tracepipe --no-such
	run -2 tracepipe help mem rows
}

@test "tracepipe: a full disk is reported" {
	[ -e /dev/full ] || skip "no /dev/full"
	for argument in '' --help --version; do
		run -4 sh -c "tracepipe $argument 2>&1 >/dev/full"
		[ "$output" = 'tracepipe: cannot write standard output' ] ||
		    fail "$argument: $output"
	done
}
