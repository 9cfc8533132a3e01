#!/bin/sh
# run.sh: replay what the fuzzers have learned, one test per file
set -u
cd "$(dirname "$0")" || exit 2
# The fuzzers are a folder deeper than the programs that find it themselves.
TP_SHARE=$(cd ../../share && pwd)
export TP_SHARE
failed=0
for fuzzer in "$TP_BUILD"/fuzz/fuzz_*; do
	name=${fuzzer##*/fuzz_}
	if [ "$name" = markdown ] && ! grep -q . "$TP_BUILD/.cmark"; then
		echo "ok fuzz: markdown # skip no libcmark-gfm (make proof-deps)"
		continue
	fi
	for file in "corpus/$name"/*; do
		if said=$("$fuzzer" "$file" 2>&1); then
			echo "ok fuzz: $name reads ${file##*/}"
		else
			echo "not ok fuzz: $name reads ${file##*/}"
			echo "$said" | sed 's/^/# /'
			failed=1
		fi
	done
done
exit $failed
