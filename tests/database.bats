# Databases of Nsight Systems and rocprofv3.
bats_require_minimum_version 1.5.0
load helper

setup_file() {
	command -v mkdb >/dev/null || return 0
	cd "$BATS_FILE_TMPDIR"
	mkdb nsys run.sqlite
	mkdb rocpd run.db
}

setup() {
	[[ $BATS_TEST_DESCRIPTION = profilers:* ]] || command -v mkdb >/dev/null ||
		skip "built without libsqlite3"
	cd "$BATS_TEST_TMPDIR"
	NSYS=$BATS_FILE_TMPDIR/run.sqlite
	ROCPD=$BATS_FILE_TMPDIR/run.db
}

# told: records without what differs by how the input came
told() {
	grep -v '"kind":"source"' | sed 's/"text":"[^"]*: the profiler said/"text":"/'
}

# held DB: its records to what plain SQL says
held() {
	tp-trace -q "$1" >held.jsonl
	python3 "$TP_ROOT/tests/database.py" "$1" held.jsonl
}

# bats test_tags=rest
@test "database: kernels, copies, calls and busy time are what plain SQL says" {
	local seed way
	for seed in 1 2 3; do
		for way in '' --plain --old; do
			mkdb nsys t.sqlite --seed $seed --kernels $((seed * 61)) $way
			held t.sqlite
			mkdb rocpd t.db --seed $seed --kernels $((seed * 61)) $way
			held t.db
		done
	done
}

@test "database: plain SQL sees a record that is wrong" {
	tp-trace -q "$NSYS" | sed '/launcher.kernel/s/"count":[0-9]*/"count":9/' >r.jsonl
	run -1 python3 "$TP_ROOT/tests/database.py" "$NSYS" r.jsonl
	[[ $output = *'kernels by name: '* ]]
}

# bats test_tags=rest
@test "database: real captures, where they are, are what plain SQL says" {
	local any=
	for f in "$TP_ROOT"/../shared/data/nsys/*.sqlite \
	    "$TP_ROOT"/../shared/data/corpus/nsys/*.sqlite \
	    "$TP_ROOT"/../shared/data/rocprof/*.db; do
		[ -e "$f" ] || continue
		held "$f"
		any=1
	done
	[ "$any" ] || skip "no captures"
}

@test "database: every record fits its schema" {
	for f in "$NSYS" "$ROCPD"; do
		tp-trace "$f" | check-schema "$TP_ROOT/share/schema"
	done
}

@test "database: a pipe, gzip and any blocks give the same records" {
	for f in "$NSYS" "$ROCPD"; do
		tp-trace --label x "$f" | told >whole
		tp-trace --label x <"$f" | told | diff whole -
		tp-trace --label x < <(cat "$f") | told | diff whole -
		gzip -c "$f" | tp-trace --label x | told | diff whole -
		TP_BLOCK=13 tp-trace --label x "$f" | told | diff whole -
	done
}

@test "database: any path is read, and nothing is made beside it" {
	mkdir 'a?b%20#&mode=rw'
	cp "$NSYS" 'a?b%20#&mode=rw/file:x?immutable=0.sqlite'
	cd 'a?b%20#&mode=rw'
	tp-trace --label x './file:x?immutable=0.sqlite' | told >r
	tp-trace --label x "$NSYS" | told | diff - r
	rm r
	[ "$(ls)" = 'file:x?immutable=0.sqlite' ]
}

@test "database: processes that both call their GPU 0 have two" {
	tp-trace "$NSYS" >r.jsonl
	[ "$(jq 'select(.kind == "timeline.summary" and .scope == "all").device_count' r.jsonl)" = 2 ]
	mkdb nsys old.sqlite --old
	tp-trace old.sqlite >r.jsonl
	[ "$(jq 'select(.kind == "timeline.summary" and .scope == "all").device_count' r.jsonl)" = 1 ]
}

@test "database: numbers of launches count in each process by itself" {
	tp-trace "$NSYS" | jq -es 'map(select(.kind == "trace.quality")) | all(
	    .linked_count == .gpu_count and .launch_without_work_count == 0)'
	# both processes counted from 1
	[ "$(sqlite3 "$NSYS" 'SELECT count(*) - count(DISTINCT correlationId) FROM CUPTI_ACTIVITY_KIND_RUNTIME')" -gt 0 ] ||
		! command -v sqlite3
}

@test "database: what emit_nvtx marks are operators with shapes, other ranges regions" {
	tp-trace "$NSYS" >r.jsonl
	jq -e 'select(.kind == "launcher.name") | .op == "aten::mm"' r.jsonl | grep true
	jq -r 'select(.kind == "launcher" and .op == "aten::mm").input_dims' r.jsonl |
		grep '^\[\[64, 16\], \[16, 8\]\]$'
	jq -r 'select(.kind == "region").region' r.jsonl | grep '^step \*$'
	[ "$(jq -r 'select(.kind == "trace.summary").framework' r.jsonl)" = pytorch ]
	mkdb nsys plain.sqlite --plain
	tp-trace plain.sqlite >r.jsonl
	[ "$(jq -r 'select(.kind == "trace.summary") | .framework + " " + .recorder' r.jsonl)" = 'cuda nsys' ]
	tp-trace "$ROCPD" >r.jsonl
	[ "$(jq -r 'select(.kind == "trace.summary") | .framework + " " + .recorder' r.jsonl)" = 'hip rocprofv3' ]
	jq -r 'select(.kind == "region").region' r.jsonl | grep '^sweep$'
}

@test "database: what the profiler warned of is a note, once a text" {
	tp-trace "$NSYS" | jq -r 'select(.code == "recorder.warning").text' >notes
	[ "$(wc -l <notes)" -eq 3 ]
	grep '4096 events were dropped' notes
	! grep 'Profiling has started' notes
}

# damaged KIND STATUS TEXT: what is said of it, and what it costs
damaged() {
	mkdb nsys d.sqlite --page 512 --damage "$1"
	run -"$2" --separate-stderr tp-trace d.sqlite
	[[ $stderr = *"$3"* || $output = *"$3"* ]] || {
		echo "$stderr" >&2
		return 1
	}
}

@test "database: a damaged row is left out, and told with table and row" {
	damaged text-start 0 "d.sqlite: table CUPTI_ACTIVITY_KIND_KERNEL, row 3: start is 'lots', no whole number of nanoseconds; skipped"
	damaged real-end 0 "end is '1500000000.25', no whole number"
	damaged null-end 0 'table CUPTI_ACTIVITY_KIND_MEMCPY, row 2: it has no end; skipped'
	damaged negative 0 'row 4: it ends before it starts'
	damaged far 0 'row 2: more than a day from the others'
	damaged no-name 0 "rows whose name is not in the database are called '?'"
	damaged blob 0 'bytes of names that are not UTF-8'
	mkdb nsys d.sqlite --damage null-end
	run -3 tp-trace --strict d.sqlite
}

@test "database: a table that cannot be read is told, and the others are read" {
	damaged no-time-column 3 "of table CUPTI_ACTIVITY_KIND_MEMCPY nothing is read: the database cannot be asked for 'ts'"
	[[ $output = *launcher.kernel* ]]
	damaged no-host-column 3 "of table OSRT_API nothing is read: the database cannot be asked for 'ts'"
	[[ $output = *'"layer":"runtime"'* && $output != *'"layer":"os"'* ]]
	damaged page 3 'export it again'
	[[ $output = *launcher.kernel* ]]
	damaged no-table 0 '"gpu_count":'
}

# alike KIND [KEYS]: records as those of the undamaged database
alike() {
	mkdb nsys whole.sqlite --plain
	mkdb nsys d.sqlite --plain --damage "$1"
	tp-trace --label x whole.sqlite | told | grep -v '"kind":"note"' >whole
	tp-trace --label x d.sqlite | told | grep -v '"kind":"note"' |
		diff whole -
}

@test "database: views, triggers and exports of any age give the same records" {
	alike views
	alike triggers
	alike meta-of-2022
	alike no-meta
	alike texts
}

@test "database: rows whose texts are all absent keep what they are" {
	local want
	linked='select(.kind == "trace.summary" or .kind == "trace.quality") |
	    [.runtime_call_count, .gpu_count, .linked_count]'
	mkdb nsys d.sqlite --plain
	want=$(tp-trace d.sqlite | jq -c "$linked")
	for kind in no-names null-names; do
		mkdb nsys d.sqlite --plain --damage $kind
		[ "$(tp-trace d.sqlite | jq -c "$linked")" = "$want" ]
	done
	mkdb rocpd d.db --damage null-strings
	tp-trace d.db | grep -q '"kind":"trace.summary"'
}

@test "database: columns that an export lacks are absent" {
	damaged no-name-column 0 "rows whose name is not in the database are called '?'"
	[[ $output = *'"kernel":"?"'* ]]
	damaged no-pid 0 ''
	[ "$(jq 'select(.kind == "trace.quality") | .linked_count == .gpu_count' <<<"$output")" = true ]
	damaged bare 0 ''
	jq -es 'map(select(.kind == "trace.quality")) | .[0] |
	    .gpu_count == 60 and .linked_count == 24' <<<"$output"
	jq -es 'map(select(.kind == "host.call" and .layer == "os")) |
	    length == 3' <<<"$output"
}

@test "database: migrations of unified memory have no launch, stream or reader" {
	mkdb nsys d.sqlite --plain --kernels 20 --damage unified
	held d.sqlite
	check-schema "$TP_ROOT/share/schema" <held.jsonl
	jq -es 'map(select(.kind == "trace.quality"))[0] |
	    .migration_count > 0 and .unlinked_count == 0 and
	    .unlinked_duration_sum_ns == 0 and .linked_ratio == 1 and
	    .linked_count + .migration_count == .gpu_count' held.jsonl
	jq -es 'map(select(.kind == "timeline.stream")) |
	    map(select(.memcpy_ns > 0)) | length > 0 and
	    all(has("stream") | not)' held.jsonl
	[ -z "$(jq 'select(.kind == "sync.wait").awaited_kernel' held.jsonl | grep -i memcpy)" ]
	tp-report d.sqlite >r.md
	grep '^Copies: .* 4 unified memory HtoD for page fault (' r.md
	! grep 'is not in the trace\|Results are copied\|Record the host side' r.md
}

@test "database: the length of the recording is what the profiler says" {
	mkdb nsys d.sqlite --plain --damage unified
	[ "$(tp-trace d.sqlite | jq 'select(.kind == "trace.summary").recorded_ns')" = 5000000000 ]
	tp-report d.sqlite | grep ' of the 5.00 s recorded$'
	sqlite3 d.sqlite 'DROP TABLE ANALYSIS_DETAILS' || skip 'no sqlite3'
	[ "$(tp-trace d.sqlite | jq 'select(.kind == "trace.summary").recorded_ns')" = null ]
}

@test "database: a call that copies pageable memory waits for the copy" {
	mkdb nsys d.sqlite --plain
	tp-trace d.sqlite >r.jsonl
	check-schema "$TP_ROOT/share/schema" <r.jsonl
	[ "$(jq -r 'select(.kind == "host.call" and .blocks == "copy").call' r.jsonl)" = cudaMemcpyAsync ]
	sqlite3 d.sqlite 'UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET srcKind = 1 WHERE copyKind = 1;
	    UPDATE CUPTI_ACTIVITY_KIND_MEMCPY SET dstKind = 1 WHERE copyKind = 2' || skip 'no sqlite3'
	! tp-trace d.sqlite | grep '"blocks":"copy"'
}

@test "database: the class of a kernel is that of its name, not of its arguments" {
	mkdb nsys d.sqlite --plain
	sqlite3 d.sqlite "UPDATE StringIds SET value = CASE id
	    WHEN 1 THEN 'spread(curandStateXORWOW *, unsigned int)'
	    WHEN 2 THEN 'void calcHistogramKernel<float>(float const*, int*)'
	    ELSE 'fft2d_c2r(float *, cudnn::reduced_divisor) [clone .kd]' END
	    WHERE id < 6" || skip 'no sqlite3'
	[ "$(tp-trace d.sqlite | jq -r 'select(.kind == "gpu.category").category' | sort | paste -sd' ')" = 'copy memset other' ]
}

@test "database: sampled functions have their binary, addresses are summed by it" {
	mkdb nsys d.sqlite --plain --kernels 120 --damage modules
	held d.sqlite
	check-schema "$TP_ROOT/share/schema" <held.jsonl
	tp-trace --ranks --mergeable d.sqlite |
	    check-schema "$TP_ROOT/share/schema"
	tp-report d.sqlite >r.md
	grep '^| `\[unresolved\]` | `\[kernel.kallsyms\]` | ' r.md
	grep '^| `libx.so.1` | ' r.md
	! grep 0xffffffff r.md
}

@test "database: threads of the profiler are marked as its own" {
	mkdb nsys d.sqlite --plain --damage host-only
	sqlite3 d.sqlite "UPDATE StringIds SET value = '[NSys Comms]' WHERE id IN
	    (SELECT nameId FROM ThreadNames)" || skip 'no sqlite3'
	tp-report d.sqlite >r.md
	! grep 'NSys Comms' r.md
	! grep '^## Threads' r.md
	! grep 'Most time on a CPU' r.md
}

@test "database: without a GPU it says what the host did, and no verdict" {
	mkdb nsys d.sqlite --plain --damage host-only
	held d.sqlite
	tp-trace d.sqlite | check-schema "$TP_ROOT/share/schema"
	tp-report d.sqlite >r.md
	grep 'nsys profile --trace=cuda,nvtx,osrt' r.md
	grep '^| 508 us | 417 us | 3 | .* | `step \*` |$' r.md
	grep '^| [0-9.]* us | 8 | .* | `read` | ' r.md
	grep '^## Threads' r.md
	grep '^\*\*No verdict\*\*' r.md
}

@test "database: scheduling alone, or nothing, is told as that" {
	python3 - <<-'E'
	import sqlite3
	for name, fill in ("sched", 1), ("none", 0):
	    c = sqlite3.connect(name + ".sqlite")
	    c.execute("CREATE TABLE SCHED_EVENTS (start INTEGER, isSchedIn INTEGER, globalTid INTEGER)")
	    # out, in, out; another thread is in when the recording ends
	    rows = [(5, 0, 7), (20, 1, 7), (50, 0, 7), (60, 1, 8)] if fill else []
	    c.executemany("INSERT INTO SCHED_EVENTS VALUES (?, ?, ?)", rows)
	    c.commit()
	E
	tp-trace sched.sqlite >r.jsonl
	jq -es 'map(select(.kind == "thread.activity")) | length == 1 and
	    .[0].on_cpu_ns == 30 and .[0].off_cpu_ns == 15 and
	    .[0].on_cpu_count == 1 and .[0].tid == 7' r.jsonl
	! grep event.none r.jsonl
	tp-report sched.sqlite | grep 'what the host did is below'
	tp-report none.sqlite | grep 'the file holds no range, call, sample or scheduling'
}

@test "database: a thread is where the system says, and waits for who worked" {
	python3 - <<-'E'
	import sqlite3
	ms, tid = 1000000, (7 << 24) + 7
	names = ["cudaLaunchKernel", "k", "pthread_join", "fill", "read"]
	c = sqlite3.connect("d.sqlite")
	c.execute("CREATE TABLE StringIds (id INTEGER, value TEXT)")
	c.executemany("INSERT INTO StringIds VALUES (?, ?)", enumerate(names))
	c.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER)")
	c.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER)")
	for i, at in enumerate((0, 200)):
	    c.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, ?, ?, 0)", (at * ms, at * ms + 5000, tid, i))
	    c.execute("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, 0, 7, ?, ?, 1)", (at * ms + 6000, at * ms + ms, i, 7 << 24))
	# it joins a thread that fills; is off the CPU; reads in a call, off the CPU for most of it
	c.execute("CREATE TABLE OSRT_API (start INTEGER, end INTEGER, globalTid INTEGER, nameId INTEGER)")
	c.executemany("INSERT INTO OSRT_API VALUES (?, ?, ?, ?)", [(2 * ms, 102 * ms, tid, 2), (160 * ms, 190 * ms, tid, 4)])
	c.execute("CREATE TABLE SCHED_EVENTS (start INTEGER, isSchedIn INTEGER, globalTid INTEGER)")
	turns = [(0, 1), (110, 0), (150, 1), (161, 0), (189, 1), (201, 0)]
	# not in the order of time
	c.executemany("INSERT INTO SCHED_EVENTS VALUES (?, ?, ?)", [(at * ms, on, tid) for at, on in turns[2:] + turns[:2]])
	c.execute("CREATE TABLE COMPOSITE_EVENTS (id INTEGER, start INTEGER, globalTid INTEGER)")
	c.execute("CREATE TABLE SAMPLING_CALLCHAINS (id INTEGER, symbol INTEGER, module INTEGER, stackDepth INTEGER)")
	for at in range(4, 103):
	    c.execute("INSERT INTO COMPOSITE_EVENTS VALUES (?, ?, ?)", (at, at * ms - 1000, tid + 1))
	    c.execute("INSERT INTO SAMPLING_CALLCHAINS VALUES (?, 3, 1, 0)", (at,))
	c.commit()
	E
	tp-path d.sqlite >r.jsonl
	check-schema "$TP_ROOT/share/schema" <r.jsonl
	# 110 to 150 ms; the rest between the calls was on a CPU
	jq -es 'map(select(.kind == "path.class") | {(.path_class): .time_ns}) |
	    add | .blocked == 40000000 and .reading == 30000000 and
	    (.sampled - 99000000 | fabs) < 1500000 and
	    (.untraced - 28000000 | fabs) < 2000000' r.jsonl
	jq -es 'map(select(.kind == "path.name" and .path_class == "sampled")) |
	    length == 1 and .[0].name == "fill" and .[0].cause == "sampled"' r.jsonl
	jq -es 'map(select(.kind == "path.window"))[0] | .start_ns == 0 and
	    .duration_ns == 201000000 and .hand_over_count == 1' r.jsonl
	tp-report d.sqlite >r.md
	grep '^Host work that launches nothing' r.md
		grep 'sampled functions ([0-9.]* ms) and reading or writing files (30.0 ms)' r.md
	grep '^### The program waits, not for the GPU' r.md
	grep 'a thread was off the CPU, in no recorded call' r.md
}

@test "database: work without a launch is of the process whose device it is on" {
	python3 - <<-'E'
	import sqlite3
	c = sqlite3.connect("d.sqlite")
	c.execute("CREATE TABLE StringIds (id INTEGER, value TEXT)")
	c.executemany("INSERT INTO StringIds VALUES (?, ?)", enumerate(["cudaLaunchKernel", "k"]))
	c.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER)")
	c.execute("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER)")
	# of each process a kernel that was launched before, and one that was not
	for p in 0, 1:
	    c.execute("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, ?, 2, 0)", (p, 5000, (7 + p << 24) + 7))
	    c.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (?, ?, ?, 7, ?, ?, 1)",
	        [(9000, 1000000, p, 1, 7 + p << 24), (1001000, 3000000, p, 2, 7 + p << 24)])
	c.commit()
	E
	tp-path d.sqlite | jq -es 'map(select(.kind == "path.window")) |
	    map([.pid, .gpu_work_ns, .unlinked_ratio]) ==
	    [[7, 2990000, 0], [8, 2990000, 0]]'
	tp-report d.sqlite | grep '| the GPU of process 7 waited for |'
}

@test "database: a range that outlasts another one takes over" {
	python3 - <<-'E'
	import sqlite3
	c = sqlite3.connect("d.sqlite")
	c.execute("CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER)")
	c.executemany("INSERT INTO NVTX_EVENTS VALUES (?, ?, 60, ?, ?)",
	    [(0, 10000000, "a", (7 << 24) + 7), (6000000, 15000000, "b", (7 << 24) + 7)])
	c.commit()
	E
	tp-path d.sqlite | jq -es 'map(select(.kind == "path.name") |
	    {(.name): .time_ns}) | add == {a: 6000000, b: 9000000}'
}

@test "database: damaged rows of the host are left out and counted" {
	damaged bad-host 0 'rows of table OSRT_API were left out'
	[ "$(jq -s 'map(select(.code == "event.baddur").count) | add' <<<"$output")" -eq 4 ]
	run -3 tp-trace --strict d.sqlite
}

@test "database: one that ends early gives what it held" {
	damaged truncated 3 'the database ends early: it has 15'
	[[ $stderr = *'copy it again (events read: '[1-9]* ]]
	mkdb nsys big.sqlite --kernels 20000
	head -c 1000000 big.sqlite >cut.sqlite
	run -3 --separate-stderr tp-trace cut.sqlite
	[[ $stderr = *'the database ends early'* ]]
	[ "$(jq 'select(.kind == "trace.summary").event_count' <<<"$output")" -gt 1000 ]
	head -c 50 "$NSYS" >cut.sqlite
	run -3 tp-trace cut.sqlite
	[[ $output = *'cannot be read (database disk image is malformed); copy it again'* ]]
}

# bats test_tags=rest
@test "database: views that recurse or do not end stop" {
	damaged recursive 3 'CUPTI_ACTIVITY_KIND_MEMSET nothing is read'
	damaged endless 5 'needs more work than a database of'
	damaged sorted 5 'needs more memory than a database of'
	damaged many-rows 5 'CUPTI_ACTIVITY_KIND_MEMSET has more rows than'
	for kind in sorted many-rows; do
		mkdb nsys d.sqlite --damage $kind
		KIB=150000 run -5 limited tp-trace d.sqlite
	done
}

@test "database: what is not read or not there is a note" {
	damaged open-range 0 'ranges of NVTX that had not ended'
	damaged unused 0 'nothing is made of table GPU_METRICS'
	tp-rows "$NSYS" >/dev/null 2>r
	grep 'nothing is made of table SCHED_EVENTS' r || tp-rows "$NSYS" | grep table.unused
	cp "$NSYS" wal.sqlite
	echo x >wal.sqlite-wal
	tp-trace wal.sqlite | grep '"code":"database.wal"'
}

@test "database: another's is refused with what is read" {
	python3 -c 'import sqlite3; c = sqlite3.connect("o.db"); c.execute("create table a(b)"); c.commit()'
	run -3 --separate-stderr tp-trace o.db
	[[ $stderr = *"an SQLite database, but not one of Nsight Systems ('nsys export --type sqlite') or rocprofv3"* ]]
	run -3 --separate-stderr tp-mem "$NSYS"
	[[ $stderr = *'an SQLite database; tp-trace reads those of'* ]]
	tp-look o.db | grep '"state":"unused"'
}

@test "database: a report says who recorded it and nothing of PyTorch" {
	mkdb nsys plain.sqlite --plain
	for f in plain.sqlite "$ROCPD"; do
		tp-report -o out "$f"
		! grep -ri 'pytorch\|torch\.\|record_shapes\|non_blocking' out \
		    --include='*.md' --include='*.html'
		grep '^# GPU Trace Analysis' out/standalone_analysis.md
		rm -r out
	done
	tp-report "$NSYS" >r.md
	grep 'Recorded by Nsight Systems: `run.sqlite`' r.md
}

@test "database: comparisons, the gate, pictures, pages, timelines and profiles take it" {
	mkdb nsys a.sqlite --plain --kernels 100
	mkdb nsys b.sqlite --plain --kernels 100 --seed 2
	tp-report --compare a.sqlite b.sqlite | grep '^# '
	tp-trace --lanes 800 a.sqlite >a.jsonl
	run --separate-stderr tp-render trace a.jsonl
	[ -z "$stderr" ]
	[[ $output = *'# Busy & Idle Time'* ]]
	tp-draw timeline a.jsonl | grep '<svg'
	tp-report -o page.html a.sqlite
	grep '<title>' page.html
	tp-perfetto a.sqlite >a.pftrace
	[ -s a.pftrace ]
	tp-trace --folded gpu a.sqlite | tp-pprof >a.pb
	[ -s a.pb ]
	tp-rows --where 'category=kernel' a.sqlite | head -1 | grep row.event
}

# The CSVs need no library.
@test "profilers: their CSVs have the GPU alone, and say so" {
	tp-report "$TP_BUILD/cases/tp-trace/nsys-stats-csv/in.csv" >r.md
	grep 'No runtime calls were recorded' r.md
	grep 'a CSV of `nsys stats` has the GPU alone' r.md
	! grep -i pytorch r.md
	mkdir trace
	cp "$TP_BUILD/cases/tp-trace/rocprofv3-kernels-csv/in.csv" trace/1_kernel_trace.csv
	cp "$TP_BUILD/cases/tp-trace/rocprofv3-copies-csv/in.csv" trace/1_memory_copy_trace.csv
	tp-report trace >r.md
	grep 'Recorded by rocprofv3: `1_kernel_trace.csv`' r.md
}
