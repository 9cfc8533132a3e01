#!/bin/sh
# valgrind.sh BUILD: unit tests and one golden case of each tool, under
# valgrind; every error and every block lost is a failure.
set -u
cd "$(dirname "$0")/.." || exit 2
build=$(cd "$1" && pwd) || exit 2
command -v valgrind >/dev/null || {
	echo "check-valgrind: no valgrind; run 'make deps'" >&2
	exit 2
}
tap=$build/tap-valgrind
bin=$build/valgrind
TP_SHARE=$PWD/share
export TP_SHARE
rm -rf "$tap" "$bin"
mkdir -p "$tap" "$bin" || exit 2

# all of test_parsers would take an hour
unset TP_ALL
# valgrind itself opens files and reads them
TP_CONFINE=0
export TP_CONFINE
vg="valgrind -q --error-exitcode=99 --leak-check=full \
--errors-for-leak-kinds=definite,indirect --log-file=$tap/%p.log"
for f in "$build"/tp-*; do
	case $f in
	*.tmp) continue ;;
	esac
	tool=$(basename "$f")
	if head -c 2 "$f" | grep -q '#!'; then
		ln -s "$f" "$bin/$tool"
	else
		printf '#!/bin/sh\nexec %s "%s" "$@"\n' "$vg" "$f" >"$bin/$tool"
		chmod +x "$bin/$tool"
	fi
done

for f in wire cells; do
	ln -s "$build/$f" "$bin/$f"
done

for f in "$build"/unit/*; do
	echo "$tap/$(basename "$f").tap $vg $f"
done | xargs -P "${JOBS:-2}" -L 1 sh tests/tap.sh
# The case that says most is the largest.
sh tests/golden.sh -x "$bin"
for tool in "$bin"/cases/*; do
	case=$(cd "$bin/cases" && du -s "${tool##*/}"/* | sort -rn |
	    awk 'NR == 1 { print $2 }')
	echo "$tap/${tool##*/}.tap sh tests/golden.sh $bin $case"
done | xargs -P "${JOBS:-2}" -L 1 sh tests/tap.sh
# "--": what valgrind does not know, as system calls of test_confine
for f in "$tap"/*.log; do
	grep -q -v '^--' "$f" && { echo "not ok valgrind"; sed 's/^/# /' "$f"; }
done >"$tap/valgrind.tap"
sh tests/summary.sh "$tap"
