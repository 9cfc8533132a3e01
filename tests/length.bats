#!/usr/bin/env bats
# A report is read: 900 words and six tables before its appendix, 1,500 words in
# it, whatever the capture.
load helper

setup() {
	cd "$BATS_TEST_TMPDIR"
	export MOST_WORDS=900 MOST_TABLES=6 MOST_APPENDIX=1500
}

# What is too long of REPORT, by its NAME.
too_long() {	# NAME REPORT
	awk -f "$TP_ROOT/tests/length.awk" "$2" | {
		read -r words tables appendix
		[ "$words" -le "$MOST_WORDS" ] && [ "$tables" -le "$MOST_TABLES" ] &&
		    [ "$appendix" -le "$MOST_APPENDIX" ] ||
			echo "$1: $words words, $tables tables, $appendix in the appendix"
	}
}

@test "length: what is counted" {
	cat >report.md <<-'END'
	# One report

	Two words here, and 12.5 % - not the dash.

	| a | b |
	|---|---:|
	| `x` | 1 |

	# 8. Data Appendix

	three words here
	END
	[ "$(awk -f "$TP_ROOT/tests/length.awk" report.md)" = "14 1 6" ]
	MOST_WORDS=13 run too_long mine report.md
	[ "$output" = "mine: 14 words, 1 tables, 6 in the appendix" ]
	MOST_WORDS=14 run too_long mine report.md
	[ -z "$output" ]
}

@test "length: the reports of the examples" {
	cd "$TP_ROOT/examples"
	for report in jax/report.md jax/report-no-steps.md torch/report.md torch/ranks.md \
	    executorch/report.md torch/comparison.md executorch/comparison.md \
	    fusion/comparison.md; do
		too_long "$report" "$report"
	done >"$BATS_TEST_TMPDIR/long"
	# all tables of Instruments, a benchmark and advice on a repository: each of
	# eight sections has what its seed asks for
	MOST_WORDS=1160 too_long metal metal/report.md >>"$BATS_TEST_TMPDIR/long"
	diff /dev/null "$BATS_TEST_TMPDIR/long"
}

# Captures as people have them, and what is longer, and why.
# bats test_tags=rest
@test "length: the reports of captures, and the analyses beside them" {
	data=$TP_ROOT/../shared/data
	[ -d "$data" ] || skip "no ../shared"
	for path in "$data"/corpus/*/* "$data"/pytorch/*.json* "$data"/nsys/* "$data"/rocprof/*.db \
	    "$data"/instruments/m1-baseline "$data"/instruments/m1-ab/* "$data"/jax/xplane/* \
	    "$data"/executorch/real/*; do
		name=${path#"$data/"}
		rm -rf out
		tp-report -o out -- "$path" 2>/dev/null || [ $? -eq 3 ] || continue
		for report in report standalone_analysis; do
			[ ! -e out/$report.md ] || too_long "$name $report" out/$report.md
		done
	done | sed 's/:.*//' >long
	# a table of several runs of two models, each told by itself
	diff - long <<-'END'
	executorch/real/inspector_tables.tsv report
	END
}
