#!/usr/bin/env bats
# bats file_tags=rest
# bats file_tags=rest
# Archives that run where they are unpacked, and wheels.

bats_require_minimum_version 1.5.0
load helper
load ci

setup_file() {
	cd "$BATS_FILE_TMPDIR"
	unset MAKEFLAGS MFLAGS B SAN CFLAGS DESTDIR PREFIX BINDIR MANDIR \
	    SHAREDIR DOCDIR LIBEXECDIR
	case $(uname -s) in
	Linux) ;;
	*) return ;;
	esac
	for what in tarball wheel; do
		sh "$TP_ROOT/share/package/portable.sh" $what 0.0.1 "$TP_BUILD" \
		    >$what || return
	done
	tar -xzf "$(cat tarball)"
}

setup() {
	case $(uname -s) in
	Linux) ;;
	*) skip 'not run on this system yet' ;;
	esac
	cd "$BATS_TEST_TMPDIR"
	tree=$BATS_FILE_TMPDIR/tracepipe-0.0.1-linux-$(uname -m)
}

teardown_file() {
	rm -f "$TP_BUILD"/tracepipe-0.0.1-*
}

# makes_report BIN DOC: the programs in BIN make the example of DOC, and of it
# the report that lies beside it, with nothing but a PATH
makes_report() {
	env -i PATH="$1:/usr/bin:/bin" sh "$2/examples/metal/run.sh" m >next
	env -i PATH="$1:/usr/bin:/bin" sh next >report.md
	cmp report.md "$2/examples/metal/report.md"
}

# all_run BIN: there is every program and no other, each of the one version
all_run() {
	local t version
	version=$(sed -n 's/^VERSION := //p' "$TP_ROOT/Makefile")
	for t in $(tools) tracepipe; do
		run -0 env -i PATH="$1:/usr/bin:/bin" "$t" --version
		[ "$output" = "$t (tracepipe) $version" ] || fail "$output"
	done
	diff <(tools | sort) <(cd "$1" && ls -d tp-* | sort)
}

@test "tarball: unpacked anywhere, with an empty environment, it makes the report" {
	cp -a "$tree" "it's here"
	all_run "$PWD/it's here/bin"
	makes_report "$PWD/it's here/bin" "$PWD/it's here/share/doc/tracepipe"
	ln -s "it's here/bin/tp-steps" "it's here/bin/tp-report" .
	./tp-report -- m/flux_example | cmp - report.md
	./tp-steps --version | grep -q '^tp-steps '
}

@test "tarball: what the system does not promise comes along, with its licence" {
	ldd "$tree/bin/tp-xlsx" >libraries
	[ "$(grep -c 'lib/tracepipe/' libraries)" -ge 5 ]
	! grep '=>' libraries | grep -v -e lib/tracepipe/ -e '/libc\.so' \
	    -e '/libm\.so' || fail "$(cat libraries)"
	! command -v dpkg ||
	    [ -s "$tree/share/doc/tracepipe/licences/libcjson1" ]
	# the bill of materials names each that is there, as it is there
	jq -r '.components[] | "\(.hashes[0].content)  \(.["bom-ref"])"' \
	    "$tree/share/doc/tracepipe/sbom.cdx.json" >sums
	(cd "$tree/lib/tracepipe" && sha256sum -- *) | diff - sums
	[ ! -e "$tree/share/tracepipe/.installed" ]
}

@test "tarball, wheel: the same build makes the same bytes" {
	for what in tarball wheel; do
		first=$(cat "$BATS_FILE_TMPDIR/$what")
		cp "$first" kept
		(umask 077; TZ=Asia/Tokyo sh "$TP_ROOT/share/package/portable.sh" \
		    $what 0.0.1 "$TP_BUILD")
		cmp "$first" kept
	done
}

@test "wheel: installed from the file in a fresh venv it makes the report" {
	python3 -m venv env 2>/dev/null || skip 'no venv of Python'
	env/bin/pip install -q --no-index --disable-pip-version-check \
	    "$(cat "$BATS_FILE_TMPDIR/wheel")"
	all_run "$PWD/env/bin"
	makes_report "$PWD/env/bin" "$PWD/env/share/doc/tracepipe"
	# as pipx and uv put programs on the PATH of a user
	mkdir user
	ln -s "$PWD/env/bin/tp-steps" "$PWD/env/bin/tp-report" user
	env -i PATH="$PWD/user:/usr/bin:/bin" tp-steps --version |
	    grep -q '^tp-steps '
	env -i PATH="$PWD/user:/usr/bin:/bin" tp-report m/flux_example >again.md
	cmp again.md report.md
	env/bin/pip uninstall -q -y tracepipe
	[ -z "$(find env -path '*tracepipe*' -type f)" ] || fail "$(find env)"
}

@test "wheel: the jobs of examples/ci install it and need nothing else of ours" {
	needs_ruby
	python3 -m venv env 2>/dev/null || skip 'no venv of Python'
	tp-page --check || skip 'no md4c in this build'
	make_repository repository
	export RELEASE PIP_NO_INDEX=1 PIP_DISABLE_PIP_VERSION_CHECK=1
	RELEASE=$(cat "$BATS_FILE_TMPDIR/wheel")
	unset TP_SHARE
	PATH=/usr/bin:/bin
	for name in workflow gitlab; do
		run -1 --separate-stderr job $name HEAD~1 HEAD $name
		[ "$(printf '%s\n' "$output" | grep -c '^attached ')" -eq 3 ] ||
		    fail "$output$stderr"
		grep -q '<failure' $name/job/gate.xml
	done
}

@test "wheel: its record names every file with its digest" {
	wheel=$(cat "$BATS_FILE_TMPDIR/wheel")
	python3 - "$wheel" <<-'END'
	import base64, csv, hashlib, io, sys, zipfile
	z = zipfile.ZipFile(sys.argv[1])
	names = z.namelist()
	record = [n for n in names if n.endswith('.dist-info/RECORD')]
	rows = list(csv.reader(io.StringIO(z.read(record[0]).decode())))
	assert sorted(r[0] for r in rows) == sorted(names)
	assert len(set(names)) == len(names)
	for name, digest, size in rows:
	    if name == record[0]:
	        continue
	    data = z.read(name)
	    own = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
	    assert digest == 'sha256=' + own.decode().rstrip('='), name
	    assert int(size) == len(data), name
	END
	[[ $(basename "$wheel") =~ ^tracepipe-0.0.1-py3-none-manylinux_2_[0-9]+_ ]]
}

@test "tarball: a library that nothing brings is told, and there is no archive" {
	mkdir bin
	printf '#!/bin/sh\necho "	libzz.so.9 => not found"\n' >bin/ldd
	chmod +x bin/ldd
	PATH=$PWD/bin:$PATH run sh "$TP_ROOT/share/package/portable.sh" \
	    tarball 0.0.2 "$TP_BUILD"
	[ "$status" -eq 2 ]
	[[ $output = *'libzz.so.9 is not found'* ]] || fail "$output"
	[ -z "$(ls "$TP_BUILD"/tracepipe-0.0.2-* 2>/dev/null)" ]
}

@test "formula: it builds the archive of make dist, and its test makes the report" {
	skip_unless ruby
	# no newer than what is built, which is thus not compiled again
	SOURCE_DATE_EPOCH=86400 make -s -C "$TP_ROOT" B="$PWD/b" dist >archive
	archive=$(cat archive)
	url=https://example.org/${archive##*/}
	sum=$(sha256sum "$archive" | cut -d ' ' -f 1)
	sed "s|@URL@|$url|; s|@SHA256@|$sum|" \
	    "$TP_ROOT/share/package/tracepipe.rb.in" >tracepipe.rb
	! grep '@[A-Z0-9]*@' tracepipe.rb || fail 'not filled in'
	ruby -wc tracepipe.rb
	unset TP_SHARE
	BUILT=$TP_BUILD PATH=/usr/bin:/bin ruby "$TP_ROOT/tests/formula.rb" \
	    tracepipe.rb "$archive" keg >needs 2>log || fail "$(tail log)"
	all_run "$PWD/keg/prefix/bin"
	[ ! -e keg/prefix/share/tracepipe/.installed ]
	# what tests/deps.sh knows of Homebrew
	sed -n "s/^more_brew='\(.*\)'/\1/p
	    /^to_build='/,/'\$/s/.* \([a-z0-9]*\)'*\$/\1/p" \
	    "$TP_ROOT/tests/deps.sh" | tr ' ' '\n' | grep . | sort >known
	[ "$(wc -l <known)" -ge 7 ]
	[ "$(grep -v -x -e make -e openssl@3 needs | sort)" = "$(cat known)" ] ||
	    fail "$(cat known)"
}
