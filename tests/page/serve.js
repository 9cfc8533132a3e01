/* serve - the headers of those who show artefacts: /WHO/NAME is NAME of a folder */
"use strict";

const fs = require("fs");
const http = require("http");
const path = require("path");

const POLICIES = {
	none: null,
	jenkins: "sandbox; default-src 'none'; img-src 'self'; style-src 'self'",
	gitea: "sandbox allow-scripts",
};
const TYPES = { ".html": "text/html; charset=utf-8", ".css": "text/css",
	".js": "text/javascript" };

/* The address of a server of FOLDER on a port of its own, and its end. */
function serve(folder) {
	const server = http.createServer((ask, answer) => {
		const [, who, name] = ask.url.split("/");
		const file = path.join(folder, path.basename(name || ""));
		const type = TYPES[path.extname(file)];

		/* which a browser asks for when it likes */
		if (who === "favicon.ico") {
			answer.writeHead(204).end();
			return;
		}
		if (!(who in POLICIES) || !type || !fs.existsSync(file)) {
			answer.writeHead(404).end();
			return;
		}
		answer.setHeader("Content-Type", type);
		if (POLICIES[who])
			answer.setHeader("Content-Security-Policy", POLICIES[who]);
		answer.end(fs.readFileSync(file));
	});

	return new Promise((done) => server.listen(0, "127.0.0.1", () => done({
		at: `http://127.0.0.1:${server.address().port}`,
		end: () => server.close(),
	})));
}

module.exports = { serve };
