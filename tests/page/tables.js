/* tables - rows in the order of their values, and only those that are asked for */
"use strict";

const { test, visit } = require("./tap");
const { openAll } = require("./looks");
const { records, columns } = require("./units");

const ROWS_SORTED = 3, ROWS_FILTERED = 16;

/* Put into the page: what the tests below call there. */
function tools() {
	const SIZES = { ns: 1, us: 1e3, ms: 1e6, s: 1e9, min: 6e10, h: 3.6e12,
	    B: 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3, TiB: 1024 ** 4,
	    KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12, FLOP: 1, MFLOP: 1e6,
	    GFLOP: 1e9, TFLOP: 1e12 };

	window.tp = {
		words: (c) => c.textContent.replace(/\s+/g, " ").trim(),
		rows: (t) => [...t.tBodies[0].rows],
		shown: (e) => e.checkVisibility() && e.offsetHeight > 0,
		column: (t, i) => tp.rows(t).map((r) => tp.words(r.cells[i])),
		/* the number that TEXT begins with in the unit's base, or NaN */
		value: (text) => {
			const m = /^([-\u2212]?[\d,]*\d(?:\.\d+)?)(?: ?([A-Za-z]+))?/
			    .exec(text);

			return m ? m[1].replace(/,/g, "").replace("\u2212", "-") *
			    (SIZES[m[2]] || 1) : NaN;
		},
		/* the box that filters table T, and what stands with it */
		box: (t) => {
			const e = t.closest(".table").previousElementSibling;

			return e && e.matches(".tool") &&
			    e.querySelector("input");
		},
		buttons: (t) => [...t.tHead.querySelectorAll("th button")],
	};
}

/* Click through all columns of all tables; faults, and how much was done. */
function sortAll(least, filtered) {
	const faults = [];
	let done = 0, columns = 0;

	/* BEFORE is as the document has them, which settles ties */
	function orders(t, i, before, say) {
		const button = t.tHead.rows[0].cells[i].querySelector("button");
		const seen = {};

		for (let n = 0; n < 2; n++) {
			let got, texts, way, sorted;

			button.click();
			sorted = [...t.tHead.querySelectorAll("[aria-sort]")];
			way = sorted.length === 1 && sorted[0].contains(button) &&
			    sorted[0].getAttribute("aria-sort");
			if (!["ascending", "descending"].includes(way) || seen[way])
				return say("aria-sort " + way);
			got = seen[way] = tp.rows(t);
			if (got.length !== before.length ||
			    !before.every((r) => got.includes(r)))
				say("rows were lost");
			texts = got.map((r) => tp.words(r.cells[i]));
			way = way === "ascending" ? 1 : -1;
			for (let k = 1; k < texts.length; k++) {
				const a = texts[k - 1], b = texts[k];
				const numbers = tp.value(b) - tp.value(a);

				if (a === "" && b !== "")
					return say("empty before " + b);
				if (numbers * way < 0 && isNumbers(texts))
					return say(`${a} before ${b}`);
				if (a === b && before.indexOf(got[k - 1]) >
				    before.indexOf(got[k]))
					return say("not stable at " + a);
			}
		}
	}

	/* whether all are numbers, with units that can be compared */
	function isNumbers(texts) {
		return texts.every((x) => x === "" || !isNaN(tp.value(x)) &&
		    /^[-\u2212]?[\d.,]+( ?(%|x|[kKMGT]?i?B(\/s)?|[num]?s|\w*FLOP\/s|points))?$/
			.test(x));
	}

	for (const t of document.querySelectorAll("table")) {
		const rows = tp.rows(t).length;
		const want = rows >= least && !t.closest(".card") ?
		    t.tHead.querySelectorAll("th").length : 0;
		const name = tp.words(t.tHead).slice(0, 30);
		const before = tp.rows(t);

		if (tp.buttons(t).length !== want)
			faults.push(`${name}: ${tp.buttons(t).length} buttons`);
		if (!!tp.box(t) !== (rows >= filtered && want > 0))
			faults.push(`${name}: ${rows} rows, filter: ${!!tp.box(t)}`);
		if (!want)
			continue;
		done++;
		[...t.tHead.rows[0].cells].forEach((c, i) => {
			if (!c.querySelector("button"))
				return;
			columns++;
			orders(t, i, before, (what) => faults.push(`${name}: ` +
			    `${tp.words(c)}: ${what}`));
		});
	}
	return { faults, done, columns };
}

async function everyTable(browser, report) {
	await test(`${report.name}: tables sort`, (say) =>
	    visit(browser, report.url, {}, async (page, heard) => {
		let saw;

		await page.evaluate(tools);
		await page.evaluate(openAll);
		saw = await page.evaluate(sortAll, ROWS_SORTED, ROWS_FILTERED);
		saw.faults.concat(heard.lines).forEach(say);
		return `${saw.columns} columns of ${saw.done} tables`;
	}));
}

/* Click column I until it is sorted WAY; the ranks and texts as they stand. */
async function order(page, i, way) {
	return page.evaluate((i, way) => {
		const t = document.querySelector("table");
		const th = t.tHead.rows[0].cells[i];
		let first = null;

		for (let n = 0; n < 2; n++) {
			th.querySelector("button").click();
			first = first || th.getAttribute("aria-sort");
			if (th.getAttribute("aria-sort") === way)
				break;
		}
		return { first, ranks: tp.column(t, 0).map(Number),
		    texts: tp.column(t, i) };
	}, i, way);
}

/* The order of RANKS by what the records hold under KEY; TEXTS are as shown. */
function check(list, key, way, ranks, texts, say) {
	const sign = way === "ascending" ? 1 : -1;

	for (let k = 1; k < ranks.length; k++) {
		const a = list[ranks[k - 1]][key], b = list[ranks[k]][key];
		const near = Math.abs(a - b) < Math.max(Math.abs(a),
		    Math.abs(b)) * 0.01 || Math.abs(a - b) < 1e-8;

		if (a === undefined && b !== undefined)
			return say(`${key}: nothing before ${texts[k]}`);
		if ((b - a) * sign < 0 && !near && texts[k] !== texts[k - 1])
			return say(`${key} ${way}: ${texts[k - 1]} before ` +
			    texts[k]);
		if (texts[k] === texts[k - 1] && ranks[k - 1] > ranks[k])
			return say(`${key} ${way}: not stable at ${texts[k]}`);
	}
}

async function everyUnit(browser, url) {
	const list = records();

	for (const way of ["descending", "ascending"])
		await test("every unit sorts by value, " + way, (say) =>
		    visit(browser, url, {}, async (page) => {
			let i = 2;

			await page.evaluate(tools);
			await page.evaluate(openAll);
			for (const c of columns()) {
				/* the order of the document first */
				await order(page, 0, "ascending");
				const got = await order(page, i++, way);

				if (got.first !== "descending")
					say(`${c.key} begins ${got.first}`);
				check(list, c.key, way, got.ranks, got.texts,
				    (what) => say(`${c.title}: ${what}`));
			}
			return `${i - 2} columns of ${list.length} rows`;
		}));
	await test("names sort as names", (say) =>
	    visit(browser, url, {}, async (page) => {
		let got;

		await page.evaluate(tools);
		await page.evaluate(openAll);
		got = await order(page, 1, "ascending");
		if (got.first !== "ascending")
			say("begins " + got.first);
		got.texts.slice(1).forEach((b, k) => {
			if (/^[a-z]/i.test(b) && /^[a-z]/i.test(got.texts[k]) &&
			    b.toLowerCase() < got.texts[k].toLowerCase())
				say(`${got.texts[k]} before ${b}`);
		});
		return [...new Set(got.texts)].slice(0, 5).join(", ");
	}));
}

/* What is shown of the table and said of it. */
function filtered(word) {
	const t = document.querySelector("table");
	const box = tp.box(t);
	const rows = tp.rows(t);
	const has = (r) => tp.words(r).toLowerCase().includes(word);

	return { all: rows.length, has: rows.filter(has).length,
	    shown: rows.filter(tp.shown).length,
	    right: rows.every((r) => tp.shown(r) === has(r)),
	    said: tp.words(t.closest(".table").previousElementSibling),
	    live: !!document.querySelector("[aria-live],output,[role=status]"),
	    value: box.value, name: box.getAttribute("aria-label") ||
		(box.labels[0] && tp.words(box.labels[0])) };
}

async function filter(browser, url) {
	await test("a table filters", (say) =>
	    visit(browser, url, {}, async (page) => {
		let saw;

		await page.evaluate(tools);
		await page.evaluate(openAll);
		await (await page.evaluateHandle(() =>
		    tp.box(document.querySelector("table")))).focus();
		await page.keyboard.type("ALPHA");
		await new Promise((go) => setTimeout(go, 300));
		saw = await page.evaluate(filtered, "alpha");
		if (!saw.right || !saw.has || saw.has === saw.all)
			say(JSON.stringify(saw));
		if (!saw.said.includes(`${saw.has} of ${saw.all}`))
			say("says " + saw.said);
		if (!saw.live || !saw.name)
			say("is not told: " + JSON.stringify(saw));
		/* what is filtered sorts, and stays filtered */
		await order(page, 2, "descending");
		if (!(await page.evaluate(filtered, "alpha")).right)
			say("sorting shows rows again");
		await (await page.evaluateHandle(() =>
		    tp.box(document.querySelector("table")))).focus();
		await page.keyboard.press("Escape");
		await new Promise((go) => setTimeout(go, 300));
		saw = await page.evaluate(filtered, "");
		if (saw.value !== "" || saw.shown !== saw.all)
			say("after Esc: " + JSON.stringify(saw));
		await page.keyboard.type("no such thing");
		await new Promise((go) => setTimeout(go, 300));
		saw = await page.evaluate(filtered, "no such thing");
		if (saw.shown || !saw.said.includes("0 of "))
			say("nothing: " + JSON.stringify(saw));
		return saw.said;
	}));
}

/* No hand leaves the keyboard: Tab to a column's button, Enter, Space. */
async function byKeys(browser, url) {
	await test("a table sorts by keyboard", (say) =>
	    visit(browser, url, {}, async (page) => {
		let at;

		await page.evaluate(tools);
		await page.evaluate(openAll);
		for (let n = 0; n < 40; n++) {
			await page.keyboard.press("Tab");
			at = await page.evaluate(() => {
				const e = document.activeElement;

				return e.closest("th") ? tp.words(e) : "";
			});
			if (at)
				break;
		}
		if (!at)
			say("no button is reached");
		for (const key of ["Enter", "Space"]) {
			const way = await page.evaluate(() =>
			    document.querySelector("th").getAttribute("aria-sort"));

			await page.keyboard.press(key);
			if (way === await page.evaluate(() =>
			    document.querySelector("th")
				.getAttribute("aria-sort")))
				say(key + " does nothing");
		}
		if (await page.evaluate(() =>
		    getComputedStyle(document.activeElement).outlineStyle) ===
		    "none")
			say("where the keyboard is is not seen");
		return at;
	}));
}

module.exports = { everyTable, everyUnit, filter, byKeys };
