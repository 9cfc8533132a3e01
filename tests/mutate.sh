#!/bin/sh
# mutate.sh BUILD [N [SEED [ONLY]]]: would a test notice if a line were wrong?
#
# Changes one operator, number or condition of lib, share/rules or share/gates
# at a time, N that SEED draws, each room as often as another; ONLY is a room
# (lib is lib/*.c), a file, or a list of changes that BUILD/mutate/survivors
# was.  All happens in a copy of the tree, BUILD/mutate, whose programs write
# down which functions a test calls (tests/reach.c).  So these tests run, until
# one fails, if they call the function that was changed: golden cases, those of
# the program with most of them first, unit tests, rules, tests/cli.c, and the
# quickest tests of bats, 20 s of each file.  Only the programs they start are
# linked.  What hangs is noticed, too.
#
# Prints what became of each, and how many by room; the status is 1 when
# something survived.  What does, but is the same program with -O2, is told
# apart.  BUILD/mutate/survivors lists the others.
set -u
cd "$(dirname "$0")/.." || exit 2
mkdir -p "$1/mutate/build" || exit 2
copy=$(cd "$1/mutate" && pwd) || exit 2
count=${2:-60} seed=${3:-1} only=${4-}
list=
case $only in
*.c | *.json | '') ;;
*) [ ! -f "$only" ] || list=$(realpath "$only") ;;
esac

# with its times, so that make does only what is new
tar cf - Makefile ./*.md LICENSE examples include lib share tests tools |
    (cd "$copy" && rm -rf examples include lib share tests tools &&
    tar xf -) || exit 2
cd "$copy" || exit 2
unset TP_SHARE TP_REACHED BATS_TEST_FILENAME BATS_TEST_NUMBER
PATH=$copy/build:$PATH TP_BUILD=$copy/build TMPDIR=$copy/tmp
LC_ALL=C XDG_CONFIG_HOME=/nonexistent
export PATH TP_BUILD TMPDIR LC_ALL XDG_CONFIG_HOME
rm -rf tmp
mkdir tmp || exit 2
trap 'rm -rf "$copy/tmp"' EXIT

# The commands of make are kept: each compiles or links one file.
build() {
	cc -O2 -c -o build/reach.o tests/reach.c &&
	    make -j2 B=build LDFLAGS="$copy/build/reach.o" \
	    CFLAGS='-O0 -g1 -finstrument-functions -falign-functions=16' \
	    checked >>build/commands 2>build/errors ||
	    { cat build/errors >&2 && return 1; }
}

# as NAME COMMAND...: run a test of this name.
as() {
	BATS_TEST_FILENAME=$1 BATS_TEST_NUMBER=1
	export BATS_TEST_FILENAME BATS_TEST_NUMBER
	shift
	"$@" >>passes/others 2>&1
}

# Run every test once: what passes goes to passes/, functions to reached/.
run_all() {
	rm -rf reached passes
	mkdir reached passes || return
	TP_REACHED=$copy/reached
	export TP_REACHED
	sh tests/golden.sh build >passes/golden
	for unit in build/unit/test_*; do
		began=$(date +%s)
		(as "${unit##*/}" timeout 100 "$unit") &&
		    echo "${unit##*/} $(($(date +%s) - began))" >>passes/units
	done
	(as rules sh tests/rules/run.sh)
	(as cli build/cli build)
	for bats in tests/*.bats; do
		! grep -q '^# bats file_tags=rest' "$bats" || continue
		timeout 300 bats --tap --timing --filter-tags '!rest' "$bats" \
		    >"passes/${bats##*/}" 2>&1
	done
	unset TP_REACHED
}

# reached/TEST,NUMBER,PROGRAM,PID -> calls/FILE: "LINE TEST/NUMBER PROGRAM N",
# the line is that of a function's first brace, N how many functions were called.
read_calls() {
	rm -rf calls
	mkdir calls || return
	(cd reached && for f in *,tp-* *,test_*; do
		echo "= $f"
		od -An -tu4 "./$f"
	done) >dump
	awk '$1 == "=" { split($2, name, ","); next }
	    { for (i = 1; i <= NF; i++)
		if ($i % 16 == 0 && $i && name[3] != "")
			print name[3], $i }' dump | sort -u >offsets
	cut -d ' ' -f 1 offsets | uniq | while read -r program; do
		file=build/$program
		[ -e "$file" ] || file=build/unit/$program
		awk -v p="$program" '$1 == p { printf "0x%x\n", $2 }' offsets |
		    addr2line -e "$file"
	done | sed 's/^[.]\///; s/ .*//; s/:/ /' | paste -d ' ' offsets - >places
	awk 'FILENAME == "places" { place[$1, $2] = $3 " " $4; next }
	    $1 == "=" {
		split($2, name, ",")
		first = 1
		next
	    }
	    {
		n = first ? $1 : n
		for (i = 1 + first; i <= NF; i++) {
			p = place[name[3], $i]
			if (p ~ /^lib/)
				print p, name[1] "/" name[2], name[3], n
		}
		first = 0
	    }' places dump | sort -u | awk '
	    $1 != file {
		close(to)
		file = to = $1
		gsub("/", ",", to)
		to = "calls/" to
	    }
	    { print $2, $3, $4, $5 >to }' && : >calls/.whole
	rm -rf dump offsets places reached
}

# FILE:LINE:COLUMN:LENGTH:FUNCTION:NEW of all that can be changed; FUNCTION is
# the line of its first brace.  In C what stands in text and comments is left; in JSON
# conditions alone are changed.
changes() {
	awk '
	function put(at, len, new) {
		print FILENAME ":" FNR ":" at ":" len ":" within ":" new
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
	FNR == 1 {
		json = FILENAME ~ /\.json$/
		within = 0
	}
	!json && /^[{]/ { within = FNR }
	!json && /^[}]/ { within = 0 }
	!json && /^(#|\/\*| \*|static const|[a-z].*;$)|^\t*(\/\*|\*)/ { next }
	json && !/^ *"[!a-z].* (<|<=|>|>=|==|!=) [^"]*"[],]|"(warn|fail|proven)[a-z_]*": [0-9]/ {
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
				put(i + 1, RLENGTH - 2, (json ? 2 * n : n) + 1)
			} else if (!json && rest ~ /^if \(!/)
				put(i + 4, 1, "")
		}
	}' lib/*.c lib/*/*.c share/rules/*.json share/gates/*.json
}

# Draw of the lines of standard input, each room in turn.  A generator of ours:
# that of awk differs from awk to awk.
draw() {
	awk -F : -v n="$count" -v seed="$seed" -v only="$only" '
	function pick(most) {
		seed = seed * 16807 % 2147483647
		return int(seed / 2147483647 * most)
	}
	{
		room = $1
		sub(/\/[^\/]*$/, "", room)
		if (only != "" && only != room && only != $1)
			next
		if (!(room in size))
			rooms[count++] = room
		line[room, size[room]++] = $0
	}
	END {
		seed = seed * 7919 % 2147483646 + 1
		pick(1)
		for (i = left = 0; n > 0; i++) {
			room = rooms[i % count]
			left = i % count ? left + size[room] : size[room]
			if (size[room]) {
				k = pick(size[room])
				print line[room, k]
				line[room, k] = line[room, --size[room]]
				n--
			}
			if (i % count == count - 1 && !left)
				exit
		}
	}'
}

# What tests notice FILE, in the function at LINE, the likeliest first:
# "KIND PROGRAMS TEST..."; KIND is golden, unit, rules, cli or bats.
tests_of() {
	case $1 in
	share/rules/*) calls=lib,judge,rule_apply.c line=0 ;;
	share/gates/*) calls=lib,judge,gate.c line=0 ;;
	*) calls=$(echo "$1" | tr / ,) line=$2 ;;
	esac
	[ -e "calls/$calls" ] || return 0
	awk -v line="$line" '
	FILENAME == "passes/golden" { golden[$2] = /^ok/ }
	FILENAME == "passes/units" { seconds[$1] = $2 }
	FILENAME ~ /bats$/ && /^ok .* in [0-9]+ms$/ {
		test = FILENAME "/" $2
		sub(/^passes./, "", test)
		sub(/ms$/, "", $NF)
		ms[test] = $NF + 0
	}
	FILENAME ~ /^calls/ && (!line || $1 == line) {
		if (golden[$2])
			kind = "golden"
		else if ($3 ~ /^test_/ && $3 in seconds)
			kind = "unit"
		else if ($2 == "rules/1")
			kind = "rules"
		else if ($2 == "cli/1")
			kind = "cli"
		else if ($2 in ms && ms[$2] < 3000)
			kind = "bats"
		else
			next
		test = kind == "unit" ? $3 : $2
		of[test] = kind
		if (!index("," with[test] ",", "," $3 ","))
			with[test] = with[test] (with[test] ? "," : "") $3
		if ($4 > size[test])
			size[test] = $4
	}
	END {
		for (test in of) {
			kind = of[test]
			if (kind == "golden")
				cases[with[test]]++
			else if (kind == "bats")
				print 5, ms[test], kind, with[test], test
			else {
				n = FILENAME ~ /rule/ ? 0 : 3
				if (kind != "rules")
					n = kind == "unit" ? 2 : 4
				print n, seconds[test] + 0, kind, with[test],
				    test
			}
		}
		for (test in of)
			if (of[test] == "golden")
				printf "1 %d.%05d golden %s %s\n",
				    -cases[with[test]], size[test], with[test],
				    test
	}' passes/* "calls/$calls" | sort -k 1,1n -k 2,2n -k 4,4 | awk '
	function add(list, word) {
		if (index("," list ",", "," word ","))
			return list
		return list (list == "" ? "" : ",") word
	}
	$3 == "bats" {
		file = $5
		sub(/\/.*/, "", file)
		if (!(file in ms))
			files[++count] = file
		if (ms[file] + $2 > 20000)
			next
		ms[file] += $2
		tests[file] = tests[file] " " $5
		split($4, programs, ",")
		for (i in programs)
			with[file] = add(with[file], programs[i])
		next
	}
	$3 != "golden" || $4 != last {
		printf "%s%s %s", (NR > 1 ? "\n" : ""), $3, $4
		last = $3 == "golden" ? $4 : ""
	}
	{ printf " %s", $5 }
	END {
		print ""
		for (i = 1; i <= count; i++)
			print "bats", with[files[i]] tests[files[i]]
	}'
}

# link_with PROGRAM...: link these with build/mutant.o, if they are not.
link_with() {
	for program; do
		[ -e build/mutant.o ] && [ ! -e "kept/$program" ] || continue
		place=build/$program
		[ -e "$place" ] || place=build/unit/$program
		mv "$place" "kept/$program"
		grep -F -e " -o $place " build/commands | tail -n 1 |
		    sed "s| -o $place | -o $place build/mutant.o |" | sh || exit
	done
}

put_back() {
	for program in kept/*; do
		case $program in
		*/test_*) mv "$program" build/unit ;;
		*/\*) ;;
		*) mv "$program" build ;;
		esac
	done
	rm -f build/mutant.o
}

# Names of tests FILE/NUMBER..., as bats wants them.
names() {
	for test; do
		sed -n "s/^ok ${test#*/} //p" "passes/${test%/*}"
	done | sed 's/ in [0-9]*ms$//; s/[^A-Za-z0-9 _,-]/./g' | paste -s -d '|'
}

# The first of these that fails.
run() {
	kind=$1
	shift
	{
		ulimit -t 30
		case $kind in
		golden) timeout 300 sh tests/golden.sh build "$@" ;;
		unit) timeout 100 "build/unit/$1" || echo "not ok $1" ;;
		rules) timeout 100 sh tests/rules/run.sh ;;
		cli) timeout 100 build/cli build ;;
		bats) timeout 200 bats --tap -f "^($(names "$@"))\$" \
		    "tests/${1%/*}" | sed "s|^not ok|& ${1%/*}|" ;;
		esac
		[ $? -ne 124 ] || echo "not ok $kind: a test hangs"
	} 2>&1 </dev/null | grep -a -m 1 '^not ok' | cut -c 8-80 | grep .
}

# The first test that fails because FILE was changed, if one does.
noticed() {
	tests_of "$@" >tests_of
	while read -r kind programs tests; do
		# shellcheck disable=SC2046,SC2086 # lists
		link_with $(echo "$programs" | tr , ' ') &&
		    run "$kind" $tests && return
	done <tests_of
}

# compile LEVEL OBJECT: the file as it is now.
compile() {
	grep -F -e " -o build/${file%.c}.o " build/commands | tail -n 1 |
	    sed "s| -o build/${file%.c}.o | -o $2 |; s/ -MMD -MP / /; $1" | sh
}

# Whether FILE and kept.c are the same to the compiler.
same() {
	plain='s/ -O0 -g1 -finstrument-functions / -O2 /'
	[ "${file#lib}" != "$file" ] && compile "$plain" one.o &&
	    cp "$file" changed.c && cp kept.c "$file" &&
	    compile "$plain" other.o && cp changed.c "$file" &&
	    cmp -s one.o other.o
}

mkdir -p kept && put_back
build || exit 2
if [ ! -e calls/.whole ] || [ -n "$(find lib tests tools include share \
    -newer calls/.whole -type f)" ]; then
	echo "mutate: all tests run once, to see what they call" >&2
	run_all
	read_calls || exit 2
fi
changes >all
if [ -n "$list" ]; then
	cut -f 1 "$list"
else
	draw <all
fi >drawn
: >survivors
: >results
while IFS=: read -r file line column len within new; do
	cp -p "$file" kept.c
	awk -v line="$line" -v at="$column" -v len="$len" -v new="$new" '
	    NR == line { $0 = substr($0, 1, at - 1) new substr($0, at + len) }
	    { print }' kept.c >"$file"
	what="$file:$line: $(sed -n "${line}p" "$file" | sed 's/^[	 ]*//')"
	if [ "${file#lib}" != "$file" ] &&
	    ! compile '' build/mutant.o >log 2>&1; then
		became='no program'
	elif said=$(noticed "$file" "$within") && [ -n "$said" ]; then
		became=noticed
		what="by $said: $what"
	elif same 2>/dev/null; then
		became='same program'
	else
		became=survived
		grep -q . tests_of || what="$what (no test calls it)"
		printf '%s\t%s\n' "$file:$line:$column:$len:$within:$new" \
		    "$what" >>survivors
	fi
	echo "$became: $what"
	echo "${file%/*}	$became" >>results
	cp -p kept.c "$file"
	put_back
done <drawn
awk -F '\t' -v places="$(wc -l <all)" '
    function line(room) {
	printf "%-14s %6d %8d %9d %13d %11d\n", room, n[room],
	    n[room, "noticed"], n[room, "survived"], n[room, "same program"],
	    n[room, "no program"]
    }
    {
	if (!($1 in n))
		rooms[++count] = $1
	n[$1]++
	n[$1, $2]++
	n["all"]++
	n["all", $2]++
    }
    END {
	printf "%-14s %6s %8s %9s %13s %11s\n", "room", "drawn", "noticed",
	    "survived", "same program", "no program"
	for (i = 1; i <= count; i++)
		line(rooms[i])
	line("all")
	print "of " places " places that can be changed"
	exit n["all", "survived"] > 0
    }' results
