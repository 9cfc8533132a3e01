#!/bin/sh
# run.sh [-a] [-j N] [LINE]: fail calls of the system under every filter
#
# Each line of tests/faults/commands (or LINE alone), N at a time, is run once
# to count its calls, then once per fault: memory, reads, writes, opened and
# closed files fail, are interrupted or cut short (see faults.c, each.c).
# What must hold:
#
# - the status is that of a clean run, and so is every byte that was written;
#   or it is 5 without memory, else 4, with a message (3 when tp-look tells of
#   a file that it could not read);
# - what was interrupted or cut short makes no difference;
# - a file that was to be written is whole, or as it was before, and no other
#   is left;
# - nothing leaks, and nothing is read that is not there (the sanitizers);
# - it ends.
#
# Of many calls of a kind the first few are failed and then ever fewer, of every
# fourth line; -a fails every one, and requests for memory at every place of the
# program where they are made (each.c).  Needs a build with SAN.  Prints TAP; counts go to
# BUILD/faults, "CALL TRIED TOLD", a file per command, and are summed up at
# the end.  Line 0 is a program that is careless on purpose (careless.c).
set -u
cd "$(dirname "$0")/../.." || exit 2
root=$PWD
: "${TP_BUILD:=$root/build/san}"
step=4 all='' jobs=1 lines=4
while :; do
	case ${1-} in
	-a) step=places all=-a lines=1 ;;
	-j) jobs=$2; shift ;;
	*) break ;;
	esac
	shift
done
if ! nm "$TP_BUILD/tp-rows" 2>/dev/null | grep -q __wrap_malloc; then
	echo 'ok faults # skip only a build with SAN has them'
	exit 0
fi
PATH=$TP_BUILD:$PATH
TP_SHARE=$root/share
LC_ALL=C
ASAN_OPTIONS=exitcode=99
UBSAN_OPTIONS=exitcode=99
export TP_BUILD PATH TP_SHARE LC_ALL ASAN_OPTIONS UBSAN_OPTIONS
unset NO_COLOR TP_BLOCK TP_INFLATE TP_FAIL SOURCE_DATE_EPOCH
mkdir -p "$TP_BUILD/faults"

# Every line; then what came of it.
if [ $# -eq 0 ]; then
	rm -f "$TP_BUILD"/faults/*
	seq 0 $lines "$(wc -l <tests/faults/commands)" |
	    xargs -P "$jobs" -n 1 sh tests/faults/run.sh $all
	status=$?
	cat "$TP_BUILD"/faults/* | awk '
		{ tried[$1] += $2; told[$1] += $3; sum += $2; sums += $3 }
		!($1 in at) { at[$1] = ++n; name[n] = $1 }
		END {
			format = "# %-8s %8s %8s\n"
			printf format, "call", "tried", "told"
			for (i = 1; i <= n; i++)
				printf format, name[i], tried[name[i]],
				    told[name[i]]
			printf format, "all", sum, sums
		}'
	[ $status -eq 0 ] || exit 1
	exit 0
fi
line=$1
# in memory, where that can be
tmp=$(TMPDIR=/dev/shm mktemp -d 2>/dev/null) || tmp=$(mktemp -d) || exit 2
TMPDIR=$tmp
export TMPDIR
trap 'rm -rf "$tmp"' EXIT

# What some commands need besides the files of their case.
zip() {
	gzip -n in.csv
}

database() {
	mkdb nsys in.sqlite --page 512 --kernels 12
	mkdb rocpd in.db --page 512 --kernels 4
	gzip -nk in.db
}

packed_xplane() {
	gzip -n in.xplane.pb
}

# What is to be written is there already.
same() {
	cp in.csv product
}

# Longer than a first look, so that a thread inflates the rest.
long_csv() {
	cat in.csv
	yes 5,7,Compute | head -n 20000
}

long_plain() {
	long_csv >long.csv
}

long_trace() {
	{
		echo '['
		yes '{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7,
 "ts": 1.5, "dur": 1, "args": {"stream": 7, "correlation": 1}},' |
		    head -n 2400
		echo '{}]'
	} >long.json
}

long_gzip() {
	long_csv | gzip -n >in.csv.gz
}

long_zstd() {
	long_csv | zstd -q >in.csv.zst
}

folder() {
	mkdir out
}

table() {
	tp-csv cpu.function in.jsonl >table.csv
}

timelines() {
	tp-etdump ./*.csv >in.jsonl
}

begun_history() {
	echo '{}' >history.jsonl
}

recorded_history() {
	for level in 100 101 102 103 104; do
		echo '{"assessment":{"checks":[{"after":'$level'e3,"decides":"time","gate":"step-throughput","metric":"step[all].start_to_start_ns","status":"pass"}],"status":"pass"}}'
	done >history.jsonl
}

# copy CASE MAKE: a fresh folder of what the command reads.
copy() {
	rm -rf "$tmp/case"
	cp -R "$TP_BUILD/cases/$1" "$tmp/case" &&
	    (cd "$tmp/case" && echo old >product && ${2:-:})
}

# faults HOW COMMAND: fail calls of COMMAND (see TP_FAULTS in each.c).
faults() {
	copy "$case" "$make" || {
		echo "# $case: no such case"
		return 1
	}
	(
		cd "$tmp/case" || exit 2
		TP_FAULTS=$1
		export TP_FAULTS
		case $2 in
		*tp-look*) export TP_FAULTS_LOST=1 ;;
		esac
		eval exec "$2"
	) </dev/null >>"$TP_BUILD/faults/$line" 2>"$tmp/said"
	status=$?
	[ $status -eq 0 ] && [ ! -s "$tmp/said" ] && return
	echo "# ($case) $2 ($status):"
	cat "$tmp/said"
	return 1
}

# seen MODE TEXT: TEXT is said of the careless program.
seen() {
	mkdir -p "$tmp/$1"
	(
		cd "$tmp/$1" && echo old >product &&
		TP_FAULTS=1000000 exec careless "$1"
	) >"$tmp/out" 2>"$tmp/said"
	[ $? -eq 1 ] && grep -q -e "$2" "$tmp/said" && return
	echo "not ok faults: '$1' was not seen to be careless"
	sed 's/^#*/# /' "$tmp/said" "$tmp/out"
	exit 1
}

itself() {
	seen crash ": status 99: "
	seen leak "malloc:2': status 99: "
	seen silent "write:1': status 4 without a word"
	seen status "close:1': status 3: "
	seen interrupted "write:1:EINTR': status 4, and not all is the same"
	seen short "write:1:short': status 0, and not all is the same"
	seen forgetful "write:1': status 0"
	seen half "write:1': half-written: product:"
	seen litter "write:1': half-written: product.part:"
	seen lost "rename:1': half-written: product:"
	(mkdir "$tmp/careful" && cd "$tmp/careful" && echo old >product &&
	    TP_FAULTS=1000000 careless careful) >"$tmp/out" 2>&1
	printf '%s\n' 'malloc 2 2' 'read 0 0' 'write 4 1' 'open 1 1' \
	    'close 1 1' 'rename 1 1' 'stat 0 0' 'seek 0 0' 'lock 0 0' \
	    'thread 0 0' 'sync 0 0' | cmp - "$tmp/out" && return
	echo 'not ok faults: what is careful was not survived'
	sed 's/^#*/# /' "$tmp/out"
	exit 1
}

if [ "$line" -eq 0 ]; then
	itself
	echo 'ok faults: what is careless is seen'
	exit 0
fi
IFS='|' read -r case make command <<EOF
$(sed -n "${line}p" tests/faults/commands)
EOF
case $case in
'#'* | '') exit 0 ;;
esac
case=$(echo $case) make=$(echo $make) command=$(echo "$command" | sed 's/^ *//')
: >"$TP_BUILD/faults/$line"
{
	first=0
	case $command in
	*' --write '* | *' --output '* | tp-put*) ;;	# it has its files
	*)
		faults "$step only" "$command" || first=1
		# into a file; the program may follow "env A=b"
		command=$(echo "$command" |
		    sed 's/\(^\| \)\(tp-[a-z-]*\)/\1\2 --output product/')
		;;
	esac
	faults "$step" "$command" && [ $first -eq 0 ]
} >"$tmp/report"
if [ $? -eq 0 ]; then
	echo "ok faults: $command"
else
	echo "not ok faults: $command"
	cat "$tmp/report"
	exit 1
fi
