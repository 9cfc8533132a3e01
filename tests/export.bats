#!/usr/bin/env bats
# bats file_tags=rest
# tp-export, with a stub in the place of xctrace.

bats_require_minimum_version 1.5.0
load helper
load hostile

setup_file() {
	"$TP_BUILD/mkflux" "$BATS_FILE_TMPDIR/xml" >/dev/null
	cd "$BATS_FILE_TMPDIR"
	mkdir served
	cp "$(toc xml)" served/toc
	tp-rows -q --sniff xml/flux_example/*/*/*.xml |
	    while IFS='	' read -r file format table; do
		case $format in
		xml) cp "$file" "served/$table" ;;
		esac
	done
}

# served/: what the stub answers with, a file per table; beside them
# TABLE.crash, TABLE.cut, TABLE.silent, TABLE.fail hold how often it shall go
# wrong so.
setup() {
	cd "$BATS_TEST_TMPDIR"
	export SERVED=$PWD/served XCTRACE=$PWD/xctrace
	mkdir 'run 1.trace'
	cp -R "$BATS_FILE_TMPDIR/served" served
	cat >xctrace <<-'END'
	#!/bin/sh
	printf '%s\n' "$*" >>"$SERVED/calls"
	table=toc output=
	while [ $# -gt 0 ]; do
		case $1 in
		--xpath) table=${2#*@schema=\"} table=${table%%\"*} ;;
		--output) output=$2 ;;
		esac
		shift
	done
	# happens MANNER: whether it shall go wrong so, one time less
	happens() {
		n=$(cat "$SERVED/$table.$1" 2>/dev/null) || return 1
		[ "$n" -gt 0 ] && echo $((n - 1)) >"$SERVED/$table.$1"
	}
	happens crash && kill -SEGV $$
	happens silent && exit 0
	happens fail && { cat "$SERVED/words" >&2; exit 2; }
	if [ ! -e "$SERVED/$table" ]; then
		printf '<?xml version="1.0"?>\n<trace-query-result>\n' >"$output"
		echo '</trace-query-result>' >>"$output"
	elif happens cut; then
		head -c "$(($(wc -c <"$SERVED/$table") - 30))" \
		    "$SERVED/$table" >"$output"
	else
		cat "$SERVED/$table" >"$output"
	fi
	END
	chmod +x xctrace
}

teardown() {
	! mountpoint -q "$BATS_TEST_TMPDIR/disk" 2>/dev/null ||
		umount "$BATS_TEST_TMPDIR/disk"
}

calls() {
	grep -c -e "${1-}" served/calls
}

# A row for each export a report uses and the trace has, from the one list.
wanted() {
	tp-rows -q served/toc | tp-inventory --all | jq -r 'select(.kind ==
	    "export" and .recorded) | .table'
}

@test "tp-export: a file for each table a report uses, and a report from them" {
	tp-export 'run 1.trace' >out 2>err
	[ ! -s err ] || fail "$(cat err)"
	wanted | sort >want
	[ "$(wc -l <want)" -ge 8 ]
	for f in 'run 1'/*; do
		tp-rows -q --sniff "$f"
	done | cut -f 3 | grep '[a-z]' | sort >got
	# a table that is listed and has no export is an empty document
	while read -r t; do
		[ -e "served/$t" ] && echo "$t"
	done <want >with
	diff with got
	[ "$(calls)" -eq $(($(wc -l <want) + 1)) ]
	[ -e 'run 1/run 1_metal_gpu_intervals.xml' ]
	[ -e 'run 1/run 1_toc.xml' ]
	grep -q '^metal-gpu-intervals  *643 rows$' out
	grep -q "^run 1 of 'run 1.trace': .* 0 failed$" out
	tail -n 1 out | grep -q -x "next: tp-report 'run 1' > 'run 1.md'"
	# what it says comes next works
	sh -c "$(sed -n 's/^next: //p' out)"
	grep -q '^# 8' 'run 1.md'
	[ "$(ls -A 'run 1' | grep -c part)" -eq 0 ]
}

@test "tp-export: a crash is tried again, and the export is whole" {
	echo 2 >served/metal-gpu-intervals.crash
	run -0 --separate-stderr tp-export 'run 1.trace'
	[ "$(calls metal-gpu-intervals)" -eq 3 ]
	[[ $stderr = *'metal-gpu-intervals: xctrace crashed (signal 11); trying again (2 of 3)'* ]]
	cmp served/metal-gpu-intervals 'run 1/run 1_metal_gpu_intervals.xml'
}

@test "tp-export: what is cut off or was not written is tried again" {
	echo 1 >served/time-profile.cut
	echo 1 >served/metal-gpu-info.silent
	run -0 --separate-stderr tp-export 'run 1.trace'
	[[ $stderr = *'time-profile: what xctrace wrote is not whole; trying again'* ]]
	[[ $stderr = *'metal-gpu-info: xctrace wrote nothing; trying again'* ]]
	cmp served/time-profile 'run 1/run 1_time_profile.xml'
}

@test "tp-export: what fails every time is named, leaves no file, and the rest is there" {
	echo 99 >served/metal-gpu-intervals.crash
	echo 99 >served/time-profile.cut
	echo 99 >served/metal-gpu-info.fail
	printf 'first words\nlast \033[31mwords\n' >served/words
	run -3 --separate-stderr tp-export --retries 1 'run 1.trace'
	[[ $output = *'failed: xctrace crashed (signal 11)'* ]]
	[[ $output = *'failed: what xctrace wrote is not whole'* ]]
	[[ $output = *'failed: xctrace failed (status 2): last [31mwords'* ]]
	[[ $output = *', 3 failed'* ]]
	[ "$(calls metal-gpu-intervals)" -eq 2 ]
	[ ! -e 'run 1/run 1_metal_gpu_intervals.xml' ]
	[ ! -e 'run 1/run 1_time_profile.xml' ]
	[ "$(ls -A 'run 1' | grep -c '^\.')" -eq 0 ]
	# once more: only what failed
	rm served/*.crash served/*.cut served/*.fail
	: >served/calls
	run -0 tp-export 'run 1.trace'
	[[ $output = *'kept, '* ]]
	[ "$(calls metal-gpu-intervals)" -eq 1 ]
	[ "$(calls time-profile)" -eq 1 ]
	[ "$(calls metal-gpu-info)" -eq 1 ]
	run ! grep -q -e --toc -e wired served/calls
}

@test "tp-export: what is whole is kept; --force, a newer trace or damage has it exported again" {
	tp-export 'run 1.trace' >/dev/null
	file='run 1/run 1_metal_gpu_intervals.xml'
	: >served/calls
	tp-export 'run 1.trace' >out
	run ! grep -q metal-gpu-intervals served/calls
	grep -q '^metal-gpu-intervals  *kept, 643 rows$' out
	tp-export --force 'run 1.trace' >/dev/null
	[ "$(calls metal-gpu-intervals)" -eq 1 ]
	head -c 5000 "$file" >cut
	cat cut >"$file"
	tp-export 'run 1.trace' >/dev/null
	[ "$(calls metal-gpu-intervals)" -eq 2 ]
	touch -t 203001010000 'run 1.trace'
	tp-export 'run 1.trace' >/dev/null
	[ "$(calls metal-gpu-intervals)" -eq 3 ]
}

# A table of contents of two runs; the second lacks a table.
two_runs() {
	awk '/<run number/ { on = 1 } on { run = run $0 "\n" } { print }
	/<\/run>/ { on = 0; sub(/number="1"/, "number=\"4\"", run)
		gsub(/<table[^>]*schema="metal-gpu-intervals"[^>]*>/, "", run)
		printf "%s", run }' served/toc >two
	cat two >served/toc
}

@test "tp-export: of several runs the last is exported, or the one named, and never mixed" {
	two_runs
	run -0 tp-export 'run 1.trace'
	[[ $output = *'run 4 of '* ]]
	[[ $output = *'runs in the trace: 1 4 (choose with --run)'* ]]
	grep -q 'run\[@number="4"\]/data/table\[@schema="time-profile"' served/calls
	run ! grep -q -e metal-gpu-intervals -e 'number="1"' served/calls
	tp-export --run 1 'run 1.trace' >/dev/null
	grep -q 'run\[@number="1"\]/data/table\[@schema="metal-gpu-intervals"' \
	    served/calls
	# the files now are of run 1, as the stub writes them
	: >served/calls
	tp-export --run 1 'run 1.trace' >/dev/null
	run ! grep -q time-profile served/calls
	tp-export --run 4 'run 1.trace' >/dev/null
	[ "$(calls time-profile)" -eq 1 ]
	run -2 --separate-stderr tp-export --run 3 'run 1.trace'
	[[ $stderr = *'has no run 3; choose with --run: 1 4'* ]]
}

@test "tp-export --dry-run: commands that a shell takes, without xctrace or a trace" {
	mkdir d
	cd d
	XCTRACE= run -0 --separate-stderr tp-export -n "it's here.trace"
	[ -z "$stderr" ]
	[ "$(printf '%s\n' "$output" | grep -c '^xctrace export')" -ge 12 ]
	[ "$(ls -A)" = '' ]
	printf '%s\n' "$output" | sed 's/^xctrace/printf "[%s]"/; s/$/; echo/' |
	    sh >words
	grep -q -F "[export][--input][it's here.trace][--toc][--output][it's here/it's here_toc.xml]" words
	grep -q -F '[/trace-toc/run[@number="1"]/data/table[@schema="time-profile"]]' words
}

@test "tp-export: a full disk in the place of standard output is told" {
	[ -e /dev/full ] || skip "no /dev/full"
	XCTRACE= run -4 sh -c 'tp-export --dry-run "run 1.trace" 2>&1 >/dev/full'
	[ "$output" = 'tp-export: cannot write standard output' ]
	# what is exported is there all the same
	run -4 sh -c 'tp-export "run 1.trace" 2>&1 >/dev/full'
	[ "$output" = 'tp-export: cannot write standard output' ]
	[ -s 'run 1/run 1_time_profile.xml' ] || fail "$(ls 'run 1')"
	run -4 sh -c 'tp-report --list "run 1" 2>/dev/null >/dev/full'
}

@test "tp-export --table: a table by name, if the run has it" {
	other=$(sed -n 's/.*<table[^>]*schema="\([a-z-]*\)".*/\1/p' served/toc |
	    grep -v -x -f <(wanted) | head -n 1)
	[ -n "$other" ] || skip 'the example has no other table'
	tp-export -t "$other" 'run 1.trace' >out
	grep -q "^$other " out
	[ -e "run 1/run 1_$(printf '%s' "$other" | tr - _).xml" ]
	run -2 tp-export -t no-such 'run 1.trace'
	[[ $output = *"has no table 'no-such'"* ]]
	run -2 tp-export -t '../x' 'run 1.trace'
}

@test "tp-export: a trace of root is told how to be yours" {
	echo 99 >served/toc.fail
	echo 'Error: You do not have permission to open it' >served/words
	run -4 --separate-stderr tp-export 'run 1.trace'
	[[ $stderr = *"sudo chown -R \$(whoami):staff 'run 1.trace'"* ]]
	[ "$(calls)" -eq 1 ]
}

@test "tp-export: an interrupted recording and a missing Xcode are told, not tried again" {
	echo 99 >served/toc.fail
	echo 'Export failed: Document Missing Template Error' >served/words
	run -3 --separate-stderr tp-export 'run 1.trace'
	[[ $stderr = *'--time-limit'* ]]
	echo "xcode-select: error: tool 'xctrace' requires Xcode" >served/words
	run -4 --separate-stderr tp-export 'run 1.trace'
	[[ $stderr = *'sudo xcode-select -s'* ]]
	[ "$(calls)" -eq 2 ]
}

@test "tp-export: without xctrace it says where to get it or to go" {
	[ "$(uname -s)" != Darwin ] || skip "a Mac"
	XCTRACE= run -4 --separate-stderr tp-export 'run 1.trace'
	[[ $stderr = *'runs on a Mac only'* ]]
}

@test "tp-export: an empty trace is done, and told how to record" {
	find served -type f ! -name toc -exec rm {} +
	run -0 tp-export 'run 1.trace'
	[[ $output = *'0 with rows'* ]]
	[[ $output = *'All tables are empty'*'--launch'* ]]
}

@test "tp-export: a wrong operand is refused" {
	run -2 tp-export
	run -2 tp-export served
	run -2 tp-export a.trace b.trace
	run -2 tp-export --run 0 a.trace
	run -2 tp-export --retries x a.trace
	run -4 tp-export nothing.trace
	echo text >file
	run -4 tp-export -o file 'run 1.trace'
}

@test "tp-export: a name with a dash, a quote and a command is a name" {
	mkdir -- '-a $(touch hit) '\''b.trace'
	tp-export -- '-a $(touch hit) '\''b.trace' >out
	[ ! -e hit ]
	[ -e './-a $(touch hit) '\''b/-a $(touch hit) '\''b_toc.xml' ]
	sh -c "$(sed -n 's/^next: //p' out)"
	[ ! -e hit ]
}

# What one run gives, in want
reference() {
	tp-export -o want 'run 1.trace' >/dev/null
}

@test "tp-export: killed at any moment, files with a name are whole, and it can be run again" {
	reference
	before() {
		[ $(($1 % 4)) -ne 0 ] || rm -rf got
	}
	after() {
		local f
		for f in got/*; do
			[ ! -e "$f" ] || cmp "$f" "want/${f##*/}" || return
		done
	}
	n=${TP_ALL:+30}
	killed ${n:-12} tp-export -o got 'run 1.trace'
	tp-export -o got 'run 1.trace' >/dev/null
	diff -r want got
}

@test "tp-export: of several at once into one folder each waits for the one before" {
	reference
	for n in 3 ${TP_ALL:+2 8}; do
		rm -rf got served/calls out.* err.*
		for i in $(seq $n); do
			tp-export -o got 'run 1.trace' >out.$i 2>err.$i 3>&- &
			pids[i]=$!
		done
		for i in $(seq $n); do
			wait ${pids[i]}
		done
		diff -r want got
		# one exports, the others keep that
		[ "$(grep -l kept out.* | wc -l)" -eq $((n - 1)) ]
		cat err.* | grep -q "^tp-export: waiting for .*'got'"
		! cat err.* | grep -v '^tp-export: waiting for ' ||
			fail "$(cat err.*)"
		[ "$(calls metal-gpu-intervals)" -eq 1 ]
	done
}

@test "tp-export: a link, a FIFO or a folder at the name of a table is not followed" {
	reference
	mkdir aside got
	# all at once, and with TP_ALL each alone
	for names in 'toc time_profile metal_gpu_intervals' \
	    ${TP_ALL:+toc time_profile metal_gpu_intervals}; do
		for kind in link dangling folder FIFO; do
			rm -rf aside/* got/*
			for name in $names; do
				file="run 1_$name.xml"
				cp "want/$file" aside
				case $kind in
				link) ln -s "$PWD/aside/$file" "got/$file" ;;
				dangling) ln -s "$PWD/aside/none" "got/$file" ;;
				folder) ln -s "$PWD/aside" "got/$file" ;;
				FIFO) mkfifo "got/$file" ;;
				esac
			done
			ls aside >names
			run -0 timeout 60 tp-export -o got 'run 1.trace'
			diff -r want got
			[ -z "$(find got -type l)" ]
			ls aside | diff names -
			diff -r want aside | ( ! grep differ )
		done
	done
	rm "got/$file"
	mkdir "got/$file"
	run -4 tp-export -o got 'run 1.trace'
	[[ $output = *"cannot write 'got/$file'"* ]]
	rmdir "got/$file"
	# what the dead left is removed, and not followed
	part="got/.tp-export.$(uname -n | tr -c 'A-Za-z0-9\n-' _)"
	ln -s "$PWD/aside" "$part.x"
	mkdir "$part.y"
	: >"$part.y/part.xml"
	tp-export -o got 'run 1.trace' >/dev/null
	diff -r want got
	ls aside | diff names -
}

@test "tp-export: a full disk and a folder of others are told" {
	mkdir disk
	mount -t tmpfs -o size=200k none disk 2>/dev/null || skip 'no mount'
	run -3 tp-export --retries 0 -o disk/got 'run 1.trace'
	[[ $output = *'No space left on device'* ]]
	[ -z "$(find disk -name '.*')" ]
	for f in disk/got/*; do
		tp-rows -q --count "$f" >/dev/null
	done
	mount -o remount,ro disk
	run -4 tp-export -o disk/got 'run 1.trace'
	[[ $output = *'Read-only file system'* ]]
}

@test "tp-export: a trace that vanishes is told, and what was exported is kept" {
	{
		echo '#!/bin/sh'
		echo '[ -e "run 1.trace" ] || { echo gone >&2; exit 1; }'
		echo 'case $* in *metal-gpu-int*) rm -rf "run 1.trace" ;; esac'
		cat xctrace
	} >x
	cat x >xctrace
	run -3 tp-export --retries 0 'run 1.trace'
	[[ $output = *'failed: xctrace failed (status 1): gone'* ]]
	[ -e 'run 1/run 1_time_profile.xml' ]
	[ -z "$(find 'run 1' -name '.*')" ]
}

@test "tp-export: no value of an option or name of a trace is run, or reaches the terminal" {
	canary
	# a table of contents alone, and a trace without tables: quick
	find "$SERVED" -type f ! -name toc -exec rm {} +
	mkdir t.trace
	for opt in $(valued tp-export); do
		harmless tp-export "$opt" --dry-run t.trace
	done
	harmless tp-export '' --dry-run
	n=0
	for v in "${HOSTILE[@]}"; do
		n=$((n + 1))
		turn $n 2 $BATS_TEST_NUMBER || continue
		quietly tp-export -n -- "$v.trace"
		case $v in
		-* | *xxx*) continue ;;
		esac
		mkdir -p "./$v.trace" && quietly tp-export --retries 0 \
		    --table no-such "./$v.trace" || return
	done
}

@test "tp-export: no text of a table of contents is run, or reaches the terminal" {
	canary
	mkdir t.trace
	# tables VALUE...: of these names in the table of contents
	tables() {
		printf '%s\n' "${@//$'\n'/ }" |
		    tr -d '\000-\011\013-\037\177-\377' | sed 's/&/\&amp;/g
			s/"/\&quot;/g; s|.*|<table schema="&"/>|' >tables
		sed -e '/metal-gpu-info/{r tables' -e '}' \
		    "$BATS_FILE_TMPDIR/served/toc" >"$SERVED/toc"
		quietly tp-export --retries 0 --table no-such --force t.trace
	}
	tables "${HOSTILE[@]}"
	grep -q 'table schema="$(touch canary)"' "$SERVED/toc"
	for v in ${TP_ALL:+"${HOSTILE[@]}"}; do
		tables "$v"
	done
}
