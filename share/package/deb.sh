#!/bin/sh
# deb.sh VERSION BUILD: BUILD/tracepipe_VERSION_ARCHITECTURE.deb of the sources
# that "make dist" packs, by dpkg-buildpackage
#
# It goes where dpkg-buildpackage wants it: debian/ is share/package/debian, with
# the licence of LICENSE and the changes of CHANGELOG.md.  For libraries of the
# distribution that builds it.
set -eu
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
date=$(date -u -R -d "@$epoch") || die 'date failed'
{
	printf 'tracepipe (%s) unstable; urgency=medium\n\n' "$version"
	sh share/package/notes.sh "$version" | awk '
		{ line = /^- / ? "  *" : "   "; sub(/^- /, "") }
		NF {
			for (i = 1; i <= NF; i++) {
				if (length(line " " $i) > 78 && line ~ /[^ *]/) {
					print line
					line = "   "
				}
				line = line " " $i
			}
			print line
		}'
	printf '\n -- %s  %s\n' "$(sed -n 's/^Maintainer: //p' debian/control)" \
	    "$date"
} >debian/changelog

# What make and the user have set is not of the package.
env -i PATH="$PATH" HOME="${HOME-/}" TMPDIR="${TMPDIR-/tmp}" LC_ALL=C \
    SOURCE_DATE_EPOCH="$epoch" DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS-}" \
    dpkg-buildpackage -us -uc >"$stage/log" 2>&1 || {
	cat "$stage/log" >&2
	die 'dpkg-buildpackage failed'
}
cd ..
for file in tracepipe*_*; do
	mv "$file" "$build"
	echo "$build/$file"
done
