#!/bin/sh
# dist.sh VERSION BUILD: pack the sources as BUILD/tracepipe-VERSION.tar.gz
#
# In a clone of git what is committed; in an unpacked archive, which has no
# .git, all files but ./build and BUILD: the same files, and the same bytes.
# Their time is SOURCE_DATE_EPOCH, else that of the commit or the newest file.
set -eu
LC_ALL=C
export LC_ALL
cd "$(dirname "$0")/.."
name=tracepipe-$1
build=$(cd "$2" && pwd)
stage=$build/dist
archive=$build/$name.tar.gz

die() {
	echo "make dist: $*" >&2
	exit 2
}

tar=
for t in tar gtar; do
	case $($t --version 2>/dev/null) in
	*GNU*) tar=$t ;;
	esac
done
[ -n "$tar" ] || die 'no GNU tar'

rm -rf "$stage"
mkdir -p "$stage/$name"
trap 'rm -rf "$stage"' EXIT
trap 'exit 4' HUP INT TERM

if [ -e .git ]; then
	time=@$(git log -1 --format=%ct) || die 'git failed'
	git archive -o "$stage/tree" HEAD || die 'git failed'
	$tar -xf "$stage/tree" -C "$stage/$name" || die 'tar failed'
else
	case $build in
	"$PWD"/*) own=./${build#"$PWD"/} ;;
	*) own=./build ;;
	esac
	time=$PWD/Makefile
	find . \( -path ./build -o -path "$own" \) -prune -o ! -type d -print \
	    >"$stage/list"
	while IFS= read -r f; do
		[ ! "$f" -nt "$time" ] || time=$PWD/$f
	done <"$stage/list"
	$tar -cf "$stage/tree" --no-unquote -T "$stage/list" || die 'tar failed'
	$tar -xf "$stage/tree" -C "$stage/$name" || die 'tar failed'
fi

[ -z "${SOURCE_DATE_EPOCH-}" ] || time=@$SOURCE_DATE_EPOCH
$tar -cf "$stage/tar" -C "$stage" --format=ustar --sort=name \
    --owner=0 --group=0 --numeric-owner --mode=u+rwX,go+rX,go-w \
    --mtime="$time" "$name" || die 'tar failed'
gzip -9nc "$stage/tar" >"$stage/gz" || die 'gzip failed'
mv "$stage/gz" "$archive"
echo "$archive"
