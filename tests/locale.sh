#!/bin/sh
# locale.sh BUILD: the golden cases where commas are points and i is not I
#
# Makes de_DE and tr_TR of Debian's sources (package locales) in BUILD, where
# the programs find them.  Prints TAP.
set -u
cd "$(dirname "$0")/.." || exit 2
build=$(cd "$1" && pwd) || exit 2
LOCPATH=$build/locale
export LOCPATH
failed=0
for locale in de_DE tr_TR; do
	mkdir -p "$LOCPATH"
	[ -d "$LOCPATH/$locale.UTF-8" ] ||
	    localedef -i $locale -f UTF-8 "$LOCPATH/$locale.UTF-8" \
	    >/dev/null 2>&1 || {
		echo "ok locale: $locale # skip no sources of it (make proof-deps)"
		continue
	}
	if TP_LOCALE=$locale.UTF-8 sh tests/golden.sh "$build" \
	    >"$build/locale.log" 2>&1; then
		echo "ok locale: every golden case in $locale"
	else
		echo "not ok locale: every golden case in $locale"
		grep -v '^ok' "$build/locale.log" | head -n 20 |
		    sed 's/^/# /'
		failed=1
	fi
done
exit $failed
