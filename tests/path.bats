#!/usr/bin/env bats
# What must hold of the critical path and of replays, whatever the trace; and
# that what they promise of runs of known cost has not got worse.

load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
}

# damaged SEED COUNT: so many events at random: what ends before it begins, work
# before its launch, numbers that several share, links to the future.
damaged() {
	awk -v seed="$1" -v n="$2" '
	function pick(list,   a) { return a[1 + int(rand() * split(list, a, "|"))] }
	function below(x) { return int(rand() * x) }
	function event(cat, name, pid, tid, args) {
		printf "%s{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":%d,\"tid\":%d,\"ts\":%s,\"dur\":%s,\"args\":{%s}}",
		    between, cat, name, pid, tid, below(all) * (rand() < .2 ? .001 : 1),
		    still || rand() < .2 ? 0 : below(all / 4 + 2), args
		between = ",\n"
	}
	BEGIN {
		srand(seed)
		all = pick("50|1000|100000")
		still = rand() < .2
		only = rand() < .2 ? pick("work|step") : ""
		print "{\"traceEvents\":["
		for (i = 0; i < n; i++) {
			k = only == "work" ? 1 : only == "step" ? 0 : rand()
			link = "\"correlation\":" 1 + below(n / 2)
			where = link ",\"device\":" below(2) ",\"stream\":" below(3)
			if (k < .1)
				event("user_annotation", "ProfilerStep#" below(9), 1, below(3))
			else if (k < .35)
				event("cpu_op", "aten::op" below(5), 1 + (rand() < .2), below(4))
			else if (k < .45)
				event("python_function", pick("<built-in function sleep>|train.py(3): f|threading.py(4): wait|enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__"), 1, below(4))
			else if (k < .7)
				event("cuda_runtime", pick("cudaLaunchKernel|cudaMemcpyAsync|cudaStreamSynchronize|cudaFree|cudaDeviceSynchronize"), 1, below(4), link)
			else if (k < .75)
				event("cuda_sync", pick("Stream Wait Event|Event Sync|Stream Sync"), 0, 7, where ",\"wait_on_stream\":" below(3) ",\"wait_on_cuda_event_record_corr_id\":" below(n / 2))
			else
				event(pick("kernel|kernel|gpu_memcpy"), pick("k1|k2|ncclDevKernel_AllReduce"), 0, 7, where)
		}
		print "]}"
	}'
}

# Of records on stdin what is wrong with sums and gains.
wrong() {
	jq -nr '
	def sums: map(select(.kind == "path.class").time_ns) | add // 0;
	def lengths: map(select(.kind == "path.window").duration_ns) | add // 0;
	[inputs] | (select(sums != lengths) | "\(sums) of \(lengths)"),
	(.[] | select(.kind == "path.gain" and (.gain_ns < 0 or
	    .gain_ratio > 1 or ((.what_if | endswith("=1")) and
	    .gain_ns != 0))) | "\(.what_if): \(.gain_ns)")'
}

@test "path: of damaged traces the classes sum to the window, no gain is negative, no change gains nothing" {
	seen=0
	for seed in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 \
	    23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40; do
		damaged $seed $((10 + seed * seed / 2)) >in.json
		limited tp-path -q --only path.window,path.class,path.gain \
		    --what-if host=1 --what-if kernel=1 --what-if host=0 \
		    --what-if device=0 --what-if sync=0 --what-if free=0 \
		    --what-if dispatch=0 --what-if communication=0 \
		    --what-if launch-latency=0 --what-if device-gap=0 \
		    --what-if streams=apart --what-if devices=apart in.json \
		    >out || [ $? -eq 3 ] || fail "seed $seed"
		[ -z "$(wrong <out)" ] || fail "seed $seed: $(wrong <out)"
		seen=$((seen + $(grep -c '"path.window"' out || true)))
	done
	# the records of some are none
	[ $seen -ge 25 ]
}

@test "path: a link to the future makes no circle" {
	awk 'BEGIN {
		print "{\"traceEvents\": ["
		for (i = 1; i <= 300; i++) {
			printf "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"%s\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":8,\"args\":{\"correlation\":%d}},\n", i % 3 ? "cudaLaunchKernel" : "cudaStreamSynchronize", i * 10, i
			printf "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":%d,\"dur\":5,\"args\":{\"correlation\":%d,\"stream\":7,\"device\":0}}%s\n", i * 10 + 2, 301 - i, i < 300 ? "," : ""
		}
		print "]}"
	}' >in.json
	tp-path -q --what-if host=1 --what-if host=0 in.json >out
	grep -q '"path.window"' out
	[ -z "$(wrong <out)" ] || fail "$(wrong <out)"
}

@test "path: what changes save in a sample of runs of known cost is promised as well as it was" {
	D=$TP_ROOT/tests/diagnosis
	sh "$D/gains.sh" --sample --counts >counts
	# run, runs, alone, right, both, right
	awk -F '\t' 'NR == FNR { n[$1] = $3 + $5; right[$1] = $4; both[$1] = $6
		next }
	n[$1] != $3 + $5 || right[$1] < $4 || both[$1] < $6 { print }
	' counts "$D/gains.floor" >worse
	[ ! -s worse ] || fail "$(sh "$D/gains.sh" --sample -v)"
	[ "$(wc -l <counts)" -eq "$(wc -l <"$D/gains.floor")" ]
}

@test "path: a promise that is not kept is counted as wrong" {
	printf '=a\tdispatch=0\tload=0\na\t\tworkers=0 load=60ms\n' >wrong.tsv
	sh "$TP_ROOT/tests/diagnosis/gains.sh" --counts wrong.tsv >counts
	[ "$(cat counts)" = "$(printf 'a\t3\t3\t0\t0\t0')" ]
}
