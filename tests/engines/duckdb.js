// duckdb.js < SQL: run statements one after the other.  Each row of a SELECT
// becomes a JSON object on a line, in which 64-bit integers are strings.
const fs = require('fs');
const duckdb = require('@duckdb/node-api');

async function main() {
	const instance = await duckdb.DuckDBInstance.create(':memory:');
	const connection = await instance.connect();
	const all = await connection.extractStatements(
	    fs.readFileSync(0, 'utf8'));
	for (let i = 0; i < all.count; i++) {
		const statement = await all.prepare(i);
		const reader = await statement.runAndReadAll();
		if (statement.statementType !== duckdb.StatementType.SELECT)
			continue;
		for (const row of reader.getRowObjectsJson())
			console.log(JSON.stringify(row));
	}
}

main().catch((error) => {
	console.error(error.message);
	process.exit(1);
});
