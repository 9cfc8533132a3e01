#!/bin/sh
# musl.sh FOLDER: the filters with musl's C library, run by this machine
#
# The libraries come as Debian's sources, compiled here by musl-gcc into FOLDER
# and not installed: apt gets lists of its own there.  SQLite, whose source is
# made by programs, ISA-L and libcrypto are left out: databases are said to be
# what they are, and the filters that take a SHA-256 are not linked.  Prints
# TAP.
set -u
out=$1
mkdir -p "$out" || exit 2
out=$(cd "$out" && pwd)
root=$out/musl-root
for program in musl-gcc apt-get dpkg-source; do
	command -v $program >/dev/null || {
		echo "ok portable: musl # skip no $program (make proof-deps)"
		exit 0
	}
done

# Sources of what gives this machine its packages.
sources() {
	cat /etc/apt/sources.list.d/*.sources 2>/dev/null | awk '
		BEGIN { RS = ""; ORS = "\n\n" }
		/\/debian\/?(\n|$)/ {
			sub(/Types:[^\n]*/, "Types: deb-src")
			print
		}' >"$out/musl-apt/parts/all.sources"
	sed -n 's|^deb \(.*/debian/* \)|deb-src \1|p' /etc/apt/sources.list \
	    >"$out/musl-apt/parts/all.list" 2>/dev/null
	return 0
}

# compile LIBRARY OPTIONS FILE...
compile() {
	name=$1 options=$2
	shift 2
	for f; do
		# shellcheck disable=SC2086 # a list
		musl-gcc -O2 -w $options -c "$f" \
		    -o "$root/$name-$(basename "$f" .c).o" || return 1
	done
	ar rcs "$root/lib/lib$name.a" "$root/$name"-*.o
}

# get: headers and libraries below $root.
get() {
	[ -e "$root/ok" ] && return
	apt=$out/musl-apt
	rm -rf "$root" "$apt"
	mkdir -p "$apt/lists/partial" "$apt/archives/partial" "$apt/parts" \
	    "$root/include/cjson" "$root/lib" || return 1
	sources
	options="-o Dir::Etc::SourceList=/dev/null
	    -o Dir::Etc::SourceParts=$apt/parts
	    -o Dir::State::lists=$apt/lists -o Dir::Cache=$apt
	    -o APT::Sandbox::User=root"
	# shellcheck disable=SC2086 # a list
	(cd "$apt" && apt-get $options -q update && apt-get $options -q source \
	    libcsv cjson expat zlib libzstd) || return 1
	cp "$apt"/libcsv-*/csv.h "$apt"/expat-*/expat/lib/expat*.h \
	    "$apt"/zlib-*/zlib.h "$apt"/zlib-*/zconf.h \
	    "$apt"/libzstd-*/lib/zstd*.h "$root/include" &&
	    cp "$apt"/cjson-*/cJSON.h "$root/include/cjson" || return 1
	# the kernel's headers, and what sha256.c is compiled with
	for name in linux asm-generic openssl; do
		ln -s "/usr/include/$name" "$root/include/$name"
	done
	many=/usr/include/$(uname -m)-linux-gnu
	ln -s "$many/asm" "$root/include/asm"
	mkdir "$root/many" && ln -s "$many/openssl" "$root/many/openssl"
	: >"$root/expat_config.h"
	compile csv '' "$apt"/libcsv-*/libcsv.c &&
	    compile cjson '' "$apt"/cjson-*/cJSON.c &&
	    compile expat "-I$root -DXML_CONTEXT_BYTES=1024 -DXML_DTD -DXML_NS
	    -DXML_GE=1 -DBYTEORDER=1234 -DXML_DEV_URANDOM" \
	    "$apt"/expat-*/expat/lib/xml[prt]*[ek].c &&
	    compile z '-DHAVE_UNISTD_H' "$apt"/zlib-*/*.c &&
	    compile zstd '-DZSTD_DISABLE_ASM' "$apt"/libzstd-*/lib/common/*.c \
	    "$apt"/libzstd-*/lib/decompress/*.c || return 1
	ar rcs "$root/lib/libcrypto.a"
	touch "$root/ok"
}

get >"$out/musl.log" 2>&1 || {
	echo 'ok portable: musl # skip no sources of Debian'
	tail -n 3 "$out/musl.log" | sed 's/^/# /'
	exit 0
}
units=$(ls tests/unit/*.c | sed "s|.*/\(.*\)\.c|$out/musl/unit/\1|")
tools=$(ls tools/tp-*.c | sed 's|.*/\(.*\)\.c|\1|')
for name in tp-look tp-page tp-ranks tp-trace; do
	tools=$(echo "$tools" | grep -vx "$name")
done
# shellcheck disable=SC2086
if make -s -j2 B="$out/musl" CC=musl-gcc WITHOUT_ISAL=1 WITHOUT_SQLITE=1 \
    CPPFLAGS="-I$root/include -I$root/many" CFLAGS='-O2 -Werror' \
    LDFLAGS="-L$root/lib" $units \
    $(printf "$out/musl/%s " $tools) >"$out/log" 2>&1; then
	echo 'ok portable: musl builds'
else
	echo 'not ok portable: musl builds'
	head -n 20 "$out/log" | sed 's/^/# /'
	exit 1
fi

failed=0
# is NAME COMMAND...
is() {
	title=$1
	shift
	if "$@" >"$out/log" 2>&1 </dev/null; then
		echo "ok portable: musl, $title ($(grep -c '^ok' "$out/log"))"
	else
		echo "not ok portable: musl, $title"
		grep -v '^ok' "$out/log" | head -n 20 | sed 's/^/# /'
		failed=1
	fi
}

TP_SHARE=${TP_SHARE-$PWD/share}
export TP_SHARE
for unit in $units; do
	is "${unit##*/}" "$unit"
done
# Confined, and by no program that is not there.
there=$tools cases=
while read -r link program; do
	echo "$tools" | grep -qx "$program" || continue
	ln -sf "$program" "$out/musl/$link"
	there="$there
$link"
done <tools/links
sh tests/golden.sh -x "$out/musl"
for cmd in "$out"/musl/want/*/*/cmd; do
	grep -oE 'tp-[a-z-]+|mkdb|wire|cells' "$cmd" | grep -qvxF "$there" ||
	    cases="$cases $(echo "$cmd" | sed 's:.*/want/::; s:/cmd::')"
done
# shellcheck disable=SC2086
is 'golden cases' sh tests/golden.sh "$out/musl" $cases
exit $failed
