/* A report in a browser, in 6 KB at most. */
"use strict";
{
const {abs, max, min} = Math;
const all = (what, of = document) => [...of.querySelectorAll(what)];
const set = (e, list) => {
	Object.keys(list).forEach(k => e.setAttribute(k, list[k]));
	return e;
};
const svg = (name, list = {}) => set(document.createElementNS("http://www.w3.org/2000/svg", name), list);
/* No name is ever part of HTML. */
const tool = (e, html) => {
	e.insertAdjacentHTML("beforebegin", `<div class="tool">${html}</div>`);
	return e.previousSibling;
};
/* A box for words, which Esc empties, and what was FOUND. */
const box = (e, label, found) => {
	const p = tool(e, `${label} <input type="search" aria-label="${label}"><output></output>`);
	p.oninput = k => { p.lastChild.value = found(k.target.value.toLowerCase()); };
	p.onkeydown = k => {
		k.stopPropagation();
		if (k.key === "Escape")
			p.oninput(k, k.target.value = "");
	};
};

/* Numbers of lib/unit.c; null for a name. */
const UNITS = {us: 1e3, ms: 1e6, s: 1e9, KiB: 1024, MiB: 2 ** 20, GiB: 2 ** 30,
    MFLOP: 1e6, GFLOP: 1e9, TFLOP: 1e12};
const number = (text, m = /^[<>]?([+-]?\d[\d,]*(\.\d+)?)x?(?![\w.:-])( (\w+))?/.exec(text)) =>
    m && m[1].replace(/,/g, "") * (UNITS[m[4]] || 1);

for (const table of all(":not(.card) > .table > table")) {
	const rows = all("tbody tr", table), heads = all("th", table);
	for (const th of rows[2] ? heads : []) {
		const b = document.createElement("button");
		const text = r => r.cells[th.cellIndex].textContent;
		const names = !th.className && rows.some(r => text(r) && number(text(r)) === null);
		b.append(...th.childNodes);
		th.append(b);
		b.onclick = () => {
			const up = th.ariaSort ? th.ariaSort[0] === "d" : names, way = up ? 1 : -1;
			/* what is empty is last */
			const key = r => names ? text(r) || (up ? "\uffff" : "") :
			    number(text(r)) ?? way / 0;
			heads.map(h => h.ariaSort = null);
			th.ariaSort = up ? "ascending" : "descending";
			rows[0].parentNode.append(...[...rows].sort((r, s) => way * (names ?
			    key(r).localeCompare(key(s), "en", {numeric: true}) : key(r) - key(s))));
		};
	}
	if (rows[15])
		box(table.parentNode, "Filter", words => {
			const kept = rows.filter(r =>
			    !(r.hidden = !r.textContent.toLowerCase().includes(words)));
			return `${kept.length} of ${rows.length} rows`;
		});
}

/* What keys show: from and to, as parts of what is seen. */
const KEYS = {"+": [.25, .75], "-": [-.5, 1.5], ArrowLeft: [-.5, .5], ArrowRight: [.5, 1.5],
    Escape: [-1e4, 1e4]};
const TOOL = Object.keys(KEYS).map(k =>
    `<button value="${k}">${k.replace("Arrow", "")}</button>`).join("");
const figures = all("figure");
/* SHAPES from x0 to x1 stretch; the names of FRAMES do not. */
const pane = (pic, shapes, frames, x0, x1) => {
	const e = pic.parentNode, full = x1 - x0;
	const plot = svg("svg", {x: x0, width: full, height: 9999, preserveAspectRatio: "none",
	    viewBox: [x0, 0, full, 9999]});
	let a = x0, w = full;
	e.see = (from, to) => {
		w = min(full, max(to - from, .3));
		a = min(max(from, x0), x1 - w);
		const b = a + w, k = full / w;
		set(plot, {viewBox: [a, 0, w, 9999]});
		for (const f of frames) {
			const p = max(a, f.x), q = min(b, f.r), {name} = f;
			const n = ((q - p) * k - 6) / 6.5;
			set(f.e, {x: x0 + (p - a) * k + 3, display: q < p ? "none" : ""});
			f.out = q < p + .1;
			set(f.rect, {x: p, width: max(0, q - p)});
			f.e.textContent = n < 4 ? "" : n < name.length ?
			    name.slice(0, n - 1) + "\u2026" : name;
		}
		history.replaceState(0, "", k > 1 ? `#~${figures.indexOf(e)}~${a}~${b}` : "#");
	};
	plot.append(...shapes);
	pic.prepend(plot);
	pic.append(...frames.map(f => f.e));
	tool(pic, TOOL);
	e.onclick = e.onkeydown = k => {
		const to = KEYS[k.key || k.target.value];
		if (to) {
			e.see(a + w * to[0], a + w * to[1]);
			return false;
		}
	};
	return e;
};

for (const pic of all(".flame svg")) {
	const frames = all("rect > title, g > title", pic).map(title => {
		const p = title.parentNode, rect = p.querySelector("rect") || p;
		const [x, y, w] = ["x", "y", "width"].map(k => +rect.getAttribute(k));
		const e = p.querySelector("text") || svg("text"), name = title.textContent;
		set(e, {y: y + 11.5, "pointer-events": "none"});
		set(rect, {role: "treeitem", "aria-label": name, tabindex: -1});
		return rect.frame = {x, y, r: x + w, rect, e, name};
	}).sort((f, g) => f.y - g.y || f.x - g.x);
	let [now] = frames;
	const {x, r} = now;
	const up = f => frames.find(g => g.y === f.y - 16 && abs(f.x + f.r - g.x - g.r) < g.r - g.x);
	const figure = pane(pic, all("g", pic), frames, x, r);
	const go = (f, zoom) => {
		now.rect.tabIndex = -1;
		f.rect.tabIndex = 0;
		f.rect.focus();
		now = f;
		if (zoom)
			figure.see(f.x, f.r);
	};
	now.rect.tabIndex = 0;
	set(pic, {role: "tree"});
	pic.onclick = e => e.target.frame && go(e.target.frame, true);
	pic.onkeydown = e => {
		const list = frames.filter(g => !g.out && g.y === now.y), i = list.indexOf(now);
		const to = {ArrowUp: up(now), ArrowLeft: list[i - 1], ArrowRight: list[i + 1],
		    ArrowDown: frames.find(g => !g.out && up(g) === now), Enter: now};
		if (e.key in to) {
			go(to[e.key] || now, e.key === "Enter");
			e.stopPropagation();
			return false;
		}
	};
	box(pic, "Search", words => {
		let n = 0, w = 0;
		for (const f of frames) {
			const hit = !!words && f.name.toLowerCase().includes(words), over = up(f)?.hit;
			f.rect.classList.toggle("hit", hit);
			n += hit;
			w += hit && !over && f.r - f.x;
			f.hit = hit || over;
		}
		return `${n} frames, ${w && (+(100 * w / (r - x)).toFixed(1) || "<0.1")} %`;
	});
}

onhashchange = () => {
	const hash = decodeURI(location.hash.slice(1)), [, i, a, b] = hash.split("~");
	const e = figures[i] || document.getElementById(hash);
	for (let d = e; d; d = d.parentElement)
		d.open = true;
	e?.see?.(+a, +b);
	e?.scrollIntoView();
};
onhashchange();
}
