#!/bin/sh
# hunt.sh BUILD SECONDS [FUZZER...]: let libFuzzer look for input that breaks
# one of the fuzzers, SECONDS each
#
# All run, whatever one finds.  Ends with a line of a table for each, of
# libFuzzer's own counts; the status is 1 when there was a finding, which lies
# in BUILD as found-FUZZER-*.
set -u
cd "$(dirname "$0")/../.." || exit 2
build=$(cd "$1" && pwd) || exit 2
seconds=$2
shift 2
TP_SHARE=$PWD/share
export TP_SHARE
if [ $# -eq 0 ]; then
	for f in "$build"/fuzz/fuzz_*; do
		set -- "$@" "${f##*/fuzz_}"
	done
fi

table='| fuzzer | runs | edges | corpus | findings |
|---|---:|---:|---:|---:|'
failed=0
for name; do
	log=$build/fuzz-$name.log
	if [ "$name" = markdown ] && ! grep -q . "$build/.cmark"; then
		echo "fuzz: markdown: no libcmark-gfm; run 'make proof-deps'" >&2
		table="$table
| \`$name\` | skipped: no libcmark-gfm | | | |"
		continue
	fi
	mkdir -p "$build/corpus/$name"
	before=$(find "$build" -maxdepth 1 -name "found-$name-*" | wc -l)
	"$build/fuzz/fuzz_$name" -max_len=8192 -timeout=20 \
	    -rss_limit_mb=2048 -close_fd_mask=1 -print_final_stats=1 \
	    -max_total_time="$seconds" \
	    -artifact_prefix="$build/found-$name-" "$build/corpus/$name" \
	    "tests/fuzz/corpus/$name" 2>"$log"
	status=$?
	found=$(find "$build" -maxdepth 1 -name "found-$name-*" | wc -l)
	found=$((found - before))
	# one that ends badly and leaves no file is a finding as well
	[ $status -eq 0 ] || [ $found -gt 0 ] || found=1
	if [ $found -gt 0 ]; then
		failed=1
		echo "fuzz: $name: found something:" >&2
		grep -a -v '^#' "$log" | tail -n 30 | cut -c 1-200 >&2
	fi
	table="$table
$(awk -v name="$name" -v found=$found '
		/^#[0-9]/ { for (i = 1; i < NF; i++) {
			if ($i == "cov:") cov = $(i + 1)
			if ($i == "corp:") corp = $(i + 1)
		} if ($1 + 0 == 0) last = substr($1, 2) }
		/^stat::number_of_executed_units:/ { runs = $2 }
		END { sub("/.*", "", corp)
			printf "| `%s` | %d | %d | %d | %d |", name,
			    runs ? runs : last, cov, corp, found }' "$log")"
done
echo "$table"
exit $failed
