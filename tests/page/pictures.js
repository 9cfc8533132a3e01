/* pictures - the flame graph by mouse and by keyboard; what is folded */
"use strict";

const { test, visit } = require("./tap");

const pause = () => new Promise((go) => setTimeout(go, 200));

/* Put into the page: where its marks are. */
function tools() {
	const titled = (e) => {
		const t = e.querySelector(":scope > title") ||
		    e.parentNode.querySelector(":scope > title");

		return t && !t.parentNode.matches(".scene") ? t.textContent :
		    "";
	};

	window.tp = {
		/* rectangles of a picture that say what they are */
		marks: (name) => {
			const svg = document.querySelector(`figure.${name} svg`);
			const box = svg.getBoundingClientRect();

			return [...svg.querySelectorAll("rect")].filter(titled)
			    .map((e) => {
				const b = e.getBoundingClientRect();

				return { title: titled(e), x: b.x - box.x,
				    y: b.y - box.y, w: b.width, h: b.height,
				    shown: e.checkVisibility() && b.width > 0.2 };
			});
		},
		texts: (name) => [...document.querySelectorAll(
		    `figure.${name} svg text`)].map((e) => {
			const b = e.getBoundingClientRect();

			return { text: e.textContent, x: b.x + b.width / 2,
			    y: b.y, w: b.width, h: b.height,
			    shown: e.checkVisibility() && b.width > 0 };
		}),
	};
}

/* Frames of before and after that are not at the same place. */
function moved(before, after) {
	return before.filter((b, i) => Math.abs(b.x - after[i].x) > 1 ||
	    Math.abs(b.w - after[i].w) > 1 || b.shown !== after[i].shown);
}

/* The middle of mark M of figure NAME, brought into view. */
async function point(page, name, title) {
	return page.evaluate((name, title) => {
		const svg = document.querySelector(`figure.${name} svg`);
		let m, b;

		svg.scrollIntoView({ block: "center" });
		m = tp.marks(name).find((m) => m.title === title);
		b = svg.getBoundingClientRect();
		return { x: b.x + m.x + m.w / 2, y: b.y + m.y + m.h / 2 };
	}, name, title);
}

/* A frame to zoom to: one below two others that has frames below itself, or
 * what comes nearest. */
function choose(marks, root) {
	const inside = (a, b) => a.x >= b.x - 0.6 && a.x + a.w <= b.x + b.w + 0.6;
	const worth = (m) => 4 * (m.w < root.w * 0.5) +
	    2 * (m.y > root.y + 2.5 * root.h) +
	    marks.some((o) => o.y > m.y && o.w > m.w / 4 && inside(o, m));

	return marks.filter((m) => m.y > root.y && m.w > root.w * 0.05 &&
	    m.w < root.w * 0.95 &&
	    marks.filter((o) => o.title === m.title).length === 1)
	    .reduce((a, b) => worth(b) > worth(a) ? b : a);
}

/* What must hold when frame OF before is the widest of after. */
function zoomed(before, after, of, say) {
	const i = before.indexOf(of);
	const root = before.reduce((a, b) => a.w > b.w ? a : b);
	const grown = after[i].w / of.w;

	if (after[i].w < root.w - 2)
		say(`${of.title} is ${after[i].w} px of ${root.w}`);
	before.forEach((b, k) => {
		const a = after[k], middle = b.x + b.w / 2;
		const over = b.x <= of.x + 0.6 && b.x + b.w >= of.x + of.w - 0.6;
		const under = middle > of.x && middle < of.x + of.w &&
		    b.y > of.y;

		if (b.y <= of.y && over && a.w < root.w - 2)
			say(`above: ${b.title} is ${a.w} px`);
		else if (under && Math.abs(a.w - b.w * grown) >
		    2 + 0.02 * b.w * grown)
			say(`below: ${b.title} is ${a.w} px, not ` +
			    b.w * grown);
		else if (!under && !(over && b.y <= of.y) && a.shown &&
		    a.x + a.w > root.x + 1 && a.x < root.x + root.w - 1)
			say("beside: is still shown: " + b.title);
		if (a.y !== b.y && a.shown)
			say("is in another row: " + b.title);
	});
}

async function flame(browser, report) {
	const open = (use) => visit(browser, report.url, {},
	    async (page, heard) => {
		/* it stands among what is for reference, and is folded */
		await page.evaluate(() => document.querySelectorAll(
		    "details").forEach((d) => { d.open = true; }));
		await pause();
		const before = (await page.evaluate(tools),
		    await page.evaluate(() => tp.marks("flame")));
		const root = before.reduce((a, b) => a.w > b.w ? a : b);
		const said = await use(page, before, choose(before, root), root);

		if (heard.lines.length)
			throw new Error(heard.lines.join("; "));
		return said;
	});
	const marks = (page) => page.evaluate(() => tp.marks("flame"));
	const name = `${report.name}: the flame graph`;

	await test(name + " zooms by a click", (say) =>
	    open(async (page, before, of) => {
		let at = await point(page, "flame", of.title), after;

		await page.mouse.click(at.x, at.y);
		await pause();
		after = await marks(page);
		zoomed(before, after, of, say);
		for (const t of await page.evaluate(() => tp.texts("flame")))
			if (t.shown && Math.abs(t.h - 12.5) > 4)
				say(`${t.text} is ${t.h} px high`);
		await page.keyboard.press("Escape");
		await pause();
		if (moved(before, await marks(page)).length)
			say("Esc leaves frames where they are not");
		/* again, and back by the root */
		await page.mouse.click(at.x, at.y);
		await pause();
		at = await point(page, "flame", before.reduce((a, b) =>
		    a.w > b.w ? a : b).title);
		await page.mouse.click(at.x, at.y);
		await pause();
		if (moved(before, await marks(page)).length)
			say("a click on all calls does not go back");
		return `${of.title}, ${before.length} frames`;
	}));
	await test(name + " is searched", (say) =>
	    open(async (page, before, of) => {
		const word = of.title.split(/[^A-Za-z_]/)[0].slice(0, 8);
		const has = before.filter((b) => b.title.split(": ")[0]
		    .toLowerCase().includes(word.toLowerCase())).length;
		const looks = () => page.evaluate(() =>
		    [...document.querySelectorAll("figure.flame svg rect")]
			.map((e) => {
				const s = getComputedStyle(e);

				return [s.fill, s.fillOpacity, s.stroke,
				    s.strokeWidth, s.opacity, s.outline].join();
			}));
		const plain = await looks();
		let said, after, changed;

		await (await page.$("figure.flame input")).focus();
		await page.keyboard.type(word.toLowerCase());
		await pause();
		said = await page.evaluate(() => {
			const f = document.querySelector("figure.flame");

			return [...f.querySelectorAll("output,[aria-live]," +
			    "[role=status]")].map((e) => e.textContent).join(" ");
		});
		if (!new RegExp(`\\b${has}\\b`).test(said) || !/%/.test(said))
			say(`${has} of ${before.length} have '${word}'; it says ` +
			    `'${said}'`);
		after = await looks();
		changed = plain.filter((p, i) => p !== after[i]).length;
		if (changed !== has && changed !== before.length - has)
			say(`${changed} look other, ${has} match`);
		await page.keyboard.press("Escape");
		await pause();
		if ((await looks()).some((p, i) => p !== plain[i]))
			say("Esc leaves marks");
		return `'${word}': ${said.trim()}`;
	}));
	await test(name + " by keyboard", (say) =>
	    open(async (page, before, of, root) => {
		const focus = () => page.evaluate(() => {
			const e = document.activeElement;
			const t = e.closest("figure.flame svg") &&
			    (e.querySelector("title") ||
			    e.parentNode.querySelector("title"));

			return t ? t.textContent : "";
		});
		const path = [];
		let n, after;

		for (n = 0; n < 200 && !await focus(); n++)
			await page.keyboard.press("Tab");
		if (!await focus())
			return say("Tab does not lead there");
		path.push(await focus());
		for (const key of ["ArrowDown", "ArrowDown", "ArrowRight",
		    "ArrowUp"]) {
			await page.keyboard.press(key);
			path.push(await focus());
		}
		if (path[1] === path[0] || !path[1])
			say("arrows do not move: " + path.join(" | "));
		await page.keyboard.press("ArrowDown");
		await page.keyboard.press("Enter");
		await pause();
		after = await marks(page);
		if (!before.some((b, i) => b.w < root.w - 2 &&
		    after[i].w > root.w - 2))
			say("Enter does not zoom to " + await focus());
		await page.keyboard.press("Escape");
		await pause();
		if (moved(before, await marks(page)).length)
			say("Esc does not go back");
		await page.keyboard.press("Tab");
		if (await focus())
			say("one more Tab is still inside");
		return `${n} Tabs, then ${new Set(path).size} frames`;
	}));
	await test(name + " is linked as it is", (say) =>
	    open(async (page, before, of) => {
		const at = await point(page, "flame", of.title);
		let url, after;

		await page.mouse.click(at.x, at.y);
		await pause();
		after = await marks(page);
		url = page.url();
		if (!url.includes("#"))
			say("no state in " + url);
		return visit(browser, url, {}, async (other) => {
			await other.evaluate(tools);
			await pause();
			if (moved(after, await marks(other)).length)
				say("another view");
			return url.replace(/.*#/, "#").slice(0, 60);
		});
	}));
}

/* A link to what is folded unfolds it. */
async function folded(browser, report) {
	await test(`${report.name}: a link opens what it leads to`, (say) =>
	    visit(browser, report.url, { script: false }, async (page) => {
		const id = await page.evaluate(() => {
			const e = document.querySelector("details :not(summary) " +
			    "> [id], details > [id]");

			return e && !e.closest("summary") ? e.id : null;
		});
		const seen = (page) => page.evaluate((id) => {
			const e = document.getElementById(id);
			const b = e.getBoundingClientRect();

			return e.checkVisibility() && b.top > -2 &&
			    b.top < innerHeight;
		}, id);

		if (!id)
			return "nothing is folded";
		await visit(browser, `${report.url}#${id}`, {},
		    async (page) => {
			await pause();
			if (!await seen(page))
				say(`#${id} is not seen`);
		});
		await visit(browser, report.url, {}, async (page) => {
			await page.evaluate((id) => {
				const a = document.createElement("a");

				a.href = "#" + id;
				document.body.prepend(a);
				a.click();
			}, id);
			await pause();
			if (!await seen(page))
				say(`a link to #${id} does not show it`);
		});
		return "#" + id;
	}));
}

module.exports = { flame, folded };
