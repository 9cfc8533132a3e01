# Values nobody should trust, and kills at any moment, for tests of scripts.

HOSTILE=('$(touch canary)' '`canary`' '; canary #' '| canary'
    $'a\ncanary\n' "'; canary; '" -rf -- '[' '!' '\' '%s%n' '%0a%2e' '*' ''
    .. ../../canary $'\033]0;x\a\033[2J' $'\302\2332J' $'\342\200\256abc'
    $'\377' "$(printf '%4096s' '' | tr ' ' x)")

# Work in a folder whose programs say when they are run.
canary() {
	local name
	mkdir -p shims deep/er
	for name in canary '[2J' 'a' '-rf' '-n'; do
		printf '#!/bin/sh\n: >"%s/ran"\n' "$PWD" >"shims/$name"
		chmod +x "shims/$name"
	done
	PATH=$PATH:$PWD/shims
	ran=$PWD/ran
	cd deep/er
}

# quietly COMMAND...: it says what a terminal may show, runs no canary, and
# ends with a status of its own.  What tp-fetch prints is a path, as given.
quietly() {
	local status=0
	timeout 30 "$@" >"$ran.data" 2>"$ran.out" </dev/null 3>&- || status=$?
	[ "$1" = tp-fetch ] || cat "$ran.data" >>"$ran.out"
	[ $status -le 5 ] && [ ! -e canary ] && [ ! -e "$ran" ] &&
	    ! tr -d '\n' <"$ran.out" | grep -q -a -e '[[:cntrl:]]' \
	    -e $'\302\233' -e $'\342\200\256' ||
		fail "$status: $(printf '%q ' "$@" | head -c 600): $(
		    head -c 600 "$ran.out" | cat -v)" || return
	! grep -q -E 'tp-[a-z]*: line [0-9]+|syntax error|unbound' \
	    "$ran.out" || fail "$(cat -v "$ran.out")"
}

# turn N OF WHICH: whether the N-th thing is done now, the WHICH-th of OF ways:
# all with TP_ALL, "make check-faults", else half of them one way each.  Where
# WHICH is the number of the test, others are tried in each.
turn() {
	[ -n "${TP_ALL-}" ] || [ $(($1 % (2 * $2))) -eq $(($3 % (2 * $2))) ]
}

# harmless PROGRAM OPTION WORD...: quietly, with values of the option; or as an
# operand.  Each time a sixth of them, or what "each_of" says twice, and always
# the first.
calls=0
harmless() {
	local program=$1 opt=$2 value n=0
	shift 2
	calls=$((calls + 1))
	for value in "${HOSTILE[@]}"; do
		n=$((n + 1))
		[ $n -eq 1 ] || turn $n ${each_of:-3} $calls || continue
		case $opt$((n % 2)) in
		0) quietly "$program" "$@" "$value" ;;
		1) quietly "$program" "$@" -- "$value" ;;
		*0) quietly "$program" "$@" "--$opt=$value" ;;
		*) quietly "$program" "$@" "--$opt" "$value" ;;
		esac || return
	done
}

# The options of PROGRAM that take a value
valued() {
	"$1" --help | sed -n 's/^ .*--\([a-z-]*\)=[A-Z].*/\1/p'
}

# killed N COMMAND...: run it to its end, then N times, or a third of that
# without TP_ALL, with SIGKILL at another moment: to all it started, or every
# second time to itself alone; the last ones when it has ended, also where the
# machine has become slower by half.  After each, what the function "after" says
# must hold.
killed() {
	local count=$1 i ns took=$(date +%s%N)
	shift
	[ -n "${TP_ALL-}" ] || count=$(((count + 2) / 3))
	"$@"
	took=$(($(date +%s%N) - took))
	for i in $(seq "$count"); do
		before "$i"
		ns=$((took * ((i * 7) % count + 1) * 3 / 2 / count))
		(
			set -m
			exec 3>&-
			"$@" >/dev/null 2>&1 &
			sleep "$(printf '%d.%09d' $((ns / 1000000000)) \
			    $((ns % 1000000000)))"
			if [ $((i % 2)) -eq 0 ]; then
				kill -9 -- -$!
			else
				kill -9 $!
			fi
			wait $!
		) 2>/dev/null || :
		after "$i"
	done
}
