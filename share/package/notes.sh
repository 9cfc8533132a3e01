#!/bin/sh
# notes.sh VERSION: what CHANGELOG.md says of it, without its heading
set -eu
cd "$(dirname "$0")/../.."
WANTED=$1 awk '
	/^## / {
		of = substr($0, 4)
		sub(/, .*/, "", of)
		on = of == ENVIRON["WANTED"]
		found = found || on
		next
	}
	on && (begun || NF) { print; begun = 1 }
	END {
		if (!found)
			print "notes: nothing in CHANGELOG.md about " \
			    ENVIRON["WANTED"] | "cat >&2"
		exit !found
	}' CHANGELOG.md
