// What events.c does, by JSON.parse: FILE.
const events = JSON.parse(require('fs').readFileSync(process.argv[2],
    'utf8')).traceEvents;
const ns = new Map();
let count = 0, total = 0;

for (const e of events) {
	if (e.ph !== 'X')
		continue;
	const n = Math.round(e.dur * 1000);
	ns.set(e.name, (ns.get(e.name) ?? 0) + n);
	total += n;
	count++;
}
console.log(count, total, ns.size);
for (const [name, n] of [...ns].sort((a, b) => b[1] - a[1]).slice(0, 10))
	console.log(n, name);
