#!/bin/sh
# docker.sh [ROOT.tar]: build the image of share/package/Dockerfile, and let it
# make the example's report
#
# Builds with buildah in a storage of its own, on the smallest Debian 12: the
# archive ROOT.tar, or one that mmdebstrap makes.  Needs root and a mirror of
# Debian.  Prints how large the image is.  Where a program is missing it says
# so, status 0.
set -u
cd "$(dirname "$0")/../.." || exit 2

skip() {
	echo "skip: docker: $*"
	exit 0
}
[ "$(id -u)" -eq 0 ] || skip 'not root'
command -v buildah >/dev/null || skip 'no buildah'
[ $# -gt 0 ] || command -v mmdebstrap >/dev/null || skip 'no mmdebstrap'

tmp=$(mktemp -d) || exit 2
# a build that was stopped may have left the host's /dev mounted there
trap 'rm -rf --one-file-system "$tmp"' EXIT
trap 'exit 4' HUP INT TERM

die() {
	echo "not ok docker: $*"
	[ ! -s "$tmp/log" ] || tail -n 20 "$tmp/log" | sed 's/^/# /'
	exit 1
}

# quiet COMMAND...: it says something when it fails
quiet() {
	"$@" >"$tmp/log" 2>&1 || die "failed: $*"
}

b() {
	command=$1
	shift
	buildah --storage-driver vfs --root "$tmp/storage" \
	    --runroot "$tmp/run" "$command" "$@"
}

# size CONTAINER: megabytes of its files
size() {
	mounted=$(b mount "$1") || return
	du -s -m --apparent-size "$mounted" | cut -f 1
	b umount "$1" >/dev/null
}

# run COMMAND...: in a container of the image, with the folder beside it
run() {
	b run --isolation chroot --volume "$tmp/folder:/work" "$container" -- "$@"
}

root=${1-}
if [ -z "$root" ]; then
	root=$tmp/root.tar
	quiet mmdebstrap --variant=minbase bookworm "$root"
fi
base=$(b from scratch) || die 'no container'
quiet b add "$base" "$root" /
quiet b commit "$base" localhost/debian:12
rm -f "$tmp/root.tar"

quiet b build --isolation chroot --pull-never --layers=false \
    --build-arg BASE=localhost/debian:12 -t localhost/tracepipe \
    -f share/package/Dockerfile .
echo 'ok docker: the image is built'

container=$(b from --pull-never localhost/tracepipe) || die 'no container'
whole=$(size "$container")
under=$(size "$base")
echo "ok docker: the image has $whole MB, $((whole - under)) MB more than its base"

# whose the folder is that somebody brings
mkdir "$tmp/folder"
chown 1000:1000 "$tmp/folder"
run id -u >"$tmp/log"
[ "$(cat "$tmp/log")" = 1000 ] || die 'another user'
quiet run tracepipe --version
for tool in tools/tp-*; do
	tool=${tool##*/}
	quiet run "${tool%.*}" --version
done
quiet run tp-page --check
quiet run tp-xlsx --check
echo 'ok docker: every program runs, as user 1000'

quiet run /usr/libexec/tracepipe/mkflux example
run tp-report example/flux_example >"$tmp/report.md" 2>"$tmp/log" ||
    die 'no report'
cmp "$tmp/report.md" examples/metal/report.md >"$tmp/log" ||
    die 'another report'
quiet run tp-report -o out example/flux_example
[ -s "$tmp/folder/out/report.html" ] || die 'no page'
echo "ok docker: it makes the example's report, and its page in the folder"

# docker run --user, with a number that the image does not know
chown -R 4242:4242 "$tmp/folder"
quiet b run --isolation chroot --user 4242:4242 --volume "$tmp/folder:/work" \
    "$container" -- tp-report -o other example/flux_example
cmp "$tmp/folder/other/report.html" "$tmp/folder/out/report.html" >"$tmp/log" ||
    die 'another page for another user'
[ "$(stat -c %u "$tmp/folder/other/report.md")" = 4242 ] ||
    die 'not of the user that was given'
echo 'ok docker: and as any other user'
