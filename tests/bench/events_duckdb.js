// What events.c does, in DuckDB: FILE.
const { DuckDBInstance } = require('@duckdb/node-api');

async function main(file) {
	const db = await (await DuckDBInstance.create(':memory:')).connect();
	const show = async (sql) => {
		for (const row of (await db.runAndReadAll(sql)).getRows())
			console.log(row.join(' '));
	};
	await db.run(`create table g as
	    select e.name as name, round(e.dur * 1000)::bigint as ns
	    from (select unnest(traceEvents) as e from read_json('${file}',
	    columns = { traceEvents:
	    'struct(ph varchar, name varchar, dur double)[]' },
	    maximum_object_size = 2000000000)) where e.ph = 'X'`);
	await show(`select count(*), sum(ns), count(distinct name) from g`);
	await show(`select sum(ns), name from g group by name
	    order by 1 desc limit 10`);
}

main(process.argv[2]);
