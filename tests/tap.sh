#!/bin/sh
# tap.sh FILE COMMAND...: run a test program, its output into FILE
#
# A program that fails without a "not ok" line, or that says neither "ok" nor
# "not ok", is one failed or passed test of its own; so is a plan that was not
# kept: the run was cut short.  The last line is "# took N CPU seconds".
set -u
file=$1
shift
"$@" </dev/null >"$file" 2>&1
status=$?
times >"$file.times"
awk -v name="$(basename "$file" .tap)" -v status=$status '
	/^1\.\.[0-9]+$/ { plan = substr($0, 4) }
	/^(not )?ok/ { n++ }
	/^not ok/ { failed++ }
	# user and system: of the shell, then of what it ran
	/^[0-9]+m[0-9.]+s [0-9]+m[0-9.]+s$/ && FILENAME ~ /[.]times$/ {
		split($0, t, /[ms ]+/)
		cpu += 60 * (t[1] + t[3]) + t[2] + t[4]
	}
	END {
		if (status && !failed)
			print "not ok " name ": ended with status " status
		else if (plan == "" && !n)
			print "ok " name
		if (plan != "" && plan + 0 != n)
			print "not ok " name ": " n + 0 " of " plan " tests ran"
		printf "# took %.1f CPU seconds\n", cpu
	}' "$file" "$file.times" >"$file.end"
cat "$file.end" >>"$file"
rm -f "$file.end" "$file.times"
