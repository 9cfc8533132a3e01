#!/usr/bin/env bats
# The report of a comparison, and the gate of examples/ci.
bats_require_minimum_version 1.5.0

load helper
load ci

DATA=${TP_DATA:-$TP_ROOT/../shared/data}

setup_file() {
	mkjax --steps 30 "$BATS_FILE_TMPDIR/before" >/dev/null
	mkjax --steps 30 --seed 7 "$BATS_FILE_TMPDIR/after" >/dev/null
}

setup() {
	cd "$BATS_TEST_TMPDIR"
	unset MAKEFLAGS MFLAGS MAKELEVEL GITHUB_ACTIONS GITHUB_STEP_SUMMARY
	B=$BATS_FILE_TMPDIR/before A=$BATS_FILE_TMPDIR/after
}

# bats test_tags=rest
@test "comparison: from traces, their folders and their records it is the same" {
	tp-report --compare "$B" "$A" >one.md
	tp-report --compare -o out "$B" "$A"
	# with a folder of its own it has pictures too
	grep -v -e '^!\[' out/comparison.md | cat -s | diff one.md -
	tp-report --compare out/before out/after | cmp - one.md
	gzip -k out/before.jsonl
	tp-report --compare out/before.jsonl.gz out/after.jsonl | cmp - one.md
	tp-report --records "$B" | cmp - out/before.jsonl
	# there are no intervals of Metal to judge fusion by
	[ -z "$(grep -i 'fusion$' one.md)" ]
	# a last line that has no end
	head -c -1 out/after.jsonl >after.jsonl
	tp-report --compare out/before.jsonl after.jsonl | cmp - one.md
}

# bats test_tags=rest
@test "comparison: exports of Instruments give the same as their records" {
	mkflux b >/dev/null
	mkflux --seed 3 a >/dev/null
	tp-report --compare b/flux_example a/flux_example >one.md
	for s in b a; do
		tp-report --records $s/flux_example >$s.jsonl
	done
	tp-report --compare b.jsonl a.jsonl | cmp - one.md
	grep -q ' peak of wired memory' one.md
	grep -q '^Share of CPU time by library' one.md
	grep -q '^| `target` | after |.*▁*' one.md
}

@test "comparison: no template stands without its place, no place without one" {
	listed=$(sed -n '/^COMPARED :=/,/[^\\]$/p' "$TP_ROOT/share/report.mk" |
	    tr -d '\\' | tr -s ' \t' '\n' | grep '^compare-' | sort)
	[ "$(cd "$TP_ROOT/share/sections" && ls compare-*.md |
	    sed 's/\.md$//' | sort)" = "$listed" ]
}

# bats test_tags=rest
@test "comparison: a capture that is 12 % slower is worse, with its interval" {
	T=$DATA/jax/synth
	[ -d "$T" ] || skip "no ../shared/data/jax/synth"
	tp-report --compare "$T/tpu_100k.trace.json.gz" \
	    "$T/tpu_100k_slow.trace.json.gz" >out.md
	grep -q '^\*\*Worse: step, start to start.* 1\.12x as long (95 % interval 1\.08x to 1\.16x), n = 65 and 65\.\*\*$' out.md
	grep -q '^Everything takes 1\.12x as long' out.md
	grep -q '^- of step, start to start (median), a change of .* would be found' out.md
	tp-report --compare "$T/tpu_100k_slow.trace.json.gz" \
	    "$T/tpu_100k.trace.json.gz" >back.md
	grep -q '^\*\*Better: step, start to start.* 0\.893x as long' back.md
	# the slower run is longer at the same scale: 54 columns and 60
	[ "$(grep -c '`\(█\)\{54\}` |$' out.md)" -eq 4 ]
	[ "$(grep -c '`\(█\)\{60\}` |$' out.md)" -eq 4 ]
}

@test "comparison: command buffers are told by how often one starts, not by GPU time" {
	T=$DATA/instruments/m1-ab
	[ -d "$T" ] || skip "no ../shared/data/instruments/m1-ab"
	tp-report --compare -o out "$T/baseline" "$T/threadgroup-heavy"
	grep -A5 '^\*\*Worse' out/comparison.md | diff - <(cat <<-'END'
	**Worse: command buffer, start to start (median) 206 us before, 252 us after (+46.1 us), 1.22x as long (95 % interval 1.12x to 1.33x), one run each.**

	- of this, GPU time of a command buffer (median): 6.29 us before, 11.1 us after, 10.4 % of the change
	- of this, end of a command buffer to completion on the CPU (median): 75.6 us before, 94.1 us after, 40.0 % of the change
	- of this, completion to next commit (median): 27.8 us before, 40.9 us after, 28.4 % of the change
	- of this, commit to start on the GPU (median): 91.4 us before, 103 us after, 25.6 % of the change
	END
	)
	# neither names a quantity twice
	[ "$(grep -c '11.1 us' out/compare-verdict.md)" -eq 1 ]
	[ "$(grep -c '| 11.1 us |' out/comparison.md)" -eq 1 ]
}

@test "comparison: the picture counts nothing that the verdict leaves out" {
	T=$DATA/pytorch
	[ -e "$T/hta_cmp_base.json.gz" ] || skip "no ../shared/data/pytorch"
	tp-report --compare -o out "$T"/hta_cmp_base.json.gz \
	    "$T"/hta_cmp_test.json.gz
	[ "$(sed -n 3p out/comparison.md)" = \
	    '**No difference in time that these data show; the two runs do not call the same things: GPU span 274 ms before, 274 ms after (-145 us), 0.999x as long, one number each.**' ]
	[ -z "$(grep -E '[1-9][0-9]* (better|worse)' out/comparison.md)" ]
}

# bats test_tags=rest
@test "comparison: what a finding promised is held against what the next run delivered" {
	for us in 1000 500 0; do
		mkxla --out $us offload=${us}000 seed=1 noise=2
		tp-report --records $us/trace >$us.jsonl
	done
	# the finding is that of the report
	tp-findings 1000.jsonl | grep '"id":"jax-copies-waited"' |
	    grep -q '"impact_ns":180279900'
	for us in 500 0; do
		tp-report --compare 1000.jsonl $us.jsonl >$us.md
		tp-track -q --allow-unknown --history h.jsonl 1000.jsonl \
		    $us.jsonl >/dev/null
	done
	grep -A 6 '^## Promised and Delivered$' 500.md
	grep -q '^- \*\*Exposed copies\*\*: 12\.0 ms a step promised, 6\.01 ms delivered, 6\.01 ms left; partly$' 500.md
	grep -q '^- \*\*Exposed copies\*\*: 12\.0 ms a step promised, 12\.0 ms delivered, nothing left; done$' 0.md
	grep -q '. A step with the time to the next took 15\.2 ms on average and takes 3\.17 ms now\.$' 0.md
	# a run without findings was promised nothing
	tp-report --compare 0.jsonl 500.jsonl >back.md
	! grep -q '^## Promised' back.md
	tp-history h.jsonl | tp-render history |
	    grep -q '^| `jax-copies-waited` | 2 | 1 | 1 | 0 | 0 | 0 | 24\.0 ms | 18\.0 ms | 75\.0 % |$'
}

@test "comparison: two short recordings of other work are compared soberly" {
	T=$DATA/instruments/m1-ab
	[ -d "$T" ] || skip "no ../shared/data/instruments/m1-ab"
	tp-report --compare "$T/baseline" "$T/threadgroup-heavy" >out.md
	[ "$(sed -n 3p out.md)" = 'Different settings: arguments.' ]
	[[ $(sed -n 5p out.md) = '**Worse: '* ]]
	grep -q 'parts of a run stray from each other by 3\.1 % before and 1\.0 % after' out.md
	grep -q "^| arguments: '--metallib baseline.metallib --iters 1000 \.\.\.' before, '--metallib threadgroup_heavy.metallib --iters 800 \.\.\.' after |" out.md
	# totals of 1000 command buffers and of 800 say nothing
	grep -q '^| GPU busy for the process | 7\.21 ms | 10\.0 ms | 1\.39x | not judged: not the same amount of work |$' out.md
}

@test "comparison: two recordings of one program are not worse by how the CPU hands over" {
	T=$DATA/instruments
	[ -d "$T/m1-ab" ] || skip "no ../shared/data/instruments/m1-ab"
	tp-report --compare "$T/m1-baseline" "$T/m1-ab/baseline" >out.md
	[ "$(sed -n 3p out.md)" = '**It cannot be told: command buffer, start to start (median) differs by 1.11x, which may be noise; compare several runs a side.**' ]
	grep -q '^- GPU time of a command buffer (median) 6\.25 us before, 6\.29 us after (+41 ns), 1\.01x as long (.*), same$' out.md
	! grep -q -e '\*\*worse' -e '^Different settings' out.md
}

@test "comparison: no difference is said to be none" {
	tp-report --records "$B" >b.jsonl
	# another recording with the same numbers
	sed 's/"sha256":"[0-9a-f]*"/"sha256":"00"/' b.jsonl >a.jsonl
	tp-report --compare b.jsonl a.jsonl >out.md
	grep -q '^\*\*No difference that these data show: .* 1\.00x as long .*\.\*\*$' out.md
	! grep -q -e '\*\*worse' -e '\*\*better' out.md
}

@test "comparison: one trace twice is refused, unless it is asked for" {
	run tp-report --compare "$B" "$B"
	[ "$status" -eq 3 ]
	[[ $output = *'are one trace: '* ]]
	[[ $output != *'# Before'* ]]
	tp-report --compare --allow-same "$B" "$B" >out.md
	grep -q '^- both are one trace, compared with itself$' out.md
}

@test "comparison: sides that cannot be compared are named, with the status" {
	run tp-report --compare "$B"
	[ "$status" -eq 2 ]
	[[ $output = *'--compare takes two traces, BEFORE and AFTER'* ]]
	run tp-report --compare "$B" "$A" "$A"
	[ "$status" -eq 2 ]
	run tp-report --compare --list "$B" "$A"
	[ "$status" -eq 2 ]
	run tp-report --compare "$B" none
	[ "$status" -eq 4 ]
	[[ $output = *"cannot open 'none'"* ]]
	run tp-report --compare -o "$A/out" "$B" "$A"
	[ "$status" -eq 2 ]
	[[ $output = *'-o must be outside of '* ]]
	mkdir empty
	run tp-report --compare "$B" empty
	[ "$status" -eq 3 ]
	[[ $output = *"'empty' holds no table"* ]]
	# another source has no number in common
	mkflux f >/dev/null
	run tp-report --compare "$B" f/flux_example
	[ "$status" -eq 3 ]
	[[ $output = *'have no number in common'* ]]
}

# bats test_tags=rest
@test "comparison: a refusal is one message, about the files as they were named" {
	mkflux f >/dev/null
	run -3 --separate-stderr tp-report --compare "$B" f/flux_example
	[ "$stderr" = "tp-report: '$B' and 'f/flux_example' have no number in \
common: compare two runs of one profiler" ]
	run -3 --separate-stderr tp-report --before "$A" --after "$B" --after "$A"
	[ "$stderr" = "tp-report: '$A' and '$A' are one trace: the trace has the \
same SHA-256; --allow-same compares it with itself" ]
	for name in after.jsonl '$(touch ran) `touch ran` & \1' "it's \"it\"" \
	    $'before-2.jsonl\nline'; do
		cp -R "$B" "$name"
		run -3 --separate-stderr tp-report --compare "$name" "$name"
		seen=${name//$'\n'/?}
		[ "$stderr" = "tp-report: '$seen' and '$seen' are one trace: the \
trace has the same SHA-256; --allow-same compares it with itself" ]
	done
	[ ! -e ran ]
	# what a filter says of a line is about that file too
	printf '{"kind":"x.y","src":"a"' >cut.jsonl
	run -3 --separate-stderr tp-report --compare "$B" cut.jsonl
	[ "$stderr" = "tp-report: 'cut.jsonl':1: not a flat JSON object at byte \
24; row skipped
tp-report: 'cut.jsonl': no records; nothing is known about after; \
tp-report --records makes them" ]
}

@test "comparison: a side that is cut off is compared, told, and 3" {
	f=$(find "$A" -name '*.json' | head -n 1)
	head -c $(($(wc -c <"$f") * 9 / 10)) "$f" >cut.trace.json
	run --separate-stderr tp-report --compare "$B" cut.trace.json
	[ "$status" -eq 3 ]
	[[ $output = *'- data were lost: numbers may be too low'* ]]
	[[ $output = *'the trace after was damaged or cut off'* ]]
}

@test "comparison: names of files and records are data, in any place" {
	name='a $(touch x) `y` | <b> [z](u).trace.json'
	cp "$(find "$A" -name '*.json' | head -n 1)" "$name"
	sed -i 's/TPU:1/<script>`|/g' "$name"
	tp-report --compare -o out "$B" "$name"
	[ ! -e x ] && [ ! -e out/x ]
	! grep -q -e '<b>' -e '<script' out/comparison.md out/compare.svg \
	    out/changes.svg
	if command -v xmllint >/dev/null; then
		xmllint --noout out/compare.svg out/changes.svg
	fi
	# all rows of a table have as many cells
	awk -F '|' '/^\|/ { if (n && NF != n) exit 1; n = NF; next }
	    { n = 0 }' <(sed 's/\\|//g' out/comparison.md)
}

@test "comparison: it names no program and no kind of record" {
	tp-report --compare "$B" "$A" >out.md
	! grep -n -E 'tp-[a-z]|[a-z]+\.(summary|chosen|class|device|lane)' out.md
}

@test "comparison: -o keeps it, its pictures and the records; notes are added" {
	echo '## Why' >n.md
	run tp-report --compare -o out -n n.md "$B" "$A"
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	[ "$(tail -n 1 out/comparison.md)" = '> ## Why' ]
	grep -q '^!\[Before and after, at one scale: .*[0-9].*\](compare.svg)$' \
	    out/comparison.md
	grep -q '^!\[Largest changes: .*[0-9].*\](changes.svg)$' \
	    out/comparison.md
	[ -s out/compare.svg ] && [ -s out/changes.svg ]
	# again, with nothing changed: the records are not made again
	sleep 0.1
	touch stamp
	tp-report --compare -o out "$B" "$A"
	[ stamp -nt out/before/trace.jsonl ]
	[ out/comparison.md -nt stamp ]
	! grep -q '^## Why$' out/comparison.md
}

# bats test_tags=rest
@test "examples/ci: the gate stops the slower runs and lets the faster pass" {
	C=$TP_ROOT/examples/ci
	run sh "$C/gate.sh" "$C/main" "$C/change"
	[ "$status" -eq 1 ]
	[[ $output = *'step to the next regressed by 7.'*' % (limit 2 %; 95 % interval '* ]]
	grep -q '<failure' gate.xml
	grep -q '^\*\*Worse: .*, 3 and 3 runs\.\*\*$' comparison.md
	grep -q ', a change of .* would be found' comparison.md
	if tp-page --check; then
		grep -q '<svg' comparison.html
		grep -q ', 3 and 3 runs\.' comparison.html
	fi
	run sh "$C/gate.sh" "$C/change" "$C/main"
	[ "$status" -eq 0 ]
	! grep -q '<failure' gate.xml
	# one run each tells less, and says so
	run sh "$C/gate.sh" "$C/main/1.jsonl" "$C/main/2.jsonl"
	[ "$status" -eq 0 ]
	[[ $output = *'one run each: a change below 4.'*' % cannot be told'* ]]
	# one run twice is no pass
	run sh "$C/gate.sh" "$C/main" "$C/main"
	[ "$status" -eq 3 ]
	# what an earlier job left is not attached as if it were of this one
	[ ! -e comparison.html ] && [ ! -e gate.xml ]
	run sh "$C/gate.sh" "$C/main"
	[ "$status" -eq 2 ]
}

@test "examples/ci: in a workflow it annotates, and is the summary of the job" {
	C=$TP_ROOT/examples/ci
	GITHUB_ACTIONS=true GITHUB_STEP_SUMMARY=$PWD/summary.md \
	    HISTORY=h.jsonl LABEL=abc run sh "$C/gate.sh" \
	    "$C/main" "$C/change"
	[ "$status" -eq 1 ]
	[[ $output = *'::error title=abc'* ]]
	cmp summary.md comparison.md
	grep -q '"label":"abc"' h.jsonl
}

@test "examples/ci: the jobs for GitHub and GitLab stop what is slower, and attach" {
	needs_ruby
	tp-page --check || skip 'no md4c in this build'
	make_repository repository
	for name in workflow gitlab; do
		# twice, as on a runner that keeps its folders
		for turn in 1 2; do
			run -1 --separate-stderr job $name HEAD~1 HEAD $name
			[ "$(printf '%s\n' "$output" | grep '^attached ')" = \
			    "attached comparison.html
attached comparison.md
attached gate.xml" ] || fail "$output$stderr"
			grep -q '<failure' $name/job/gate.xml
			grep -q '<svg' $name/job/comparison.html
		done
		run -0 --separate-stderr job $name HEAD HEAD~1 $name
		! grep -q '<failure' $name/job/gate.xml
		grep -q '^\*\*Better: .* before, .* after (-.* as long' $name/job/comparison.md
	done
	cmp workflow/job/comparison.md gitlab/job/comparison.md
	# a job that fails before it compares attaches nothing of the last one
	sed -i 's/^cp.*/exit 7/' repository/record.sh
	git -C repository -c user.name=t -c user.email=t@example.org \
	    commit -q -a -m broken
	for name in workflow gitlab; do
		run -7 --separate-stderr job $name HEAD~1 HEAD $name
		! grep '^attached ' <<<"$output" || fail "$output"
	done
}

@test "examples/ci: its records are what the schema says, its paths exist" {
	cat "$TP_ROOT"/examples/ci/*/*.jsonl |
	    "$TP_BUILD/check-schema" "$TP_ROOT/share/schema"
	grep -q 'sh change/gate\.sh ' "$TP_ROOT/examples/ci/workflow.yml"
}

# bats test_tags=rest
@test "comparison: several runs a side, and folders of them" {
	for i in 1 2 3; do
		mkjax --steps 12 --seed 2$i runs/before/$i >/dev/null
		mkjax --steps 12 --seed 3$i runs/after/$i >/dev/null
	done
	tp-report --before runs/before --after runs/after >folders.md
	grep -q ', 3 and 3 runs\.\*\*$' folders.md
	grep -q '^| runs | 3 | 3 |$' folders.md
	tp-report -o out --before runs/before/1 --before runs/before/2 \
	    --before runs/before/3 --after runs/after/1 --after runs/after/2 \
	    --after runs/after/3
	grep -v -e '^!\[' out/comparison.md | cat -s | diff folders.md -
	# one run less is another comparison, in the same folder too
	tp-report -o out --before runs/before/1 --before runs/before/2 \
	    --after runs/after
	grep -q ', 2 and 3 runs\.\*\*$' out/comparison.md
	[ ! -e out/before-3.jsonl ]
	run tp-report --before runs/before
	[ "$status" -eq 2 ]
	[[ $output = *'give --after too'* ]]
	run tp-report --before runs/before/1 --after runs/after/1 runs/after/2
	[ "$status" -eq 2 ]
}
