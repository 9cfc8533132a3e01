#!/bin/sh
# coverage.sh BUILD: which lines the tests of a build with --coverage ran
#
# A line per source file: lines, those that never ran, the share that did; then
# the sum.  BUILD/uncovered lists every line that never ran.
set -u
cd "$(dirname "$0")/.." || exit 2
build=$1
command -v gcov >/dev/null || {
	echo 'coverage: no gcov' >&2
	exit 2
}
rm -rf "$build/gcov"
mkdir -p "$build/gcov" || exit 2
for f in lib/*.c lib/*/*.c tools/*.c; do
	[ -e "$build/${f%.c}.gcda" ] || continue
	gcov -t -o "$build/$(dirname "$f")" "$f" 2>/dev/null |
	    awk -v f="$f" '
	/^ *-: *0:Source:/ { sub(/.*Source:/, ""); mine = $0 == f }
	mine && /^ *(#####|=====|\$\$\$\$\$|%%%%%): *[1-9]/ {
		lines++; missed++
		sub(/^ *[^:]*: */, "")
		print f ":" $0 >>uncovered
	}
	mine && /^ *[0-9]+\*?: *[1-9]/ { lines++ }
	END { if (lines) printf "%6.1f %% %5d of %5d never ran  %s\n",
		100 * (lines - missed) / lines, missed, lines, f }
	' uncovered="$build/gcov/uncovered"
done | sort -k 3,3rn | tee "$build/gcov/files"
awk '{ missed += $3; lines += $5 } END { if (!lines) exit 1
	printf "%6.1f %% %5d of %5d never ran  in all\n",
	    100 * (lines - missed) / lines, missed, lines }' "$build/gcov/files"
