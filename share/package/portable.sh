#!/bin/sh
# portable.sh tarball|wheel VERSION BUILD: what BUILD holds as one archive that
# runs where it is unpacked
#
# Programs and data are as "make install" lays them; libraries that the system
# does not promise lie in lib/tracepipe, where programs look for them (RPATH in
# the Makefile), with their licences.  The archive runs on what has the glibc
# that the programs ask for, or a newer one.
set -eu
umask 022
LC_ALL=C
export LC_ALL
cd "$(dirname "$0")/../.."
me=$1
version=$2
build=$(cd "$3" && pwd)
stage=$build/$me
. share/package/pack.sh

# What any glibc brings; all else comes along.
promised='ld-linux-*.so.*|libc.so.6|libm.so.6|libpthread.so.0|libdl.so.2|librt.so.1'

case $(uname -s) in
Darwin) system=macos ;;
*) system=linux ;;
esac
machine=$(uname -m)
name=tracepipe-$version-$system-$machine
tree=$stage/$name
doc=$tree/share/doc/tracepipe
lib=$tree/lib/tracepipe

TO_DESTDIR=$tree TO_PREFIX='' TO_LIBEXECDIR=/share/doc/tracepipe/build \
    TO_BINDIR='' TO_MANDIR='' TO_SHAREDIR='' TO_DOCDIR='' \
    TO_STRIP=${TO_STRIP-strip} sh share/package/install.sh install "$build"
# of make uninstall, which is not for this
rm "$tree/share/tracepipe/.installed"
mkdir -p "$lib" "$doc/licences"

# programs: the compiled ones
programs() {
	find "$tree/bin" "$doc/build" -type f ! -name '*.*' |
	    while IFS= read -r file; do
		case $(head -c 2 "$file") in
		'#!') ;;
		*) printf '%s\n' "$file" ;;
		esac
	done
}

# licence FILE: of the package that FILE is from
licence() {
	package=$(dpkg -S "$1" 2>/dev/null || dpkg -S "${1#/usr}" 2>/dev/null ||
	    dpkg -S "/usr$1" 2>/dev/null) || package=
	package=${package%%:*}
	[ -n "$package" ] && cp -L "/usr/share/doc/$package/copyright" \
	    "$doc/licences/$package" 2>/dev/null ||
		echo "make $me: no licence found of $1: add it before you give the archive away" >&2
}

libraries_linux() {
	programs | while IFS= read -r program; do
		ldd "$program"
	done | awk '$2 == "=>" { print $1, $3 }' | sort -u >"$stage/needed"
	while read -r soname path; do
		eval "case \$soname in $promised) continue ;; esac"
		[ "$path" != not ] || die "$soname is not found"
		cp -L "$path" "$lib/$soname"
		chmod 644 "$lib/$soname"
		licence "$(readlink -f "$path")"
	done <"$stage/needed"
}

# The newest glibc that something in the tree asks for, in glibc; whatever is
# asked for beside it has to be in the tree.
glibc=
check_linux() {
	{ programs; ls "$lib"/*; } >"$stage/files"
	while IFS= read -r file; do
		objdump -p "$file" | awk '$1 == "NEEDED" { print $2 }'
	done <"$stage/files" | sort -u >"$stage/needed"
	while IFS= read -r soname; do
		eval "case \$soname in $promised) continue ;; esac"
		[ -e "$lib/$soname" ] || die "nothing brings $soname"
	done <"$stage/needed"
	glibc=$(while IFS= read -r file; do
		objdump -T "$file"
	done <"$stage/files" | grep -o 'GLIBC_[0-9.]*' | sort -uV | tail -n 1)
	glibc=${glibc#GLIBC_}
	[ -n "$glibc" ] || die 'no program asks for a glibc'
}

# Not run yet: nobody here has a Mac.
libraries_macos() {
	programs | while IFS= read -r file; do
		change_macos "$file"
	done
}
change_macos() {	# FILE
	otool -L "$1" | awk 'NR > 1 { print $1 }' >"$stage/needed"
	while IFS= read -r path; do
		case $path in
		/usr/lib/* | /System/* | @rpath/*) continue ;;
		esac
		own=$lib/${path##*/}
		install_name_tool -change "$path" "@rpath/${path##*/}" "$1"
		[ -e "$own" ] || {
			cp -L "$path" "$own"
			chmod 644 "$own"
			install_name_tool -id "@rpath/${path##*/}" "$own"
			(change_macos "$own")
		}
	done <"$stage/needed"
	codesign -f -s - "$1"
}
check_macos() {
	:
}

libraries_$system
check_$system

case $me in
tarball) pack "$name" "$build/$name.tar.gz" ;;
wheel)
	case $system in
	linux) platform=manylinux_$(echo "$glibc" | tr . _)_$machine ;;
	macos) platform=macosx_11_0_$machine ;;
	esac
	python3 share/package/wheel.py "$tree" "$version" "$platform" "$epoch" \
	    "$stage" || die 'python3 failed'
	wheel=tracepipe-$version-py3-none-$platform.whl
	mv "$stage/$wheel" "$build/$wheel"
	echo "$build/$wheel"
	;;
esac
