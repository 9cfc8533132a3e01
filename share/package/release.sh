#!/bin/sh
# release.sh VERSION BUILD: BUILD/release, the files of a release
#
# The sources, what "make tarball", "make wheel" and "make deb" make, the
# formula for Homebrew, SHA256SUMS of all these and NOTES.md.  TO_URL is the
# folder on the net that they will be in: the formula names it.
set -eu
umask 022
LC_ALL=C
export LC_ALL
cd "$(dirname "$0")/../.."
me=release
version=$1
build=$(cd "$2" && pwd)
. share/package/pack.sh
url=${TO_URL-}
case $url in
'') ;;
*[!A-Za-z0-9._~/:%+-]*) die "URL is none that a formula can hold: '$url'" ;;
https://?*) url=${url%/} ;;
*) die "URL does not begin with https://: '$url'" ;;
esac

# What is packed has to be what its version names.
if [ -e .git ] && [ -n "$(git status --porcelain)" ]; then
	git status --short >&2
	die 'commit these first'
fi
grep -q "^## $version, [0-9]" CHANGELOG.md ||
	echo "make release: a trial: CHANGELOG.md has no date for $version" >&2
sh share/package/notes.sh "$version" >"$stage/changes"

mkdir "$stage/release"
for what in dist deb 'portable tarball' 'portable wheel'; do
	# shellcheck disable=SC2086 # a script and what it is to make
	set -- $what
	sh "share/package/$1.sh" ${2-} "$version" "$build" >"$stage/made"
	while IFS= read -r file; do
		case $file in
		*.gz | *.whl | */tracepipe_*.deb) cp "$file" "$stage/release" ;;
		esac
	done <"$stage/made"
done
cd "$stage/release"

digest() {
	if command -v sha256sum >/dev/null; then
		sha256sum "$@"
	else
		shasum -a 256 "$@"
	fi
}
if [ -n "$url" ]; then
	sum=$(digest "tracepipe-$version.tar.gz")
	sed "s|@URL@|$url/tracepipe-$version.tar.gz|; s|@VERSION@|$version|; s|@SHA256@|${sum%% *}|" \
	    "$OLDPWD/share/package/tracepipe.rb.in" >tracepipe.rb
else
	echo 'make release: no formula: URL=https://... says where the files will be' >&2
fi
digest * >SHA256SUMS

# how FILE: the line that installs it
how() {
	case $1 in
	*.deb) echo "\`sudo apt install ./$1\`" ;;
	*.whl) echo "\`pip install ./$1\`" ;;
	*.rb) echo "\`brew install --formula ./$1\`" ;;
	tracepipe-"$version".tar.gz) echo "\`make install\`, of the sources" ;;
	*.gz) echo "\`tar -xzf $1\`, anywhere" ;;
	esac
}
{
	printf '# tracepipe %s\n\n' "$version"
	printf '| file | bytes | install |\n|---|---:|---|\n'
	for file in *; do
		[ "$file" = SHA256SUMS ] || [ "$file" = NOTES.md ] ||
		    printf '| %s | %s | %s |\n' "$file" \
			"$(wc -c <"$file" | tr -d ' ')" "$(how "$file")"
	done
	printf '\n`sha256sum -c SHA256SUMS` checks them.\n\n## Changes\n\n'
	cat "$stage/changes"
} >NOTES.md
cd "$build"
rm -rf release
mv "$stage/release" release
for file in release/*; do
	echo "$build/$file"
done
