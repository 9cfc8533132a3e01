// What events.c does with an export of Nsight Systems, in DuckDB: FILE.  Its
// extension for SQLite reads it if it is installed, else the sqlite3 program
// hands the rows over as CSV.
const { DuckDBInstance } = require('@duckdb/node-api');
const { execFileSync, spawn } = require('node:child_process');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');

async function main(file) {
	const db = await (await DuckDBInstance.create(':memory:')).connect();
	const show = async (sql) => {
		for (const row of (await db.runAndReadAll(sql)).getRows())
			console.log(row.join(' '));
	};
	const sql = fs.readFileSync(path.join(__dirname, 'nsys.sql'), 'utf8');
	try {
		await db.run(`load sqlite`);
		await db.run(`attach '${file}' as trace (type sqlite, read_only)`);
		await db.run(`use trace`);
		await db.run(`create temp table g as ${sql}`);
	} catch {
		const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'nsys-'));
		const fifo = path.join(dir, 'rows');
		execFileSync('mkfifo', [fifo]);
		spawn('sh', ['-c', 'sqlite3 -readonly -csv "$1" "$2" >"$3"',
		    'sh', file, sql, fifo], { stdio: 'inherit' });
		await db.run(`create temp table g as select * from
		    read_csv('${fifo}', header = false, auto_detect = false,
		    columns = { name: 'varchar', ns: 'bigint' })`);
		fs.rmSync(dir, { recursive: true });
	}
	await show(`select count(*), sum(ns), count(distinct name) from g`);
	await show(`select sum(ns), name from g group by name
	    order by 1 desc limit 10`);
}

main(process.argv[2]);
