#!/bin/sh
# deb.sh VERSION BUILD: BUILD/tracepipe_VERSION_ARCHITECTURE.deb of the sources
# that "make dist" packs, by dpkg-buildpackage
#
# It goes where dpkg-buildpackage wants it: debian/ is share/package/debian, with
# the licence of LICENSE and the changes of CHANGELOG.md.  For libraries of the
# distribution that builds it.
set -eu
umask 022
LC_ALL=C
export LC_ALL
cd "$(dirname "$0")/../.."
me=deb
version=$1
build=$(cd "$2" && pwd)
. share/package/pack.sh
command -v dpkg-buildpackage >/dev/null ||
	die "no dpkg-buildpackage: run 'make proof-deps'"

name=tracepipe-$version
sh share/package/dist.sh "$version" "$build" >"$stage/dist"
$tar -xzf "$(cat "$stage/dist")" -C "$stage"
cd "$stage/$name"
cp -R share/package/debian debian
sed 's/^$/./; s/^/ /' LICENSE >"$stage/licence"
sed -e '/^@LICENSE@$/{r '"$stage/licence" -e 'd' -e '}' \
    share/package/debian/copyright >debian/copyright
{
	printf 'tracepipe (%s) unstable; urgency=medium\n\n' "$version"
	sh share/package/notes.sh "$version" | sed '/^$/d; s/^- /* /' |
	    fold -s -w 74 | sed 's/^/    /; s/^    \* /  * /; s/ *$//'
	printf '\n -- %s  %s\n' "$(sed -n 's/^Maintainer: //p' debian/control)" \
	    "$(date -u -R -d "@$epoch")"
} >debian/changelog

# What make and the user have set is not of the package.
SOURCE_DATE_EPOCH=$epoch
export SOURCE_DATE_EPOCH
unset MAKEFLAGS MFLAGS MAKELEVEL CC CFLAGS CPPFLAGS CXXFLAGS LDFLAGS B SAN
for place in DESTDIR PREFIX BINDIR MANDIR SHAREDIR DOCDIR LIBEXECDIR STRIP; do
	unset "$place" "TO_$place"
done
dpkg-buildpackage -us -uc -rfakeroot >"$stage/log" 2>&1 || {
	cat "$stage/log" >&2
	die 'dpkg-buildpackage failed'
}
cd ..
for file in tracepipe*_*; do
	mv "$file" "$build"
	echo "$build/$file"
done
