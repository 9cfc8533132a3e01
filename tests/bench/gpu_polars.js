// The aggregate of tp-gpu-intervals in polars: count, sum, union,
// percentiles, busy time by channel.
const pl = require('nodejs-polars').default;

// Time of rows sorted by start that no earlier row has covered.
function busy(rows) {
	const before = pl.col('stop').cumMax().shiftAndFill(1, 0);
	return rows.select(pl.col('stop').minus(
	    pl.when(pl.col('start').gt(before)).then(pl.col('start'))
	    .otherwise(before)).clip(0, 2 ** 53).as('busy'))
	    .getColumn('busy').sum();
}

const rows = pl.scanCSV(process.argv[2])
    .select('start', 'duration', 'channel-name')
    .withColumn(pl.col('start').add(pl.col('duration')).as('stop'))
    .sort('start').collectSync();
const length = rows.getColumn('duration');
console.log(rows.height, length.sum(), busy(rows));
console.log(length.quantile(0.5, 'lower'), length.quantile(0.99, 'lower'));
for (const part of rows.partitionBy(['channel-name']))
	console.log(part.getColumn('channel-name').get(0), busy(part));
