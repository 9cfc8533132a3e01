#!/usr/bin/env bats
# What make fuzz says of fuzzers; what they read is replayed by fuzz/run.sh.
# Mutants of captures, of which make fuzz ONLY=real tries more.

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

# fakes: a program for each that attack runs, in "fake", which does nothing.
fakes() {
	mkdir fake out
	for f in "$TP_BUILD"/tp-*; do
		ln -s "$(type -P true)" "fake/${f##*/}"
	done
}

# fake PROGRAM: what it does instead, on standard input.
fake() {
	rm "fake/$1"
	{
		echo '#!/bin/sh'
		cat
	} >"fake/$1"
	chmod +x "fake/$1"
}

# attack COUNT: mutants of in.json for the fakes.
attack() {
	echo "$PWD/in.json" >captures
	(cd "$TP_ROOT" && PATH=$OLDPWD/fake:$PATH "$TP_BUILD/attack" \
	    "$OLDPWD/fake" "$OLDPWD/out" 60 1 "$1" <"$OLDPWD/captures")
}

@test "fuzz: a mutant that breaks a program is kept, with the command" {
	cd "$BATS_TEST_TMPDIR"
	fakes
	fake tp-look <<<'kill -SEGV $$'
	fake tp-rows <<<'exit 3'
	fake tp-trace <<<'printf "%s\n" "{\"kind\":\"op\",\"src\":1}"'
	fake tp-ops <<<'printf "\377\n"'
	fake tp-gaps <<<'echo "x.c:1: runtime error: shift" >&2'
	echo '{"traceEvents":[{"ph":"X","ts":1,"dur":2}]}' >in.json
	run attack 12
	[ "$status" -eq 1 ]
	[[ $output = *': tp-look: signal 11'* ]]
	[[ $output = *': tp-rows: fails in silence'* ]]
	[[ $output = *': tp-trace: schema: op: '* ]]
	[[ $output = *': tp-ops: output is not UTF-8'* ]]
	[[ $output = *': tp-gaps: runtime error: shift'* ]]
	grep -q "'tp-trace'.* 'in.json'" out/found-*-tp-trace/command
	[ -s "$(echo out/found-*-tp-look | cut -d ' ' -f 1)/in.json" ]
}

@test "fuzz: output that depends on how a mutant is read is a finding" {
	cd "$BATS_TEST_TMPDIR"
	fakes
	fake tp-trace <<<'echo "x $TP_BLOCK $*"'
	echo '{"traceEvents":[{"ph":"X","ts":1,"dur":2}]}' >in.json
	run attack 8
	[ "$status" -eq 1 ]
	[[ $output = *': tp-trace: differs with '* ]]
}

@test "fuzz: a number makes the same mutant each time, another number another" {
	cd "$BATS_TEST_TMPDIR"
	fakes
	fake tp-trace <<<"cat in.json >>'$PWD/seen'"
	seq 40 | awk 'BEGIN { printf "{\"traceEvents\":[" }
	    { printf "{\"ph\":\"X\",\"ts\":%d,\"dur\":2},", $1 }
	    END { print "{}]}" }' >in.json
	attack 9 >/dev/null
	mv seen first
	attack 9 >/dev/null
	cmp seen first
	[ "$(sort -u seen | wc -l)" -gt 5 ]
}

@test "fuzz: mutants of captures break no program" {
	run sh "$TP_ROOT/tests/fuzz/real/run.sh" -o "$TP_BUILD" 300 1 40
	echo "$output"
	[ "$status" -eq 0 ]
}

# bats test_tags=rest
@test "fuzz: 500 mutants of captures break no program" {
	run sh "$TP_ROOT/tests/fuzz/real/run.sh" "$TP_BUILD" 3000 1000 500
	echo "$output"
	[ "$status" -eq 0 ]
}
