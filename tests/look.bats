#!/usr/bin/env bats
# What tp-look says of files that no golden case can hold, and what it links.

bats_require_minimum_version 1.5.0
load helper

setup() {
	cd "$BATS_TEST_TMPDIR"
	mkdir in
	small_gpu >in/gpu.csv
}

# told STATE TEXT: of the records in "out" one is in STATE and says TEXT.
told() {
	jq -e -s --arg state "$1" --arg text "$2" 'any(.[];
	    .kind == "input" and .state == $state and (.text | contains($text)))' \
	    out >/dev/null || fail "no $1 '$2' in: $(cat out)"
}

# The table is used, whatever lies beside it.
good() {
	jq -e -s 'any(.[]; .path == "in/gpu.csv" and .state == "used")' \
	    out >/dev/null || fail "$(cat out)"
	"$TP_BUILD/check-schema" "$TP_ROOT/share/schema" <out
}

# As nobody, who can be refused.
nobody() {
	if [ "$(id -u)" -ne 0 ]; then
		"$@"
	else
		skip_unless setpriv
		setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
	fi
}

may_nobody() {
	chmod 755 "$BATS_TEST_TMPDIR" in
	nobody sh -c "tp-look in/gpu.csv" >/dev/null 2>&1 ||
	    skip 'nobody cannot run it here'
}

@test "tp-look: pipes, sockets and devices are records, and none is opened" {
	mkfifo in/pipe.csv
	ln -s /dev/zero in/zero.csv
	timeout 20 tp-look in >out
	good
	told unused 'a pipe, not a file'
	told unused 'a link that leaves the folder'
	run -0 timeout 20 tp-look --list in/pipe.csv /dev/zero
	[[ $output = *'pipe.csv '*'a pipe, not a file'*'zero '*'a device, not a file'* ]] ||
	    fail "$output"
	skip_unless python3
	python3 -c 'import socket
socket.socket(socket.AF_UNIX).bind("in/socket")'
	timeout 20 tp-look in >out
	good
	told unused 'a socket, not a file'
	[ "$(jq -r 'select(.code == "file.special").text' out | wc -l)" -eq 2 ]
}

@test "tp-look: links below a folder are not followed, a folder that is one is" {
	mkdir out-of-it
	small_gpu >out-of-it/secret.csv
	ln -s ../out-of-it in/away
	ln -s "$PWD/out-of-it/secret.csv" in/file.csv
	ln -s nothing in/dangling
	ln -s loop in/loop
	ln -s . in/itself
	ln -s gpu.csv in/again.csv
	ln -s ../in-other in/like
	mkdir in-other
	tp-look in >out
	good
	[ "$(jq -r 'select(.kind == "input") | [.path, .text] | @tsv' out)" = \
"in/again.csv	a link within the folder
in/away	a link that leaves the folder, not followed: name the file itself
in/dangling	a link to what is not there
in/file.csv	a link that leaves the folder, not followed: name the file itself
in/gpu.csv	table metal-gpu-intervals
in/itself	a link within the folder
in/like	a link that leaves the folder, not followed: name the file itself
in/loop	a link to what is not there" ] || fail "$(cat out)"
	[ "$(jq -r 'select(.code == "file.link").count' out | wc -l)" -eq 5 ]
	ln -s in link
	tp-look link >out
	grep -q '"path":"link/gpu.csv","state":"used"' out
	tp-look in/file.csv | grep -q '"state":"used"'
}

@test "tp-look: what may not be read is lost, told, and 3; the rest is read" {
	may_nobody
	mkdir in/closed in/open
	small_gpu >in/closed/a.csv
	small_gpu >in/open/secret.csv
	chmod 0 in/closed in/open/secret.csv
	run -3 --separate-stderr nobody tp-look in
	chmod 755 in/closed
	printf '%s\n' "$output" >out
	good
	told lost 'Permission denied'
	[ "$(jq -r 'select(.code == "input.failed") | "\(.text) \(.status)"' \
	    out)" = 'closed: Permission denied 3
secret.csv: cannot open: Permission denied 3' ] || fail "$(cat out)"
	[ "${#stderr_lines[@]}" -eq 2 ]
}

# bats test_tags=rest
@test "tp-look: of thousands that cannot be read a note counts the most, and each is a record" {
	may_nobody
	mkdir in/many
	(cd in/many && for i in $(seq 3000); do : >$i.csv; done; chmod 0 ./*)
	run -3 --separate-stderr nobody tp-look in
	printf '%s\n' "$output" >out
	good
	[ "$(jq -r 'select(.state == "lost").path' out | wc -l)" -eq 3000 ]
	[ "$(jq -s 'map(select(.code == "input.failed").count) | add' out)" -eq 3000 ]
	[ "$(grep -c '"kind":"note"' out)" -eq 21 ]
	[ "${#stderr_lines[@]}" -eq 21 ]
}

# bats test_tags=rest
@test "tp-look: a gzip bomb, a line of 64 MiB and a file of 5 GB are read no further than 64 KiB" {
	head -c 50000000 /dev/zero | gzip >in/bomb.csv.gz
	{ printf 'start,duration\n'; head -c 50000000 /dev/zero |
	    tr '\0' 1; } | gzip >in/bomb2.csv.gz
	head -c 67108864 /dev/zero | tr '\0' a >in/line.csv
	head -c 67108864 /dev/zero | tr '\0' '<' >in/angle.xml
	head -c 67108864 /dev/zero | tr '\0' '[' >in/deep.json
	truncate -s 5G in/sparse.csv in/sparse.xml
	limited tp-look in >out
	good
	[ "$(jq -r 'select(.kind == "input").path' out | wc -l)" -eq 8 ]
	skip_unless strace
	strace -o /dev/null true 2>/dev/null || skip 'strace cannot trace here'
	ASAN_OPTIONS="${ASAN_OPTIONS-}:detect_leaks=0" strace -f -y \
	    -e trace=open,openat,read,pread64,readv,mmap -o trace tp-look in >out
	for f in in/*; do
		[ "$(grep -c "open.*\"$f\"" trace)" -eq 1 ] ||
		    fail "$f: $(grep "open.*\"$f\"" trace)"
		bytes=$(awk -v f="/$f>" 'index($0, f) && /read/ { n += $NF }
		    END { print n + 0 }' trace)
		[ "$bytes" -le 65536 ] || fail "$f: $bytes bytes"
	done
	run ! grep 'mmap.*/in/' trace
}

# bats test_tags=rest
@test "tp-look: a table of contents or a log without end is stopped" {
	{ printf '<?xml version="1.0"?>\n<trace-toc>\n<run number="1"><data>\n'
	yes '<table schema="kdebug"/>' | head -c 100000000; } >in/toc.xml
	{ head -c 100000000 /dev/zero | tr '\0' a; echo; } >in/long.log
	limited tp-look in >out 2>err || [ $? -eq 3 ]
	good
}

@test "tp-look: 40 folders in each other end at 32, told and 3" {
	path=in
	for i in $(seq 40); do path=$path/d; done
	mkdir -p "$path"
	small_gpu >"$path/deep.csv"
	run -3 tp-look in
	printf '%s\n' "$output" | grep '^{' >out
	good
	told lost 'folders nest too deep'
}

# bats test_tags=rest
@test "tp-look: 20,000 tables take seconds" {
	mkdir in/many
	awk -v OFS='' 'BEGIN { for (i = 0; i < 20000; i++) {
	    f = "in/many/" i ".csv"
	    print "start,duration,channel-name,process,cmdbuffer-id\n", i,
	    ",100,Compute,python3.11 (", i, "),1" >f
	    close(f) } }'
	limited tp-look in >out
	[ "$(grep -c '"kind":"input"' out)" -eq 20001 ]
	run -2 limited tp-look --into to in
	[[ $output = *"holds "*" recordings: "*" ...; choose one with --run" ]]
	# copies are read once more, not each with each
	for i in $(seq 2000); do small_gpu >in/many/$i.csv; done
	limited tp-look in/many >out
	[ "$(jq -s 'map(select(.code == "table.repeated").count) | add' \
	    out)" -eq 1999 ]
}

@test "tp-look: any name is a name" {
	long=$(head -c 251 /dev/zero | tr '\0' l)
	cd in
	for name in $'new\nline' $'esc\033[31mred' -dash '[a]*?' 'back\slash' \
	    '%s%n' '#hash' $'bad\377utf8' "$long" "quo'te\"s" '$(touch ran)' \
	    ' ' 'a=b' 'c:d' '~'; do
		{ cat gpu.csv; echo "${#name},1,Compute,python3.11 (7),3"; } \
		    >"./$name.csv"
		printf 'PK\003\004' >"./$name.zip"
	done 2>/dev/null
	cd ..
	limited tp-look in >out
	good
	[ "$(grep -c '"kind":"input"' out)" -eq 31 ]
	jq -e -s 'map(select(.path == "in/new\nline.csv")) | length == 1' out
	jq -e -s 'any(.[]; .path == "in/bad\ufffdutf8.csv")' out
	[[ $(<out) != *$'\033'* ]]
	tp-look --list in >list 2>err
	[ "$(wc -l <list)" -eq 31 ]
	[[ $(<list)$(<err) != *$'\033'* ]]
	# the command that unpacks is of the file alone
	text=$(jq -r 'select(.path == "in/$(touch ran).zip").text' out)
	eval "set -- ${text##*: }"
	[ "$*" = 'unzip in/$(touch ran).zip' ]
	cd in
	tp-look -- -dash.csv | grep -q '"path":"-dash.csv","state":"used"'
}

@test "tp-look: a path of almost 4 KB is read, a longer one told" {
	d=$(head -c 200 /dev/zero | tr '\0' d)
	(
		cd in
		for i in $(seq 21); do
			mkdir $d && cd $d || exit
			printf 'PK\003\004' >a.zip
			small_gpu >g.csv
		done
	)
	run tp-look in
	[ "$status" -eq 3 ]
	printf '%s\n' "$output" | grep '^{' >out
	"$TP_BUILD/check-schema" "$TP_ROOT/share/schema" <out
	told lost 'File name too long'
	told unused 'a.zip'
	! grep -q 'ufffd\|�' out
	rm -rf in
}

# bats test_tags=rest
@test "tp-look: files that come, go and grow meanwhile stop nothing" {
	mkdir in/moving
	(for i in $(seq 400); do small_gpu >in/moving/$((i % 20)).csv
	    echo x >>in/gpu.csv; rm -f in/moving/$(((i + 7) % 20)).csv
	done) 3>&- &
	for i in 1 2 3 4 5 6 7 8; do
		tp-look in >out 2>err || [ $? -eq 3 ] || fail "$(cat err)"
		"$TP_BUILD/check-schema" "$TP_ROOT/share/schema" <out
	done
	wait
}

# everything in DIR, and when it changed
times() {
	find "$1" -printf '%p %T@ %C@ %i\n' | sort
}

@test "tp-look --into: where nothing changed nothing is written" {
	printf '# Mine\n' >in/notes.md
	tp-look --into to/in in 2>/dev/null && fail 'no folder "to"'
	mkdir to
	tp-look --into to/in in
	times to >before
	sleep 0.02
	tp-look --into to/in in
	times to | diff before -
	[ "$(readlink to/in/metal-gpu-intervals)" = "$(realpath in)/gpu.csv" ]
	cmp to/in/metal-gpu-intervals in/gpu.csv
}

@test "tp-look --into: of a file that changed only its own stamp and the list differ" {
	cp in/gpu.csv in/wired.csv
	printf 'start,duration,bytes,color,gpu,event-label,event-type\n0,150,1000,0,M1,x,Wired System Memory\n' >in/wired.csv
	mkdir to
	touch -d 2020-01-01 in/gpu.csv
	tp-look --into to/in in
	for change in 'touch -d 2021-01-01 in/gpu.csv' \
	    'chmod 600 in/gpu.csv' \
	    'cp -p in/gpu.csv x; mv x in/gpu.csv' \
	    'echo 400,1,Compute,x,3 >>in/gpu.csv; touch -d 2021-01-01 in/gpu.csv'
	do
		times to | grep -v ' to/in$' >before
		sleep 0.02
		eval "$change"
		tp-look --into to/in in
		times to >after
		changed=$(diff before after | sed -n 's/^> \([^ ]*\) .*/\1/p' |
		    grep -v -x -e to/in -e to/in/gpu -e to/in/input.jsonl || :)
		[ "$changed" = to/in/gpu/metal-gpu-intervals ] ||
		    fail "$change: $changed"
	done
	# what goes away goes there too
	rm in/wired.csv
	tp-look --into to/in in
	[ ! -e to/in/memory ] && [ ! -L to/in/metal-wired-sysmem-level-interval ]
}

@test "tp-look --into: a folder that is a link, and what is not ours, are refused and stay" {
	mkdir to other
	ln -s ../other to/in
	run -4 tp-look --into to/in in
	[[ $output = *"cannot enter the folder 'to/in': it is a link" ]] || fail "$output"
	[ -z "$(ls other)" ]
	rm to/in
	for make in 'echo mine >to/in/mine' 'mkdir to/in/Mine' \
	    'mkfifo to/in/pipe' 'mkdir -p to/in/gpu/sub' \
	    'mkdir to/in/gpu; ln -s ../../../other to/in/gpu/metal-gpu-intervals' \
	    'ln -s ../../other to/in/gpu' \
	    'mkdir -p to/in/metal-gpu-intervals; echo mine >to/in/metal-gpu-intervals/x'
	do
		mkdir to/in
		eval "$make"
		find to other ! -name in | sort >before
		echo kept >other/kept
		run timeout 20 tp-look --into to/in in
		[ "$(cat other/kept)" = kept ] && [ "$(ls other)" = kept ]
		case $make in
		'ln -s ../../other to/in/gpu')	# a link of an earlier run
			[ "$status" -eq 0 ] && [ ! -L to/in/gpu ] ||
			    fail "$make: $status $output"
			;;
		*)
			[ "$status" -eq 4 ] || fail "$make: $status $output"
			rm other/kept
			find to other ! -name in | sort | diff before - ||
			    fail "$make"
			;;
		esac
		rm -rf to/in other/kept
	done
}

@test "tp-look --into: what it writes goes through no link" {
	mkdir to other
	echo kept >other/kept
	tp-look --into to/in in
	for f in input.jsonl lost.jsonl made-by asked meta.jsonl \
	    gpu/metal-gpu-intervals; do
		ln -sf "$PWD/other/kept" "to/in/$f"
		run timeout 20 tp-look --into to/in in
		[ "$(cat other/kept)" = kept ] || fail "$f"
		[ "$status" -eq 4 ] || [ ! -L "to/in/$f" ] || fail "$f"
		rm -f "to/in/$f"
	done
}

@test "tp-look: statuses are those of the manual" {
	mkdir to none
	run -0 tp-look none
	run -1 tp-look --into to/in none
	run -4 tp-look nowhere in
	[[ $output = *'"path":"in/gpu.csv","state":"used"'* ]]
	run -4 tp-look --into to/in nowhere in
	run -2 tp-look --into in/in in
	[[ $output = *'another folder than the trace'* ]]
	mkdir in/b
	echo 9,9,Compute,python3.11 '(8)',1 | cat in/gpu.csv - >in/b/gpu.csv
	sed -i 's/(7)/(9)/' in/b/gpu.csv
	run -0 tp-look in
	run -2 tp-look --into to/in in
	run -0 tp-look --into to/in --run b in
	run -2 tp-look --run c in
	printf '\037\213\010' >in/cut.gz
	run -3 tp-look in
}
