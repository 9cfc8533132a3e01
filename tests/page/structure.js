/* structure - what a page is made of, before any script of it ran */
"use strict";

const crypto = require("crypto");
const fs = require("fs");

const { test, visit } = require("./tap");

const BYTES_MAX = 2 * 1024 * 1024;
const CSS_MAX = 4096, JS_MAX = 6144;

/* The elements of a page, and what each may have. */
const MARK = "class fill fill-opacity stroke stroke-opacity stroke-width " +
    "stroke-dasharray";
const WRITTEN = {
	html: "lang", head: "", meta: "charset http-equiv content name", title: "",
	style: "", link: "rel href", script: "", body: "", header: "", main: "",
	nav: "aria-label", footer: "", h1: "id", h2: "id", h3: "id", h4: "id",
	h5: "id", h6: "id", p: "id class", ul: "", ol: "start", li: "",
	blockquote: "", hr: "", br: "", span: "id", pre: "tabindex",
	code: "", strong: "", em: "", del: "", a: "href", div: "id class role tabindex aria-label",
	table: "", thead: "", tbody: "", tr: "", th: "scope class", td: "class",
	details: "class", summary: "", figure: "class tabindex", figcaption: "",
	svg: "class x y width height viewBox role font-family font-size fill " +
	    "preserveAspectRatio", desc: "",
	line: MARK + " x1 y1 x2 y2",
	g: MARK, path: MARK + " d", rect: MARK + " x y width height",
	circle: MARK + " cx cy r",
	text: MARK + " x dx y text-anchor font-size font-weight",
};

/* Runs in the page: its faults, as lines. */
function lookAt(written, linked) {
	const faults = [], ids = new Set();
	const say = (what) => faults.push(what);
	const count = (what) => document.querySelectorAll(what).length;

	for (const e of document.querySelectorAll("*")) {
		const name = e.localName;
		const may = written[name];

		if (may === undefined) {
			say("element " + name);
			continue;
		}
		for (const a of e.attributes)
			if (!may.split(" ").includes(a.name) &&
			    !(linked && name === "script"))
				say(`attribute ${a.name} of ${name}`);
		if (e.id && ids.has(e.id))
			say("twice: id " + e.id);
		ids.add(e.id);
	}
	for (const a of document.querySelectorAll("a")) {
		const to = a.getAttribute("href");

		if (/^#/.test(to) ? !ids.has(to.slice(1)) :
		    !/^[\w-][\w.\/-]*$/.test(to) || /\.\.|\/\//.test(to))
			say("link to " + to);
		if (!a.textContent.trim())
			say("link without words to " + to);
	}
	if (count("h1") !== 1)
		say(count("h1") + " h1");
	if (count("script") !== 1 || count(linked ? "link" : "style") !== 1 ||
	    count("style,link") !== 1)
		say("script or style not once");
	for (const t of document.querySelectorAll("table")) {
		if (!t.tHead || !t.tHead.rows[0].querySelector("th"))
			say("table without a head: " + t.textContent.slice(0, 40));
		for (const r of t.rows)
			if (r.cells.length !== t.rows[0].cells.length)
				say(`row of ${r.cells.length}, not ` +
				    t.rows[0].cells.length);
	}
	for (const s of document.querySelectorAll("figure > svg"))
		if (!s.querySelector("title").textContent ||
		    !s.querySelector("desc").textContent)
			say("picture without a title or description");
	if (document.title !== document.querySelector("h1").textContent)
		say("title is not the heading: " + document.title);
	if (count("button,input,select,textarea"))
		say("something that needs the script");
	return { faults, links: count("a"), tables: count("table"),
	    pictures: count("figure > svg"), elements: count("*") };
}

/* The texts of all cells of each table, and of headings. */
function readWords() {
	const flat = (e) => e.textContent.replace(/\s+/g, " ").trim();

	return {
		tables: [...document.querySelectorAll("table")].map((t) =>
		    [...t.rows].map((r) => [...r.cells].map(flat).join(" | "))
			.join("\n")),
		headings: [...document.querySelectorAll("h1,h2,h3,h4,h5,h6")]
		    .map(flat),
		lines: [...document.querySelectorAll("p,li")].map(flat)
		    .filter((l) => l),
		all: document.body.textContent.replace(/\s+/g, " "),
	};
}

function hash(text) {
	return "'sha256-" + crypto.createHash("sha256").update(text)
	    .digest("base64") + "'";
}

/* What the page says of its own rights, against what it has. */
function policy(text, say) {
	const rights = /Content-Security-Policy" content="([^"]*)"/.exec(text);
	const style = /<style>([^]*?)<\/style>/.exec(text);
	const script = /<script>([^]*?)<\/script>/.exec(text);
	const want = style && script && `default-src 'none'; style-src ` +
	    `${hash(style[1])}; script-src ${hash(script[1])}; base-uri ` +
	    `'none'; form-action 'none'`;

	if (!want || !rights)
		say("no style, no script or no policy");
	else if (rights[1] !== want)
		say(`policy ${rights[1]}, not ${want}`);
}

async function structure(browser, report) {
	const { name, url, file } = report;
	const text = fs.readFileSync(file, "utf8");

	await test(`${name}: loads alone`, async (say) => {
		const began = Date.now();

		return visit(browser, url, {}, async (page, heard) => {
			const ms = Date.now() - began;
			const bytes = Buffer.byteLength(text);

			for (const r of heard.requests.slice(1))
				say("request of " + r);
			heard.lines.forEach(say);
			if (bytes > BYTES_MAX)
				say(`${bytes} bytes`);
			return `${bytes} bytes, ${ms} ms`;
		});
	});
	await test(`${name}: made of what is listed`, async (say) => {
		policy(text, say);
		return visit(browser, url, { script: false }, async (page) => {
			const saw = await page.evaluate(lookAt, WRITTEN, false);

			saw.faults.forEach(say);
			return `${saw.elements} elements, ${saw.tables} tables, ` +
			    `${saw.pictures} pictures, ${saw.links} links`;
		});
	});
	await test(`${name}: whole without script`, async (say) => {
		const set = { script: false };
		const want = await visit(browser, report.plain, set,
		    (page) => page.evaluate(readWords));
		const got = await visit(browser, url, set,
		    (page) => page.evaluate(readWords));

		for (const t of want.tables)
			if (!got.tables.includes(t))
				say("no table " + t);
		/* the card has the title and the summary */
		for (const h of want.headings.slice(1))
			if (!got.headings.includes(h) &&
			    !h.endsWith("High-level Summary"))
				say("no heading " + h);
		for (const l of want.lines)
			if (!got.all.includes(l))
				say("no line " + l);
		return `${want.tables.length} tables, ${want.headings.length} ` +
		    `headings, ${want.lines.length} lines`;
	});
}

/* A copy of a page with what would be done to it does none of it. */
async function rights(browser, report, folder) {
	const bad = folder + "/bad.html";

	fs.writeFileSync(bad, fs.readFileSync(report.file, "utf8").replace(
	    "</main>", `<p id="x" style="width:3px">x</p>
<script>document.title = "ran"</script>
<style>#x { height: 77px }</style>
<img src="${report.url}.png" onerror="document.title = 'ran'">
<iframe src="${report.url}"></iframe>
<form action="${report.url}"><button>b</button></form></main>`));
	await test("what is put into a page is not obeyed", (say) =>
	    visit(browser, "file://" + bad, {}, async (page, heard) => {
		const saw = await page.evaluate(() => ({
			title: document.title,
			width: document.getElementById("x").style.width,
			height: document.getElementById("x").offsetHeight,
			faults: performance.getEntriesByType("resource").length,
		}));
		const refused = heard.lines.filter((l) =>
		    /Content Security Policy/.test(l)).length;

		if (saw.title === "ran")
			say("a script ran");
		if (saw.width === "3px" || saw.height === 77)
			say("a style was applied");
		if (refused < 4)
			say(`${refused} refused: ${heard.lines}`);
		return `${refused} refused`;
	}));
}

async function sizes(share) {
	await test("style and script are small", async (say) => {
		const css = fs.statSync(share + "/page/report.css").size;
		const js = fs.statSync(share + "/page/report.js").size;

		if (css > CSS_MAX)
			say(`report.css has ${css} bytes of ${CSS_MAX}`);
		if (js > JS_MAX)
			say(`report.js has ${js} bytes of ${JS_MAX}`);
		return `${css} and ${js} bytes`;
	});
}

module.exports = { structure, rights, sizes, lookAt, WRITTEN };
