// clickhouse.js < SQL: run statements one after the other.  Each row of a SELECT
// becomes a JSON object on a line, in which 64-bit integers are strings.
const fs = require('fs');
const { Session } = require('chdb');

const session = new Session();
try {
	const rows = session.query(
	    'SET output_format_json_quote_64bit_integers = 1;' +
	    'SET output_format_json_escape_forward_slashes = 0;' +
	    fs.readFileSync(0, 'utf8'), 'JSONEachRow');
	process.stdout.write(String(rows).replace(/^\n+/gm, ''));
} catch (error) {
	console.error(error.message);
	process.exitCode = 1;
} finally {
	session.cleanup();
}
