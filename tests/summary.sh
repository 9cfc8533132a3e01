#!/bin/sh
# summary.sh FOLDER: what failed in the TAP files of FOLDER, what took longest,
# and the counts
set -u
for f in "$1"/*.tap; do
	echo "# file $(basename "$f" .tap)"
	cat "$f"
done | awk '
	/^not ok/ { failed++; shown = 1 }
	/^ok/ { if (tolower($0) ~ /# skip/) skipped++; else passed++; shown = 0 }
	/^1\.\./ { shown = 0 }
	/^# file / { name = $3; shown = 0; next }
	/^# took [0-9.]+ CPU seconds$/ { cpu[name] = $3; sum += $3; next }
	/^not ok/ || (shown && /^[#+@ -]/) { print }
	tolower($0) ~ /# skip/ { print }
	END {
		printf "%.0f CPU seconds", sum
		for (i = 0; i < 5; i++) {
			most = ""
			for (name in cpu)
				if (most == "" || cpu[name] > cpu[most])
					most = name
			if (most != "")
				printf "%s %s %.0f", i ? "," : ":", most, cpu[most]
			delete cpu[most]
		}
		printf "\n%d passed, %d failed", passed, failed
		if (skipped)
			printf ", %d skipped", skipped
		print ""
		exit failed > 0 || passed == 0
	}'
