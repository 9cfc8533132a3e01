/*
 * main FOLDER SHARE CHROMIUM NAME...: prove the pages NAME.html of FOLDER
 *
 * NAME.plain.html is what another reader makes of the Markdown of that page;
 * units.html has the records of units.js.
 */
"use strict";

const fs = require("fs");
const puppeteer = require("puppeteer-core");

const { failed } = require("./tap");
const { serve } = require("./serve");
const { structure, rights, sizes } = require("./structure");
const { viewers } = require("./viewers");
const { onScreens, onPaper } = require("./looks");
const { everyTable, everyUnit, filter, byKeys } = require("./tables");
const { flame, folded } = require("./pictures");

async function main(folder, share, chromium, names) {
	const browser = await puppeteer.launch({
		executablePath: chromium,
		/* nothing is on any network, whatever a page asks for */
		args: ["--no-sandbox", "--disable-dev-shm-usage",
		    "--host-resolver-rules=MAP * ~NOTFOUND,EXCLUDE 127.0.0.1"],
	});
	const server = await serve(folder);
	const units = `file://${folder}/units.html`;
	const reports = names.map((name) => ({ name,
	    file: `${folder}/${name}.html`,
	    url: `file://${folder}/${name}.html`,
	    plain: `file://${folder}/${name}.plain.html` }));

	try {
		await sizes(share);
		for (const r of reports)
			await structure(browser, r);
		await rights(browser, reports[0], folder);
		await viewers(browser, server, names[0]);
		await everyUnit(browser, units);
		await filter(browser, units);
		await byKeys(browser, units);
		for (const r of reports) {
			const has = (figure) => fs.readFileSync(r.file, "utf8")
			    .includes(`<figure class="picture ${figure}"`);

			await everyTable(browser, r);
			await folded(browser, r);
			if (has("flame"))
				await flame(browser, r);
			await onScreens(browser, r);
			await onPaper(browser, r, folder);
		}
	} finally {
		server.end();
		await browser.close();
	}
}

main(process.argv[2], process.argv[3], process.argv[4], process.argv.slice(5))
    .then(() => process.exit(failed() ? 1 : 0), (e) => {
	console.log("not ok page: " + String(e.stack || e).replace(/\n/g,
	    "\n# "));
	process.exit(1);
});
