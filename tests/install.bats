#!/usr/bin/env bats
# bats file_tags=rest
# What make deps, install, uninstall and dist do.

bats_require_minimum_version 1.5.0
load helper

# Names that mean something to shells and to make.
NASTY="it's \$HOME \"q\" \$(touch pwned) \`touch pwned\` #a:b=c%"

setup() {
	cd "$BATS_TEST_TMPDIR"
	# those of the make that runs the tests
	unset MAKEFLAGS MFLAGS B SAN CFLAGS DESTDIR PREFIX BINDIR MANDIR SHAREDIR DOCDIR \
	    LIBEXECDIR
}

# tp_make ARGUMENT...: make in the source tree, of what was built, whatever
# this make thinks of its flags.
tp_make() {
	make -s -C "$TP_ROOT" B="$TP_BUILD" -o all "$@"
}

# machine USER: a PATH of its own, with all that is needed but what a test
# removes, and a package manager that says what it is asked for.
machine() {
	local p
	[ -x /usr/bin/time ] || skip 'no /usr/bin/time'
	mkdir bin
	# no links: a test that writes one of these must not write what it is of
	for p in sh cut grep tr sed uname cc env ln; do
		printf '#!/bin/sh\nexec %s "$@"\n' "$(command -v $p)" >bin/$p
	done
	for p in bats jq mandoc python3 strace cmark-gfm rsvg-convert zstd true; do
		echo '#!/bin/sh' >bin/$p
	done
	printf '#!/bin/sh\necho "$*" >>asked\n' >bin/apt-get
	printf '#!/bin/sh\n[ "$2" = libisal-dev ]\n' >bin/apt-cache
	printf '#!/bin/sh\necho %d\n' "$1" >bin/id
	printf '#!/bin/sh\nexit 1\n' >bin/sudo
	chmod +x bin/*
}

deps() {
	env -u CC -u CPPFLAGS PATH="$PWD/bin" "$PWD/bin/sh" \
	    "$TP_ROOT/tests/deps.sh" "$@"
}

@test "deps: where nothing is missing nobody has to be root, and nothing is asked" {
	for user in 0 1000; do
		machine $user
		for what in check build install; do
			run -0 deps $what
			[ -z "$output" ] || fail "$output"
		done
		[ ! -e asked ]
		rm -r bin
	done
}

@test "deps: another apt-get is waited for" {
	machine 0
	rm bin/jq
	cat >bin/apt-get <<'EOF'
#!/bin/sh
echo "$*" >>asked
case $1$(grep -c ^update asked) in
update[12]) echo 'E: Could not get lock /var/lib/apt/lists/lock.' >&2; exit 100 ;;
*install*) exit 1 ;;
esac
EOF
	TP_APT_WAIT=0 run -2 deps install
	[ "$(grep -c ^update asked)" -eq 3 ]
	[ "$(grep -c waits <<<"$output")" -eq 1 ]
	grep -q '^-o DPkg::Lock::Timeout=600 install .* jq' asked
}

@test "deps: who is not root is told what is missing, and the line for root" {
	machine 1000
	rm bin/jq bin/bats
	run -2 deps install
	[ "$output" = "make deps: not found: bats jq; as root: apt-get update && \
apt-get install -y --no-install-recommends bats jq libisal-dev" ]
	# make demo does without
	run -0 deps build
	[ -z "$output" ]
	rm bin/apt-get
	run -2 deps install
	[ "$output" = 'make deps: not found: bats jq; as root: install with your package manager: bats jq' ]
	[ ! -e asked ]
}

@test "deps: root, or sudo without a password, installs just what is missing" {
	machine 0
	rm bin/jq
	run -2 deps install
	[ "$output" = 'make deps: still not found: jq' ]
	printf 'update -q\n-o DPkg::Lock::Timeout=600 install -y --no-install-recommends jq libisal-dev\n' |
	    diff asked -
	rm -r bin asked
	machine 1000
	rm bin/jq
	printf '#!/bin/sh\n[ "$1" = -n ] && shift && exec "$@"\n' >bin/sudo
	printf '#!/bin/sh\n[ "$1" = update ] || ln -s bats bin/jq\n' \
	    >bin/apt-get
	run -0 deps install
	[ -z "$output" ]
}

@test "deps: a header that the compiler does not find is missing, wherever it is" {
	machine 1000
	printf '#!/bin/sh\nif grep -q expat; then exit 1; fi\n' >bin/cc
	run -2 deps check
	[ "$output" = "make: not found: expat.h; run 'make deps'" ]
	rm bin/cc
	run -2 deps build
	[[ $output = 'make deps: not found: cc '*'apt-get install -y --no-install-recommends gcc libc6-dev '* ]]
}

@test "deps: what is only wanted is installed, and nothing fails without it" {
	machine 1000
	printf '#!/bin/sh\nif grep -q md4c; then exit 1; fi\n' >bin/cc
	run -0 deps check
	[ -z "$output" ]
	for what in build install; do
		run -0 deps $what
		[ "${lines[0]}" = 'make deps: not found: md4c.h; as root: apt-get update && apt-get install -y --no-install-recommends libmd4c-dev' ]
		[ "${lines[1]}" = 'make deps: goes on without md4c.h' ]
	done
	[ ! -e asked ]
	printf '#!/bin/sh\necho 0\n' >bin/id
	run -0 deps build
	[ -z "$output" ]
	printf 'update -q\n-o DPkg::Lock::Timeout=600 install -y --no-install-recommends libmd4c-dev\n' |
	    diff asked -
}

@test "install: what is installed works by itself, and uninstall leaves nothing" {
	mkdir dest
	tp_make PREFIX=/opt DESTDIR="$PWD/dest" install
	opt=$PWD/dest/opt
	small_gpu >gpu.csv
	env -u TP_SHARE PATH="$opt/bin:/usr/bin:/bin" \
	    sh -c 'tp-gpu-intervals gpu.csv | tp-render gpu' >section.md
	grep -q '^# 4. GPU Activity' section.md
	for t in $(tools) tracepipe; do
		[ -s "$opt/share/man/man1/$t.1" ]
		[ -s "$opt/share/bash-completion/completions/$t" ]
		[ -s "$opt/share/zsh/site-functions/_$t" ]
		[ -s "$opt/share/fish/vendor_completions.d/$t.fish" ]
	done
	diff <(cd "$opt/bin" && ls) <({ tools; echo tracepipe; } | LC_ALL=C sort)
	diff <(cd "$opt/share/tracepipe" && find . -type f | sort) \
	    <(cd "$TP_ROOT/share" && { echo ./.installed
		find . -type f ! -path './man/*' ! -path './completions/*' ! -path './package/*'
		cd "$TP_BUILD" && find ./sql -type f
		} | sort)
	diff <(cd "$opt/share/man" && find . -type f | sed 's|.*/||' | sort) \
	    <(cd "$TP_ROOT/share/man" && ls *.in | sed 's/\.in$//' | sort)
	[ -z "$(find dest ! -type l ! -perm -444)" ]
	tp_make PREFIX=/opt DESTDIR="$PWD/dest" uninstall
	[ -z "$(find dest -mindepth 1)" ] || fail "$(find dest)"
	run -0 tp_make PREFIX=/opt DESTDIR="$PWD/dest" uninstall
	[[ $output = *'nothing is installed'* ]]
}

@test "install: the examples make what their reports are of, without the sources" {
	tp_make PREFIX="$PWD/a b" install
	doc="$PWD/a b/share/doc/tracepipe"
	[ -s "$doc/README.md" ] && [ -s "$doc/LICENSE" ]
	# documents name what they know from the source tree
	[ -s "$doc/share/doc/metal.md" ]
	export PATH="$PWD/a b/bin:/usr/bin:/bin"
	unset TP_SHARE
	sh "$doc/examples/metal/run.sh" metal >next
	sh next >report.md
	cmp report.md "$doc/examples/metal/report.md"
	for source in jax torch fusion; do
		sh "$doc/examples/$source/run.sh" $source >/dev/null
		[ -n "$(find $source -type f)" ]
	done
	sh "$doc/examples/executorch/run.sh" executorch >/dev/null
	sh "$doc/examples/artifacts/run.sh" artifacts | grep -q .
}

@test "install: no name of a folder is a word of a shell or of make" {
	p="/$NASTY \\ \$\$y \$(shell touch pwned)"
	for by in arguments environment; do
		if [ $by = arguments ]; then
			tp_make DESTDIR="$PWD/d/$NASTY" PREFIX="$p" install
		else
			DESTDIR="$PWD/d/$NASTY" PREFIX="$p" tp_make install
		fi
		bin="$PWD/d/$NASTY$p/bin"
		small_gpu | env -u TP_SHARE "$bin/tp-gpu-intervals" | grep -q .
		tp_make DESTDIR="$PWD/d/$NASTY" PREFIX="$p" uninstall
		[ -z "$(find d -type f)" ] || fail "$(find d)"
		[ ! -e "d/$NASTY" ] || fail "$(find d)"
	done
	[ ! -e pwned ] && [ ! -e "$TP_ROOT/pwned" ]
	# it gets into a program as it is
	TO_DESTDIR= TO_PREFIX="$p" sh "$TP_ROOT/share/package/install.sh" \
	    header >share.h
	printf '%s\n' '#include <stdio.h>' '#include "share.h"' \
	    'int main(void) { puts(TP_SHAREDIR); return 0; }' >say.c
	cc -std=c11 -o say say.c
	[ "$(./say)" = "$p/share/tracepipe" ] || fail "$(./say)"
}

@test "install: a folder that is none is refused" {
	run -2 tp_make DESTDIR="$PWD/d" PREFIX=opt install
	[[ $output = *"PREFIX is no path from the root: 'opt'"* ]]
	run -2 tp_make DESTDIR="$PWD/d" MANDIR=$'/a\nb' install
	[ ! -e d ]
}

@test "install: every folder can be elsewhere" {
	tp_make DESTDIR="$PWD/d" PREFIX=/p BINDIR=/b SHAREDIR=/s/tp DOCDIR=/d \
	    MANDIR=/m LIBEXECDIR=/l install
	[ -x d/b/tp-mem ] && [ -e d/m/man1/tp-mem.1 ] && [ -x d/l/mkflux ]
	[ -e d/s/tp/tables/metal.json ] && [ -e d/d/share/tables/metal.json ]
	# only the places of completions are not ours to choose
	[ "$(find d/p -type f | sed 's|/[^/]*$||' | sort -u | wc -l)" -eq 3 ]
	tp_make DESTDIR="$PWD/d" PREFIX=/p SHAREDIR=/s/tp uninstall
	[ ! -e d ]
}

@test "uninstall: what is not of install stays, files and folders" {
	mkdir -p d/p/share/fish/vendor_completions.d d/p/bin
	tp_make DESTDIR="$PWD/d" PREFIX=/p install
	share=d/p/share/tracepipe
	echo '{}' >$share/rules/mine.json
	mkdir $share/sections/mine
	echo x >d/p/bin/other
	tp_make DESTDIR="$PWD/d" PREFIX=/p uninstall
	diff <(find d | sort) - <<-'END'
	d
	d/p
	d/p/bin
	d/p/bin/other
	d/p/share
	d/p/share/fish
	d/p/share/fish/vendor_completions.d
	d/p/share/tracepipe
	d/p/share/tracepipe/rules
	d/p/share/tracepipe/rules/mine.json
	d/p/share/tracepipe/sections
	d/p/share/tracepipe/sections/mine
	END
}

@test "install: what only an older version had is gone, what a user added is not" {
	tp_make DESTDIR="$PWD/d" PREFIX=/p install
	share=d/p/share/tracepipe
	mkdir $share/gone
	: >$share/gone/old.json
	: >$share/rules/old.json
	: >$share/rules/mine.json
	printf '%s\n' /p/share/tracepipe/gone/ /p/share/tracepipe/gone/old.json \
	    /p/share/tracepipe/rules/old.json >>$share/.installed
	tp_make DESTDIR="$PWD/d" PREFIX=/p install
	[ ! -e $share/gone ] && [ ! -e $share/rules/old.json ]
	[ -e $share/rules/mine.json ] && [ -e $share/rules/metal.json ]
	rm $share/rules/mine.json
	tp_make DESTDIR="$PWD/d" PREFIX=/p uninstall
	[ ! -e d ] || fail "$(find d)"
}

@test "install: stopped half way it can be made again, and undone" {
	mkdir -p d/p/share/man/man1/tp-mem.1
	run tp_make DESTDIR="$PWD/d" PREFIX=/p install
	[ "$status" -ne 0 ]
	[ -x d/p/bin/tp-mem ] && [ ! -e d/p/share/doc ]
	rmdir d/p/share/man/man1/tp-mem.1
	tp_make DESTDIR="$PWD/d" PREFIX=/p uninstall
	diff <(find d | sort) <(printf '%s\n' d d/p d/p/share d/p/share/man \
	    d/p/share/man/man1)
}

@test "install: what only debuggers read stays in the build, unless STRIP is empty" {
	skip_unless strip
	tp_make DESTDIR="$PWD/a" PREFIX=/p STRIP= install
	tp_make DESTDIR="$PWD/b" PREFIX=/p install
	diff <(cd a && find . | sort) <(cd b && find . | sort)
	for f in bin/tp-mem libexec/tracepipe/mkflux; do
		[ "$(wc -c <b/p/$f)" -lt "$(wc -c <a/p/$f)" ] || fail $f
	done
	cmp a/p/bin/tp-mem "$TP_BUILD/tp-mem"
	cmp a/p/bin/tp-report b/p/bin/tp-report
	small_gpu | TP_SHARE= b/p/bin/tp-gpu-intervals | grep -q .
	# without the program they are as they were built
	run -0 tp_make DESTDIR="$PWD/c" PREFIX=/p STRIP='no-such-strip' install
	[[ $output = *"no 'no-such-strip': programs keep what only debuggers"* ]]
	cmp c/p/bin/tp-mem "$TP_BUILD/tp-mem"
}

@test "dist: a clone and what was unpacked make the same archive, which builds" {
	make -s -C "$TP_ROOT" B="$PWD/b" dist
	mkdir once
	tar -xzf b/tracepipe-*.tar.gz -C once
	cd once/tracepipe-*
	if [ -e "$TP_ROOT/.git" ]; then
		diff <(git -C "$TP_ROOT" ls-tree -r -z --name-only HEAD | tr "\0" "\n" |
		    sort) \
		    <(find . -type f | sed 's|^\./||' | sort)
	fi
	# what a build and another umask leave makes no difference
	mkdir build
	: >build/x.o
	(umask 077 && make -s dist)
	cmp build/tracepipe-*.tar.gz "$BATS_TEST_TMPDIR"/b/tracepipe-*.tar.gz
	# most of its objects are there already, where they are of these sources
	if [ -z "${TP_ALL-}" ] && git -C "$TP_ROOT" diff --quiet HEAD -- \
	    Makefile include lib tools 2>/dev/null; then
		cp -R "$TP_BUILD"/{.[a-z]*,lib,tools,*.[ah]} build
		rm -f build/tools/tp-rows.o build/lib/*/*csv*.o
	fi
	make -s CFLAGS=-O0 build/tp-rows build/tp-report
	build/tp-rows --version | grep -q tracepipe
	make -n check install >/dev/null
}

@test "dist: SOURCE_DATE_EPOCH is the time of all that is packed" {
	SOURCE_DATE_EPOCH=86400 make -s -C "$TP_ROOT" B="$PWD/b" dist
	[ "$(TZ=UTC tar -tvzf b/tracepipe-*.tar.gz | grep -v -c ' 1970-01-02 ')" \
	    -eq 0 ]
	[ "$(TZ=UTC tar -tvzf b/tracepipe-*.tar.gz | grep -v -c ' 0/0 ')" -eq 0 ]
}

@test "dist: when something fails there is no half archive, and an old one stays" {
	mkdir bin b
	version=$(sed -n 's/^VERSION := //p' "$TP_ROOT/Makefile")
	archive=b/tracepipe-$version.tar.gz
	echo old >$archive
	for program in tar gzip $([ ! -e "$TP_ROOT/.git" ] || echo git); do
		rm -f bin/*
		printf '#!/bin/sh\n%s\nexec %s "$@"\n' \
		    "case \$1 in --version|log) ;; *) echo half; exit 1 ;; esac" \
		    "$(command -v $program)" >bin/$program
		chmod +x bin/$program
		PATH=$PWD/bin:$PATH run make -s -C "$TP_ROOT" B="$PWD/b" dist
		[ "$status" -ne 0 ]
		[[ $output = *"make dist: $program failed"* ]] || fail "$output"
		[ "$(cat $archive)" = old ]
		[ "$(ls b)" = "$(basename $archive)" ]
	done
}
