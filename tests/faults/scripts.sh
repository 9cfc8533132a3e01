#!/bin/sh
# scripts.sh [-n FAULTS] [-j N] [LINE]: fail what the scripts start
#
# Each line of tests/faults/scripts (or LINE alone), N at a time, is run once
# to note every program the script starts, its make and its scripts too.  Then
# it is run in a fresh copy of its folder for every one of them
#
# fail	that one says a word and fails, without output
# die	(programs of this package) SIGKILL ends it
# kill	SIGKILL ends the script and all that it started; then it is run again in
#	the same folder
#
# What must hold: the script ends; its status is not 0, with a word on standard
# error, or all is as after a clean run; a file that is not hidden is as it was
# or as a clean run leaves it; TMPDIR is empty (not after "kill"); no message
# is one of the shell about the script itself.  What runs after "kill" ends as
# a clean run does, or as a second one.
#
# -n takes FAULTS of every second line, evenly; without it all are tried.  Prints
# TAP; BUILD/faults-scripts has all that was found, a file per line.  Line 0 is
# scripts that are careless on purpose.
set -u
cd "$(dirname "$0")/../.." || exit 2
root=$PWD
: "${TP_BUILD:=$root/build}"
TP_BUILD=$(cd "$TP_BUILD" && pwd) || exit 2
few=0 jobs=1 seconds=60
while :; do
	case ${1-} in
	-n) few=$2; shift 2 ;;
	-j) jobs=$2; shift 2 ;;
	*) break ;;
	esac
done
command -v timeout >/dev/null || {
	echo "ok faults of scripts # skip no 'timeout'"
	exit 0
}
found=$TP_BUILD/faults-scripts
mkdir -p "$found" || exit 2
if [ $# -eq 0 ]; then
	rm -f "$found"/*
	seq 0 $((few ? 2 : 1)) "$(wc -l <tests/faults/scripts)" |
	    xargs -P "$jobs" -n 1 sh tests/faults/scripts.sh -n "$few"
	exit
fi
line=$1
# in memory, where that can be
tmp=$(TMPDIR=/dev/shm mktemp -d 2>/dev/null) || tmp=$(mktemp -d) || exit 2
trap 'rm -rf "$tmp"' EXIT
trap 'exit 1' HUP INT TERM
LC_ALL=C
TP_SHARE=$root/share
SOURCE_DATE_EPOCH=0
export LC_ALL TP_SHARE SOURCE_DATE_EPOCH
unset NO_COLOR TP_BLOCK TP_INFLATE TP_FAIL TP_FAULTS MAKE MAKEFLAGS MFLAGS \
    MAKELEVEL XCTRACE WANDB_API_KEY WANDB_ENTITY WANDB_PROJECT \
    WANDB_BASE_URL TP_STORE

# real/ has what is failed by its name, shims/ a script of each name in front.
mkdir "$tmp/real" "$tmp/shims" "$tmp/template"
# What they need stands in files: make starts with an environment of its own.
printf '#!/bin/sh\nFAULT_REAL=%s/real FAULT_STATE=%s/state\n' "$tmp" "$tmp" \
    >"$tmp/shim"
cat >>"$tmp/shim" <<'END'
# Notes that NAME is started, and fails it when it is the one.  "shim NAME" is
# for a script, which goes on by itself.
{ IFS= read -r FAULT; IFS= read -r FAULT_HOW; } <"$FAULT_STATE/fault" || exit 98
name=${0##*/} check=
if [ "$name" = shim ]; then
	check=1 name=$1
fi
n=1
set -C
until { printf '%s ' "$name" "$@" >"$FAULT_STATE/calls/$name.$n"; } 2>/dev/null
do
	n=$((n + 1))
done
set +C
printf '%s\n' "$name:$n" >>"$FAULT_STATE/order"
if [ "$name:$n" = "$FAULT" ]; then
	printf hit >"$FAULT_STATE/hit"
	case $FAULT_HOW in
	kill) kill -KILL 0 ;;
	die) kill -KILL ${check:+$PPID} $$ ;;
	esac
	echo "$name: failed by tests/faults" >&2
	case $name in
	tp-*) exit 4 ;;
	cmp | grep | sort | awk) exit 2 ;;	# 1 may be an answer
	esac
	exit 1
fi
[ -z "$check" ] || exit 0
exec "$FAULT_REAL/$name" "$@"
END
chmod +x "$tmp/shim"

# shim NAME PROGRAM
shim() {
	ln -s "$2" "$tmp/real/$1" && ln -s ../shim "$tmp/shims/$1"
}

for name in mv cp ln rm mkdir rmdir mktemp cat sed awk grep find sort head \
    tail cut tr touch date readlink cmp xargs gzip make sleep; do
	program=$(command -v $name) || continue
	shim $name "$program"
done
for program in "$TP_BUILD"/tp-*; do
	name=${program##*/}
	if [ "$(head -c 2 "$program")" != '#!' ]; then
		shim "$name" "$program"
		continue
	fi
	# its programs are those beside it; it starts itself again, with -p
	awk -v shim="$tmp/shim" -v name="$name" '{ print }
	    NR == 1 { print "case $- in *p*) " shim " " name \
		" \"$@\" || exit ;; esac" }' "$program" \
	    >"$tmp/shims/$name"
	chmod +x "$tmp/shims/$name"
done

# stub NAME: standard input is a program that takes the place of another
stub() {
	cat >"$tmp/stub-$1" && chmod +x "$tmp/stub-$1" && shim "$1" \
	    "$tmp/stub-$1"
}

# What the lines are set up with, in the folder that the command will find;
# talk is a sed script that takes away what may differ in standard output.
talk=
. tests/faults/scripts-setup.sh

fresh() {
	rm -rf "$tmp/run"
	mkdir -p "$tmp/run/tmp" && cp -Rp "$tmp/template" "$tmp/run/case" ||
		exit 98
}

# start FAULT HOW: run the command in the folder as it is; sets status
start() {
	rm -rf "$tmp/state"
	mkdir -p "$tmp/state/calls"
	: >"$tmp/state/order"
	printf '%s\n%s\n' "$1" "$2" >"$tmp/state/fault"
	began=$(date +%s)
	{
		(
			cd "$tmp/run/case" || exit 98
			TMPDIR=$tmp/run/tmp
			HOME=$tmp/run/home XDG_CACHE_HOME=$tmp/run/case/cache
			PATH=$tmp/shims:$PATH
			export TMPDIR HOME XDG_CACHE_HOME PATH
			# in a group of its own
			exec timeout -k 5 $seconds sh -c "$command"
		) </dev/null >"$tmp/out" 2>"$tmp/err"
		status=$?
	} 2>/dev/null
	if [ -n "$talk" ]; then
		sed "$talk" "$tmp/out" >"$tmp/plain"
		mv "$tmp/plain" "$tmp/out"
	fi
	# a program's own 137 is a status like any other
	hung=
	[ $(($(date +%s) - began)) -lt $seconds ] || hung=1
}

# What is in the folder, but for hidden names, to FILE: a line "PATH<TAB>WHAT"
look() {
	(
		cd "$tmp/run/case" || exit
		find . \( -name '.?*' -o -path '*/out/in' -o -path '*/out/*/in' \) -prune -o -type f -exec cksum {} + |
		    awk '{ what = $1 " " $2; sub(/^[0-9]+ [0-9]+ /, "")
			print $0 "\t" what }'
		find . \( -name '.?*' -o -path '*/out/in' -o -path '*/out/*/in' \) -prune -o -type l -exec sh -c '
		    for l; do
			    printf "%s\t-> %s\n" "$l" "$(readlink "$l")"
		    done' sh {} +
	) | sort >"$1"
}

# Names of files that are neither as they were nor as a clean run leaves them.
odd_files() {
	awk -F '\t' '
		{ is[FILENAME, $1] = $2; names[$1] }
		END {
			for (n in names) {
				now = is[ARGV[4], n]
				if (now != is[ARGV[1], n] &&
				    now != is[ARGV[2], n] &&
				    now != is[ARGV[3], n])
					printf "%s%s ", n, \
					    now == "" ? " (lost)" : ""
			}
		}' "$tmp/before" "$tmp/clean" "$tmp/clean2" "$tmp/now"
}

wrong=0 tried=0 missed=0
# bad WHAT: it is wrong of the fault that was tried
bad() {
	wrong=$((wrong + 1))
	said=$(head -c 300 "$tmp/err" | tr '\n' ' ')
	printf '# %s %s (%.60s): %s: %s\n' "$how" "$call" "$words" "$1" \
	    "$said" >>"$tmp/report"
}

# Whether status, output and files are those of clean run $1 ("clean", or
# "clean2").
as() {
	[ $status -eq "$(cat "$tmp/$1.status")" ] && cmp -s "$tmp/now" \
	    "$tmp/$1" && cmp -s "$tmp/out" "$tmp/$1.out"
}

shell_words='syntax error|unbound variable|command not found|bad substitution|integer expression|ambiguous redirect|unexpected'

# judge: what came of a run that was failed
judge() {
	stays=
	case $call in
	rm:* | rmdir:*) stays=1 ;;	# what was to be removed
	esac
	look "$tmp/now"
	if grep -q -E "$shell_words" "$tmp/err"; then
		bad "the shell's own words"
	elif [ -n "$hung" ]; then
		bad "did not end ($status)"
	elif ! as clean; then
		odd=$(odd_files)
		if [ $status -eq 0 ]; then
			bad "status 0, and not all is the same"
		elif [ ! -s "$tmp/err" ]; then
			bad "status $status without a word"
		elif [ -n "$odd" ]; then
			bad "half-written: $odd"
		fi
	fi
	[ -n "$stays" ] || [ -z "$(ls -A "$tmp/run/tmp")" ] ||
		bad "left below TMPDIR: $(ls -A "$tmp/run/tmp" | head -n 3)"
}

# again: the same in the folder that a kill left
again() {
	look "$tmp/now"
	odd=$(odd_files)
	[ -z "$odd" ] || bad "half-written by a kill: $odd"
	start '' ''
	look "$tmp/now"
	if grep -q -E "$shell_words" "$tmp/err"; then
		bad "the shell's own words, run again"
	elif [ -n "$hung" ]; then
		bad "run again, it did not end"
	elif ! as clean && ! as clean2; then
		bad "run again, status $status: $(diff "$tmp/clean" \
		    "$tmp/now" | grep '^[<>]' | head -n 3 | tr '\n\t' '  ')"
	fi
}

# try CALL HOW
try() {
	call=$1 how=$2
	fresh
	start "$call" "$how"
	tried=$((tried + 1))
	words=$(cat "$tmp/state/calls/$(echo "$call" | tr : .)" 2>/dev/null |
	    tr '\n\t' '  ')
	# at the same time others ran: there may be fewer of a name
	[ -e "$tmp/state/hit" ] || {
		missed=$((missed + 1))
		as_if_nothing
		return
	}
	if [ "$how" = kill ]; then
		again
	else
		judge
	fi
}

as_if_nothing() {
	look "$tmp/now"
	as clean || bad "nothing was failed, and not all is the same"
}

# clean_run NAME: run it without a fault; what it leaves is NAME
clean_run() {
	start '' ''
	look "$tmp/$1"
	cp "$tmp/out" "$tmp/$1.out"
	echo $status >"$tmp/$1.status"
}

# faults: every fault of the command, or FEW of them
faults() {
	wrong=0 tried=0 missed=0
	: >"$tmp/report"
	fresh
	look "$tmp/before"
	call=none how=clean words=
	clean_run clean
	# the first is the script itself
	awk 'NR > 1 || !/^tp-/' "$tmp/state/order" >"$tmp/calls"
	[ -z "$hung" ] && [ $status -ne 2 ] && [ $status -lt 6 ] ||
		bad "a clean run ends with $status"
	grep -q -E "$shell_words" "$tmp/err" && bad "the shell's own words"
	[ -z "$(ls -A "$tmp/run/tmp")" ] ||
		bad "left below TMPDIR: $(ls -A "$tmp/run/tmp")"
	clean_run clean2
	awk '{ print $0, "fail"
	    if (/^tp-/) print $0, "die"
	    print $0, "kill" }' "$tmp/calls" | awk -v few="$few" '
	    { all[NR] = $0 }
	    END {
		step = few && few < NR ? NR / few : 1
		for (i = step / 2 + .5; i < NR + .5; i += step)
			print all[int(i)]
	    }' >"$tmp/list"
	while read -r call how; do
		try "$call" "$how" </dev/null
	done <"$tmp/list"
}

# seen MODE TEXT: TEXT is said of the careless script
seen() {
	(
		few=0 seconds=3 command="careless $1" talk=
		faults
		cat "$tmp/report"
	) >"$tmp/said"
	grep -q -e "$2" "$tmp/said" && return
	echo "not ok faults of scripts: '$1' was not seen to be careless"
	sed 's/^#*/# /' "$tmp/said"
	exit 1
}

itself() {
	printf '%s\n' b a >"$tmp/template/in"
	echo old >"$tmp/template/product"
	careless >"$tmp/shims/careless"
	chmod +x "$tmp/shims/careless"
	seen silent 'fail sort:1 .*status 4 without a word'
	seen forgetful 'fail sort:1 .*status 0, and not all is the same'
	seen half 'fail sort:1 .*half-written: ./product'
	seen lost 'fail sort:1 .*half-written: ./product (lost)'
	seen litter 'fail sort:1 .*left below TMPDIR'
	seen stuck 'kill sort:1 .*run again, status 4'
	seen remains 'kill sort:1 .*half-written by a kill: ./product'
	seen hang 'fail sort:1 .*did not end'
	seen unbound "fail sort:1 .*the shell's own words"
	few=0 command='careless careful'
	faults
	[ $wrong -eq 0 ] && [ $tried -ge 8 ] && return
	echo 'not ok faults of scripts: what is careful was not survived'
	cat "$tmp/report"
	exit 1
}

if [ "$line" -eq 0 ]; then
	itself
	echo 'ok faults of scripts: what is careless is seen'
	exit 0
fi
IFS='|' read -r name make command <<END
$(sed -n "${line}p" tests/faults/scripts)
END
case $name in
'#'* | '') exit 0 ;;
esac
name=$(echo $name) make=$(echo $make)
cd "$tmp/template" || exit 2
PATH=$TP_BUILD:$PATH
$make >"$tmp/made" 2>&1 || {
	echo "not ok faults of scripts: $name: cannot be set up"
	sed 's/^/# /' "$tmp/made"
	exit 1
}
cd "$root" || exit 2
[ ! -e "$tmp/skip" ] || {
	echo "ok faults of scripts: $name # skip $(cat "$tmp/skip")"
	exit 0
}
faults
cp "$tmp/report" "$found/$line"
told="$name: $tried faults of $(wc -l <"$tmp/calls") programs"
[ $missed -eq 0 ] || told="$told ($missed were not met)"
if [ $wrong -eq 0 ]; then
	echo "ok faults of scripts: $told"
	exit 0
fi
echo "not ok faults of scripts: $told, $wrong wrong"
head -n 20 "$tmp/report"
[ "$(wc -l <"$tmp/report")" -le 20 ] || echo "# and more"
exit 1
