/*
 * units - records with values of every unit, in no order
 *
 * Run alone it prints them, for tp-render; tables.js holds the order of a
 * page's rows to the values.  Every column lacks some.
 */
"use strict";

const ROWS = 40;

/* A key of lib/unit.c, its values' least and greatest power of ten, whether
 * they may be below zero, and the forms to print it in. */
const KEYS = [
	["t_ns", 0, 12, true, ["", ".ms", ".us", ".s", ".ms.num"]],
	["wait_ps", 3, 12, false, [""]],
	["held_bytes", 0, 12, true, ["", ".mib", ".gib.num"]],
	["share_ratio", -6, 0, false, ["", ".percent.num"]],
	["ratio_factor", -3, 4, false, ["", ".percent"]],
	["calls_count", 0, 9, true, [""]],
	["clock_cycles", 0, 9, false, [""]],
	["images_per_s", -2, 6, false, [""]],
	["read_bytes_per_s", 0, 12, false, ["", ".gib"]],
	["work_flops_per_s", 0, 15, false, [""]],
	["peak_mb", 0, 5, false, [""]],
	["delta_points", -1, 2, true, [" points"]],
	["mean", -3, 5, true, [""]],
	["pid", 0, 6, false, [""]],
	["both_ns", 0, 11, false, ["{{#share_ratio}} ({{share_ratio}}){{/share_ratio}}"]],
];
const WHOLE = /_(ns|ps|bytes|count|cycles)$|^pid$/;

/* Numbers of 0 to 1 that are the same in each run. */
function numbers(seed) {
	return () => {
		seed = (seed * 1103515245 + 12345) % 2147483648;
		return seed / 2147483648;
	};
}

function records() {
	const next = numbers(20);
	const list = [];

	for (let i = 0; i < ROWS; i++) {
		const r = { kind: "x.item", src: "a", rank: i };

		for (const [key, least, most, below] of KEYS) {
			let value = 10 ** (least + next() * (most - least));

			if (WHOLE.test(key))
				value = Math.round(value);
			if (below && next() < 0.3)
				value = -value;
			/* ties, zeros and nothing */
			if (next() < 0.1)
				value = list.length ? list[0][key] : 0;
			if (next() < 0.05)
				value = 0;
			if (next() > 0.07 && value !== undefined)
				r[key] = value;
		}
		r.name = ["Zeta", "alpha", "10 ms", "beta::b<2>", "", "9.5 x"][i %
		    6] || "k" + Math.floor(next() * 9);
		list.push(r);
	}
	return list;
}

/* The columns of the section below: a key, as it is printed. */
function columns() {
	const list = [];

	for (const [key, , , , forms] of KEYS)
		for (const form of forms)
			list.push({ key, title: key.replace(/_/g, " ") +
			    form.replace(/{{.*?}}/g, "").replace(/[(.]/g, " "),
			    cell: form[0] === "." ? `{{${key}${form}}}` :
			    `{{${key}}}${form}` });
	return list;
}

function section() {
	const list = columns();

	return `# Units

| rank | name | ${list.map((c) => c.title).join(" | ")} |
|---:|---|${list.map(() => "---:|").join("")}
{{#x.item}}
| {{rank}} | {{name}} | ${list.map((c) =>
	    `{{#${c.key}}}${c.cell}{{/${c.key}}}`).join(" | ")} |
{{/x.item}}
`;
}

module.exports = { records, columns };

if (require.main === module) {
	if (process.argv[2] === "section")
		process.stdout.write(section());
	else
		for (const r of records())
			console.log(JSON.stringify(r));
}
