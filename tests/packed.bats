#!/usr/bin/env bats
# Packed inputs: Zstandard beside gzip, blocked gzip, and the thread for both.
# What gzip alone has to stand is in damage.bats and tests/golden/damage-gzip.

bats_require_minimum_version 1.5.0
load helper

setup() {
	cd "$BATS_TEST_TMPDIR"
}

# A frame of no bytes is an empty input, unless nobody knows what a frame is.
need_zstd() {
	printf '(\265/\375\040\000\001\000\000' >frame
	tp-rows --sniff frame | grep -q empty ||
		skip 'built without libzstd'
}

# csv ROWS: a table of that many GPU intervals, each of its own length.
csv() {
	awk -v n="$1" 'BEGIN {
		print "start,duration,channel-name,process,cmdbuffer-id"
		for (i = 0; i < n; i++)
			printf "%d,%d,Compute,p (7),%d\n", i * 1000,
			    i * 7919 % 1000, i
	}'
}

# told FILE [OPTION...]: status, records and words, in blocks of any size.
told() {
	local block file=$1
	shift
	for block in 100000000 4096 61 7; do
		status=0
		TP_BLOCK=$block tp-gpu-intervals --label x "$@" <"$file" \
		    >"$block.out" 2>"$block.err" || status=$?
		echo "$status" >>"$block.out"
		cmp 100000000.out "$block.out"
		cmp 100000000.err "$block.err"
	done
	cat 100000000.err 100000000.out
}

# skipped TEXT: a frame that holds TEXT for somebody else.
skipped() {
	printf "\120\052\115\030\\$(printf %03o ${#1})\000\000\000%s" "$1"
}

# tell FILE STATUS WORDS: what a filter says of FILE.
tell() {
	run --separate-stderr tp-gpu-intervals "$1"
	[ "$status" -eq "$2" ] || fail "$1: $status"
	[ "$stderr" = "tp-gpu-intervals: $1: $3" ] || fail "$stderr"
}

@test "zstd: the same as what was packed, in blocks of any size" {
	need_zstd
	csv 7000 >in
	zstd -q in
	zstd -q -19 --no-check in -o best.zst
	zstd -q --content-size - <in >stream.zst
	told in >want
	grep -q '"rows":7000' want
	for f in in.zst best.zst stream.zst; do
		told $f | diff want -
	done
}

@test "zstd: frames are one stream, and those to skip are skipped" {
	need_zstd
	csv 3000 >in
	{
		skipped before
		head -n 1000 in | zstd -q
		cat frame
		sed '1,1000d' in | zstd -q -1
		skipped ''
	} >in.zst
	told in >want
	told in.zst | diff want -
	# a magic that is cut off is a frame that is; others are bytes behind
	cp in.zst part.zst
	printf '(\265/' >>part.zst
	told part.zst | grep -q 'zstd data ends early'
	printf '(\265a' >>in.zst
	told in.zst >got
	grep -q '"code":"zstd.trailing","text":"<stdin>: bytes after the end of the zstd data were ignored","count":3,' got
	grep -v '"kind":"note"' got | diff want -
}

# bats test_tags=rest
@test "zstd: what is cut off or damaged gives what came before, in blocks of any size" {
	need_zstd
	csv 7000 >in
	zstd -q in
	size=$(wc -c <in.zst)
	for at in $((size / 9)) $((size / 3)) $((size / 2)) $((size * 9 / 10)) $((size - 1)); do
		head -c $at in.zst >cut.zst
		told cut.zst >got
		[ "$(tail -n 1 got)" -eq 3 ]
		grep -q 'zstd data ends early; copy it again' got
		{
			head -c $at in.zst
			printf '\125\252\001\376\063\314'
			tail -c +$((at + 7)) in.zst
		} >bad.zst
		told bad.zst >got
		[ "$(tail -n 1 got)" -eq 3 ]
		grep -q 'zstd data \(is damaged\|ends early\); copy it again' got
	done
	# all rows are there when only the checksum is wrong
	grep -q '"rows":7000' got
}

# bats test_tags=rest
@test "zstd: a window of more than 128 MiB, a dictionary and a bomb are refused with words" {
	need_zstd
	printf '(\265/\375\000\210\001\000\000' >widest
	run -1 tp-rows --sniff widest
	[[ $output = $'widest\tempty\t'* ]]
	printf '(\265/\375\000\250\001\000\000' >wide
	tell wide 5 "zstd data needs more than 128 MiB of memory to inflate; pack it without --long, or pipe it from 'zstd -dc --long=31'"
	printf '(\265/\375\001\000\005\001\000\000' >other
	tell other 3 "zstd data needs a dictionary, which cannot be given; pipe it from 'zstd -dc -D DICTIONARY'"
	[[ $output = *'"code":"zstd.dictionary"'* ]]
	{ csv 1; head -c 80000000 /dev/zero | tr '\0' '\n'; } | zstd -q >bomb
	run -5 limited tp-gpu-intervals bomb
	[[ $output == *"bomb: zstd data inflates more than 1000 times; --max-expand raises the limit"* ]]
	tp-gpu-intervals --max-expand 100000 bomb >out
	run -5 tp-gpu-intervals --max-expand 100000 --max-bytes 70MB bomb
}

@test "zstd: names lose the ending, folders are read, and tp-look says what is there" {
	need_zstd
	mkdir gz zst
	csv 100 | tee gz/run_metal_gpu_intervals.csv \
	    >zst/run_metal_gpu_intervals.csv
	tp-gpu-intervals gz/run_metal_gpu_intervals.csv | grep -v source >want
	gzip gz/*
	zstd -q --rm zst/*
	tp-gpu-intervals zst/run_metal_gpu_intervals.csv.zst | grep -v source |
	    diff want -
	for how in gz zst; do
		(cd $how && tp-report . | sed '/^# 8/,$d') >$how.md
	done
	diff gz.md zst.md
	printf '(\265/\375\000\250\001\000\000' >zst/wide.csv.zst
	run -3 --separate-stderr tp-look zst
	[[ $output = *'"path":"zst/run_metal_gpu_intervals.csv.zst","state":"used","format":"csv","table":"metal-gpu-intervals"'* ]]
	[[ $output = *'"path":"zst/wide.csv.zst","state":"lost"'* ]]
	[[ $output = *'"code":"input.limit"'* ]]
}

@test "zstd: a capture of JAX, and what tp-redact and tp-put make of it" {
	need_zstd
	mkdir -p run/plugins/profile/2026_01_02_03_04_05
	cat >in.json <<-'END'
	{"traceEvents":[{"ph":"M","pid":1,"name":"process_name","args":{"name":"/host:CPU"}},
	{"ph":"X","pid":1,"tid":1,"ts":1,"dur":5,"name":"a","args":{"k":"/home/ada/x"}}]}
	END
	zstd -q in.json -o run/plugins/profile/2026_01_02_03_04_05/host.trace.json.zst
	tp-rows --sniff run/plugins/profile/*/*.zst | grep -q trace-events
	tp-trace run | grep -q '/host.trace.json.zst","format":"json"'
	zstd -q in.json
	tp-redact -q in.json >want
	tp-redact -q in.json.zst | cmp - want
	tp-put out in.json.zst
	cmp out in.json
}

# bats test_tags=rest
@test "bgzip: blocks are read as one stream, also without the empty one at the end" {
	csv 7000 >in
	python3 - <<-'END'
	import struct, zlib
	data = open('in', 'rb').read()
	def block(part):
	    z = zlib.compressobj(6, zlib.DEFLATED, -15)
	    body = z.compress(part) + z.flush()
	    return (b'\x1f\x8b\x08\x04\0\0\0\0\0\xff\x06\0BC\x02\0' +
	        struct.pack('<H', len(body) + 25) + body +
	        struct.pack('<II', zlib.crc32(part), len(part)))
	blocks = [block(data[i:i + 65280]) for i in range(0, len(data), 65280)]
	open('open.bgz', 'wb').write(b''.join(blocks))
	open('in.bgz', 'wb').write(b''.join(blocks) + block(b''))
	END
	told in >want
	told in.bgz | diff want -
	told open.bgz | diff want -
	TP_INFLATE=zlib told in.bgz | diff want -
	head -c $(($(wc -c <in.bgz) / 2)) in.bgz >cut.bgz
	told cut.bgz | grep -q 'gzip data ends early'
}

@test "packed: a large file is inflated by a thread of its own, a small one is not" {
	same_with_san		# its search for leaks is no friend of strace
	command -v strace >/dev/null || skip 'no strace'
	strace -o /dev/null true || skip 'strace may not trace here'
	csv 30000 >large
	csv 20 >small
	gzip large small
	for f in large small; do
		strace -f -e trace=clone,clone3 -o calls \
		    tp-gpu-intervals $f.gz >out
		case $f in
		large) grep -q CLONE_THREAD calls ;;
		small) ! grep -q CLONE_THREAD calls ;;
		esac
	done
}

@test "packed: a reader that goes away ends it, and no thread keeps it" {
	csv 60000 >in
	gzip -k in
	! command -v zstd >/dev/null || zstd -q in
	for f in in.gz in.zst; do
		[ -e $f ] || continue
		timeout 20 tp-rows $f | head -n 1 >out
		[ "${PIPESTATUS[0]}" -ne 124 ]
	done
}
