/* viewers - what a page can under the headers of those who show artefacts */
"use strict";

const { test, visit } = require("./tap");

/* What is to be had under the headers of WHO, by pages.md. */
const RIGHTS = [
	{ who: "none", linked: false, style: true, script: true },
	{ who: "gitea", linked: false, style: true, script: true },
	{ who: "jenkins", linked: false, style: false, script: false },
	{ who: "none", linked: true, style: true, script: true },
	{ who: "gitea", linked: true, style: true, script: true },
	{ who: "jenkins", linked: true, style: true, script: false },
];

/* Whether the style is there, the script ran, and text and pictures show. */
function look() {
	const card = document.querySelector("table");
	const picture = document.querySelector("figure svg");
	const box = picture && picture.getBoundingClientRect();

	return {
		/* the browser's own is 8px and serif */
		style: getComputedStyle(document.body).fontFamily !==
		    getComputedStyle(document.documentElement.appendChild(
			document.createElementNS("x:", "x"))).fontFamily,
		script: document.querySelectorAll("th button").length > 0,
		table: getComputedStyle(card).display,
		cells: [...document.querySelectorAll("td")].filter((c) =>
		    c.checkVisibility() && c.offsetWidth > 0).length,
		picture: box && box.width > 300 && box.height > 50,
		links: [...document.querySelectorAll("a")].filter((a) =>
		    a.checkVisibility()).length,
	};
}

async function sorts(page) {
	return page.evaluate(() => {
		const b = document.querySelector("th button");

		b.click();
		return !!b.closest("th").getAttribute("aria-sort");
	});
}

/* SERVER shows the folder with inline.html and linked.html. */
async function viewers(browser, server, name) {
	for (const r of RIGHTS)
		await test(`${r.linked ? "linked" : "one file"}, served as by ` +
		    r.who, async (say) => {
			const url = `${server.at}/${r.who}/` + name +
			    (r.linked ? "-linked.html" : ".html");

			return visit(browser, url, {}, async (page, heard) => {
				const saw = await page.evaluate(look);
				const more = heard.requests.slice(1)
				    .map((u) => u.split("/").pop()).sort()
				    .filter((u) => u !== "favicon.ico");

				if (saw.style !== r.style)
					say("style: " + saw.style);
				if (saw.script !== r.script)
					say("script: " + saw.script);
				if (saw.script && !await sorts(page))
					say("does not sort");
				if (saw.table !== "table" || saw.cells < 10 ||
				    !saw.picture || saw.links < 3)
					say("not shown: " + JSON.stringify(saw));
				/* a script that may not run is not asked for */
				if (more.join() !== (!r.linked ? "" : r.script ?
				    "report.css,report.js" : "report.css"))
					say("requests: " + more);
				if (r.who === "none")
					heard.lines.forEach(say);
				return (saw.style ? "style" : "no style") +
				    (saw.script ? ", sorting" : ", no sorting") +
				    `, ${saw.cells} cells`;
			});
		});
}

module.exports = { viewers };
