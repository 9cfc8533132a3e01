#!/usr/bin/env bats
# Packages as their users meet them: in bare systems, from two builds, past the
# checker of Debian.  Of "make check-package"; each test says what it lacks.

bats_require_minimum_version 1.5.0

setup_file() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	unset MAKEFLAGS MFLAGS MAKELEVEL B SAN CFLAGS DESTDIR PREFIX BINDIR MANDIR \
	    SHAREDIR DOCDIR LIBEXECDIR STRIP URL SOURCE_DATE_EPOCH
	export LC_ALL=C VERSION ROOM=$BATS_FILE_TMPDIR
	VERSION=$(sed -n 's/^VERSION := //p' Makefile)
	: "${MIRROR:=http://deb.debian.org/debian}"
	export MIRROR
	local p
	for p in git dpkg-buildpackage; do
		command -v $p >/dev/null || return 0
	done
	[ -e .git ] || return 0
	# two folders, umasks, time zones and ways to call it; with what is not
	# committed
	git clone -q . "$ROOM/one"
	git diff HEAD --binary | (cd "$ROOM/one" && git apply --allow-empty -)
	(cd "$ROOM/one" && git add -A &&
	    git -c user.name=t -c user.email=t@example.org commit -q \
		--allow-empty -m t --date 2026-01-02T03:04:05Z)
	mkdir "$ROOM/a-folder"
	git clone -q "$ROOM/one" "$ROOM/a-folder/of-another-length"
	(cd "$ROOM/one" && make -s release URL=https://example.org/r) \
	    >"$ROOM/one.out"
	(cd "$ROOM/one" && make -s deb >/dev/null)
	(cd "$ROOM/a-folder/of-another-length" && umask 077 &&
	    TZ=Asia/Tokyo make -s -j2 release \
		URL=https://example.org/r/) >"$ROOM/two.out"
}

# need PROGRAM...: skip where one is not there, or nobody is root
need() {
	local p
	for p in "$@"; do
		command -v "$p" >/dev/null ||
		    skip "no $p (make proof-deps)"
	done
}

setup() {
	[ -e "$ROOM/one" ] || skip 'no git or no dpkg-buildpackage (make proof-deps)'
	cd "$BATS_TEST_TMPDIR"
	release=$ROOM/one/build/release
}

# root SUITE [PACKAGE]: a bare system in $ROOM/SUITE, with a user
root() {
	need mmdebstrap unshare
	[ "$(id -u)" -eq 0 ] || skip 'not root'
	[ ! -e "$ROOM/$1" ] || return 0
	mmdebstrap --quiet --variant=minbase ${2:+--include="$2"} \
	    "$1" "$ROOM/$1" "$MIRROR" 2>log ||
	    skip "no $1 from the mirror: $(tail -n 1 log)"
	chroot "$ROOM/$1" useradd -m user
}

# in_root SUITE USER COMMAND...: with an empty environment
in_root() {
	unshare -m sh -c 'root=$1 user=$2; shift 2
		mount -t proc proc "$root/proc" &&
		exec chroot --userspec="$user" "$root" env -i HOME="/home/$user" \
		    PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"' \
	    sh "$ROOM/$1" "${@:2}"
}

apt() {
	in_root "$1" root env DEBIAN_FRONTEND=noninteractive sh -c \
	    'apt-get update -q && apt-get install -q -y --no-install-recommends "$@"' \
	    sh "${@:2}" >log 2>&1 || { cat log; return 1; }
}

# The report of the example, from what a user has: BIN DOC.
makes_report='set -eu
PATH=$1:$PATH
cd
sh "$2/examples/metal/run.sh" m >next
sh next >report.md
cmp report.md "$2/examples/metal/report.md"
for program in "$1"/tp-* "$1/tracepipe"; do
	name=${program##*/}
	[ "$("$name" --version)" = "$name (tracepipe) $3" ]
done
echo "the report of the example"'

@test "release: two builds in two folders make the same bytes" {
	diff -r "$release" "$ROOM/a-folder/of-another-length/build/release"
	(cd "$release" && sha256sum --quiet -c SHA256SUMS)
	# and a package alone is that of a release
	cmp "$release"/*.deb "$ROOM"/one/build/tracepipe_*.deb
	ls "$release" >names
	sed "s/VERSION/$VERSION/" >wanted <<-END
	NOTES.md
	SHA256SUMS
	tracepipe-VERSION-linux-$(uname -m).tar.gz
	tracepipe-VERSION-py3-none-manylinux_2_NN_$(uname -m).whl
	tracepipe-VERSION.cdx.json
	tracepipe-VERSION.tar.gz
	tracepipe.rb
	tracepipe_VERSION_$(dpkg --print-architecture).deb
	END
	sed 's/manylinux_2_[0-9]*_/manylinux_2_NN_/' names | diff wanted -
	grep -q "^| tracepipe_$VERSION.*sudo apt install" "$release/NOTES.md"
	grep -q '^- First\|^- [A-Z`]' "$release/NOTES.md"
}

@test "deb: lintian finds no error, warning or pedantic fault" {
	need lintian
	mkdir lint
	cp "$ROOM/one/build"/tracepipe*_* lint
	lintian --allow-root --fail-on error,warning,pedantic \
	    lint/tracepipe_*.changes >faults || { cat faults; false; }
}

@test "deb: apt installs it in a bare Debian 12, a user makes the report, purge leaves nothing" {
	root bookworm
	(cd "$ROOM/bookworm" && find . -xdev -name '*tracepipe*' -o -name 'tp-*') \
	    >before
	[ ! -s before ]
	cp "$release"/*.deb "$ROOM/bookworm/tmp"
	apt bookworm /tmp/"$(basename "$release"/*.deb)"
	run -0 in_root bookworm user sh -c "$makes_report" sh /usr/bin \
	    /usr/share/doc/tracepipe "$VERSION"
	[[ $output = *'the report of the example' ]] || { echo "$output"; false; }
	in_root bookworm root dpkg --verify tracepipe
	in_root bookworm root dpkg --purge tracepipe
	rm "$ROOM/bookworm/tmp"/*.deb
	(cd "$ROOM/bookworm" && find . -xdev ! -path './var/log/*' \
	    ! -path './home/*' \( -name '*tracepipe*' -o -name 'tp-*' \)) >after
	diff before after
}

@test "deb: the tests of the package pass" {
	need autopkgtest
	root bookworm
	run -0 autopkgtest -o out "$release"/*.deb "$ROOM"/one/build/*.dsc -- \
	    chroot "$ROOM/bookworm"
	grep -q '^report *PASS' out/summary
}

# unpacked SUITE: the tarball makes the report in a bare system of it
unpacked() {
	root "$1" make
	tar -xzf "$release"/tracepipe-*-linux-*.tar.gz -C "$ROOM/$1/opt"
	tree=/opt/$(ls "$ROOM/$1/opt")
	run -0 in_root "$1" user sh -c "$makes_report" sh "$tree/bin" \
	    "$tree/share/doc/tracepipe" "$VERSION"
	[[ $output = *'the report of the example' ]] || { echo "$output"; false; }
}

@test "tarball: it runs as it is in a bare Debian 13" {
	unpacked trixie
}

@test "tarball: it runs as it is in a bare Ubuntu 22.04, the oldest that its glibc allows" {
	# Debian has no key of Ubuntu's; nothing of it runs outside of the root
	MIRROR='deb [trusted=yes] http://archive.ubuntu.com/ubuntu jammy main' \
	    unpacked jammy
}

# What auditwheel holds a wheel of that name to: versions of symbols of glibc,
# and libraries from outside.
@test "wheel: it asks for no more than its name says, and for nothing that is not in it" {
	need objdump unzip
	unzip -q "$release"/*.whl
	glibc=$(ls "$release" | sed -n 's/.*manylinux_2_\([0-9]*\)_.*/\1/p')
	[ "$glibc" -le 34 ]
	find . -type f | while IFS= read -r file; do
		[ "$(head -c 4 "$file" | tail -c 3)" != ELF ] || echo "$file"
	done >elf
	[ "$(wc -l <elf)" -ge 30 ]
	xargs objdump -p <elf >headers
	sed -n 's/.*GLIBC_2\.\([0-9]*\).*/\1/p' headers | sort -n | tail -n 1 >asked
	[ "$(cat asked)" -eq "$glibc" ]
	sed -n 's/^ *NEEDED *//p' headers | sort -u | while IFS= read -r soname; do
		case $soname in
		libc.so.6 | libm.so.6 | libpthread.so.0 | libdl.so.2 | \
		librt.so.1 | ld-linux-*) ;;
		*) find . -name "$soname" | grep -q . || echo "$soname" ;;
		esac
	done >outside
	[ ! -s outside ] || { cat outside; false; }
}

@test "docker: the image is built, and makes the report" {
	sh "$BATS_TEST_DIRNAME/docker.sh" >out 2>&1 || { cat out; false; }
	! grep -q '^skip: ' out || skip "$(sed 's/^skip: docker: //' out)"
	sed 's/^/# /' out >&3
}
