#!/usr/bin/env bats
# What make fuzz says of fuzzers; what they read is replayed by fuzz/run.sh.

load helper

# fuzzer NAME STATUS FILES: one that tells its counts, leaves FILES, and ends.
fuzzer() {
	mkdir -p "$BATS_TEST_TMPDIR/fuzz"
	cat >"$BATS_TEST_TMPDIR/fuzz/fuzz_$1" <<END
#!/bin/sh
for file in $3; do
	: >"$BATS_TEST_TMPDIR/found-$1-\$file"
done
{
	echo '#2	INITED cov: 10 ft: 12 corp: 3/40b exec/s: 0'
	echo '#950	NEW    cov: 31 ft: 52 corp: 7/90b lim: 20'
	[ $2 -ne 0 ] || echo 'stat::number_of_executed_units: 1000'
} >&2
exit $2
END
	chmod +x "$BATS_TEST_TMPDIR/fuzz/fuzz_$1"
}

@test "fuzz: a finding stops no other fuzzer, and is counted" {
	fuzzer a 77 crash-1
	fuzzer b 0 ''
	run sh "$TP_ROOT/tests/fuzz/hunt.sh" "$BATS_TEST_TMPDIR" 1
	[ "$status" -eq 1 ]
	[[ $output = *'fuzz: a: found something:'* ]]
	[[ $output = *'| `a` | 950 | 31 | 7 | 1 |'* ]]
	[[ $output = *'| `b` | 1000 | 31 | 7 | 0 |' ]]
}

@test "fuzz: a fuzzer that ends badly and leaves no file has found something" {
	fuzzer a 1 ''
	run sh "$TP_ROOT/tests/fuzz/hunt.sh" "$BATS_TEST_TMPDIR" 1 a
	[ "$status" -eq 1 ]
	[[ $output = *'| 1 |' ]]
}

@test "fuzz: without a finding the status is 0" {
	fuzzer a 0 ''
	run sh "$TP_ROOT/tests/fuzz/hunt.sh" "$BATS_TEST_TMPDIR" 1
	[ "$status" -eq 0 ]
}
