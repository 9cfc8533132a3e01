#!/usr/bin/env bats
# What grows with its input and no faster: inputs that once cost the square of
# their size, in a part of the time and memory that this would take.

load helper

setup() {
	cd "$BATS_TEST_TMPDIR" || return 1
}

# bounded PROGRAM...: prints something, in 400 MB and the time of limited.
bounded() {
	KIB=400000 limited "$@" >out
	[ -s out ]
}

# events COUNT CALL KERNEL: so many calls and kernels, one operator each.
events() {
	awk -v n="$1" -v of_call="$2" -v of_kernel="$3" 'BEGIN {
		print "{\"traceEvents\": ["
		for (i = 1; i <= n; i++) {
			printf "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"op%d\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":8,\"args\":{}},\n", i % 9, i * 10
			printf "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":2,\"args\":{\"correlation\":%d}},\n", i * 10 + 1, of_call ? i : 1
			printf "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k%d\",\"pid\":0,\"tid\":7,\"ts\":%d,\"dur\":5,\"args\":{\"correlation\":%d,\"stream\":7,\"device\":0}}%s\n", i % 50, i * 10 + 4, of_kernel ? i : 1, i < n ? "," : ""
		}
		print "]}"
	}'
}

@test "growth: all calls and all kernels of one number" {
	events 30000 0 0 >in.json
	bounded tp-trace in.json
}

@test "growth: all kernels of one call" {
	events 30000 1 0 >in.json
	bounded tp-trace in.json
}

@test "growth: operators in operators, each with a launch" {
	awk -v n=30000 'BEGIN {
		print "{\"traceEvents\": ["
		for (i = 1; i <= n; i++) {
			printf "{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"op%d\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":%d,\"args\":{}},\n", i, i * 2, 4 * (n - i) + 4
			printf "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,\"ts\":%d.5,\"dur\":0.5,\"args\":{\"correlation\":%d}},\n", i * 2, i
			printf "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":%d,\"dur\":2,\"args\":{\"correlation\":%d,\"stream\":7,\"device\":0}}%s\n", n * 10 + i * 3, i, i < n ? "," : ""
		}
		print "]}"
	}' >in.json
	bounded tp-trace in.json
}

# launches COUNT DEEP START TAKES TRACKS: so many calls, each in a frame, DEEP or
# one after the other, and their kernels, of which the first starts at START and
# each so many us later; on so many streams.
launches() {
	awk -v n="$1" -v deep="$2" -v start="$3" -v takes="$4" -v tracks="$5" '
	BEGIN {
		print "{\"traceEvents\": ["
		for (i = 1; i <= n; i++) {
			printf "{\"ph\":\"X\",\"cat\":\"python_function\",\"name\":\"f%d\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":%d,\"args\":{}},\n", i % 50, i * 4, deep ? 8 * (n - i) + 8 : 3
			printf "{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"cudaLaunchKernel\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":1,\"args\":{\"correlation\":%d}},\n", i * 4 + 1, i
			printf "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":%d,\"dur\":%d,\"args\":{\"correlation\":%d,\"stream\":%d,\"device\":0}}%s\n", start + i * takes, takes, i, i % tracks, i < n ? "," : ""
		}
		print "]}"
	}'
}

@test "growth: the path of frames in frames, of works at one time, of many streams" {
	for shape in '1 400000 3 1' '0 400000 0 1' '0 5 4 80000' '0 9 1 1'; do
		# shellcheck disable=SC2086
		launches 80000 $shape >in.json
		(ulimit -t 6 && bounded tp-path --only path.window in.json) ||
			fail "$shape"
	done
}

@test "growth: a frame of parentheses" {
	awk 'BEGIN { s = "("; while (length(s) < 4000000) s = s s
		print "a;" s ") 5" }' >in.folded
	bounded tp-pprof in.folded
}

# memory DEVICES STEPS: an allocation of each device in every seventh step.
memory() {
	awk -v devices="$1" -v steps="$2" 'BEGIN {
		print "{\"traceEvents\": ["
		for (i = 0; i < steps; i++)
			printf "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"ProfilerStep#%d\",\"pid\":1,\"tid\":1,\"ts\":%d,\"dur\":%d,\"args\":{}},\n", i, i * 100, i % 5 ? 100 : 60
		for (d = 0; d < devices; d++)
			for (i = d % 7; i < steps; i += 7)
				printf "{\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"s\":\"t\",\"name\":\"[memory]\",\"pid\":1,\"tid\":1,\"ts\":%d,\"args\":{\"Bytes\":%d,\"Addr\":%d,\"Device Type\":1,\"Device Id\":%d,\"Total Allocated\":%d,\"Total Reserved\":9000}},\n", i * 100 + d * 9 % 100, 1 + d, i, d, 1000 + i * 7 % 11 * (1 + d)
		print "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":50,\"dur\":5,\"args\":{\"correlation\":1,\"stream\":7,\"device\":0}}"
		print "]}"
	}'
}

@test "growth: devices with memory share a picture, and have the steps with events" {
	memory 2000 100 >in.json
	bounded tp-trace --lanes=1000 in.json
	[ "$(grep -c '"mem.level"' out)" -le 32000 ]
	[ "$(grep -c '"mem.step"' out)" -le 30000 ]
	memory 16 100 | bounded tp-trace --lanes=1000
	[ "$(grep -c '"mem.level"' out)" -eq 32000 ]
	[ "$(grep -c '"mem.step"' out)" -eq 1600 ]
	mv out all
	memory 17 100 | bounded tp-trace --lanes=1000
	# what is said of steps with events is the same, and the growth
	for kind in step growth; do
		for file in all out; do
			grep "\"mem.$kind\"" $file | grep -v cuda:16 |
			    LC_ALL=C sort >$file.$kind
		done
	done
	[ -s out.step ] && [ -s out.growth ]
	cmp all.growth out.growth
	[ -z "$(LC_ALL=C comm -13 all.step out.step)" ]
}

@test "growth: samples that refer to one deep stack" {
	awk -v n=20000 'BEGIN {
		printf "<?xml version=\"1.0\"?><trace-query-result><node><schema name=\"time-profile\">"
		printf "<col><mnemonic>time</mnemonic><name>T</name><engineering-type>sample-time</engineering-type></col>"
		printf "<col><mnemonic>weight</mnemonic><name>W</name><engineering-type>weight</engineering-type></col>"
		printf "<col><mnemonic>stack</mnemonic><name>S</name><engineering-type>backtrace</engineering-type></col></schema>"
		for (i = 0; i < n; i++) {
			printf "<row><sample-time>%d</sample-time><weight>2</weight>", i
			if (i) {
				printf "<backtrace ref=\"1\"/></row>\n"
				continue
			}
			printf "<backtrace id=\"1\">"
			for (k = 0; k < n; k++)
				printf "<frame id=\"%d\" name=\"f%d\"/>", k + 2, k
			print "</backtrace></row>"
		}
		print "</node></trace-query-result>"
	}' >in.xml
	(ulimit -t 10 && bounded tp-cpu-top in.xml)
	grep -q '"symbol":"f0",.*"self_ns":40000,' out
	grep -q '"symbol":"f19999",.*"total_ns":40000,' out
}

@test "growth: columns of a table" {
	awk -v n=160000 'BEGIN {
		printf "<?xml version=\"1.0\"?><trace-query-result><node><schema name=\"t\">"
		for (i = 0; i < n; i++)
			printf "<col><mnemonic>c%d</mnemonic><name>c%d</name><engineering-type>string</engineering-type></col>", i, i
		print "</schema></node></trace-query-result>"
	}' >in.xml
	(ulimit -t 10 && bounded tp-rows in.xml)
}

# records COUNT: a source, a summary and a note of each of so many traces.
records() {
	awk -v n="$1" 'BEGIN {
		for (i = 1; i <= n; i++) {
			printf "{\"kind\":\"source\",\"src\":\"t%d\",\"file\":\"f%d.csv\",\"format\":\"csv\",\"schema\":\"metal-gpu-intervals\",\"rows\":3}\n", i, i
			printf "{\"kind\":\"gpu.summary\",\"src\":\"t%d\",\"scope\":\"target\",\"busy_ns\":5,\"span_ns\":10,\"busy_ratio\":0.5,\"interval_count\":3}\n", i
			printf "{\"kind\":\"note\",\"src\":\"t%d\",\"code\":\"x\",\"text\":\"a %d\"}\n", i, i
		}
	}'
}

@test "growth: devices of JAX that each have an operation of their own" {
	awk -v n=6000 'BEGIN {
		print "{\"traceEvents\": ["
		for (i = 1; i <= n; i++) {
			printf "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%d,\"args\":{\"name\":\"/device:TPU:%d\"}},\n", i, i
			printf "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%d,\"tid\":1,\"args\":{\"name\":\"XLA Ops\"}},\n", i
			printf "{\"ph\":\"X\",\"name\":\"fusion.%d\",\"pid\":%d,\"tid\":1,\"ts\":%d,\"dur\":5,\"args\":{}}%s\n", i, i, i, i < n ? "," : ""
		}
		print "]}"
	}' >in.json
	bounded tp-trace in.json
}

# tables FIRST LAST: files with a table each, in which no value is repeated.
tables() {
	local i

	for ((i = $1; i <= $2; i++)); do
		awk -v of="$i" 'BEGIN {
			printf "<?xml version=\"1.0\"?><trace-query-result><node><schema name=\"metal-gpu-intervals\">"
			printf "<col><mnemonic>start</mnemonic><name>S</name><engineering-type>start-time</engineering-type></col>"
			printf "<col><mnemonic>label</mnemonic><name>L</name><engineering-type>string</engineering-type></col></schema>"
			for (i = 0; i < 8000; i++)
				printf "<row><start-time id=\"%d\" fmt=\"x\">%d</start-time><string id=\"%d\" fmt=\"label %d of %d\">label %d of %d</string></row>\n", 2 * i + 1, i * 10, 2 * i + 2, i, of, i, of
			print "</node></trace-query-result>"
		}' >"table-$i.xml"
	done
}

@test "growth: what a file needed is given back before the next one" {
	[ -x /usr/bin/time ] || skip "no time(1)"
	case $(uname) in Linux) ;; *) skip "needs GNU time" ;; esac
	nm "$TP_BUILD/tp-rows" 2>/dev/null | grep -q __asan_init &&
	    skip "built with a sanitizer"
	tables 1 64
	/usr/bin/time -f %M -o few tp-rows --output few.rows table-[1-4].xml
	/usr/bin/time -f %M -o many tp-rows --output many.rows table-*.xml
	[ "$(grep -c '"row.metal' few.rows)" -eq 32000 ]
	[ "$(grep -c '"row.metal' many.rows)" -eq 512000 ]
	[ "$(cat many)" -lt $(($(cat few) + 2048)) ]
}

# bats test_tags=rest
@test "growth: findings and sections over many traces" {
	records 20000 >in.jsonl
	bounded tp-findings in.jsonl
	bounded tp-render gpu in.jsonl
}

@test "growth: loops in loops over many traces" {
	awk 'BEGIN { for (i = 0; i < 3000; i++) {
		printf "{\"kind\":\"budget.window\",\"src\":\"t%d\",\"scope\":\"span\",\"role\":\"main\",\"wall_ns\":9}\n", i
		printf "{\"kind\":\"budget\",\"src\":\"t%d\",\"scope\":\"span\",\"role\":\"main\",\"rank\":1,\"part\":\"other\",\"time_ns\":9,\"wall_ratio\":1}\n", i
	} }' >in.jsonl
	bounded tp-render answer in.jsonl
	[ "$(grep -c '100 %' out)" -eq 3000 ]
}

@test "growth: findings and sections over many files of one trace" {
	records 20000 | sed 's/"src":"t[0-9]*"/"src":"t"/' >in.jsonl
	bounded tp-findings in.jsonl
	bounded tp-render gpu in.jsonl
	bounded tp-csv gpu.summary in.jsonl
}

@test "growth: records that each have keys of their own" {
	awk 'BEGIN { for (i = 0; i < 2000; i++) {
		printf "{\"kind\":\"k\",\"src\":\"a\""
		for (j = 0; j < 10; j++)
			printf ",\"x%d\":%d", i * 10 + j, j
		print "}"
	} }' >in.jsonl
	(ulimit -t 10 && bounded tp-render in.jsonl)
	[ "$(wc -l <out)" -eq 2003 ]
	[ "$(tail -n 1 out)" = "And 19744 more keys: tp-csv lists them." ]
	(ulimit -t 10 && bounded tp-render -m in.jsonl)
	COLUMNS=80 bounded tp-render in.jsonl
}

# bats test_tags=rest
@test "growth: a file for each of many values" {
	mkdir each
	awk 'BEGIN { for (i = 0; i < 4000; i++) printf "{\"kind\":\"op.category\",\"src\":\"a\",\"category\":\"c%d\",\"count\":1,\"gpu_sum_ns\":5}\n", i }' >in.jsonl
	limited tp-csv --each op.category.category \
	    -w category-summary=each/%.csv in.jsonl
	[ "$(find each -type f | wc -l)" -eq 4000 ]
}

# Whether PROGRAM takes about four times the CPU of N things for 4 N, and not
# sixteen: of what costs more than a second, and not seven times as much.
grows() {	# WHO SHAPE PROGRAM...
	local few many
	for i in 1 4; do
		awk -f "$TP_ROOT/tests/grow.awk" -v form=torch -v who="$1" \
		    -v shape="$2" -v n=$((i * 10000)) >$i.json
	done
	TIMEFORMAT=%U
	few=$({ time limited "${@:3}" 1.json >/dev/null 2>&1 || :; } 2>&1)
	many=$({ time limited "${@:3}" 4.json >/dev/null 2>&1 || :; } 2>&1)
	awk -v few="$few" -v many="$many" \
	    'BEGIN { exit many > 1 && many > 10 * few }' ||
		fail "$*: $few s, then $many s"
}

# bats test_tags=rest
@test "growth: what nests, overlaps, is linked or named, of every kind in a trace of PyTorch" {
	[ -z "${SAN-}" ] || skip "a sanitizer has costs of its own"
	for what in op kernel module comm pairs step; do
		for shape in nest stairs names lanes; do
			grows $what $shape tp-trace -q
		done
	done
}

# bats test_tags=rest
@test "growth: lanes of a viewer, regions around a kernel, links of a page" {
	[ -z "${SAN-}" ] || skip "a sanitizer has costs of its own"
	grows kernel stairs tp-perfetto -q
	grows range nest tp-trace -q
	grows mm nest tp-trace -q
	seq 80000 | sed 's/.*/[a&]: x/' >links.md
	! tp-page --help >/dev/null || bounded tp-page --html links.md
}
