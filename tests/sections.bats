# A section for every metric filter: tp-X ... | tp-render X.

bats_require_minimum_version 1.5.0
load helper

setup_file() {
	cd "$BATS_FILE_TMPDIR"
	"$TP_BUILD/mkflux" --format csv metal >/dev/null
	"$TP_BUILD/mkjax" --steps 20 jax >/dev/null
	"$TP_BUILD/mkjax" --steps 20 --seed 7 jax2 >/dev/null
	"$TP_BUILD/mktorch" torch >/dev/null
	"$TP_BUILD/mketdump" et >/dev/null
	mv metal/flux_example/*/*/* metal/
}

setup() {
	cd "$BATS_FILE_TMPDIR"
}

# Filters that say in their own help that they write records of some kind, by
# share/schema.  Of tp-rows every column of any table may be a key: it has no
# section.
metric_filters() {
	local t kind
	for t in $(filters); do
		# rows, and pictures
		[[ $t != tp-rows && $t != tp-draw ]] || continue
		for kind in $($t --help=row | cut -d '|' -f 5); do
			if [ -e "$TP_ROOT/share/schema/${kind%[,)]}.json" ]; then
				echo "$t"
				break
			fi
		done
	done
}

# What FILTER makes of the examples, into records.N: one file for each input
# that it can be given.
feed() {	# FILTER
	local run=et/runs/mac
	rm -f records.*
	case $1 in
	tp-gpu-intervals)
		$1 metal/*gpu_intervals.csv >records.1
		$1 --buffers metal/*.csv metal/*toc.xml >records.2 ;;
	tp-cmdbuf)
		$1 metal/*.csv metal/*toc.xml >records.1
		$1 metal/*gpu_intervals.csv >records.2
		$1 metal/*submissions.csv >records.3
		$1 metal/*completed.csv >records.4 ;;
	tp-mem)
		$1 metal/*wired* metal/*current* metal/*resource* >records.1
		$1 metal/*wired* >records.2
		$1 metal/*current* >records.3
		$1 metal/*_resource* >records.4 ;;
	tp-cpu-top)
		$1 metal/*time_profile* >records.1 ;;
	tp-gpu-counters)
		$1 metal/*.csv >records.1
		$1 metal/*_state_intervals.csv >records.2 ;;
	tp-bench)
		$1 metal/*.json >records.1 ;;
	tp-path)
		$1 -q torch/rank0.json >records.1 ;;
	tp-trace | tp-timeline | tp-steps | tp-ops | tp-comm | tp-gaps | \
	    tp-regions)
		$1 -q jax >records.1
		$1 -q torch/rank0.json >records.2 ;;
	tp-ranks)
		for rank in 0 1; do
			tp-trace --ranks torch/rank$rank.json >rank$rank.jsonl
		done
		$1 rank0.jsonl rank1.jsonl >records.1 ;;
	tp-etdump)
		$1 $run/mac_sme2_on/*_all_runs_timeline.csv >records.1
		$1 $run/mac_sme2_on/*_ops_stats.csv >records.2 ;;
	tp-etrun)
		tp-etdump $run/*/*.csv | $1 -d $run - $run/*.json >records.1 ;;
	tp-kernels)
		$1 $run/*/*xnntrace.log >records.1
		$1 $run/mac_sme2_on/*xnntrace.log \
		    $run/mac_sme2_on/*_all_runs_timeline.csv >records.2 ;;
	tp-compare | tp-track | tp-history)
		tp-trace -q jax >before.jsonl
		tp-trace -q jax2 >after.jsonl
		tp-etdump --samples $run/mac_sme2_off/*_all_runs*.csv >off.jsonl
		tp-etdump --samples $run/mac_sme2_on/*_all_runs*.csv >on.jsonl
		rm -f history.jsonl
		tp-track -q --no-fail --history history.jsonl before.jsonl \
		    after.jsonl >track.1
		tp-track -q --no-fail --history history.jsonl off.jsonl \
		    on.jsonl >track.2
		case $1 in
		tp-compare)
			$1 before.jsonl after.jsonl >records.1
			$1 off.jsonl on.jsonl >records.2 ;;
		tp-track)
			mv track.1 records.1
			mv track.2 records.2 ;;
		tp-history)
			$1 history.jsonl >records.1 ;;
		esac ;;
	tp-inventory)
		tp-cmdbuf --gpu metal/*.csv | $1 >records.1 ;;
	tp-findings)
		tp-cmdbuf --gpu metal/*.csv >all.jsonl
		$1 all.jsonl >records.1
		tp-trace -q torch/rank0.json | $1 >records.2
		tp-trace -q jax | $1 >records.3
		$1 --explain gpu-idle all.jsonl >records.4 ;;
	tp-from-summary)
		tp-summary -q jax | $1 >records.1 ;;
	tp-look)
		$1 metal >records.1
		$1 et/runs/mac >records.2 ;;
	*)
		fail "no example feeds $1: say here what to give it" ;;
	esac
}

# SECTION of FILE is something that a person can read.
reads_well() {	# SECTION FILE
	tp-render "$1" "$2" >page 2>err || fail "$1 of $2: status $?: $(cat err)"
	[ ! -s err ] || fail "$1 of $2: $(cat err)"
	[ -s page ] || fail "$1 of $2 is empty"
	head -n 1 page | grep -q '^# ' || fail "$1 of $2 has no heading"
	[ "$(grep -c -v -e '^#' -e '^$' page)" -gt 0 ] ||
	    fail "$1 of $2 has nothing but headings"
	! grep -n -e 'n/a' -e '{{' -e '}}' page || fail "$1 of $2"
	# a command to run next may be named
	! sed 's/`tp-export RUN.trace`//' page | grep -n 'tp-' ||
	    fail "$1 of $2"
	# no heading without anything below it, but for one of a lower level
	! awk '/^#/ { if (last ~ /^#/ && length(level) >= length($1)) print;
	    level = $1 } NF { last = $0 }' page | grep . || fail "$1 of $2"
	! tail -n 1 page | grep '^#' || fail "$1 of $2"
	# the rows of a table have as many cells as its header
	! awk -F '|' '/^\|/ { if (n && NF != n) print; n = NF; next }
	    { n = 0 }' <(sed 's/\\|//g' page) | grep . || fail "$1 of $2"
}

@test "a section of findings is a word in a rule file and a template" {
	cd "$BATS_TEST_TMPDIR"
	cp -R "$TP_ROOT/share" share
	chmod -R u+w share
	cat >power.json <<-'END'
	{"source": "power", "sections": ["power"], "rules": [
	 {"id": "power-idle", "severity": "low", "section": "power",
	  "when": ["gpu.summary.busy_ratio < 0.5"],
	  "title": "It idles", "text": "Busy for {{gpu.summary.busy_ratio}}.",
	  "evidence": [{"metric": "gpu.summary.busy_ratio", "source": "x"}]}]}
	END
	printf '%s\n' '# Power' '' '{{#finding[power]}}' \
	    '**{{title}}.** {{{text}}}' '{{/finding[power]}}' \
	    >share/sections/power.md
	echo '{"kind":"gpu.summary","src":"t","scope":"target","busy_ratio":0.25}' >r
	export TP_SHARE=$PWD/share
	tp-findings --rules ./power.json r >f
	[ "$(tp-render power f)" = "# Power

**It idles.** Busy for 25.0 %." ]
	# a word that nobody declared is one that is misspelt
	sed 's/"section": "power"/"section": "powr"/' power.json >typo.json
	run -2 tp-findings --rules ./typo.json r
	[[ $output = *"typo.json: rule 'power-idle': unknown section 'powr'"* ]]
}

# bats test_tags=rest
@test "sections: every metric filter has one of its name, and it reads well" {
	metric_filters >filters
	for t in tp-gpu-intervals tp-trace tp-regions tp-history tp-etrun; do
		grep -q -x -e $t filters || fail "$t is not found"
	done
	tp-render --list >sections
	while read -r t; do
		grep -q -x -e "${t#tp-}" sections || fail "no section for $t"
		feed "$t" </dev/null
		[ -s records.1 ] || fail "$t writes nothing"
		for r in records.*; do
			reads_well "${t#tp-}" $r
			# the name of the filter will do
			tp-render "$t" $r | cmp - page
		done
	done <filters
}

@test "sections: one without its records says what to feed it" {
	metric_filters >filters
	while read -r t; do
		reads_well "${t#tp-}" /dev/null
	done <filters
}

@test "sections: one that stands for nothing is told from a table" {
	tp-rows metal/*gpu_intervals.csv >rows.jsonl
	run -2 tp-render rows rows.jsonl
	[[ $output = *"without a section records print as tables"* ]]
}

@test "sections: those that help and pages name are there" {
	tp-render --list >sections
	{
		for t in $(filters); do
			$t --help
		done
		cat "$TP_ROOT"/share/man/*.in "$TP_ROOT"/share/doc/*.md \
		    "$TP_ROOT"/README.md "$TP_ROOT"/examples/*/README.md
	} | grep -o '| tp-render [a-z][a-z_-]*' | sed 's/.* //' |
	    sort -u >named
	[ "$(wc -l <named)" -gt 20 ]
	run ! grep -v -x -F -f sections named
}

# A rule that fires for any trace of a GPU, in SECTION.
limit_rule() {	# SECTION
	printf '{"source": "limits", "sections": ["limits"], "rules": [
{"id": "limit", "when": ["gpu.summary[all].rows > 0"], "severity": "low", "section": "%s", "title": "A limit", "text":
"{{gpu.summary[all].rows}} rows.", "evidence": []}]}\n' "$1"
}

# bats test_tags=rest
@test "sections: a new one is a rule and a template, and stands where its name says" {
	cp -r "$TP_ROOT/share" share
	printf '{{#finding[limits]}}\n# Limits\n\n{{title}}: {{{text}}}\n%s\n' \
	    '{{/finding[limits]}}' >share/sections/limits-after-memory.md
	small_gpu >gpu.csv
	tp-report gpu.csv >plain.md
	# without a finding there is nothing of it
	TP_SHARE=$PWD/share tp-report gpu.csv | diff plain.md -
	limit_rule limits >share/rules/limits.json
	TP_SHARE=$PWD/share tp-report gpu.csv >report.md
	[ "$(grep '^# ' report.md | sed -n '5,7s/^# [0-9. ]*//p')" = \
	    $'Memory & Residency Behavior\nLimits\nBottlenecks & Hypotheses' ]
	grep -q '^A limit: 2 rows\.$' report.md
	# the same of a rule of one's own
	mv share/rules/limits.json .
	TP_SHARE=$PWD/share tp-report --rules limits.json gpu.csv >own.md
	diff <(grep -v 'rules of your own' own.md | grep -A3 '^# Limits') \
	    <(grep -A3 '^# Limits' report.md)
}

@test "sections: one that no file declares, or a place that is none, is refused by name" {
	rm -rf share
	cp -r "$TP_ROOT/share" share
	small_gpu | tp-gpu-intervals >gpu.jsonl
	limit_rule limts >limits.json
	run -2 --separate-stderr tp-findings --rules ./limits.json gpu.jsonl
	[ "$stderr" = "tp-findings: ./limits.json: rule 'limit': unknown section 'limts'" ]
	mv limits.json share/rules
	run -3 --separate-stderr env TP_SHARE="$PWD/share" tp-findings gpu.jsonl
	[ "$stderr" = "tp-findings: share/rules/limits.json: rule 'limit': unknown section 'limts'" ]
	rm share/rules/limits.json
	touch share/sections/limits-after-memroy.md
	small_gpu >gpu.csv
	run -4 --separate-stderr env TP_SHARE="$PWD/share" tp-report gpu.csv
	[[ $stderr = *"share/sections/limits-after-memroy.md: there is no section 'memroy'"* ]]
}

@test "sections: which kernels are cut at 80 bytes is share/ops" {
	cp -R "$TP_ROOT/share" "$BATS_TEST_TMPDIR/share"
	sed -i 's/"tuned": .*/"tuned": ["Mine_*"],/' \
	    "$BATS_TEST_TMPDIR/share/ops/torch-kernels.json"
	printf '{"kind":"x.y","src":"a","name":"%s_%0100d"}\n' Mine 0 Cijk 0 |
	    TP_SHARE=$BATS_TEST_TMPDIR/share tp-render >"$BATS_TEST_TMPDIR/out"
	[ "$(grep -o '^Mine_.*' "$BATS_TEST_TMPDIR/out" | wc -c)" -eq 81 ]
	grep -q '^Cijk_0\{100\}$' "$BATS_TEST_TMPDIR/out"
}

@test "sections: one of the user's own, by path, by name, and in every report" {
	small_gpu >gpu.csv
	tp-gpu-intervals gpu.csv >gpu.jsonl
	mkdir -p config/tracepipe/sections
	export XDG_CONFIG_HOME=$PWD/config
	printf '# Limits\n\n{{> _rows}}\n' >config/tracepipe/sections/limits-after-memory.md
	printf '{{gpu.summary[all].rows}} rows of mine.\n' >config/tracepipe/sections/_rows.md
	printf 'own: {{> _rows}}\n' >limits.md
	[ "$(tp-render ./limits.md gpu.jsonl)" = "own: 2 rows of mine." ]
	tp-render limits-after-memory gpu.jsonl | grep -qx '2 rows of mine\.'
	tp-render --list | grep -qx limits-after-memory
	tp-report gpu.csv | sed -n 's/^# [0-9. ]*//p' >headings
	[ "$(sed -n 5,7p headings)" = \
	    $'Memory & Residency Behavior\nLimits\nBottlenecks & Hypotheses' ]
	# one with the name of ours is used in its place; names that are none are left out
	printf '# My Memory\n' >config/tracepipe/sections/memory.md
	printf 'x\n' >'config/tracepipe/sections/no name.md'
	tp-render memory gpu.jsonl | grep -qx '# My Memory'
	run ! grep -q 'no name' <(tp-render --list)
	mv config/tracepipe/sections/limits-after-{memory,memroy}.md
	run -4 --separate-stderr tp-report gpu.csv
	[[ $stderr = *"your own sections/limits-after-memroy.md: there is no section 'memroy'"* ]]
}
