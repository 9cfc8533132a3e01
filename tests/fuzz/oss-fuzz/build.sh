#!/bin/bash -eu
# build.sh: the fuzzers as OSS-Fuzz asks for them
#
# From CC, CXX, CFLAGS, CXXFLAGS and LIB_FUZZING_ENGINE, in WORK, into OUT:
# each with its corpus, the data it reads (feed.c finds it beside the program)
# and the libraries that not every image has.
cd "$SRC/tracepipe"
B=$WORK/tracepipe
names=$(cd tests/fuzz && ls fuzz_*.c | sed 's/\.c$//')

# The sanitizer is in CFLAGS; what hardens programs is in its way.
# shellcheck disable=SC2046 # a list
make -s -j"$(nproc)" B="$B" HARD= "$B/libtp.a" "$B/tests/fuzz/feed.o" \
    $(printf "$B/tests/fuzz/%s.o " $names)
# what the Makefile has found
found=$(cat "$B"/.isal "$B"/.zstd "$B"/.sqlite "$B"/.md4c "$B"/.cmark)

rm -rf "$OUT/share"
cp -R share "$OUT/share"
mkdir -p "$OUT/lib"
for name in $names; do
	# it holds pages to what libcmark-gfm makes of them
	[ $name != fuzz_markdown ] || grep -q . "$B/.cmark" || continue
	# shellcheck disable=SC2086 # lists
	$CXX $CXXFLAGS -o "$OUT/$name" "$B/tests/fuzz/$name.o" \
	    "$B/tests/fuzz/feed.o" "$B/libtp.a" $LIB_FUZZING_ENGINE \
	    -Wl,-rpath,'$ORIGIN/lib' -lcsv -lcjson -lexpat -lz -lm -pthread \
	    -lcrypto $found
	ldd "$OUT/$name" | awk -v out="$OUT/" 'index($3, out) != 1 &&
	    $3 ~ /lib(csv|cjson|expat|z|crypto|isal|zstd|sqlite3|md4c|cmark)[-.]/ {
		print $3 }' | xargs -r cp -Lt "$OUT/lib"
	zip -qj "$OUT/${name}_seed_corpus.zip" \
	    "tests/fuzz/corpus/${name#fuzz_}"/*
	printf '[libfuzzer]\nmax_len = 8192\n' >"$OUT/$name.options"
done
