// The aggregate of tp-gpu-intervals in DuckDB: count, sum, union,
// percentiles, busy time by channel.
const { DuckDBInstance } = require('@duckdb/node-api');

// Time that no earlier row has covered, of rows or of those of a channel.
const uncovered = (part) => `greatest(0, stop - greatest(start,
    coalesce(max(stop) over (${part} order by start, stop
    rows between unbounded preceding and 1 preceding), 0)))`;

async function main(file) {
	const db = await (await DuckDBInstance.create(':memory:')).connect();
	const show = async (sql) => {
		for (const row of (await db.runAndReadAll(sql)).getRows())
			console.log(row.join(' '));
	};
	await db.run(`create table g as select start, duration,
	    start + duration as stop, "channel-name" as channel
	    from read_csv('${file}')`);
	await show(`select count(*), sum(duration), sum(u) from
	    (select duration, ${uncovered('')} as u from g)`);
	await show(`select quantile_disc(duration, [0.5, 0.99]) from g`);
	await show(`select channel, sum(u) from (select channel,
	    ${uncovered('partition by channel')} as u from g)
	    group by channel`);
}

main(process.argv[2]);
