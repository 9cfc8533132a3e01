#!/bin/sh
# release.sh VERSION BUILD: BUILD/release, the files of a release
#
# The sources, what "make tarball", "make wheel" and "make deb" make of these in
# an environment of their own, the formula for Homebrew, SHA256SUMS of all and
# NOTES.md.  TO_URL is the folder on the net that they will be in: the formula
# names it.
set -eu
cd "$(dirname "$0")/../.."
me=release
version=$1
build=$(cd "$2" && pwd)
. share/package/pack.sh
url=${TO_URL-}
case $url in
'') ;;
*[!A-Za-z0-9._~/:%+-]*) die "URL holds what a formula cannot: '$url'" ;;
https://[!/]*) url=${url%/} ;;
*) die "URL does not begin with https:// and a host: '$url'" ;;
esac

# What is packed has to be what its version names.
if [ -e .git ] && ! git diff --quiet HEAD --; then
	git diff --stat HEAD -- >&2
	die 'commit these first'
fi
grep -q "^## $version, [0-9]" CHANGELOG.md ||
	echo "make release: a trial: CHANGELOG.md has no date for $version" >&2
sh share/package/notes.sh "$version" >"$stage/changes"

sources=tracepipe-$version.tar.gz
sh share/package/dist.sh "$version" "$stage" >"$stage/made"
mkdir "$stage/release"
$tar -xzf "$stage/$sources" -C "$stage"
env -i PATH="$PATH" HOME="${HOME-/}" TMPDIR="${TMPDIR-/tmp}" \
    SOURCE_DATE_EPOCH="$epoch" "${MAKE:-make}" -s -C "$stage/tracepipe-$version" \
    tarball wheel deb >>"$stage/made" 2>"$stage/said" ||
	{ cat "$stage/said" >&2; die 'not all packages can be made here'; }
# such as a library that stays behind, or one without its licence
! grep '^make [a-z]*: ' "$stage/said" >&2 || die 'a release leaves nothing out'
while IFS= read -r file; do
	case $file in
	*.gz | *.whl | */tracepipe_*.deb) mv "$file" "$stage/release" ;;
	esac
done <"$stage/made"

formula=$PWD/share/package/tracepipe.rb.in
$tar -xzOf "$(echo "$stage/release/tracepipe-$version"-*.tar.gz)" --wildcards '*/sbom.cdx.json' \
    >"$stage/release/tracepipe-$version.cdx.json"
cd "$stage/release"
if [ -n "$url" ]; then
	sum=$(sha256sum "$sources")
	sed "s|@URL@|$url/$sources|; s|@SHA256@|${sum%% *}|" \
	    "$formula" >tracepipe.rb
else
	echo 'make release: no formula: URL=https://... says where the files will be' >&2
fi
sha256sum -- * >SHA256SUMS

# how FILE: what installs it
how() {
	case $1 in
	*.deb) echo "\`sudo apt install ./$1\`" ;;
	*.whl) echo "\`pipx install ./$1\`, or \`pip install\` in a venv" ;;
	*.json) echo 'what the archive and the wheel bring (SBOM, CycloneDX)' ;;
	*.rb) echo "into \`Formula/\` of a tap: \`brew install OWNER/TAP/tracepipe\`" ;;
	"$sources") echo "the sources: \`make install\`" ;;
	*.gz) echo "\`tar -xzf $1\`, anywhere" ;;
	esac
}
{
	printf '# tracepipe %s\n\n' "$version"
	printf '| file | bytes | install |\n|---|---:|---|\n'
	for file in *; do
		[ "$file" = SHA256SUMS ] || [ "$file" = NOTES.md ] ||
		    printf '| %s | %s | %s |\n' "$file" \
			"$(wc -c <"$file")" "$(how "$file")"
	done
	printf '\n`sha256sum -c SHA256SUMS` checks them.\n\n## Changes\n\n'
	cat "$stage/changes"
} >NOTES.md
cd "$build"
rm -rf release
mv -T "$stage/release" release
for file in release/*; do
	echo "$build/$file"
done
