#!/usr/bin/env bats
# The report of a run folder of ExecuTorch.

load helper
bats_require_minimum_version 1.5.0

setup_file() {
	"$TP_BUILD/mketdump" "$BATS_FILE_TMPDIR/example"
}

setup() {
	cd "$BATS_TEST_TMPDIR"
	cp -R "$BATS_FILE_TMPDIR/example/runs" .
}

# All files of a run in its own folder, as a runner writes them.
flatten() {	# FOLDER
	local f
	for f in "$1"/*/*; do
		mv "$f" "$1/"
	done
	rmdir "$1"/*/
}

part() {	# HEADING FILE: what is below it
	awk -v h="## $1" '$0 == h { on = 1; print; next }
	    /^## / { on = 0 } on' "$2"
}

@test "executorch report: the example's reports are as committed" {
	tp-report runs/mac >report.md
	diff "$TP_ROOT/examples/executorch/report.md" report.md
	tp-report --combined runs/mac runs/android >combined.md
	diff "$TP_ROOT/examples/executorch/combined_report.md" combined.md
	# what others look for
	grep -q 'Latency Comparison' report.md
	grep -q 'Operator Category Breakdown' report.md
	grep -q 'Config File' report.md
	! grep -q 'tp-' report.md combined.md
}

@test "executorch report: parts stand in their order" {
	tp-report runs/mac | grep '^## ' >got
	printf '## %s\n' Metadata 'Latency Comparison' \
	    'Operator Category Breakdown' 'Acceleration Analysis' \
	    Bottlenecks 'Portable and Delegated Operators' \
	    'Kernel-Level Insights' Recommendations Appendix >want
	diff want got
	# portable operators can gain most, then changes of layout that are
	# neither theirs nor packing
	tp-report runs/mac | part Recommendations - |
	    grep -o -E '^To do: \*\*[A-Za-z]+ [a-z]+' >got
	printf 'To do: **%s\n' 'Delegate the' 'Remove changes' \
	    'Replace an' >want
	diff want got
}

@test "executorch report: both layouts say the same" {
	tp-report runs/mac >folders.md
	flatten runs/mac
	tp-report runs/mac >flat.md
	diff <(sed 's:mac_sme2_[nfo]*/::g' folders.md) \
	    <(sed 's:mac_sme2_[nfo]*/::g' flat.md)
}

# bats test_tags=rest
@test "executorch report: -o with the run folder itself puts the files there" {
	tp-report -o runs/mac runs/mac
	# with its pictures
	[ -s runs/mac/budget.svg ]
	[ -s runs/mac/steps.svg ]
	[ "$(grep -c '^!\[' runs/mac/report.md)" -eq 2 ]
	diff <(printed "$TP_ROOT/examples/executorch/report.md") \
	    <(printed runs/mac/report.md)
	grep -q '^#### Kernel view' runs/mac/kernel_view.md
	jq -e '.e2e.num_runs == 10 and (.recommendations | length > 3)' \
	    runs/mac/operator_analysis.json
	jq -e .percentiles.p99 \
	    runs/mac/segment_fp32_mac_sme2_off_t1_robust_stats.json
	[ -z "$(find runs/mac -name '*.jsonl' -o -name '.in*' -o -name '*.part')" ]
	# what it has put there is no part of the run
	cp runs/mac/report.md first.md
	tp-report -o runs/mac runs/mac
	cmp first.md runs/mac/report.md
}

# bats test_tags=rest
@test "executorch report: --out FILE.md and --title name the report" {
	tp-report --out runs/mac/mine.md --title 'My *model*' runs/mac
	[ "$(head -n 1 runs/mac/mine.md)" = '# My \*model\*' ]
	[ ! -e runs/mac/report.md ]
	tp-report --combined --title Both -o both runs/mac runs/android
	[ "$(head -n 1 both/combined_report.md)" = '# Both' ]
}

# bats test_tags=rest
@test "executorch report: -o keeps the records and makes again what changed" {
	tp-report -o out runs/mac
	cmp <(tp-report --records runs/mac) \
	    <(cat out/run-*.jsonl out/kernels-*.jsonl out/experiments.jsonl)
	stat -c '%n %y' out/*.jsonl >before
	tp-report -o out runs/mac
	stat -c '%n %y' out/*.jsonl | diff before -
	sed 's/28\.6/38.6/' runs/mac/metrics.json >m &&
	    mv m runs/mac/metrics.json
	tp-report -o out runs/mac
	stat -c '%n %y' out/*.jsonl >after
	diff <(grep /run- before) <(grep /run- after)
	run ! diff <(grep /experiments before) <(grep /experiments after)
	# an older file in the place of one is seen
	f=$(echo runs/mac/mac_sme2_on/*_exec_ops_stats.csv)
	sed 's/Convolution/Konvolution/' "$f" >older
	touch -d 2000-01-01 older
	mv older "$f"
	tp-report -o out runs/mac
	stat -c '%n %y' out/*.jsonl >last
	run ! diff <(grep /run-002 after) <(grep /run-002 last)
	diff <(grep /run-001 after) <(grep /run-001 last)
}

# bats test_tags=rest
@test "executorch report: --validate exits with 1 when a document disagrees" {
	run tp-report --validate --out r.md runs/mac
	[ "$status" -eq 0 ]
	sed 's/"median_ms": [0-9.]*/"median_ms": 1.5/' \
	    runs/mac/metrics.json >m && mv m runs/mac/metrics.json
	run tp-report --out r.md runs/mac
	[ "$status" -eq 0 ]
	grep -q '\*\*FAIL\*\*' r.md
	grep -q 'Tables and documents disagree' r.md
	run tp-report --validate --out r.md runs/mac
	[ "$status" -eq 1 ]
	run tp-report --combined --validate --out c.md runs/mac runs/android
	[ "$status" -eq 1 ]
	grep -q 'disagree: 2 of 14' c.md
}

@test "executorch report: a side by itself is reported, and said to be alone" {
	rm -r runs/mac/mac_sme2_off
	tp-report runs/mac >r.md
	! grep -q 'In no pair' r.md
	grep -q 'There is nothing to compare' r.md
	grep -q 'Experiments without a counterpart' r.md
	grep -q "experiment 'mac_sme2_off', of which there is no table" r.md
	part 'Operator Category Breakdown' r.md | grep -q '^| Convolution |'
}

@test "executorch report: threads and models are paired by themselves" {
	local f
	for f in runs/mac/*/*_t1*; do
		cp "$f" "$(printf %s "$f" | sed 's/_t1/_t4/')"
		cp "$f" "$(printf %s "$f" | sed 's/segment_fp32/other/')"
	done
	rm runs/mac/mac_sme2_on/other_*
	tp-report runs/mac >r.md 2>err
	[ ! -s err ]
	[ "$(grep -c '^## `.*`: Latency Comparison' r.md)" -eq 3 ]
	grep -q '^Compared.* `mac_sme2_off` and `mac_sme2_on`, macOS, 4 threads' r.md
	grep -q '^## `segment_fp32_mac_sme2_on_t4`: Recommendations' r.md
	grep -q '^## `other_mac_sme2_off_t1`: Bottlenecks' r.md
	grep -q '^In no pair: `mac_sme2_off` (1 thread)' r.md
}

@test "executorch report: names of files are never obeyed" {
	mkdir evil
	cp runs/mac/mac_sme2_on/*_exec_all_runs_timeline.csv \
	    'evil/$(touch x) `id` -n;#%_all_runs_timeline.csv'
	cp runs/mac/mac_sme2_on/*_exec_all_runs_timeline.csv \
	    "evil/-o_all_runs_timeline.csv"
	cp runs/mac/manifest.json 'evil/ma$(nifest) .json'
	tp-report evil >r.md
	[ ! -e x ] && [ ! -e evil/x ]
	grep -q ': Latency Comparison' r.md
	grep -q '`$(touch x)' r.md || grep -q 'touch x' r.md
}

@test "executorch report: a run without documents, or of one table, has a report" {
	rm runs/mac/*.json
	tp-report runs/mac >r.md
	grep -q '^- Config File: no document names one' r.md
	grep -q '3.51x' r.md
	tp-report runs/mac/mac_sme2_on/*_exec_ops_stats.csv >r.md
	grep -q 'its latency is not known\|Median\|Only one run\|A run takes' r.md
}

@test "executorch report: an empty file of a run is told: 3" {
	: >runs/mac/manifest.json
	for f in runs/mac/mac_sme2_on/*.csv; do
		: >"$f"
	done
	run -3 --separate-stderr tp-report runs/mac
	[[ $stderr = *"manifest.json': empty instead of a document"* ]]
	[[ $output = *"_all_runs_timeline.csv: the file is empty | 1 | data lost"* ]]
	[[ $output = *"No operators are known, so there is nothing to recommend."* ]]
	: >empty.csv
	run -3 tp-report empty.csv
	[ "$output" = "tp-report: 'empty.csv' is empty" ]
}

@test "executorch report: --list names what is in a run folder" {
	run tp-report --list runs/mac
	[ "$status" -eq 0 ]
	[[ $output = *"manifest.json "*" document"* ]]
	[[ $output = *"_xnntrace.log "*" log of kernels"* ]]
	[[ $output = *"_latency.log "*" log of a runner"* ]]
	[[ $output = *"table etdump-timeline"* ]]
}

@test "executorch report: two experiments are compared like any two traces" {
	tp-report --compare runs/mac/mac_sme2_off runs/mac/mac_sme2_on >c.md
	grep -q '^\*\*Better' c.md
	grep -q '^## Acceleration Analysis' c.md
}

@test "executorch report: --combined wants runs of ExecuTorch, and nothing else" {
	run -2 tp-report --combined --list runs/mac
	run -2 tp-report --combined --compare runs/mac runs/android
	mkdir none
	run -3 tp-report --combined runs/mac none
	printf 'start,duration,channel-name,process\n0,1,Compute,a (1)\n' >gpu.csv
	run -3 tp-report --combined runs/mac gpu.csv
	[[ $output = *"'gpu.csv' contains no run of ExecuTorch"* ]]
	run -2 tp-report --combined -o runs/mac/out runs/mac
}

@test "executorch report: its records keep to their schemas" {
	tp-report -o out runs/mac
	"$TP_BUILD/check-schema" "$TP_ROOT/share/schema" <out/experiments.jsonl
	"$TP_BUILD/check-schema" "$TP_ROOT/share/schema" <out/findings-p1.jsonl
}

# Numbers of the older report (left) and ours, with why they differ; what is
# not listed is equal.  Beside them it tells the machine that wrote it as the
# device and the time of writing as that of the run, which ours does not know.
@test "executorch report: what differs from the older report has a reason" {
	data=$TP_ROOT/../shared/data/executorch/synth/runs
	peer=$TP_ROOT/../shared/expected/executorch/peer
	[ -d "$data" ] || skip "no reference data"
	local p side
	for p in mac android; do
		tp-report -o "out-$p" "$data/$p"
		# latencies and their factors are equal
		jq -r 'def ms: . * 1000 / 1e6 | round / 1000;
		    select(.kind == "accel.latency" and
		    (.metric | test("robust|trimmed") | not)) | [.metric,
		    (.after_ns | ms), (.before_ns | ms),
		    (if .metric == "stdev" then "-" else
		    (.speedup_factor * 100 | round / 100) end)] | @tsv' \
		    "out-$p/pair-1.jsonl" >ours
		sed -n 's/ ms//g; s/x |$/ |/; /^| \*\*\(M[a-z]* Latency\|Std Dev\)/p' \
		    "$peer/report_synth_$p.md" | tr -d '*|' |
		    sed 's/Std Dev/stdev/; s/ Latency//' |
		    awk -v OFS='\t' -v OFMT=%.10g '{ print tolower($1), $2 + 0, $3 + 0,
			$4 == "-" ? $4 : $4 + 0 }' >theirs
		[ "$(wc -l <theirs)" -eq 5 ]
		diff <(sort theirs) <(sort ours)
	done
	# categories, mean ms of a run: SME2-On, SME2-Off; theirs, ours
	jq -r 'select(.kind == "accel.part" and (.is_overhead | not)) |
	    [.part, (.after_ns / 1000 | round / 1000),
	    (.before_ns / 1000 | round / 1000)] | @tsv' out-mac/pair-1.jsonl |
	    sort >ours
	sed -n '/^| \*\*\(GEMM\|Conv\|Other\|Data\|Elem\)/p' \
	    "$peer/report_synth_mac.md" | sed 's/^| \*\*//; s/\*\* | /\t/; s/ | /\t/; s/ |$//' |
	    sort >theirs
	diff - <(join -t "$(printf '\t')" theirs ours) <<-'END'
	Convolution	11.158	49.755	11.078	49.675
	Data Movement	5.955	5.966	7.965	6.127
	Elementwise	4.315	4.336	3.807	3.828
	GEMM	10.223	55.013	9.101	53.913
	Other	7.293	5.434	6.993	6.96
	END
	# each of these is the time of names that were misfiled:
	moved() {	# CATEGORY-THEIRS CATEGORY-OURS NAME...
		local from=$1 to=$2 n
		shift 2
		for n in "$@"; do
			jq -r --arg n "$n" --arg f "$from" --arg t "$to" '
			    select(.kind == "op.latency" and .op == $n) |
			    select(.category == $t) | [$f, .mean_ns], [$t,
			    -.mean_ns] | @tsv' out-mac/run-002.jsonl
		done
	}
	{
		# "conv" is in "Convert"
		moved Convolution 'Data Movement' 'Convert (NC, F32, QD8)'
		# "linear" is in "bilinear"
		moved GEMM Other 'Resize Bilinear (NHWC)' \
		    native_call_upsample_bilinear2d.vec_out
		# "add" is in "addmm"
		moved Elementwise GEMM native_call_addmm.out
		# no substring of theirs is in these
		moved Other 'Data Movement' 'Pack LH (X32)' \
		    'Slice (ND, X32)' \
		    native_call_index_put.out
	} >moves
	jq -r 'select(.kind == "op.category" and .basis == "run") |
	    [.category, .mean_ns] | @tsv' out-mac/run-002.jsonl >>moves
	awk -F '\t' -v OFS='\t' '{ n[$1] += $2 } END { for (c in n)
	    printf "%s\t%.3f\n", c, n[c] / 1e6 }' moves | sort >explained
	diff <(cut -f 1,2 theirs) explained
}

# bats test_tags=rest
@test "executorch report: the folder of a report may have any name" {
	cd "$BATS_TEST_TMPDIR"
	"$TP_BUILD/mketdump" run >/dev/null
	"$TP_BUILD/tp-report" -o plain run
	for o in 'a b%c' "d'\$e" 'f"g'; do
		"$TP_BUILD/tp-report" -o "$o" run
		cmp plain/report.md "$o/report.md"
	done
}

@test "comparison: runs on other systems or with other threads are refused, by what differs" {
	"$TP_BUILD/mketdump" runs >/dev/null
	find runs -name '*_all_runs_timeline.csv' >list
	on=$(grep -m1 sme2_on list)
	mkdir a b c
	cp "$on" a/m_mac_sme2_on_t1_exec_all_runs_timeline.csv
	cp "$on" b/m_android_sme2_on_t1_exec_all_runs_timeline.csv
	cp "$on" c/m_mac_sme2_on_t4_exec_all_runs_timeline.csv
	run -2 --separate-stderr tp-report --compare a b
	[[ $stderr = *"system: 'macOS' before, 'Android' after; --across compares them anyway"* ]]
	run -2 --separate-stderr tp-report --compare a c
	[[ $stderr = *"threads: '1' before, '4' after"* ]]
	tp-report --compare --across --allow-same a c >across.md
	grep -q '^Different settings: threads\.$' across.md
	run -2 --separate-stderr tp-report --across a
	[[ $stderr = *"--across needs --compare"* ]]
}

# Every time in the tables of the experiments FOLDER... is 1.2 times as long.
slow_down() {
	local f
	for f in "${@/%//}"*_timeline.csv; do
		awk -F, -v OFS=, '{ n = NF - 4 } NR > 1 { $n *= 1.2 } 1' \
		    "$f" >slower
		mv slower "$f"
	done
}

# bats test_tags=rest
@test "comparison: whole run folders are compared experiment by experiment" {
	cp -R runs/mac new
	slow_down new/mac_sme2_on
	rm new/mac_sme2_on/*_ops_stats.csv
	tp-report --compare runs/mac new >c.md
	grep -q '^\*\*Worse' c.md
	grep -q '^| `mac_sme2_off` | `segment_fp32` | 1 | 10 and 10 .* | 1.00x | .* | no difference |' c.md
	grep -q '^| `mac_sme2_on` | .* | 0.833x | 0.7[0-9]*x to 0.8[0-9]*x | \*\*slower\*\* |' c.md
	! grep -q '^## Acceleration' c.md
	! grep -q 'tp-' c.md
	# what one of them alone has is named
	rm -r new/mac_sme2_off
	tp-report --compare runs/mac new >c.md
	grep -q '^Only in the run before, not compared: `mac_sme2_off`' c.md
	grep -q '^| `mac_sme2_on` | .* | \*\*slower\*\* |' c.md
	# both have SME2: it is not what differs
	grep -q '^## Operators' c.md
	! grep -q '^## Acceleration' c.md
	# of another system they are compared when that is asked for
	run -2 --separate-stderr tp-report --compare runs/mac runs/android
	[[ $stderr = *"system: 'macOS' before, 'Android' after; --across"* ]]
	tp-report --compare --across runs/mac runs/android >c.md
	grep -q '^| `mac_sme2_off` and `android_sme2_off` ' c.md
	grep -q '^| `mac_sme2_on` and `android_sme2_on` ' c.md
}

# bats test_tags=rest
@test "comparison: runs of another model are refused unless --across" {
	cp -R runs/mac other
	find other -type f | while IFS= read -r f; do
		sed 's/segment_fp32/encoder/g' "$f" >new
		rm "$f"
		mv new "$(printf %s "$f" | sed 's/segment_fp32/encoder/g')"
	done
	run -2 --separate-stderr tp-report --compare runs/mac other
	[[ $stderr = *"model: 'segment_fp32' before, 'encoder' after; --across"* ]]
	rm -r {other,runs/mac}/mac_sme2_off
	run -2 --separate-stderr tp-report --compare runs/mac other
	[[ $stderr = *"model: 'segment_fp32' before, 'encoder' after; --across"* ]]
	tp-report --compare --across runs/mac other >c.md
	grep -q '^Different settings: .*model.*\.$' c.md
}

# bats test_tags=rest
@test "a run folder with metrics.json alone has its latencies, and says why no more" {
	mkdir alone changed
	cp runs/mac/metrics.json alone
	tp-report alone >r.md
	grep -q '^| `mac_sme2_on_t1` | 10 | 8.15 ms ' r.md
	grep -q '^`mac_sme2_on` is 3.51x as fast as `mac_sme2_off`' r.md
	grep -q '^No timeline is in the folder' r.md
	grep -q "latency is what metrics.json says" r.md
	tp-report alone/metrics.json | grep -q '^| `mac_sme2_on_t1` | 10 '
	# and is compared with the run itself
	tp-report --compare alone runs/mac >c.md
	grep -q '^| `mac_sme2_off` | .* | 1.00x | .* | no difference |' c.md
	run -1 --separate-stderr tp-report --validate alone
	# JSON of others is none
	echo '{"results": [{"name": "a"}]}' >changed/metrics.json
	run -3 tp-report changed
}

@test "--validate: what is absent is status 1, and said" {
	"$TP_BUILD/mketdump" whole >/dev/null
	run=$(dirname "$(find whole -name metrics.json | head -1)")
	tp-report --validate "$run" >all.md
	off=$(find "$run" -type d -name '*sme2_off*' | head -1)
	rm -r "$off"
	run -1 --separate-stderr tp-report --validate "$run"
	[[ $output = *"Part of the run is not in the folder"* ]]
	[[ $output = *"of which there is no timeline"* ]]
	rm "$run"/*.json "$run"/*/*_latency.log
	run -1 --separate-stderr tp-report --validate "$run"
	[[ $stderr = *"no document states a latency: the tables were compared with nothing" ]]
}

@test "a run folder that was moved finds its own files, not those of another" {
	"$TP_BUILD/mketdump" whole >/dev/null
	run=$(dirname "$(find whole -name metrics.json | head -1)")
	tp-report --records "$run" >before.jsonl
	mkdir -p far/away
	mv "$run" far/away/run
	tp-report --records far/away/run >after.jsonl
	found='select(.kind == "experiment.file" and .is_found) | .path'
	diff <(jq -r "$found" before.jsonl) <(jq -r "$found" after.jsonl)
	[ "$(jq -r "$found" after.jsonl | wc -l)" -gt 2 ]
}

@test "a table of several models: each has its own verdict, and nothing is added up" {
	cat >t.csv <<-'EOF'
	src,event_name,avg_ms,is_delegated_op
	a phone,Method::execute,20,False
	a phone,DELEGATE_CALL,19,False
	a phone,"Convolution (NHWC, F32) GEMM #1",18,True
	speech,Method::execute,138,
	speech,OPERATOR_CALL,91,
	speech,native_call_mm.out,70,
	speech,DELEGATE_CALL,46,
	EOF
	tp-report t.csv >r.md
	grep -q '^`t: a phone`: \*\*operator-bound\*\*: .* of a run of 20.0 ms (mean)' r.md
	grep -q '^`t: speech`: \*\*portable-bound\*\*: .* of a run of 138 ms (mean)' r.md
	grep -q '^## `t: speech`: Recommendations$' r.md
	run grep -E '158|the system is taken|overhead \| 0 ms|itself \| 0 ms|ms \| *\|$' r.md
	[ "$status" -eq 1 ]
	# the same models, not named
	cut -d , -f 2- t.csv >u.csv
	tp-report u.csv >r.md
	grep -q '^\*\*undecided\*\*: The table has several `Method::execute`' r.md
	run grep 158 r.md
	[ "$status" -eq 1 ]
	# a folder that had several and has one
	tp-report -o out t.csv
	[ -e out/run-002.jsonl ]
	head -4 t.csv >one && mv one t.csv
	tp-report -o out t.csv
	[ ! -e out/run-002.jsonl ] && [ ! -e out/in/of-001 ]
}

@test "a single run is said to be one, and may be cold" {
	cat >t.csv <<-'EOF'
	name,duration_ms,run_index,delegate_backend
	native_call_mm.out,9,0,portable
	OPERATOR_CALL,9.5,0,portable
	Method::execute,10,0,portable
	EOF
	tp-report t.csv >r.md
	grep -q '^\*\*portable-bound\*\*: .* 90.0 % of the only run recorded (10.0 ms; it may be a cold one)' r.md
	grep -q '^Only one run was recorded. It took 10.0 ms, and may be a cold one' r.md
}
