#!/bin/sh
# dist.sh VERSION BUILD: pack the sources as BUILD/tracepipe-VERSION.tar.gz
#
# In a clone of git what is committed; in an unpacked archive, which has no
# .git, all files but ./build and BUILD: the same files, and the same bytes.
set -eu
cd "$(dirname "$0")/../.."
me=dist
version=$1
name=tracepipe-$version
build=$(cd "$2" && pwd)
. share/package/pack.sh

mkdir "$stage/$name"
if [ -e .git ]; then
	git archive -o "$stage/tree" HEAD || die 'git failed'
else
	case $build in
	"$PWD"/*) own=./${build#"$PWD"/} ;;
	*) own=./build ;;
	esac
	find . \( -path ./build -o -path "$own" \) -prune -o ! -type d -print \
	    >"$stage/list"
	$tar -cf "$stage/tree" --no-unquote -T "$stage/list" || die 'tar failed'
fi
$tar -xf "$stage/tree" -C "$stage/$name" || die 'tar failed'
pack "$name" "$build/$name.tar.gz"
