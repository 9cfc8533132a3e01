#!/bin/sh
# mkgolden.sh: write a bats file with one test per golden case
#
# bats before 1.11 cannot register tests in a loop.  The name of a case is a
# sentence: tests/golden/tp-mem/a-bad-row-is-skipped.
set -u
cd "$(dirname "$0")/.." || exit 2

echo "# Made by tests/mkgolden.sh."
for cmd in tests/golden/*/*/cmd; do
	case=$(dirname "$cmd")
	tool=$(basename "$(dirname "$case")")
	sentence=$(basename "$case" | tr - ' ')
	cat <<END

@test "$tool: $sentence" {
	cd "$PWD"
	sh tests/golden.sh "\$TP_BUILD" $case
}
END
done
