#!/bin/sh
# deps.sh check|install|proof|bench [BUILD]: what the build, the tests, the
# longer proofs and the bench need.  "check" compiles against each library and
# says what to do; "install" runs the one package manager line, as root or with
# password-less sudo; "proof" does so for other compilers and machines, fuzzers
# and pages in a browser; "bench" for the peers, and puts two modules of node
# into BUILD.
set -u

apt='gcc make libc6-dev libcsv-dev libcjson-dev libexpat1-dev zlib1g-dev libssl-dev bats jq mandoc valgrind gawk strace cmark-gfm'
peers='gawk mawk miller jq python3-pandas g++ libsimdjson-dev libyajl-dev'
# Releases that bring their binaries, for node 18 and later.
modules='@duckdb/node-api@1.5.6-r.1 nodejs-polars@0.24.1'
# check-portable, fuzz, check-render, check-valgrind
proof='clang libclang-rt-dev gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user locales libcmark-gfm-dev libcmark-gfm-extensions-dev cmark-gfm chromium valgrind jq'
brew='libcsv cjson expat zlib isa-l libxlsxwriter bats-core jq mandoc gawk make'
# Faster gunzip, workbooks, a reader of Markdown for a fuzzer: the build does
# without what there is not.
more='libisal-dev libxlsxwriter-dev libcmark-gfm-dev libcmark-gfm-extensions-dev'

line() {
	if command -v apt-get >/dev/null 2>&1; then
		for p in $more; do
			apt-cache show "$p" >/dev/null 2>&1 && apt="$apt $p"
		done
		echo "apt-get install -y --no-install-recommends $apt"
	elif command -v brew >/dev/null 2>&1; then
		echo "brew install $brew"
	else
		echo "install with your package manager: $apt"
	fi
}

missing() {
	# macOS has its own SHA-256
	[ "$(uname -s)" = Darwin ] && sha= || sha=openssl/evp.h
	for h in csv.h cjson/cJSON.h expat.h zlib.h $sha; do
		printf '#include <stdlib.h>\n#include <stdio.h>\n#include <sys/types.h>\n#include <%s>\n' "$h" |
		    ${CC:-cc} ${CPPFLAGS-} -x c -fsyntax-only - 2>/dev/null ||
			echo "$h"
	done
}

case ${1-} in
check)
	command -v ${CC:-cc} >/dev/null 2>&1 ||
		{ echo "make: no C compiler '${CC:-cc}'; run 'make deps', or: $(line)" >&2; exit 2; }
	m=$(missing | tr '\n' ' ')
	[ -z "$m" ] && exit 0
	echo "make: headers not found: ${m}; run 'make deps', or: $(line)" >&2
	exit 2
	;;
install) ;;
proof)
	apt=$proof more='' brew='llvm cmark-gfm jq'
	;;
bench)
	apt=$peers more='' brew='gawk mawk miller jq simdjson yajl node'
	command -v npm >/dev/null 2>&1 || apt="$apt nodejs npm"
	;;
*)
	echo "usage: deps.sh check|install|proof|bench" >&2
	exit 2
	;;
esac

packages() {
	l=$(line)
	case $l in
	apt-get*)
		if [ "$(id -u)" -eq 0 ]; then sudo=
		elif sudo -n true 2>/dev/null; then sudo='sudo -n'
		else echo "make deps: not root; run: sudo $l" >&2; exit 2
		fi
		all=yes
		for p in $apt; do
			dpkg -s "$p" >/dev/null 2>&1 || all=no
		done
		[ $all = yes ] && return 0
		$sudo apt-get update -q >/dev/null 2>&1 || :
		# only now apt may know of what is not needed
		DEBIAN_FRONTEND=noninteractive $sudo $(line) || exit 2
		;;
	brew*)
		$l
		;;
	*)
		echo "make deps: $l" >&2
		exit 2
		;;
	esac
}

packages || exit 2
[ "$1" = bench ] || exit 0
if ! command -v npm >/dev/null 2>&1; then
	echo 'make bench-deps: no npm: DuckDB and polars are left out' >&2
	exit 0
fi
mkdir -p "$2/bench-npm"
# shellcheck disable=SC2086 # a list
(cd "$2/bench-npm" && npm install --silent --no-audit --no-fund --no-save \
    --prefix . $modules) ||
	echo "make bench-deps: npm could not install: $modules" >&2
