# Programs are built so that they are hard to take over, and give up what they
# do not need before they read what strangers made (share/doc/SECURITY.md).
load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	unset TP_CONFINE
}

# Whether the unit test can show what is refused here: else skip, as it does.
needs_kernel() {
	[ -z "${SAN-}" ] || skip "a sanitizer needs what is refused"
	mkfifo held
	tp-csv note held >/dev/null &
	exec 7>held
	grep -q '^Seccomp:.2' "/proc/$!/status" 2>/dev/null || no=1
	exec 7>&-
	wait
	[ -z "${no-}" ] || skip "this system has no filter of calls"
}

@test "confine: programs have stack protection, no fixed place, and read-only tables" {
	[ -z "${SAN-}" ] || skip "a sanitizer is built without"
	skip_unless readelf
	[ "$(uname -s)" = Linux ] || skip "readelf is of Linux"
	for p in $(filters) tp-put; do
		readelf -hldsW "$TP_BUILD/$p" >elf
		grep -q 'Type: *DYN' elf || fail "$p: at a fixed place"
		grep -q GNU_RELRO elf || fail "$p: no relro"
		grep -q 'FLAGS.*NOW' elf || fail "$p: binds late"
		grep 'GNU_STACK' elf | grep -q 'RW ' ||
		    fail "$p: an executable stack"
		grep -q '__stack_chk_fail' elf || fail "$p: no stack protector"
		grep -q '__[a-z]*printf_chk' elf || fail "$p: not fortified"
		[ "$(uname -m)" != x86_64 ] || ! command -v objdump ||
		    objdump -d --disassemble=main "$TP_BUILD/$p" |
		    grep -q endbr64 || fail "$p: jumps lead anywhere"
	done
}

@test "confine: each filter is confined while it reads, and TP_CONFINE=0 leaves it" {
	needs_kernel
	mkfifo in
	for p in $(filters); do
		case $p in
		tp-csv) set -- note in ;;
		tp-draw | tp-json | tp-query | tp-look | tp-inventory | \
		    tp-replay | tp-compare | tp-track | tp-xlsx | tp-ranks)
			continue ;;	# operands of another form
		*) set -- in ;;
		esac
		for confine in 1 0; do
			TP_CONFINE=$confine "$p" "$@" >/dev/null 2>&1 &
			exec 8>in
			state=$(sed -n 's/^Seccomp:.//p' "/proc/$!/status")
			exec 8>&-
			wait
			[ "$state" = $((2 * confine)) ] ||
			    fail "$p: TP_CONFINE=$confine is $state"
		done
	done
}

@test "confine: behind that no file is opened but inputs and share, and nothing is started" {
	needs_kernel
	skip_unless strace
	strace -o /dev/null true 2>/dev/null || skip "strace cannot trace here"
	small_gpu >gpu.csv
	strace -f -o calls tp-gpu-intervals gpu.csv -o out.jsonl
	sed '1,/seccomp(/d' calls >behind
	[ -s behind ]
	# the inputs, and the data they were installed with
	grep -E 'open(at)?\(' behind | grep -v -e '"gpu.csv", O_RDONLY' \
	    -e '/share/[^"]*", O_RDONLY' >other || :
	[ ! -s other ] || fail "$(cat other)"
	! grep -E 'exec|socket|connect|fork' behind
	[ -s out.jsonl ]
}

@test "confine: outputs of every form are written where they are wanted" {
	mkdir a b
	small_gpu | tp-gpu-intervals >r.jsonl
	small_gpu | tp-gpu-intervals -o a/one.jsonl
	cmp r.jsonl a/one.jsonl
	tp-csv -w gpu-processes=b/two.csv --write-if cpu-hot-spots=b/none.csv r.jsonl
	[ -s b/two.csv ]
	[ ! -e b/none.csv ]
	tp-csv -w gpu-processes=/dev/stdout r.jsonl | cmp - b/two.csv
	tp-csv -w gpu-processes=/dev/null r.jsonl
	(cd a && tp-csv -w gpu-processes=../b/three.csv ../r.jsonl)
	cmp b/two.csv b/three.csv
	[ "$(ls -A a b | grep -c '^\.')" = 0 ]
}

@test "confine: inputs are links, pipes and descriptors, and standard input may be closed" {
	small_gpu >gpu.csv
	ln -s "$PWD/gpu.csv" link
	tp-gpu-intervals -l x gpu.csv | plain >want
	for in in ./link /dev/stdin /dev/fd/0; do
		tp-gpu-intervals -l x "$in" <gpu.csv | plain | cmp - want
	done
	tp-gpu-intervals -l x <(cat gpu.csv) | plain | cmp - want
	status=0
	tp-gpu-intervals <&- >none 2>&1 || status=$?
	[ "$status" -eq 4 ]
}
