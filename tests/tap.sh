#!/bin/sh
# tap.sh FILE COMMAND...: run a test program, its output into FILE
#
# A program that fails without a "not ok" line, or that says neither "ok" nor
# "not ok", is one failed or passed test of its own.
set -u
file=$1
shift
began=$(date +%s)
"$@" </dev/null >"$file" 2>&1
status=$?
if [ $status -ne 0 ] && ! grep -q '^not ok' "$file"; then
	echo "not ok $(basename "$file" .tap): ended with status $status"
elif ! grep -q -e '^ok' -e '^not ok' "$file"; then
	echo "ok $(basename "$file" .tap)"
fi >>"$file"
# A plan that was not kept: the run was cut short.
awk -v name="$(basename "$file" .tap)" '
	/^1\.\.[0-9]+$/ { plan = substr($0, 4) }
	/^(not )?ok/ { n++ }
	END { if (plan != "" && plan + 0 != n)
		print "not ok " name ": " n " of " plan " tests ran" }
' "$file" >"$file.plan"
cat "$file.plan" >>"$file"
rm "$file.plan"
echo "# took $(($(date +%s) - began)) s" >>"$file"
