# shellcheck shell=sh
# pack.sh: what makes archives; sourced in the source tree, with me (the target
# of make), version and build set.  stage is a folder to work in, gone in the
# end, that another make of the same target does not share.
#
# The same files make the same bytes, whenever, wherever and by whomever.
umask 022
LC_ALL=C
export LC_ALL

die() {
	echo "make $me: $*" >&2
	exit 2
}

tar=
for t in tar gtar; do
	case $($t --version 2>/dev/null) in
	*GNU*) tar=$t ;;
	esac
done
[ -n "$tar" ] || die 'no GNU tar'

# The time of all that is packed, in seconds: SOURCE_DATE_EPOCH, else that of
# the commit, else that of what was unpacked.
epoch=${SOURCE_DATE_EPOCH-}
if [ -n "$epoch" ]; then
	:
elif [ -e .git ]; then
	epoch=$(git log -1 --format=%ct) || die 'git failed'
else
	epoch=$(date -r Makefile +%s) || die 'date failed'
fi

case $epoch in
'' | *[!0-9]*) die "SOURCE_DATE_EPOCH is no number of seconds: '$epoch'" ;;
esac
# pip and dpkg read other forms differently
case $version in
*[!0-9.]* | .* | *. | *..*) die "VERSION is not like 1.2.3: '$version'" ;;
esac

stage=$(mktemp -d "$build/$me.XXXXXX") || die 'mktemp failed'
trap 'rm -rf "$stage"' EXIT
trap 'exit 4' HUP INT TERM

# pack NAME ARCHIVE: the folder NAME of the stage, whole or not at all
pack() {
	$tar -cf "$stage/tar" -C "$stage" --format=ustar --sort=name \
	    --owner=0 --group=0 --numeric-owner --mode=u+rwX,go+rX,go-w \
	    --mtime="@$epoch" "$1" || die 'tar failed'
	gzip -9nc "$stage/tar" >"$stage/gz" || die 'gzip failed'
	mv "$stage/gz" "$2"
	echo "$2"
}
