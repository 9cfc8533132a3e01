#!/bin/sh
# summary.sh FOLDER: what failed in the TAP files of FOLDER, and the counts
set -u
cat "$1"/*.tap | awk '
	/^not ok/ { failed++; shown = 1 }
	/^ok/ { if (tolower($0) ~ /# skip/) skipped++; else passed++; shown = 0 }
	/^1\.\./ { shown = 0 }
	/^not ok/ || (shown && /^[#+@ -]/) { print }
	tolower($0) ~ /# skip/ { print }
	END {
		printf "%d passed, %d failed", passed, failed
		if (skipped)
			printf ", %d skipped", skipped
		print ""
		exit failed > 0 || passed == 0
	}'
