/* tap - one line for each test; a page opened for it, and closed after it */
"use strict";

const OPEN_MS = 20000;

let failed = 0;

/* Run PROVE, which gets a function to tell faults with and returns what it saw.
 * A promise that fails is a fault too. */
async function test(name, prove) {
	const faults = [];
	let seen = "";

	try {
		seen = await prove((fault) => faults.push(fault));
	} catch (e) {
		faults.push(String(e.stack || e));
	}
	failed += faults.length > 0;
	console.log(faults.length ? `not ok page: ${name}` :
	    `ok page: ${name}${seen ? ` (${seen})` : ""}`);
	for (const f of faults.slice(0, 10))
		console.log("# " + String(f).slice(0, 300).replace(/\n/g, "\n# "));
	if (faults.length > 10)
		console.log(`# and ${faults.length - 10} more`);
}

/*
 * Open URL in BROWSER for USE, which gets the page and what it heard: requests
 * that it made, lines on its console and errors.  SET: width, dark, script
 * (false: without).
 */
async function visit(browser, url, set, use) {
	const page = await browser.newPage();
	const heard = { requests: [], lines: [] };

	page.setDefaultTimeout(OPEN_MS);
	page.on("request", (r) => heard.requests.push(r.url()));
	page.on("console", (m) => heard.lines.push("console: " + m.text()));
	page.on("pageerror", (e) => heard.lines.push("error: " + e.message));
	try {
		await page.setViewport({ width: set.width || 1200, height: 800 });
		await page.emulateMediaFeatures([{ name: "prefers-color-scheme",
		    value: set.dark ? "dark" : "light" }]);
		if (set.script === false)
			await page.setJavaScriptEnabled(false);
		await page.goto(url, { waitUntil: "load" });
		return await use(page, heard);
	} finally {
		await page.close();
	}
}

module.exports = { test, visit, failed: () => failed };
