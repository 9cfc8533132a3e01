#!/usr/bin/env bats
# Records in the engines that people query them with, by the SQL that
# tests/mksql.sh makes.  Of "make check-engines"; each test says what it lacks.

bats_require_minimum_version 1.5.0

setup_file() {
	export LC_ALL=C TP_ROOT TP_BUILD
	TP_ROOT=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	: "${TP_BUILD:=$TP_ROOT/build}"
	export NODE_PATH=$TP_BUILD/engines/node_modules
	cd "$BATS_FILE_TMPDIR"
	# what these hand on is not ours
	find "$TP_BUILD/want" -name out \
	    ! -path '*/tp-render/*' ! -path '*/tp-csv/*' \
	    ! -path '*/tp-query/*' ! -path '*/tp-json/*' \
	    -exec grep -a -h '^{"kind":' {} + >records.jsonl
	(cd "$TP_ROOT/share/schema" && ls [a-z]*.json) |
	    sed 's/\.json$//; s/\./_/g' | sort >views
}

setup() {
	cd "$BATS_TEST_TMPDIR"
	records=$BATS_FILE_TMPDIR/records.jsonl
}

fail() {
	echo "$*"
	return 1
}

# need MODULE: skip where node or that module of it is not there.
need() {
	command -v node >/dev/null || skip "no node (make proof-deps)"
	[ -d "$NODE_PATH/$1" ] || skip "no $1 (make proof-deps)"
}

# duckdb FILES: run the SQL on standard input with views of record files.
duckdb() {
	{
		echo "SET VARIABLE records = '$1';"
		cat "$TP_BUILD/sql/duckdb.sql" -
	} | node "$TP_ROOT/tests/engines/duckdb.js"
}

# lake: the same with views of the files in the folder "lake".
lake() {
	{
		echo "SET VARIABLE lake = 'lake';"
		cat "$TP_BUILD/sql/duckdb-lake.sql" -
	} | node "$TP_ROOT/tests/engines/duckdb.js"
}

# to_lake FILES PART
to_lake() {
	mkdir -p lake
	{
		echo "SET VARIABLE lake = 'lake'; SET VARIABLE part = '$2';"
		cat "$TP_BUILD/sql/duckdb-to-lake.sql"
	} | duckdb "$1"
}

clickhouse() {
	cat "$TP_BUILD/sql/clickhouse.sql" - |
	    node "$TP_ROOT/tests/engines/clickhouse.js"
}

# each_view FORMAT: a SELECT of every view; in FORMAT & is its name.
each_view() {
	sed "s|.*|SELECT '&' AS view, * FROM $1;|" "$BATS_FILE_TMPDIR/views"
}

same() {	# ROWS RECORDS
	run python3 "$TP_ROOT/tests/engines/same.py" "$TP_ROOT/share/schema" \
	    "$2" <"$1"
	echo "$output"
	[ "$status" -eq 0 ]
}

# Records that engines misread when they guess.
hard_records() {
	cat <<-'END'
	{"kind":"launcher.name","src":"2026-11-22","op":"12","count":9007199254740993,"own_sum_ns":9223372036854775807,"own_ratio":1}
	{"kind":"launcher.name","src":"it's \"q\"\n\\ \u0001 \u00e9 😀 ; --","op":"true","count":1,"own_sum_ns":-9223372036854775808,"own_ratio":1e-300,"colour_of_2030":{"a":[1]}}
	{"own_ratio":0.1,"own_sum_ns":0,"count":1,"op":"null","src":"","kind":"launcher.name"}
	{"kind":"of.2030","src":"x","op":[1],"count":"many"}
	{"kind":"row.table-of-mine","src":"x","op":3,"count":"many"}
	{"kind":"verdict","src":"x"}
	END
}

@test "sql: what make builds is for every kind of record" {
	for dialect in duckdb clickhouse; do
		sed -n 's/^CREATE OR REPLACE VIEW "\(.*\)" AS$/\1/p' \
		    "$TP_BUILD/sql/$dialect.sql" |
		    sort | diff - "$BATS_FILE_TMPDIR/views"
	done
	[ -z "$(uniq -d "$BATS_FILE_TMPDIR/views")" ]
}

@test "DuckDB: every golden record comes back from its view, value for value" {
	need @duckdb/node-api
	each_view '"&"' | duckdb "$records" >rows
	same rows "$records"
	[ "$(wc -l <rows)" -gt 5000 ]
}

@test "DuckDB: columns have the types of share/schema" {
	need @duckdb/node-api
	echo "SELECT table_name || ' ' || column_name || ' ' || data_type AS c
	    FROM duckdb_columns() WHERE NOT internal AND table_name <> 'records'
	    AND column_name NOT IN ('filename', 'record', 'kind');" |
	    duckdb "$records" | jq -r .c | sort >is
	jq -r --slurpfile keys "$TP_ROOT/share/schema/_keys.json" '
	    {integer: "BIGINT", number: "DOUBLE", boolean: "BOOLEAN",
	     string: "VARCHAR"} as $sql |
	    (.title | gsub("\\."; "_")) as $view |
	    .properties | keys[] | select(. != "kind") |
	    "\($view) \(.) \($sql[$keys[0]["$defs"][.].type])"' \
	    "$TP_ROOT"/share/schema/[a-z]*.json | sort | diff is -
	[ "$(wc -l <is)" -gt 3000 ]
}

@test "DuckDB: text stays text, integers are exact, unknown keys and kinds do no harm" {
	need @duckdb/node-api
	hard_records >r.jsonl
	each_view '"&"' | duckdb r.jsonl >rows
	same rows r.jsonl
	[ "$(wc -l <rows)" -eq 5 ]
	# of what has no view the record is there
	echo "SELECT record->>'colour_of_2030' AS c FROM records
	    WHERE kind = 'launcher.name' AND (record->>'op') = 'true';
	    SELECT kind, record->>'count' AS c FROM row;" | duckdb r.jsonl >rows
	printf '%s\n' '{"c":"{\"a\":[1]}"}' \
	    '{"kind":"row.table-of-mine","c":"many"}' | diff rows -
}

@test "DuckDB: a value of the wrong type is an error, and of that kind alone" {
	need @duckdb/node-api
	{
		hard_records
		echo '{"kind":"verdict","src":"x","status":"2","text":"t"}'
		echo '{"kind":"note","src":"x","code":"c","count":"many"}'
	} >r.jsonl
	[ "$(echo 'SELECT src FROM verdict;' | duckdb r.jsonl | wc -l)" -eq 2 ]
	run duckdb r.jsonl <<<'SELECT * FROM note;'
	[ "$status" -eq 1 ]
	[[ $output = *"'many'"* ]]
}

@test "DuckDB: names of folders are columns of text, one of which a key has comes second" {
	need @duckdb/node-api
	for run in 000123 2026-11-22; do
		at="runs/date=2026-11-22/model=a b'/run=$run"
		mkdir -p "$at"
		echo '{"kind":"bench.run","src":"x","model":"m","steps":1}' |
		    gzip >"$at/r.jsonl.gz"
	done
	echo "SELECT date, model, model_1, run FROM bench_run ORDER BY run;" |
	    duckdb 'runs/*/*/*/*.jsonl.gz' >rows
	printf '{"date":"2026-11-22","model":"m","model_1":"a b%s","run":"%s"}\n' \
	    "'" 000123 "'" 2026-11-22 | diff rows -
}

@test "DuckDB: files that are not there are named" {
	need @duckdb/node-api
	run duckdb 'runs/*.jsonl' <<<'SELECT 1;'
	[ "$status" -eq 1 ]
	[[ $output = *'runs/*.jsonl'* ]]
}

@test "lake: it holds what the records hold, value for value" {
	need @duckdb/node-api
	to_lake "$records" 2026-11
	[ "$(find lake -type f | wc -l)" -eq "$(wc -l <"$BATS_FILE_TMPDIR/views")" ]
	each_view '"&"' | lake >rows
	same rows "$records"
}

@test "lake: a part is replaced as a whole, and parts add up" {
	need @duckdb/node-api
	hard_records >a.jsonl
	head -n 1 a.jsonl >b.jsonl
	to_lake a.jsonl 2026-10
	to_lake a.jsonl 2026-11
	[ "$(echo 'SELECT src FROM launcher_name;' | lake | wc -l)" -eq 6 ]
	to_lake b.jsonl 2026-11
	[ "$(echo 'SELECT src FROM launcher_name;' | lake | wc -l)" -eq 4 ]
}

@test "lake: one that an older version wrote lacks only what that did not know" {
	need @duckdb/node-api
	hard_records >a.jsonl
	to_lake a.jsonl 2026-11
	echo "COPY (SELECT src, op, count FROM launcher_name)
	    TO 'lake/launcher_name.2020-01.parquet';" | duckdb a.jsonl
	# whichever of them is read first
	cp lake/launcher_name.2020-01.parquet lake/launcher_name.2030-01.parquet
	echo "SELECT count(*) AS n, count(own_sum_ns) AS known,
	    sum(count)::VARCHAR AS sum FROM launcher_name;" | lake >rows
	echo '{"n":"9","known":"3","sum":"27021597764222985"}' | diff rows -
}

@test "lake: p50 of a step by week, of 20,000 runs, takes less than 100 ms" {
	need @duckdb/node-api
	# four steps a run, 55 runs a day
	awk 'BEGIN {
		for (run = 0; run < 20000; run++) {
			day = int(run / 55)
			file = sprintf("raw/date=2025-%02d-%02d", 1 + day / 31,
			    1 + day % 28)
			if (!(file in made))
				system("mkdir -p " file)
			made[file]
			file = file "/r.jsonl"
			for (i = 1; i <= 4; i++)
				printf "{\"kind\":\"timeline.step\",\"src\":\"m%d\"," \
				    "\"index\":%d,\"wall_ns\":%d}\n", run % 3, i,
				    1000000 + (run * 7919 + i) % 50000 >file
		}
	}'
	to_lake 'raw/*/*.jsonl' all
	cat >q.js <<-'END'
	const fs = require('fs');
	const { DuckDBInstance } = require('@duckdb/node-api');
	(async () => {
		const c = await (await DuckDBInstance.create(':memory:')).connect();
		await c.run("SET VARIABLE lake = 'lake'");
		await c.run(fs.readFileSync(process.argv[2], 'utf8'));
		let best = Infinity;
		for (let i = 0; i < 7; i++) {
			const began = performance.now();
			const r = await c.runAndReadAll(`SELECT
			    date_trunc('week', date::DATE) AS week, src,
			    quantile_cont(wall_ns, 0.5) AS p50, count(*) AS n
			    FROM timeline_step GROUP BY ALL ORDER BY ALL`);
			best = Math.min(best, performance.now() - began);
			if (r.getRowsJson().reduce((n, row) => n + +row[3], 0) !== 80000)
				throw new Error('steps are missing');
		}
		console.log(`${best.toFixed(1)} ms`);
		process.exit(best < 100 ? 0 : 1);
	})();
	END
	node q.js "$TP_BUILD/sql/duckdb-lake.sql"
}

@test "ClickHouse: every golden record comes back from its view, value for value" {
	need chdb
	each_view "default.\"&\"(records = '$records')" | clickhouse >rows
	same rows "$records"
	[ "$(wc -l <rows)" -gt 5000 ]
}

@test "ClickHouse: text stays text, integers are exact, unknown keys and kinds do no harm" {
	need chdb
	hard_records >r.jsonl
	each_view "default.\"&\"(records = '$PWD/r.jsonl')" | clickhouse >rows
	same rows r.jsonl
	[ "$(wc -l <rows)" -eq 5 ]
}

@test "ClickHouse: a value of the wrong type is NULL, of that key alone" {
	need chdb
	echo '{"kind":"note","src":"x","code":"c","count":"many"}' >r.jsonl
	echo "SELECT src, code, count FROM note(records = 'r.jsonl');" |
	    clickhouse >rows
	echo '{"src":"x","code":"c","count":null}' | diff rows -
}

@test "ClickHouse: names of folders are in ids, as text" {
	need chdb
	at="runs/date=2026-11-22/run=000123"
	mkdir -p "$at"
	echo '{"kind":"verdict","src":"x"}' | gzip >"$at/r.jsonl.gz"
	echo "SELECT ids FROM verdict(records = 'runs/*/*/*.jsonl.gz');" |
	    clickhouse >rows
	echo '{"ids":{"date":"2026-11-22","run":"000123"}}' | diff rows -
}

@test "ClickHouse: reads the lake that DuckDB wrote" {
	need @duckdb/node-api
	need chdb
	hard_records >a.jsonl
	to_lake a.jsonl 2026-11
	echo "SELECT count() AS n, max(own_sum_ns) AS most
	    FROM file('lake/launcher_name.*.parquet');" | clickhouse >rows
	echo '{"n":"3","most":"9223372036854775807"}' | diff rows -
}

# queries PATTERN: the queries of scale.md that PATTERN is in
queries() {
	awk -v pattern="$1" '
		!/^    / { query = "" }
		/^    / { query = query "\n" $0 }
		/^    .*;$/ && query ~ /^\n *(WITH|SELECT) / {
			if (query ~ pattern)
				print query
			query = ""
		}' "$TP_ROOT/share/doc/scale.md"
}

@test "scale.md: its queries run" {
	need @duckdb/node-api
	need chdb
	at=runs/date=2026-11-22/model=llama/run=017155
	mkdir -p $at
	cp "$records" $at/rank-00000.jsonl
	queries 'FROM (launcher_name|timeline_step)[ \n]' >duckdb.sql
	[ "$(grep -c ';$' duckdb.sql)" -eq 4 ]
	duckdb 'runs/*/*/*/*.jsonl' <duckdb.sql >rows
	grep -q '"week":"2026-11-16","model":"llama",' rows
	grep -q '"run":"017155",.*"of_model":1}' rows
	queries 'records = ' >clickhouse.sql
	[ "$(grep -c ';$' clickhouse.sql)" -eq 1 ]
	clickhouse <clickhouse.sql | grep '"week":"2026-11-16","model":"llama",'
}
