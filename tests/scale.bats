#!/usr/bin/env bats
# Many ranks and runs: what schedulers give and take, and the same answer
# however the work was cut.

bats_require_minimum_version 1.5.0
load helper

setup() {
	cd "$BATS_TEST_TMPDIR"
}

# job RANKS SLOW: records of ranks on nodes of 8 that exchange in rows (8 ranks
# of a node) and columns (the same place of each node); ranks of node SLOW come
# 60 us late to each, and compute as much longer.
job() {
	awk -v ranks="$1" -v slow="$2" 'BEGIN {
		for (r = 0; r < ranks; r++) {
			node = int(r / 8)
			late = node == slow ? 60000 : 0
			w = "\",\"src\":\"job\",\"process_rank\":" r
			print "{\"kind\":\"trace.summary" w ",\"event_count\":9," \
			    "\"rank_count\":" ranks ",\"first_ns\":0,\"last_ns\":8000000}"
			print "{\"kind\":\"trace.clock" w ",\"clock_base\":\"1700000000000000000\"}"
			print "{\"kind\":\"gpu.device" w ",\"device_index\":0,\"alike_count\":8}"
			print "{\"kind\":\"timeline.summary" w ",\"scope\":\"all\",\"device_count\":1," \
			    "\"span_ns\":8000000,\"busy_ns\":7000000,\"compute_ns\":" \
			    5000000 + 12 * late ",\"communication_ns\":" \
			    2000000 - 12 * late ",\"memcpy_ns\":0,\"idle_ns\":1000000}"
			for (n = 0; n < 6; n++) {
				own = late + (r * 37 + n * 11) % 1000
				row = column = ""
				for (i = 0; i < 8; i++)
					row = row (i ? ", " : "") node * 8 + i
				for (i = r % 8; i < ranks; i += 8)
					column = column (i >= 8 ? ", " : "") i
				c = "{\"kind\":\"collective.run" w ",\"element_type\":\"bf16\""
				printf "%s,\"collective\":\"all-reduce\",\"kernel\":\"reduce\"" \
				    ",\"process_group\":\"tp\",\"process_group_ranks\":\"[%s]\"" \
				    ",\"process_group_count\":8,\"in_bytes\":1024,\"start_ns\":%d" \
				    ",\"duration_ns\":%d}\n", c, row, n * 1000000 + own, 200000 - own
				printf "%s,\"collective\":\"all-gather\",\"kernel\":\"gather\"" \
				    ",\"process_group\":\"dp\",\"process_group_ranks\":\"[%s]\"" \
				    ",\"process_group_count\":%d,\"in_bytes\":4096,\"start_ns\":%d" \
				    ",\"duration_ns\":%d}\n", c, column, ranks / 8, n * 1000000 + 500000 + own,
				    300000 - own
			}
		}
	}'
}

@test "ranks in any shards and any order are the same bytes" {
	job 64 3 >all
	tp-ranks all >whole
	split -l 112 all shard-	# seven ranks each
	for seed in 1 2 3 4 5; do
		ls shard-* | shuf --random-source=<(yes $seed) >names
		tp-ranks --files-from names | cmp - whole
	done
	# lines of all ranks mixed, as a shuffle by key leaves them
	shuf --random-source=<(yes 7) all | tp-ranks | grep '"ranks\.' >mixed
	grep '"ranks\.' whole | cmp - mixed
}

@test "a shard of one file and one of several are of the same job, with what was said of it" {
	"$TP_BUILD/mktorch" t >/dev/null
	tp-trace -q --ranks --only @ranks --meta job=17 --meta 'commit=a"b=c' t/*.json |
	    tp-ranks >together
	for f in t/rank1.json t/rank0.json; do
		tp-trace -q --ranks --only @ranks --meta job=17 --meta 'commit=a"b=c' $f
	done | tp-ranks >apart
	cmp together apart
	jq -e -s '[.[] | select(.kind == "meta") | [.src, .key, .value]] ==
	    [["t", "commit", "a\"b=c"], ["t", "job", "17"]]' apart
	tp-render torch-appendix apart | grep -q 'As noted for this run: .*job 17'
	run -2 tp-trace --meta job t/rank0.json
	run -2 tp-trace --meta =17 t/rank0.json
	run -0 --separate-stderr tp-summary --meta job=17 \
	    "$TP_BUILD/cases/tp-trace/two-devices/in.json"
	[[ $stderr = *'tp-summary: --meta: no records are written'* ]]
}

@test "the kinds of @ranks are all that tp-ranks rests on" {
	"$TP_BUILD/mktorch" t >/dev/null
	for f in t/rank0.json t/rank1.json; do
		tp-trace -q --ranks --label x $f
	done >full
	for f in t/rank0.json t/rank1.json; do
		tp-trace -q --ranks --label x --only @ranks $f
	done >few
	[ "$(wc -c <few)" -lt $(($(wc -c <full) / 5)) ]
	tp-ranks full | grep -e '"ranks\.' -e '"source"' -e '"note"' >a
	tp-ranks few | grep -e '"ranks\.' -e '"source"' -e '"note"' >b
	grep -q '"ranks.collective"' a
	cmp a b
}

# bats test_tags=rest
@test "property: ranks in any shards and any tree of partials are the same bytes" {
	command -v python3 >/dev/null || skip 'no python3'
	for seed in $(seq "${SEEDS:-25}"); do
		mkdir $seed
		python3 -B "$TP_ROOT/tests/trees.py" $seed $seed 2>err ||
		    fail "seed $seed: $(tail -n 3 err)"
	done
}

@test "partials: less than was read, once for all, refused when they do not fit" {
	job 64 3 >all
	split -l 112 all shard-	# seven ranks each
	for f in shard-*; do
		tp-ranks --part -o $f.part $f
	done
	tp-ranks all | grep '"ranks\.' >want
	tp-ranks shard-*.part | grep '"ranks\.' | cmp - want
	[ "$(tp-ranks --part all | wc -l)" -lt $(($(wc -l <all) / 3)) ]
	tp-ranks --part all | "$TP_BUILD/check-schema" "$TP_ROOT/share/schema"
	# delivered twice, and beside what it is of
	cp shard-aa.part again
	tp-ranks shard-*.part again | grep '"ranks\.' | cmp - want
	run -3 tp-ranks shard-aa.part shard-aa
	[[ $output = *'there are 2 traces of rank 0'* ]]
	# one that is lost
	run -3 --separate-stderr tp-ranks --expect 64 shard-ab.part shard-ac.part
	[[ $stderr = *'there are 14 ranks' ]]
	# damaged, without its beginning, of another version, cut off
	run -3 tp-ranks <<<"$(tail -n +2 shard-aa.part)"
	[[ $output = *'a record of a partial is damaged'* ]]
	for edit in 's/"start_sum":"/&x/' 's/"what_index":7/"what_index":700/' \
	    's/"times":"[0-9]*,/&,/' 's/"start_last_ns":/&9/' \
	    's/"traced_count":7,"low/"traced_count":0,"low/'; do
		sed "$edit" shard-aa.part >bad
		! cmp -s bad shard-aa.part || continue
		run -3 tp-ranks bad
		[[ $output = *'a record of a partial is damaged'* ]] || fail "$edit"
	done
	run -3 tp-ranks <<<"$(sed 's/"part_version":1/"part_version":2/' shard-aa.part)"
	[[ $output = *'of another version'* ]]
}

@test "sets of kinds name kinds that a filter writes, and say which sets there are" {
	jq -r '.[].kinds[] | sub("\\[.*"; "")' "$TP_ROOT/share/kinds.json" |
	    sort -u >kinds
	while read -r kind; do
		[ -e "$TP_ROOT/share/schema/$kind.json" ] || fail "no $kind"
		grep -qwF -- "$kind" "$TP_ROOT"/tools/*.c || fail "nobody writes $kind"
	done <kinds
	"$TP_BUILD/mktorch" t >/dev/null
	tp-trace -q --only @headline --only op.perf t/rank0.json >r
	jq -e -s 'map(.kind) | index("launcher.name") and index("source") and
	    index("op.perf") and (index("launcher") | not)' r
	run -2 tp-trace --only @rnks t/rank0.json
	[[ $output = *"no such set; there is: ranks, headline; did you mean 'ranks'?" ]]
	run -2 tp-bench --only @ranks
	[[ $output = *'none of these records is written'* ]]
}

@test "--files-from: lines, or a NUL behind each name; none when it is empty" {
	"$TP_BUILD/mktorch" t >/dev/null
	mv t/rank0.json "t/ra nk0
.json"
	tp-trace -q --ranks --label x t/*.json >want
	printf '%s\0' t/*.json >nul
	printf 't/rank1.json\n\n' >one
	tp-trace -q --ranks --label x --files-from nul | cmp - want
	tp-trace -q --ranks --label x --files-from - <nul | cmp - want
	tp-trace -q --ranks --label x "t/ra nk0
.json" --files-from one | cmp - want
	run -0 --separate-stderr tp-trace --files-from /dev/null
	[ -z "$output$stderr" ]
	run -0 tp-gpu-intervals --last 10% --files-from /dev/null
	run -4 tp-trace --files-from missing
	[[ $output = *"cannot open 'missing'"* ]]
	run -2 tp-render --files-from one
	tp-render ranks --files-from one 2>/dev/null || [ $? -eq 3 ]
}

@test "a trace on standard input has a name, and by it a rank; --rank says it" {
	"$TP_BUILD/mktorch" t >/dev/null
	tp-trace -q --ranks t/rank1.json >want
	tp-trace -q --ranks --stdin-name t/rank1.json <t/rank1.json | cmp - want
	# one that does not say its rank, alone and in a report, whose links have
	# other names
	for r in 0 1; do
		sed 's/"distributedInfo": {[^}]*}, *//' t/rank$r.json >rank$r.json
		! grep -q distributedInfo rank$r.json
	done
	mkdir n && mv rank?.json n
	tp-trace -q --ranks --stdin-name a/rank_17.json <n/rank0.json >named
	jq -e -s 'all(.[] | select(.kind == "trace.summary");
	    .process_rank == 17 and .src == "a") and
	    any(.[]; .code == "rank.name") and
	    any(.[]; .kind == "source" and .file == "a/rank_17.json")' named
	tp-trace -q --ranks --rank 5 --label x <n/rank0.json >given
	jq -e -s 'all(.[] | select(.kind == "trace.summary"); .process_rank == 5)
	    and all(.[]; .code != "rank.given")' given
	tp-trace -q --ranks --rank 5 t/rank1.json |
	    grep -q 'names rank 1; rank 5'
	tp-report n >report.md
	grep -q '^2 ranks traced' report.md
	run -2 tp-trace --ranks --rank 5 n/rank0.json n/rank1.json
	run -2 tp-trace --rank 5 n/rank0.json
}

@test "--ok: what is damaged is told, and no failure of the task" {
	"$TP_BUILD/mktorch" t >/dev/null
	head -c 60000 t/rank1.json >cut.json
	run -3 tp-trace -q --ranks cut.json
	tp-trace -q --ranks --ok 3 -o cut.jsonl cut.json
	grep -q '"status":3' cut.jsonl
	# and it comes out of the reduce again
	tp-trace -q --ranks t/rank0.json >good.jsonl
	run -3 tp-ranks good.jsonl cut.jsonl
	run -0 tp-ranks --ok 3 good.jsonl cut.jsonl
	run -0 tp-ranks good.jsonl
	run -2 tp-ranks --ok 4 good.jsonl
	run -4 tp-trace --ok 3 missing
}

@test "examples/scale/on_trace_ready.py: each rank leaves its records, as one process would write them" {
	"$TP_BUILD/mktorch" t >/dev/null
	mkdir local
	cat >train.py <<-'END'
	import gzip, sys
	from on_trace_ready import on_trace_ready

	class Profile:
	    step_num = 10
	    def export_chrome_trace(self, path):
	        with open(sys.argv[1], "rb") as trace, gzip.open(path, "wb") as to:
	            to.write(trace.read())

	on_trace_ready(Profile())
	END
	for r in 0 1; do
		PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$TP_ROOT/examples/scale \
		    TRACES=local RECORDS="shared/job 17" RANK=$r \
		    python3 train.py t/rank$r.json
	done
	find shared -name 'rank-*.jsonl' |
	    tp-ranks --files-from - --expect 2 >got
	tp-trace -q --ranks --only @ranks --label 'job 17' local/* |
	    tp-ranks | cmp - got
}

@test "--expect: a shard that was lost, one too many, all of them" {
	job 16 0 >all
	grep -v '"process_rank":5[,}]' all >lost
	run -0 --separate-stderr tp-ranks --expect 16 all
	[ -z "$stderr" ]
	run -3 --separate-stderr tp-ranks --expect 16 lost
	[ "$stderr" = 'tp-ranks: --expect 16: there are 15 ranks' ]
	grep '"code":"rank.missing"' <<<"$output" | grep '"status":3' | grep -q '"count":1[,}]' 
	run -3 tp-ranks --expect 15 all
	run -3 tp-ranks --expect 1 /dev/null
	# without rank_count nothing else would tell
	sed 's/"rank_count":16,//' lost >unknown
	run -0 tp-ranks unknown
	run -3 tp-ranks --expect 16 unknown
	grep -q '"missing_rank_count":1' <<<"$output"
}

@test "a slow node is the finding, not one of its ranks; ranks, nodes and groups fill a page" {
	job 256 5 >all
	# what a replay of all ranks says
	echo '{"kind":"path.gain","src":"job","what_if":"rank/late=median","what_if_count":1,"gain_ns":720000,"gain_ratio":0.09}' >late
	tp-ranks all late >r
	"$TP_BUILD/check-schema" "$TP_ROOT/share/schema" <r
	jq -e -s '[.[] | select(.kind == "ranks.node")][0] |
	    .node_first_rank == 40 and .node_last_rank == 47 and
	    .node_basis == "devices" and .traced_count == 8' r
	tp-findings r >f
	jq -e -s '[.[] | select(.kind == "finding") | .id][0] ==
	    "torch-slow-node"' f
	grep -q 'The others wait for the node of ranks 40 to 47' f
	# one late rank on that node
	awk '/"process_rank":4[0-7][,}]/ && !/"process_rank":43[,}]/ &&
	    /collective.run/ { next } { print }' all >alone
	job 256 -1 | grep -E '"process_rank":4[0124567][,}]' |
	    grep collective.run >>alone
	tp-ranks alone late >r1
	# late by chance, each other ranks: no node comes last
	job 256 -1 >even
	tp-ranks even late >r2
	tp-findings r2 | jq -e -s '[.[] | select(.kind == "finding") | .id] |
	    index("torch-slow-node") | not'
	tp-findings r1 | jq -e -s '[.[] | select(.kind == "finding") | .id] |
	    index("torch-slow-node") | not'
	# columns go across nodes, rows do not; each kind is one row with its worst
	jq -e -s '[.[] | select(.kind == "ranks.alike")] | length == 2 and
	    (map(select(.kernel == "gather"))[0] | .group_count == 8 and
	    .crosses_nodes and .count == 48) and
	    (map(select(.kernel == "reduce"))[0] | .group_count == 32 and
	    (.crosses_nodes | not))' r
	# the groups together are their rows
	jq -e -s '([.[] | select(.kind == "ranks.alike") | .exchange_sum_ns] | add)
	    == ([.[] | select(.kind == "ranks.collective") | .exchange_sum_ns] | add) and
	    ([.[] | select(.kind == "ranks.alike") | .wait_sum_ns] | add)
	    == ([.[] | select(.kind == "ranks.rank") | .wait_sum_ns] | add)' r
	# who stands first is who the others wait for
	jq -e -s '([.[] | select(.kind == "ranks.rank") | .slow_position] | sort)
	    == [range(1; 257)] and
	    ([.[] | select(.slow_position == 1 and .kind == "ranks.rank")][0] |
	    .is_straggler)' r
	tp-render torch-ranks r >page
	[ "$(wc -l <page)" -lt 70 ]
	[ "$(grep -c '^| 4[0-7] |' page)" -eq 8 ]
	# as many as the user says, whatever traces list
	tp-ranks --node-ranks 64 all | jq -e -s '[.[] |
	    select(.kind == "ranks.node")] | length == 4 and
	    all(.node_basis == "given")'
}

@test "the files of many ranks are one line, with the digest of sha256sum" {
	mkdir many
	for i in $(seq 100 139); do
		printf '{"schemaVersion":1,"distributedInfo":{"backend":"nccl","rank":%d,"world_size":140},"traceEvents":[{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":1,"dur":5,"args":{"device":0,"stream":7}}]}' \
		    $i >many/rank$i.json
	done
	tp-trace -q --ranks --sha256 --label many many/*.json | tp-ranks >r
	sum=$(sha256sum many/*.json | sha256sum)
	jq -e -s --arg sum "${sum%% *}" '.[] | select(.kind == "ranks.source") |
	    .source_count == 40 and .list_sha256 == $sum' r
	tp-report many >report.md
	[ "$(grep -c 'rank1[0-9][0-9]\.json' report.md)" -eq 1 ]
	grep -q '^- Traces: 40, `rank100.json` to `rank139.json`, 40 events' report.md
}

# bats test_tags=rest
@test "temporary files go to TMPDIR, and nothing is lost where there is none" {
	job 8 0 >all
	for i in $(seq 20000); do
		echo "{\"kind\":\"op\",\"src\":\"job\",\"process_rank\":0,\"op\":\"$i\"}"
	done >>all
	tp-ranks --rank 0 all >want
	[ "$(wc -c <want)" -gt 1000000 ]
	TMPDIR=/nonexistent tp-ranks --rank 0 all | cmp - want
	mkdir tmp
	command -v strace >/dev/null || skip 'no strace'
	TMPDIR=$PWD/tmp strace -f -e trace=openat -o calls tp-ranks --rank 0 all |
	    cmp - want
	grep -q "\"$PWD/tmp/tp-" calls
	! grep -q '"/tmp/tp-' calls
	[ -z "$(ls tmp)" ]
}

# hosts N: a capture of N hosts, the records of all at once in "all", and of
# each alone in host-N.jsonl.
hosts() {
	local h
	mkjax --hosts "$1" --steps 12 capture >/dev/null
	tp-trace -q --mergeable --label job capture >all
	for h in capture/plugins/profile/*/*.trace.json; do
		h=${h##*/}
		tp-trace -q --mergeable --label job --host "${h%.trace.json}" \
		    capture >"host-${h%.trace.json}.jsonl"
	done
}

# What cannot be told of hosts that were read apart, in one place: the index of
# a host among all, which device explains the run, unions over hosts, what
# varies from step to step, rates of work, and the example of a group.
APART='del(.host_index, .role, .span_ns, .span_ps, .busy_of_span_ratio,
    .all_idle_ns, .all_idle_ps, .all_idle_ratio, .host_busy_ns, .host_busy_ps,
    .host_in_idle_ns, .host_in_idle_ps, .host_in_idle_ratio,
    .compute_max_ps, .compute_min_ps,
    .step_sample_count, .step_mean_ns, .step_stdev_ns, .work_flops_per_s,
    .model_flops_per_s, .accessed_bytes_per_s, .hbm_bytes_per_s,
    .flops_per_byte, .region_count, .example_op)'

# bats test_tags=rest
@test "hosts that were read one by one add up to all hosts, to the last digit" {
	hosts 3
	tp-merge --expect 3 host-*.jsonl >merged
	"$TP_BUILD/check-schema" "$TP_ROOT/share/schema" <merged
	# nor what follows the path over all hosts: one alone does not say
	# for which other its collectives waited
	kinds=$(jq -r 'select(.kind != "note").kind' merged |
	    grep -vE '^(budget|gap|path)(\.|$)' | sort -u)
	for k in $kinds; do
		for f in all merged; do
			jq -Sc --arg k "$k" 'select(.kind == $k) |
			    del(.part_count, .part_max_ns, .part_mean_ns) |
			    '"$APART" $f | sort >"$f-$k"
		done
		cmp "all-$k" "merged-$k"
	done
	# all but these, which are of one time line, or hold hosts together
	[ "$(comm -3 <(jq -r .kind all | grep -vE '^(budget|gap|path)(\.|$)' |
	    sort -u) <(echo "$kinds") | xargs)" = \
	    "device.summary host host.step host.summary step step.class step.host step.summary timeline.basis timeline.chosen" ]
	[ "$(echo "$kinds" | wc -l)" -eq 14 ]
}

@test "property: parts in any order and any tree add up to the same bytes" {
	hosts 5
	sed 's/"src":"job"/"src":"ranks"/' \
	    "$TP_BUILD/cases/tp-merge/three-ranks-are-one/in.jsonl" >ranks
	split -l 11 ranks host-ranks-
	tp-merge host-* >whole
	for seed in $(seq "${SEEDS:-5}"); do
		set -- $(ls host-* | shuf --random-source=<(yes "$seed"))
		n=$((1 + seed % ($# - 1)))
		tp-merge "${@:1:n}" >left
		tp-merge "${@:n+1}" >right
		tp-merge right left | cmp - whole
		cat "$@" | tp-merge | cmp - whole
	done
	tp-merge whole | cmp - whole
}

# bats test_tags=rest
@test "every key of a kind that adds up has a rule, and every rule a key" {
	cd "$TP_ROOT/share"
	jq -r '.kinds | to_entries[] | select(.value.rows | not) | .key' merge.json |
	while read -r kind; do
		jq -r --arg kind "$kind" --slurpfile merge merge.json '
		    $merge[0] as $m | $m.kinds[$kind] as $k | .by as $by |
		    .properties | keys[] | select(. != "kind" and . != "src") |
		    select(. as $key | ($k.by // $by) + ($k.keys // {} | keys) |
		    index($key) == null) |
		    . + (if $m.keys[.] or startswith("param_") then "" else
		    " has no rule" end)' "schema/$kind.json"
	done | sort -u >"$BATS_TEST_TMPDIR/keys"
	run grep 'no rule' "$BATS_TEST_TMPDIR/keys"
	[ "$status" -eq 1 ] || fail "$output"
	run comm -13 "$BATS_TEST_TMPDIR/keys" <(jq -r '.keys | keys[] |
	    select(. != "param_*")' merge.json | sort)
	[ -z "$output" ] || fail "no key: $output"
	# what a rule, an order or an identity names is a key of the kind
	jq -r '.kinds | to_entries[] | .key as $k | .value |
	    (.by // .rows, .order // [])[] | $k + " " + .' merge.json |
	while read -r kind key; do
		grep -q "^    \"$key\": " "schema/$kind.json" ||
		    echo "$kind has no $key"
	done >"$BATS_TEST_TMPDIR/absent"
	[ ! -s "$BATS_TEST_TMPDIR/absent" ] ||
	    fail "$(cat "$BATS_TEST_TMPDIR/absent")"
}

@test "a key that nobody knows stays where one part has it, and goes where two do" {
	op='{"kind":"op","src":"a","rank":1,"name":"x","category":"compute","count":1,"exclusive_ns":5,"new_count":3}'
	echo "$op" | tp-merge >one
	[ "$(cat one)" = "$op" ]
	{ echo "$op"; echo "$op"; } | tp-merge >two
	grep -q '"count":2,"exclusive_ns":10,"part_count":2' two
	run grep new_count two
	[ "$status" -eq 1 ]
}

@test "records with a key and a TAB in front go through a shuffle" {
	job 16 1 >all
	tp-ranks all >whole
	sed "s/^/job-17	/" all | sort -s -k 1,1 | cut -f 2- | tp-ranks | cmp - whole
	# Hadoop takes a line without a TAB for a key, and adds one
	sed "s/\$/	/" all | tp-ranks >tabs
	cmp tabs whole
}
