#!/usr/bin/env bats
# What Python computes from the examples, without our code, is what the
# filters print.  make check-oracle asks more seeds and real exports, too.

load helper

@test "oracle: the core numbers of every source are those that Python computes" {
	skip_unless python3
	run python3 -B "$TP_ROOT/tests/oracle/run.py" -q "$TP_BUILD" \
	    "$BATS_TEST_TMPDIR"
	[ "$status" -eq 0 ] || fail "$(printf '%s\n' "$output" | grep -v '^ok')"
	for source in metal jax torch executorch; do
		[[ $output =~ (^|$'\n')"ok $source: "[1-9][0-9]*" numbers; "[1-9] ]]
	done
}
