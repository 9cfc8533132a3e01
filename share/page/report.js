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
const number = (text, m = /^([<>]?)([+-]?\d[\d,]*(\.\d+)?)x?(?![\w.:-])( (\w+))?/.exec(text)) =>
    m && m[2].replace(/,/g, "") * (UNITS[m[5]] || 1) * ({"<": .99, ">": 1.01}[m[1]] || 1);

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
/* The plot of PIC stretches to what is SEEN, from and to as parts of it. */
const pane = (pic, seen) => {
	const e = pic.parentNode, plot = pic.querySelector("svg"), clip = plot.cloneNode();
	let a = 0, w = 1;
	const draw = () => {
		set(plot, {x: -100 * a / w + "%", width: 100 / w + "%"});
		seen(a, a + w);
	};
	plot.replaceWith(clip);
	clip.append(plot);
	e.see = (from, to) => {
		w = min(1, max(to - from, 3e-4));
		a = min(max(from, 0), 1 - w);
		draw();
		history.replaceState(0, "", w < 1 ? `#~${figures.indexOf(e)}~${a}~${a + w}` : "#");
	};
	tool(pic, TOOL);
	e.onclick = e.onkeydown = k => {
		const to = KEYS[k.key || k.target.value];
		if (to) {
			e.see(a + w * to[0], a + w * to[1]);
			return false;
		}
	};
	addEventListener("resize", draw);
	/* what is folded has no width until it is opened */
	addEventListener("toggle", draw, true);
	draw();
	return e;
};

for (const pic of all(".flame svg.scene")) {
	const plot = pic.querySelector("svg");
	const frames = all("title", plot).map(title => {
		const p = title.parentNode, rect = p.querySelector("rect") || p;
		const [x, y, w] = ["x", "y", "width"].map(k => parseFloat(p.getAttribute(k)));
		const e = p.querySelector("text") || svg("text"), name = title.textContent;
		plot.append(set(e, {y: y + 11.5, dx: 3, "pointer-events": "none"}));
		set(rect, {role: "treeitem", "aria-label": name, tabindex: -1});
		return rect.frame = {x: x / 100, y, r: (x + w) / 100, p, rect, e, name};
	}).sort((f, g) => f.y - g.y || f.x - g.x);
	let [now] = frames;
	const up = f => frames.find(g => g.y === f.y - 16 && abs(f.x + f.r - g.x - g.r) < g.r - g.x);
	/* names do not stretch, and are where their frames are seen */
	const figure = pane(pic, (a, b) => frames.forEach(f => {
		const p = max(a, f.x), q = min(b, f.r), {name} = f;
		const n = ((q - p) / (b - a) * pic.clientWidth - 6) / 6.5;
		set(f.e, {x: 100 * p + "%", display: q < p ? "none" : ""});
		set(f.p, {x: 100 * p + "%", width: 100 * max(0, q - p) + "%"});
		f.out = q - p < 1e-4;
		f.e.textContent = n < 4 ? "" : n < name.length ?
		    name.slice(0, n - 1) + "\u2026" : name;
	}));
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
		return `${n} frames, ${w && (+(100 * w).toFixed(1) || "<0.1")} %`;
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
