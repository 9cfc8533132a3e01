/* looks - wide and narrow, light and dark, for everybody, and on paper */
"use strict";

const { execFileSync } = require("child_process");
const fs = require("fs");

const { test, visit } = require("./tap");

/* A4 with the margins of a printer, in px */
const PAPER = 718;
const AXE = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

function openAll() {
	for (const d of document.querySelectorAll("details"))
		d.open = true;
}

/* Where the page is wider than its window, by the names of what is. */
function tooWide() {
	const wide = document.documentElement.clientWidth;
	const root = document.scrollingElement;
	const found = [];

	if (root.scrollWidth <= wide)
		return found;
	for (const e of document.body.querySelectorAll("*"))
		if (!e.closest("svg,.table,pre") &&
		    e.getBoundingClientRect().right > wide + 1)
			found.push(`${e.localName}.${e.className} to ` +
			    Math.round(e.getBoundingClientRect().right));
	return [`${root.scrollWidth} of ${wide} px: ${found.slice(0, 3)}`];
}

async function runAxe(page) {
	await page.evaluate(AXE);
	return page.evaluate(async () => {
		const said = await axe.run(document, { resultTypes:
		    ["violations"] });

		return { passed: said.passes.length, violations:
		    said.violations.map((v) => `${v.id} x${v.nodes.length}: ` +
			v.nodes[0].html.slice(0, 120) + " " +
			v.nodes[0].failureSummary.slice(0, 160)) };
	});
}

async function onScreens(browser, report) {
	for (const width of [1200, 390])
		for (const dark of [false, true])
			await test(`${report.name}: ${width} px, ` +
			    (dark ? "dark" : "light"), (say) =>
			    visit(browser, report.url, { width, dark },
			    async (page) => {
				let saw;

				(await page.evaluate(tooWide)).forEach(say);
				await page.evaluate(openAll);
				(await page.evaluate(tooWide)).forEach(say);
				saw = await runAxe(page);
				saw.violations.forEach(say);
				return `axe: ${saw.passed} rules passed`;
			}));
}

/* What is cut off at the side of the paper, or not there. */
function cutOnPaper() {
	const wide = document.documentElement.clientWidth;
	const found = [];
	const shown = (e) => e.checkVisibility() &&
	    e.getBoundingClientRect().width > 0;

	for (const t of document.querySelectorAll("td,th,figure > svg,pre")) {
		const box = t.getBoundingClientRect();

		if (!shown(t))
			found.push("not shown: " + t.textContent.slice(0, 40));
		else if (box.right > wide + 1)
			found.push(`to ${Math.round(box.right)} of ${wide} px: ` +
			    t.textContent.slice(0, 40));
	}
	for (const t of document.querySelectorAll(".table"))
		if (t.scrollWidth > t.clientWidth + 1 ||
		    getComputedStyle(t).overflowX !== "visible")
			found.push("table scrolls: " + t.textContent.slice(0, 40));
	if (shown(document.querySelector("nav") || document.head))
		found.push("contents are printed");
	for (const e of document.querySelectorAll("input,button"))
		if (shown(e) && !e.closest("th"))
			found.push("printed: " + e.outerHTML.slice(0, 60));
	return found;
}

/* Words of the last cells of all rows and of what is folded. */
function lastWords() {
	const words = new Set();
	const add = (e) => {
		for (const w of e.textContent.split(/\s+/))
			words.add(w);
	};

	for (const r of document.querySelectorAll("tr"))
		add(r.cells[r.cells.length - 1]);
	for (const d of document.querySelectorAll("details.part"))
		d.querySelectorAll("h2,p,li").forEach(add);
	words.delete("");
	return [...words];
}

/* PDF of REPORT as text, without its blanks: a name may break anywhere. */
async function paper(page, file) {
	await page.pdf({ path: file, format: "A4" });
	return execFileSync("pdftotext", ["-raw", file, "-"],
	    { encoding: "utf8", maxBuffer: 1 << 28 }).replace(/\s+/g, "");
}

async function onPaper(browser, report, folder) {
	for (const script of [true, false])
		await test(`${report.name}: on paper` +
		    (script ? "" : " without script"), (say) =>
		    visit(browser, report.url, { script, width: PAPER },
		    async (page) => {
			const want = await page.evaluate(lastWords);
			const got = await paper(page, folder + "/page.pdf");
			let open;

			for (const w of want)
				if (!got.includes(w))
					say("not printed: " + w);
			open = await page.evaluate(() =>
			    document.querySelectorAll("details[open]").length);
			if (open)
				say(open + " folds are open after printing");
			/* as it is while it prints */
			await page.emulateMediaType("print");
			if (script)
				await page.evaluate(() =>
				    dispatchEvent(new Event("beforeprint")));
			(await page.evaluate(cutOnPaper)).forEach(say);
			return `${want.length} words`;
		}));
}

module.exports = { onScreens, onPaper, openAll, tooWide };
