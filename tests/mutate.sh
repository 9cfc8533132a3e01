#!/bin/sh
# mutate.sh BUILD [N [SEED]]: would a test notice if the judgement were wrong?
#
# Changes one operator, number or condition of lib/judge, share/rules or
# share/gates at a time, N that SEED draws, in a copy of the tree below BUILD;
# makes what judges of it, and runs the tests of rules, the unit tests and the
# golden cases of these filters until one fails.  Prints what became of each;
# the status is 1 when something survived.
set -u
cd "$(dirname "$0")/.." || exit 2
build=$(cd "$1" && pwd) || exit 2
count=${2:-60} seed=${3:-1}
copy=$build/mutate
judges='tp-findings tp-compare tp-track tp-history tp-ranks tp-merge tp-query'
units='test_history test_course'
PATH=$copy/build:$build:$PATH
TP_SHARE=$copy/share
TP_BUILD=$copy/build
export PATH TP_SHARE TP_BUILD

rm -rf "$copy"
mkdir -p "$copy/build" || exit 2
tar cf - Makefile lib include tools share tests/deps.sh tests/golden \
    tests/golden.sh tests/golden.awk tests/rules tests/unit | tar xf - -C "$copy" || exit 2
(cd "$build" && tar cf - lib tools tests/unit libtp.a sharedir.h .deps .[imsxz]*) |
    tar xf - -C "$copy/build" || exit 2
cd "$copy" || exit 2

# FILE:LINE:COLUMN:LENGTH:NEW of all that can be changed.  In C what stands in
# text and comments is left; in JSON conditions alone are changed.
changes() {
	awk '
	function put(at, len, new) {
		print FILENAME ":" FNR ":" at ":" len ":" new
	}
	function quoted(at,  s) {
		s = substr($0, 1, at - 1)
		return gsub(/"/, "", s) % 2
	}
	BEGIN {
		split("<= < >= > == != && ||", from, " ")
		split("< <= > >= != == || &&", to, " ")
		away["<"] = away["<="] = ">"
		away[">"] = away[">="] = "<"
	}
	FNR == 1 { json = FILENAME ~ /\.json$/ }
	!json && /^(#|\/\*| \*|static const|[a-z].*;$)|^\t*(\/\*|\*)/ { next }
	json && !/^ *"[!a-z].* (<|<=|>|>=|==|!=) [^"]*"[],]|"(warn|fail)[a-z_]*": [0-9]/ {
		next
	}
	{
		for (i = 1; i <= length($0); i++) {
			rest = substr($0, i)
			if (!json && quoted(i))
				continue
			if (match(rest, /^ (<=|<|>=|>|==|!=|&&|\|\|) /)) {
				op = substr(rest, 2, RLENGTH - 2)
				for (k in from)
					if (from[k] == op)
						put(i + 1, RLENGTH - 2, json &&
						    k < 5 ? away[op] : to[k])
			} else if (match(rest,
			    /^[ (\[][0-9]+(\.[0-9]+)?[^0-9A-Za-z_.]/)) {
				n = substr(rest, 2, RLENGTH - 2)
				put(i + 1, RLENGTH - 2, json ? 2 * n + 1 :
				    n + 1)
			} else if (!json && rest ~ /^if \(!/)
				put(i + 4, 1, "")
		}
	}' lib/judge/*.c share/rules/*.json share/gates/*.json
}

# What may notice a change of FILE, the likeliest first: filters are their
# golden cases.
tests_of() {
	case $1 in
	share/rules/*) echo rules tp-findings ; return ;;
	share/gates/*) echo tp-track tp-compare; return ;;
	*/compare* | */pairing* | */promise* | */timelines*)
		echo tp-compare tp-track ;;
	*/gate* | */course*) echo $units tp-track ;;
	*/history*) echo $units tp-history tp-track ;;
	*/ranks*) echo tp-ranks ;;
	*/adder*) echo tp-merge ;;
	*/question*) echo tp-query ;;
	esac
	echo rules $judges $units
}

# The first test that fails because FILE was changed, if one does.
noticed() {
	for test in $(tests_of "$1" | tr ' ' '\n' | awk '!seen[$0]++'); do
		case $test in
		rules) timeout 120 sh tests/rules/run.sh 2>&1 ;;
		test_*) timeout 60 "build/unit/$test" 2>&1 || echo "not ok $test" ;;
		*) timeout 300 sh tests/golden.sh build "$test" ;;
		esac </dev/null | grep -m 1 '^not ok' | cut -c 8-80 | grep . && return
	done
}

programs() {
	# shellcheck disable=SC2046 # a list
	make -s B=build $(printf 'build/%s ' $judges) \
	    $(printf 'build/unit/%s ' $units)
}

programs || exit 2
said=$(noticed .)
[ -z "$said" ] || {
	echo "mutate: $said fails before anything is changed" >&2
	exit 2
}
survived=0 killed=0 none=0
changes >all
# half of them of share, which come first: for these no program is made
for n in $(awk -v n="$count" -v seed="$seed" '
    /^lib/ { c = NR }
    END {
	srand(seed)
	for (i = 0; i < n; i++)
		print i < n / 2 ? c + 1 + int(rand() * (NR - c)) : \
		    1 + int(rand() * c)
    }' all)
do
	IFS=: read -r file line column len new <<END
$(sed -n "${n}p" all)
END
	cp "$file" kept
	awk -v line="$line" -v at="$column" -v len="$len" -v new="$new" '
	    NR == line { $0 = substr($0, 1, at - 1) new substr($0, at + len) }
	    { print }' kept >"$file"
	what="$file:$line: $(sed -n "${line}p" "$file" | sed 's/^[	 ]*//')"
	made=programs
	[ "${file#lib}" != "$file" ] || made=:
	if ! $made >log 2>&1; then
		none=$((none + 1))
		echo "no program: $what"
	elif said=$(noticed "$file") && [ -n "$said" ]; then
		killed=$((killed + 1))
		echo "noticed by $said: $what"
	else
		survived=$((survived + 1))
		echo "SURVIVED: $what"
	fi
	cp kept "$file"
done
echo "mutate: $killed noticed, $survived survived, $none no program," \
    "of $(wc -l <all) that can be changed"
[ $survived -eq 0 ]
