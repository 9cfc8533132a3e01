#!/bin/sh
# run.sh [-a] [LINE]: fail calls of the system under every filter, in turn
#
# Each line of tests/faults/commands (or LINE alone) is run once to count its
# calls, then once per fault: memory, reads, writes, opened and closed files
# fail, are interrupted or cut short (see faults.c).  What must hold:
#
# - the status is that of a clean run, and so is every byte that was written;
#   or it is 5 without memory, else 4, with a message;
# - what was interrupted or cut short makes no difference;
# - a file that was to be written is whole, or as it was before;
# - nothing leaks, and nothing is read that is not there (the sanitizers).
#
# Of many calls of a kind the first few are failed and then ever fewer; -a
# fails every one.  Needs a build with SAN.  Prints TAP; counts go to
# BUILD/faults, "CALL TRIED TOLD", a file per command.
set -u
cd "$(dirname "$0")/../.." || exit 2
root=$PWD
: "${TP_BUILD:=$root/build/san}"
step=4
if [ "${1-}" = -a ]; then
	step=1000000
	shift
fi
if ! nm "$TP_BUILD/tp-rows" 2>/dev/null | grep -q __wrap_malloc; then
	echo 'ok faults # skip only a build with SAN has them'
	exit 0
fi
PATH=$TP_BUILD:$PATH
TP_SHARE=$root/share
LC_ALL=C
ASAN_OPTIONS=exitcode=99
export PATH TP_SHARE LC_ALL ASAN_OPTIONS
unset NO_COLOR TP_BLOCK TP_INFLATE SOURCE_DATE_EPOCH
tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$TP_BUILD/faults"

# What some commands need besides the files of their case.
zip() {
	gzip -n in.csv
}

# Longer than a first look, so that a thread inflates the rest.
long_gzip() {
	{
		cat in.csv
		yes 5,7,Compute | head -n 20000
	} | gzip -n >in.csv.gz
}

table() {
	tp-csv cpu.function in.jsonl >table.csv
}

begun_history() {
	echo '{}' >history.jsonl
}

# copy CASE MAKE: a fresh folder of what the command reads.
copy() {
	rm -rf "$tmp/case"
	cp -R "$root/tests/golden/$1" "$tmp/case" &&
	    (cd "$tmp/case" && rm -f out err cmd status &&
	    echo old >product && ${2:-:})
}

# run FAULT: run $command, with standard output in $tmp/out, what it said in
# $tmp/err; all that it makes in $tmp/case.
run() {
	(cd "$tmp/case" && TP_FAIL=$1 eval exec $command) \
	    </dev/null >"$tmp/out" 2>"$tmp/err"
	status=$?
}

# same FILE WANTED
same() {
	cmp -s "$1" "$2"
}

# wrong TEXT: the current fault was not survived.
wrong() {
	[ $bad -lt 5 ] && echo "# TP_FAIL='$fault' ($case) $command: $1:" \
	    "$(head -c 300 "$tmp/err" | head -n 3)" >&3
	bad=$((bad + 1))
}

# Products that are neither whole nor as before; puts them back.
half_written() {
	local f
	for f in $products; do
		if [ -e "$tmp/case/$f" ] &&
		    ! same "$tmp/case/$f" "$tmp/clean/$f" &&
		    ! same "$tmp/case/$f" "$tmp/start/$f"; then
			echo "$f"
		fi
		rm -f "$tmp/case/$f"
		[ ! -e "$tmp/start/$f" ] ||
		    cp "$tmp/start/$f" "$tmp/case/$f"
	done
	for f in "$tmp"/case/*.part; do
		[ ! -e "$f" ] || echo "$f"
	done
}

# whole: everything is as after a clean run.
whole() {
	local f
	[ $status -eq $clean ] && same "$tmp/out" "$tmp/clean.out" &&
	    same "$tmp/err" "$tmp/clean.err" || return 1
	for f in $products; do
		same "$tmp/case/$f" "$tmp/clean/$f" || return 1
	done
}

# try WANT FAULT: WANT is the status of failure, or "same".
try() {
	local want=$1 ok=no half
	fault=$2
	tried=$((tried + 1))
	run "$fault"
	whole && ok=yes
	half=$(half_written)
	if [ $ok = yes ]; then
		return
	fi
	told=$((told + 1))
	if [ $want = same ]; then
		wrong "status $status, and not all is the same"
	elif [ $status -ne $want ]; then
		wrong "status $status"
	elif [ ! -s "$tmp/err" ]; then
		wrong "status $status without a word"
	elif [ -n "$half" ]; then
		wrong "half-written: $half"
	fi
}

# each CALL COUNT HOW WANT: fail calls 1, 2, ... COUNT.
each() {
	local n=1
	while [ $n -le $2 ]; do
		try $4 "$1:$n$3"
		n=$((n + 1 + n / step))
	done
}

# faults CALLS...: those of $command, or of all calls.
faults() {
	copy "$case" "$make" || {
		echo "# $case: no such case" >&3
		bad=$((bad + 1))
		return
	}
	rm -rf "$tmp/start"
	cp -R "$tmp/case" "$tmp/start"
	TP_FAIL_COUNT=$tmp/counts
	export TP_FAIL_COUNT
	run ''
	unset TP_FAIL_COUNT
	clean=$status
	rm -rf "$tmp/clean"
	cp -R "$tmp/case" "$tmp/clean"
	mv "$tmp/out" "$tmp/clean.out"
	mv "$tmp/err" "$tmp/clean.err"
	products=$(cd "$tmp/clean" && find . -type f | while read -r f; do
		same "$f" "$tmp/start/$f" || echo "${f#./}"
	done)
	case $clean in
	0 | 1 | 3 | 4) ;;
	*) wrong "a clean run ends with $clean" ;;
	esac
	half_written >/dev/null
	while read -r call count; do
		case " ${*:-$call} " in
		*" $call "*) ;;
		*) continue ;;
		esac
		tried=0 told=0
		case $call in
		malloc)
			each malloc $count '' 5
			each malloc $count + 5
			;;
		read | write)
			each $call $count '' 4
			each $call $count + 4
			each $call $count :EINTR same
			each $call $count :short same
			try same $call:1+:short
			;;
		*)
			each $call $count '' 4
			;;
		esac
		echo "$call $tried $told"
	done <"$tmp/counts" >>"$TP_BUILD/faults/$number"
}

number=0 failed=0
while IFS='|' read -r case make command; do
	number=$((number + 1))
	case $case in
	'#'* | '') continue ;;
	esac
	[ -z "${1-}" ] || [ "$1" = $number ] || continue
	case=$(echo $case) make=$(echo $make) command=$(echo $command) bad=0
	: >"$TP_BUILD/faults/$number"
	{
		case $command in
		*' --write '*) ;;	# it has its files
		*)
			faults write close
			# into a file; the program may follow "env A=b"
			command=$(echo "$command" |
			    sed 's/\(^\| \)\(tp-[a-z-]*\)/\1\2 --output product/')
			;;
		esac
		faults
	} 3>"$tmp/said"
	if [ $bad -eq 0 ]; then
		echo "ok faults: $command"
	else
		echo "not ok faults: $command ($bad)"
		cat "$tmp/said"
		failed=1
	fi
done <tests/faults/commands
exit $failed
