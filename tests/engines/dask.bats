#!/usr/bin/env bats
# examples/scale with Dask: the bytes of one process.  Of "make check-engines";
# each test says what it lacks.

load ranks

setup_file() {
	make_ranks
}

setup() {
	local p
	python= scheduler= pids=
	for p in python3 /usr/bin/python3; do
		! "$p" -c 'import distributed' 2>/dev/null || python=$p
	done
	[ -n "$python" ] ||
		skip 'no distributed of python3-distributed (make proof-deps)'
	here
}

teardown() {
	nothing_read
	for pid in $pids; do
		kill "$pid"
		wait "$pid" || :
	done
}

recipe() {
	local status=0
	rm -rf out
	"$python" "$scale/dask_ranks.py" "$label" "$1" out $scheduler || status=$?
	rm -f got
	[ ! -e out/job.jsonl ] || mv out/job.jsonl got
	return $status
}

@test "dask: 64 ranks, whose names are no words of a shell, are the bytes of one process" {
	same_bytes recipe
}

@test "dask: goes on behind a trace that ends early, and tells of it" {
	goes_on recipe
}

@test "dask: a rank that was lost is told" {
	tells_lost recipe
}

@test "dask: a trace that is not there is an error" {
	fails_missing recipe
}

@test "dask: the same bytes by two processes that a scheduler knows" {
	scheduler=scheduler.json
	"$python" -m distributed.cli.dask_scheduler --scheduler-file $scheduler \
	    --host 127.0.0.1 --port 0 --no-dashboard >scheduler.log 2>&1 3>&- &
	pids=$!
	"$python" -m distributed.cli.dask_worker --scheduler-file $scheduler \
	    --nworkers 2 --nthreads 1 --host 127.0.0.1 --no-dashboard \
	    >worker.log 2>&1 3>&- &
	pids="$! $pids"
	same_bytes recipe
	goes_on recipe
	[ "$(grep -c 'Registered to' worker.log)" -eq 2 ]
}
