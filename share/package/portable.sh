#!/bin/sh
# portable.sh tarball|wheel VERSION BUILD: what BUILD holds as one archive that
# runs where it is unpacked
#
# Programs and data are as "make install" lays them; libraries that the system
# does not promise lie in lib/tracepipe, where programs look for them (RPATH in
# the Makefile), with their licences.  The archive runs on what has the glibc
# that the programs ask for, or a newer one.
set -eu
cd "$(dirname "$0")/../.."
me=$1
version=$2
build=$(cd "$3" && pwd)
. share/package/pack.sh

case $(uname -s) in
Darwin) system=macos ;;
*) system=linux ;;
esac
machine=$(uname -m)
name=tracepipe-$version-$system-$machine
tree=$stage/$name
doc=$tree/share/doc/tracepipe
lib=$tree/lib/tracepipe

# As "make install" does it, wherever that would go.
for place in BINDIR MANDIR SHAREDIR DOCDIR; do
	unset "TO_$place"
done
TO_DESTDIR=$tree TO_PREFIX='' TO_LIBEXECDIR=/share/doc/tracepipe/build \
    TO_STRIP=${TO_STRIP-strip} sh share/package/install.sh install "$build"
# of make uninstall, which is not for this
rm "$tree/share/tracepipe/.installed"
mkdir "$tree/lib" "$lib" "$doc/licences"

# programs: the compiled ones
programs() {
	find "$tree/bin" "$doc/build" -type f | while IFS= read -r file; do
		case $(head -c 2 "$file") in
		'#!') ;;
		*) printf '%s\n' "$file" ;;
		esac
	done
}

# licence FILE: of the package that FILE is from
licence() {
	package=$(dpkg -S "*/${1##*/}" 2>/dev/null | sed -n '1s/:.*//p')
	[ -z "$package" ] || echo "$soname $package" >>"$stage/packages"
	[ -n "$package" ] && cp -L "/usr/share/doc/$package/copyright" \
	    "$doc/licences/$package" 2>/dev/null ||
		echo "make $me: no licence text found for $1: add it before you give the archive away" >&2
}

# older_expat: all else of Debian 12 runs with glibc 2.34; expat there asks for
# 2.36, because of one function.
older_expat() {
	# shellcheck disable=SC2086 # CC may hold options
	${CC:-cc} -O2 -fPIC -shared -o "$stage/expat" \
	    -Wl,-soname,libexpat.so.1,-z,relro,-z,now,--build-id=none \
	    share/package/older.c -Wl,--whole-archive -l:libexpat.a \
	    -Wl,--no-whole-archive 2>"$stage/why" &&
	    strip "$stage/expat" || {
		cat "$stage/why" >&2
		echo "make $me: expat stays as it is: the archive may ask for a newer glibc" >&2
		return 0
	}
	cat "$stage/expat" >"$lib/libexpat.so.1"
}

# bring_SYSTEM: all libraries that programs load, but those that every such
# system has; platform is what pip calls the systems that can run the whole.
#
# On Linux glibc is promised, from the newest version that a file asks for.
bring_linux() {
	programs >"$stage/programs"
	while IFS= read -r program; do
		ldd "$program" || die "ldd failed: $program"
	done <"$stage/programs" >"$stage/ldd"
	awk '$2 == "=>" { print $1, $3 }' "$stage/ldd" | sort -u >"$stage/needed"
	while read -r soname path; do
		case $soname in
		libc.so.6 | libm.so.6 | libpthread.so.0 | libdl.so.2 | librt.so.1)
			continue ;;
		esac
		[ "$path" != not ] || die "$soname is not found"
		cp -L "$path" "$lib/$soname"
		chmod 644 "$lib/$soname"
		licence "$(readlink -f "$path")"
	done <"$stage/needed"
	older_expat
	ls "$lib"/* >>"$stage/programs"
	while IFS= read -r file; do
		objdump -T "$file" || die "objdump failed: $file"
	done <"$stage/programs" >"$stage/symbols"
	glibc=$(grep -o 'GLIBC_[0-9.]*' "$stage/symbols" | sort -uV | tail -n 1)
	[ -n "$glibc" ] || die 'no program asks for a glibc'
	platform=manylinux_$(echo "${glibc#GLIBC_}" | tr . _)_$machine
}

# Not run yet: nobody here has a Mac.
bring_macos() {
	programs | while IFS= read -r file; do
		change_macos "$file"
	done
	platform=macosx_$(sw_vers -productVersion | cut -d . -f 1)_0_$machine
}
change_macos() (	# FILE
	for path in $(otool -L "$1" | awk 'NR > 1 { print $1 }'); do
		case $path in
		/usr/lib/* | /System/* | @rpath/*) continue ;;
		esac
		own=$lib/${path##*/}
		install_name_tool -change "$path" "@rpath/${path##*/}" "$1"
		[ -e "$own" ] || {
			cp -L "$path" "$own"
			chmod 644 "$own"
			install_name_tool -id "@rpath/${path##*/}" "$own"
			change_macos "$own"
		}
	done
	codesign -f -s - "$1"
)

bring_$system

# bill: what the archive consists of, in CycloneDX: each library that it brings,
# with its digest, and the package that it is from
bill() {
	printf '{"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,\n'
	printf '"metadata": {"component": {"type": "application", "bom-ref": "tracepipe", '
	printf '"name": "tracepipe", "version": "%s", "licenses": [{"license": {"id": "MIT"}}]}},\n' \
	    "$version"
	printf '"components": ['
	comma=
	for file in "$lib"/*; do
		file=${file##*/}
		package=$(sed -n "s/^$file //p" "$stage/packages" 2>/dev/null)
		from=$(dpkg-query -W -f '${source:Package} ${Version}\n' \
		    "$package" 2>/dev/null | head -n 1) || from=
		source=${from% *}
		printf '%s\n{"type": "library", "bom-ref": "%s", "name": "%s", ' \
		    "$comma" "$file" "${source:-$file}"
		[ -z "$from" ] || printf '"version": "%s", "purl": "pkg:deb/debian/%s@%s", ' \
		    "${from#* }" "$package" "$(echo "${from#* }" | sed 's/+/%2B/g; s/:/%3A/g; s/~/%7E/g')"
		printf '"hashes": [{"alg": "SHA-256", "content": "%s"}]}' \
		    "$(sha256sum "$lib/$file" | cut -d ' ' -f 1)"
		comma=,
	done
	printf '\n]}\n'
}
bill >"$doc/sbom.cdx.json"

case $me in
tarball) pack "$name" "$build/$name.tar.gz" ;;
wheel)
	python3 share/package/wheel.py "$tree" "$version" "$platform" "$epoch" \
	    "$stage" || die 'python3 failed'
	wheel=tracepipe-$version-py3-none-$platform.whl
	# one for another glibc would be beside it
	rm -f "$build/tracepipe-$version"-py3-*.whl
	mv "$stage/$wheel" "$build/$wheel"
	echo "$build/$wheel"
	;;
esac
