#!/bin/sh
# portable.sh: the library with other compilers, levels and systems
#
# Compiles all of lib/ and tools/ with gcc and clang at -O0, -O2 and -O3, every
# warning an error; once more as C11 with POSIX.1-2008 and nothing else; runs
# the unit tests of each level; and, where the cross compiler, qemu and the
# libraries of Debian are to be had, builds libtp and the unit tests for arm64
# and with musl, and runs them.  Prints TAP; what is not installed is skipped by
# name.
set -u
cd "$(dirname "$0")/.." || exit 2
TP_SHARE=$PWD/share
export TP_SHARE
out=build/portable
mkdir -p $out
units=$(ls tests/unit/*.c | sed 's|.*/\(.*\)\.c|\1|')
failed=0

# is NAME COMMAND...: one test.
is() {
	title=$1
	shift
	if "$@" >$out/log 2>&1; then
		echo "ok portable: $title"
	else
		echo "not ok portable: $title"
		grep -v '^ok' $out/log | head -n 20 | sed 's/^/# /'
		echo 1 >$out/failed
		return 1
	fi
}

# build FOLDER VARIABLE=VALUE...
build() {
	folder=$out/$1
	shift
	make -s -j2 B="$folder" "$@" \
	    $(for t in tools/tp-*.c; do basename "$t" .c |
		sed "s|^|$folder/|"; done) \
	    $(for u in $units; do echo "$folder/unit/$u"; done)
}

# run FOLDER [EMULATOR]: all unit tests.
run() {
	for u in $units; do
		${2-} "$out/$1/unit/$u" >$out/unit.log 2>&1 || {
			echo "$u:"
			grep -v '^ok' $out/unit.log
			return 1
		}
	done
}

# bare CC: without what C11 and POSIX.1-2008 have not; os.c is for the rest.
bare() {
	for f in lib/*.c lib/*/*.c tools/*.c; do
		[ $f = lib/os.c ] && continue
		$1 -std=c11 -D_POSIX_C_SOURCE=200809L -pedantic -Wall -Wextra \
		    -Werror -Iinclude -Ilib -DTP_VERSION='"0"' \
		    -DTP_SHAREDIR='"share"' -fsyntax-only $f || return 1
	done
}

rm -f $out/failed
for cc in gcc clang; do
	command -v $cc >/dev/null || {
		echo "ok portable: $cc # skip not installed (make proof-deps)"
		continue
	}
	for level in -O0 -O2 -O3; do
		name=$cc$level
		is "$cc $level builds" build $name CC=$cc \
		    CFLAGS="$level -Werror" &&
		    is "$cc $level, unit tests" run $name
	done
	is "$cc, C11 and POSIX.1-2008 alone" bare $cc
done
# threads: what runs in threads, watched.
threads() {
	make -s -j2 B="$PWD/$out/threads" SAN=thread CFLAGS='-O1 -g' programs &&
	    TP_BUILD=$PWD/$out/threads TP_ALL=1 \
	    bats -f 'changes nothing' tests/cli.bats
}
is "gcc, thread sanitizer" threads
sh tests/arm64.sh $out || echo 1 >$out/failed
sh tests/musl.sh $out || echo 1 >$out/failed
[ ! -e $out/failed ]
