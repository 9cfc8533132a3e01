#!/usr/bin/env bats
# Files are written whole or not at all, by one writer at a time or by several,
# and never through a link.

bats_require_minimum_version 1.5.0
load helper

setup() {
	cd "$BATS_TEST_TMPDIR"
	small_gpu >gpu.csv
	tp-gpu-intervals --lanes 4 gpu.csv >after.jsonl
	{ small_gpu; echo '500,90,Compute,python3.11 (7),3'; } |
	    tp-gpu-intervals --lanes 4 >before.jsonl
	tp-compare before.jsonl after.jsonl >both.jsonl
	echo precious >victim
}

# write WAY FILE: let one of the programs that write files write FILE.
write() {
	case $1 in
	output) tp-gpu-intervals --output "$2" gpu.csv ;;
	write) tp-render --write gpu="$2" after.jsonl ;;
	draw) tp-draw --write compare="$2" both.jsonl >/dev/null ;;
	junit) tp-track --no-fail -q --junit "$2" before.jsonl after.jsonl \
	    >/dev/null ;;
	xlsx) tp-xlsx --output "$2" gpu.csv ;;
	put) tp-put "$2" <gpu.csv ;;
	update) tp-put --update "$2" <gpu.csv ;;
	esac
}

ways() {
	echo output write draw junit put update
	! tp-xlsx --check || echo xlsx
}

# Run a command as one whom permissions bind.
bound() {
	if [ "$(id -u)" -ne 0 ]; then
		"$@"
	else
		setpriv --reuid 65534 --clear-groups "$@"
	fi
}

# skip_unless_bound: outside of run, where skip would end only the command.
skip_unless_bound() {
	[ "$(id -u)" -eq 0 ] || return 0
	skip_unless setpriv
	chmod go+rx "$BATS_TEST_TMPDIR" "$BATS_FILE_TMPDIR" \
	    "$BATS_RUN_TMPDIR" "$BATS_RUN_TMPDIR"/*
	bound true 2>/dev/null && bound test -x "$TP_BUILD/tp-put" ||
	    skip 'nobody can run it'
}

# No hidden file in FOLDER.
nothing_hidden() {
	[ -z "$(find "$1" -name '.?*' ! -name . )" ] ||
		fail "left: $(find "$1" -name '.?*')"
}

# bats test_tags=rest
@test "writing: a link at the name of the target is replaced, what it points to stays" {
	for way in $(ways); do
		write $way plain
		ln -sf victim link
		ln -sf nowhere dangling
		ln -sf loop loop
		for f in link dangling loop; do
			write $way $f || fail "$way $f"
			[ ! -L $f ] && cmp plain $f || fail "$way $f"
			rm $f
		done
		rm plain
	done
	[ "$(cat victim)" = precious ]
	[ ! -e nowhere ]
}

@test "writing: a link to the same bytes is replaced by --update too" {
	cp gpu.csv same
	ln -s same link
	tp-put --update link <gpu.csv
	[ ! -L link ]
	cmp link gpu.csv
}

@test "writing: links at names that can be guessed change nothing" {
	for way in $(ways); do
		for f in out.part out.tmp .out.part .out.tmp .out .out.$$ \
		    .out.000000000000 out.~ .out.XXXXXX; do
			ln -sf victim $f
		done
		write $way out || fail "$way"
		[ -f out ] && [ ! -L out ] || fail "$way"
		[ "$(find . -type l | wc -l)" -eq 9 ] || fail "$way: $(ls -lA)"
		find . -type l -exec rm {} +
		nothing_hidden .
		rm out
	done
	[ "$(cat victim)" = precious ]
}

@test "writing: a history is never written through a link, or to a pipe" {
	ln -s victim link
	ln -s nowhere dangling
	mkfifo pipe
	for f in link dangling pipe /dev/null .; do
		run -4 timeout 10 tp-track -q --no-fail --history $f \
		    before.jsonl after.jsonl
		[[ $output = *"cannot "*"'$f': "* ]] || fail "$f: $output"
	done
	[ "$(cat victim)" = precious ]
	[ ! -e nowhere ] && [ -p pipe ]
	tp-track -q --no-fail --history new before.jsonl after.jsonl >/dev/null
	[ "$(wc -l <new)" -eq 1 ]
}

@test "writing: a device, a pipe and a link to one are written as they are" {
	tp-gpu-intervals gpu.csv >want
	mkfifo pipe
	ln -s pipe link
	for f in pipe link; do
		cat pipe >got &
		tp-gpu-intervals --output $f gpu.csv
		wait $!
		cmp want got
		[ -p pipe ] && [ -L link ]
	done
	ln -s /dev/null null
	tp-gpu-intervals --output null gpu.csv
	[ -L null ]
	tp-gpu-intervals --output /dev/stdout gpu.csv | cmp want -
	tp-gpu-intervals --output /dev/fd/7 gpu.csv 7>got
	cmp want got
	# a file behind it goes on where it stands
	{ echo first; tp-put /dev/stdout <want; echo last; } >got
	{ echo first; cat want; echo last; } | cmp - got
	[ -e /dev/full ] || skip 'no /dev/full'
	for way in $(ways); do
		run write $way /dev/full
		[ "$status" -eq 4 ] || fail "$way: $status $output"
		[[ $output = *"cannot write "*": "* ]] || fail "$way: $output"
	done
}

@test "writing: a folder as the target is an error, and so is one that is not there" {
	mkdir folder
	ln -s folder link
	for way in $(ways); do
		for f in folder link folder/ . new/; do
			run write $way $f
			[ "$status" -eq 4 ] || fail "$way $f: $status $output"
			[[ $output = *"cannot write '$f': Is a directory"* ]] ||
				fail "$way $f: $output"
		done
		run write $way no/such/file
		[ "$status" -eq 4 ] || fail "$way: $status"
		[[ $output = *"cannot write 'no/such/file': No such file"* ]]
		run write $way ''
		[ "$status" -eq 4 ] || [ "$status" -eq 2 ] ||
		    fail "$way: $status"
	done
	[ -d folder ] && [ -L link ] && [ -z "$(ls -A folder)" ]
	nothing_hidden .
}

@test "writing: in a folder that takes no file the old one stays" {
	skip_unless_bound
	mkdir closed
	echo old >closed/file
	chmod 555 closed
	run bound tp-put closed/file <gpu.csv
	[ "$status" -eq 4 ]
	[ "$output" = "tp-put: cannot write 'closed/file': Permission denied" ]
	run bound tp-gpu-intervals --output closed/file <gpu.csv
	[ "$status" -eq 4 ]
	[ "$(cat closed/file)" = old ]
	chmod 755 closed
	nothing_hidden closed
}

@test "writing: a disk that is full leaves the old file and nothing else" {
	(
		ulimit -f 100
		trap '' XFSZ
		echo old >file
		head -c 1000000 /dev/zero | tp-put file 2>err && exit 1
		[ $? -eq 4 ] && grep -q "cannot write 'file': File too large" err
	)
	[ "$(cat file)" = old ]
	nothing_hidden .
}

# bats test_tags=rest
@test "writing: names of 255 bytes, of characters of several bytes too" {
	for c in x ä €; do
		name=$(printf "$c%.0s" {1..255})
		while [ "$(printf %s "$name" | wc -c)" -gt 255 ]; do
			name=${name#"$c"}
		done
		for way in $(ways); do
			write $way "$name" || fail "$way $c"
			[ -s "$name" ] || fail "$way $c"
			rm "$name"
		done
		run -4 tp-put "xx$name" <gpu.csv
	done
	nothing_hidden .
}

@test "writing: a name with blanks, quotes, dashes and line ends is a name" {
	for name in '-x' 'a b' "it's" '%s%n' '*' "$(printf 'a\nb\033')"; do
		tp-put -- "$name" <gpu.csv
		cmp gpu.csv "./$name"
	done
	nothing_hidden .
}

@test "writing: a new file has the mode that umask leaves" {
	umask 027
	for way in $(ways); do
		write $way file$way
		[ "$(stat -c %a file$way 2>/dev/null || stat -f %Lp file$way)" \
		    = 640 ] || fail "$way"
	done
}

@test "writing: of two writers of one big file always one is there, whole" {
	head -c 3000000 /dev/zero | tr '\0' a >a
	head -c 4000000 /dev/zero | tr '\0' b >b
	mkdir here
	cp a here/out
	for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
		tp-put here/out <a 3>&- &
		one=$!
		tp-put here/out <b 3>&- &
		for look in 1 2 3; do
			# of what is open nothing changes
			cat here/out >seen
			cmp -s seen a || cmp -s seen b || fail 'a part'
		done
		wait $one && wait $!
		cmp -s here/out a || cmp -s here/out b || fail 'a mixture'
		[ "$(ls -A here)" = out ] || fail "$(ls -A here)"
	done
}

@test "writing: of several filters with one --output and one --write each is whole" {
	tp-render --write gpu=want after.jsonl
	tp-gpu-intervals gpu.csv >want.jsonl
	mkdir here
	for i in 1 2 3 4 5 6 7 8; do
		tp-render --write gpu=here/md after.jsonl 3>&- &
		tp-gpu-intervals --output here/out gpu.csv 3>&- &
	done
	wait
	cmp want here/md
	cmp want.jsonl here/out
	[ "$(ls -A here | wc -l)" -eq 2 ]
}

@test "writing: a kill at any moment leaves the old file or the new one, and the next run works" {
	head -c 2000000 /dev/zero | tr '\0' a >a
	head -c 2000000 /dev/zero | tr '\0' b >b
	mkdir here
	cp a here/out
	for i in {1..25}; do
		{ head -c 1000000 b; tail -c 1000000 b; } |
		    tp-put here/out 3>&- &
		sleep "0.00$((RANDOM % 10))"
		kill -KILL $! 2>/dev/null || :
		wait $! 2>/dev/null || :
		cmp -s here/out a || cmp -s here/out b || fail 'a part'
	done
	tp-put here/out <b
	cmp here/out b
	[ "$(ls here)" = out ]
}

@test "writing: a signal that ends a program removes what is not whole" {
	env --default-signal=INT true 2>/dev/null || skip "env is not of GNU"
	echo old >out
	for signal in HUP INT QUIT TERM PIPE; do
		mkfifo in
		# bash starts a job in the background without SIGINT, nohup
		# whatever it starts without SIGHUP
		env --default-signal=HUP,INT,QUIT,TERM,PIPE tp-put out <in 3>&- 2>/dev/null &
		exec 8>in
		echo half >&8
		for try in {1..100}; do
			[ -z "$(find . -name '.out.*')" ] || break
			sleep .02
		done
		[ -n "$(find . -name '.out.*')" ]
		kill -$signal $!
		status=0
		wait $! || status=$?
		exec 8>&-
		[ $status -eq $((128 + $(kill -l $signal))) ] ||
			fail "$signal: $status"
		[ "$(cat out)" = old ]
		nothing_hidden .
		rm in
	done
}

@test "tp-put: what comes is what stands there, an empty input too" {
	head -c 300000 /dev/urandom >bytes
	tp-put out <bytes
	cmp out bytes
	tp-put out </dev/null
	[ -f out ] && [ ! -s out ]
	cat bytes bytes | tp-put out
	cat bytes bytes | cmp - out
}

@test "tp-put --update: the same bytes leave the file alone, any other replace it" {
	head -c 200000 /dev/zero >in
	cp in out
	touch -t 200001010000 out
	was=$(ls -i out)
	tp-put -u out <in
	[ "$(ls -i out)" = "$was" ] && [ ! out -nt gpu.csv ]
	[ "$(find out -newermt 2001-01-01)" = '' ]
	nothing_hidden .
	for bytes in 0 1 65536 199999 200001; do
		head -c $bytes /dev/zero | tp-put -u out
		[ "$(wc -c <out)" -eq $bytes ]
		cp in out
	done
	{ head -c 199999 in; echo; } | tp-put -u out
	! cmp -s in out
	rm out
	tp-put -u out <in
	cmp in out
	# so does a file that cannot be read
	chmod 0 out
	tp-put -u out <gpu.csv
	cmp out gpu.csv
}

@test "tp-put: an input that cannot be read leaves the old file, 4" {
	echo old >out
	run -4 tp-put out <.
	[ "$output" = 'tp-put: cannot read standard input: Is a directory' ]
	run -4 sh -c 'tp-put out <&-'
	run -4 sh -c 'tp-put -u out <&-'
	[ "$(cat out)" = old ]
	nothing_hidden .
}

@test "tp-put: usage" {
	for words in '' '-u' '--name x' '--wait 1s' '--lock x' \
	    '--lock -1' '--lock 77' '--lock 99999999999' '-' '--as a/b x' \
	    '--output x' '--swap x' '-u --swap x a' '--swap x a b'; do
		run -2 tp-put $words </dev/null
		[[ $output = tp-put:* ]] || fail "$words: $output"
	done
	[ ! -e x ] && [ ! -e a ] && [ ! -e b ]
	run -4 tp-put a nowhere
	[ ! -e a ]
	run -2 tp-put --as nightly --lock 77
	[ "$output" = 'nightly: --lock 77: Bad file descriptor' ]
}

@test "tp-put --swap: files and folders change places, or both stay" {
	mkdir old new
	echo old >old/f
	echo new >new/f
	tp-put --swap new old
	[ "$(cat old/f new/f)" = "$(printf 'new\nold')" ]
	echo file >file
	tp-put -s file old
	[ "$(cat old file/f)" = "$(printf 'file\nnew')" ]
	ln -s nowhere link
	tp-put -s link old
	[ "$(readlink old) $(cat link)" = 'nowhere file' ]
	run -4 tp-put -s nowhere new
	[ "$output" = "tp-put: cannot exchange 'new' and 'nowhere': \
No such file or directory" ]
	run -4 tp-put -s new/f new
	[ "$(cat new/f)" = old ]
}

@test "tp-put: files one after the other, unpacked, a blank line between" {
	printf 'one' >1
	: >2
	printf 'three\n' | gzip >3
	tp-put out 1 2 3
	[ "$(cat out)" = "$(printf 'one\nthree')" ]
	tp-put --blank-line out 1 2 3
	[ "$(cat out)" = "$(printf 'one\n\nthree')" ]
	stamp=$(stat -c '%i %y' out)
	tp-put -u --blank-line out 1 2 3
	[ "$(stat -c '%i %y' out)" = "$stamp" ]
	# one that cannot be read leaves what was there
	head -c 20 3 >cut
	run -3 tp-put out 1 cut
	run -4 tp-put out 1 nowhere
	[ "$(cat out)" = "$(printf 'one\n\nthree')" ]
	nothing_hidden .
}

# holder FOLDER COMMAND: a script that locks FOLDER and then does COMMAND.
holder() {
	cat >holder <<-END
	#!/usr/bin/env bash
	exec 9<'$1'
	tp-put --as holder --lock 9 --name '$1' || exit
	: >'$1/locked'
	$2
	END
	chmod +x holder
}

wait_for() {
	for try in {1..200}; do
		[ ! -e "$1" ] || return 0
		sleep .02
	done
	fail "no $1"
}

@test "tp-put --lock: a second run says for whom it waits, and goes on when that ends" {
	mkdir 'o t'
	holder 'o t' 'sleep 1'
	./holder 3>&- &
	wait_for 'o t/locked'
	run -0 bash -c 'exec 7<"o t"
	    tp-put --as second --lock 7 --name "o t"; echo "it ran: $?"'
	wait
	[ "${lines[-1]}" = 'it ran: 0' ]
	if [ -e /proc/self/fdinfo ]; then
		[ "${lines[0]}" = "second: waiting for process $! (holder), which writes to 'o t'" ] ||
			fail "$output"
	else
		[ "${lines[0]}" = "second: waiting for another run that writes to 'o t'" ]
	fi
	[ "$(ls -A 'o t')" = locked ]
}

@test "tp-put --lock: when who has it dies by SIGKILL the next goes on, and nothing is left" {
	mkdir out
	holder out 'read -r line <pipe'
	mkfifo pipe
	./holder 3>&- &
	wait_for out/locked
	(exec 7<out; tp-put --lock 7 --name out; echo done >second) \
	    2>said 3>&- &
	wait_for said
	for try in {1..200}; do
		grep -q waiting said && break
		sleep .02
	done
	grep -q 'waiting for ' said
	[ ! -e second ]
	kill -KILL $(jobs -p | head -n 1)
	wait_for second
	[ "$(ls -A out)" = locked ]
	run -0 bash -c 'exec 7<out; tp-put --lock 7 --name out --wait 0'
	[ -z "$output" ]
}

@test "tp-put --lock: it is the script's and its children's, not that of the program" {
	mkdir out
	exec 7<out
	tp-put --lock 7
	# once more by the same
	tp-put --lock 7 --wait 0
	run -4 bash -c 'exec 8<out; tp-put --lock 8 --name out --wait 0'
	[[ $output = "tp-put: "*" writes to 'out'" ]] || fail "$output"
	exec 7<&-
	run -0 bash -c 'exec 8<out; tp-put --lock 8 --name out --wait 0'
	# a child that is left keeps it, unless it got no descriptor
	bash -c 'exec 8<out; tp-put --lock 8; sleep 3 8<&- 3>&- &'
	run -0 bash -c 'exec 8<out; tp-put --lock 8 --wait 0'
	bash -c 'exec 8<out; tp-put --lock 8; exec 3>&-; sleep 30 & echo $! >pid'
	run -4 bash -c 'exec 8<out; tp-put --lock 8 --wait 0'
	kill "$(cat pid)"
}

@test "tp-put --wait: after so long it gives up with 4, and says who still writes" {
	mkdir out
	exec 7<out
	tp-put --lock 7
	run -4 --separate-stderr bash -c 'exec 8<out
	    tp-put --as me --lock 8 --name out --wait 150ms file <gpu.csv'
	[[ ${stderr_lines[0]} = "me: waiting for "*" writes to 'out'" ]]
	[[ ${stderr_lines[1]} = "me: "*" still writes to 'out' after 150 ms" ]]
	[ ! -e file ]
	# a name is shown, never obeyed
	run -4 bash -c 'exec 8<out
	    tp-put --lock 8 --wait 0 --name "$(printf "a\033[2Jb")"'
	[[ $output != *$'\033'* ]] || fail 'an escape got through'
	run -4 bash -c 'exec 8<out; tp-put -q --lock 8 --wait 10ms'
	[ "${#lines[@]}" -eq 1 ]
	exec 7<&-
}
