#!/bin/sh
# run.sh [-o] BUILD SECONDS SEED [COUNT]: feed mutants of captures to programs,
# for so long, of numbers from SEED on
#
# Captures are the inputs of golden cases and rules, the corpora of the fuzzers,
# the examples and, without -o, published ones in ../shared.  What a mutant
# breaks is kept in BUILD/real.
set -u
own=
if [ "$1" = -o ]; then
	own=1
	shift
fi
cd "$(dirname "$0")/../../.." || exit 2
build=$(cd "$1" && pwd) || exit 2
PATH=$build:$PATH
LC_ALL=C
TP_SHARE=$PWD/share
# memory of a program that ends is no leak
ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=16:exitcode=99
UBSAN_OPTIONS=exitcode=99:print_stacktrace=1
XDG_CONFIG_HOME=/nonexistent
export PATH LC_ALL TP_SHARE ASAN_OPTIONS UBSAN_OPTIONS XDG_CONFIG_HOME
unset TP_BLOCK TP_INFLATE TP_FAIL TP_MAX_BYTES TP_MAX_LINE TP_MAX_DEPTH \
    TP_MAX_EXPAND

real=$build/real
mkdir -p "$real" || exit 2
if [ ! -e "$real/made" ]; then
	mkflux "$real/flux" && mkjax "$real/jax" && mktorch "$real/torch" &&
	    mketdump --etdump yes "$real/etdump" || exit 2
	: >"$real/made"
fi >/dev/null
sh tests/golden.sh -x "$build" || exit 2
{
	find "$build/cases" -mindepth 2 -maxdepth 2 -type d
	find "$build/cases" "$real/flux" "$real/jax" "$real/torch" \
	    "$real/etdump" examples tests/fuzz/corpus tests/rules -type f
	[ -n "$own" ] || [ ! -d ../shared/data ] || find "$PWD/../shared/data" -type f
} | sed "s|^\\([^/]\\)|$PWD/\\1|" | grep -v -e '/suites/' -e '/names/' |
    sort >"$real/captures"
exec nice attack "$build" "$real" "$2" "$3" "${4-1000000000}" <"$real/captures"
