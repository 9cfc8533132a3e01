/* What a report can do in a browser, in 8192 bytes at most.  What it needs it
 * makes, so that nothing dead is shown without it. */
"use strict";
{
const { abs, ceil, log10, max, min } = Math;
const all = (what, of = document) => [...of.querySelectorAll(what)];
const num = (e, k) => +e.getAttribute(k);
const set = (e, attributes) => {
	for (const k in attributes)
		e.setAttribute(k, attributes[k]);
	return e;
};
const svg = (name, attributes) => set(document.createElementNS(
    "http://www.w3.org/2000/svg", name), attributes);
/* Before E; nothing of the page is ever part of HTML. */
const tool = (e, html) => {
	e.insertAdjacentHTML("beforebegin", `<div class="tool">${html}</div>`);
	return e.previousSibling;
};

/* What can be seen in more than one way: "#~PLACE=STATE" links to one. */
const views = [];
const view = (e, see) => {
	const at = views.push({ e, see }) - 1;
	return state => history.replaceState(0, "", state &&
	    `#~${at}=` + encodeURIComponent(state) || "#");
};
onhashchange = () => {
	const hash = decodeURIComponent(location.hash.slice(1));
	const m = /^~(\d+)=(.*)/.exec(hash), v = m && views[m[1]];
	const e = v ? v.e : document.getElementById(hash);
	for (let d = e; d; d = d.parentElement)
		d.open = true;
	v?.see(m[2]);
	e?.scrollIntoView();
};

/* A box for words, which Esc empties, and what was FOUND. */
const box = (before, label, found) => {
	const e = tool(before, `<label>${label} <input type="search"></label>
	    <output></output>`), input = e.querySelector("input");
	const see = words => {
		input.value = words;
		e.lastChild.value = found(words.toLowerCase());
		tell(words);
	};
	const tell = view(e, see);
	input.oninput = () => see(input.value);
	input.onkeydown = k => k.key !== "Escape" || see("");
};

/* Numbers as lib/unit.c prints them; null for a name. */
const UNITS = { ns: 1, us: 1e3, ms: 1e6, s: 1e9, min: 6e10, h: 36e11 };
const number = text => {
	const m = /^([+-]?\d[\d,]*(\.\d+)?)x?(?![\w.:-])( ([a-z]+))?/i.exec(text);
	const p = m && /^([KMGT])(i?)(B|FLOP)$/.exec(m[4]);
	return m && m[1].replace(/,/g, "") * (p ? (p[2] ? 1024 : 1e3) **
	    " KMGT".indexOf(p[1]) : UNITS[m[4]] || 1);
};

for (const table of all(":not(.card) > .table > table")) {
	const rows = all("tbody tr", table), heads = all("th", table);
	if (rows.length < 3)
		continue;
	const sort = (th, down) => {
		const keys = rows.map(r => {
			const t = r.cells[th.cellIndex].textContent;
			return { r, t, n: number(t) };
		});
		const names = th.className !== "n" &&
		    keys.some(k => k.t && k.n === null);
		const empty = k => names ? !k.t : k.n === null;
		down ??= !names;
		heads.forEach(h => { h.ariaSort = null; });
		th.ariaSort = down ? "descending" : "ascending";
		keys.sort((k, l) => empty(k) - empty(l) || (down ? -1 : 1) *
		    (names ? k.t.localeCompare(l.t, "en", { numeric: true }) :
		    k.n - l.n));
		rows[0].parentNode.append(...keys.map(k => k.r));
	};
	const tell = view(table.parentNode, state =>
	    sort(heads[parseInt(state)], /d/.test(state)));
	heads.forEach((th, i) => {
		const b = document.createElement("button");
		b.append(...th.childNodes);
		th.append(b);
		b.onclick = () => {
			sort(th, th.ariaSort && th.ariaSort === "ascending");
			tell(i + th.ariaSort[0]);
		};
	});
	if (rows.length > 15)
		box(table.parentNode, "Filter", words => {
			const kept = rows.filter(r => !(r.hidden =
			    !r.textContent.toLowerCase().includes(words)));
			return words && `${kept.length} of ${rows.length} rows`;
		});
}

for (const figure of all("figure"))
	figure.tabIndex = 0;	/* a narrow screen scrolls it */

/* What keys and buttons show: from and to, as parts of what is seen. */
const KEYS = { "+": [.25, .75, "zoom in"], "-": [-.5, 1.5, "zoom out"],
    Escape: [-1e4, 1e4, "whole"], ArrowLeft: [-.5, .5, "left"],
    ArrowRight: [.5, 1.5, "right"] };
/* A picture whose SHAPES between x0 and x1 stretch; its LABELS, of what goes
 * from x to r, do not. */
const pane = (pic, shapes, labels, x0, x1, height, seen) => {
	const plot = svg("svg", { x: x0, width: x1 - x0, height,
	    preserveAspectRatio: "none", viewBox: [x0, 0, x1 - x0, height] });
	const figure = pic.parentNode;
	let a = x0, w = x1 - x0;
	const see = (from, to) => {
		w = min(x1 - x0, max(to - from, .3));
		a = min(max(from, x0), x1 - w);
		const k = (x1 - x0) / w, place = x => x0 + (x - a) * k;
		set(plot, { viewBox: [a, 0, w, height] });
		for (const { e, x, r, name } of labels) {
			const p = max(a, x), q = min(a + w, r), room = (q - p) * k - 6;
			const at = name ? place(p) + 3 : place((p + q) / 2);
			set(e, { x: at, cx: at });
			e.style.display = q < p || name && room < 30 ? "none" : "";
			if (!name)
				continue;
			e.textContent = name;
			const n = room / e.getComputedTextLength() * name.length;
			if (n < name.length)
				e.textContent = name.slice(0, n - 2) + "\u2026";
		}
		seen?.(place, a, a + w);
		tell(k > 1 && a + " " + (a + w));
	};
	const tell = view(figure, state => see(...state.split(" ").map(Number)));
	const press = (e, key) => {
		const [f, t] = KEYS[key] || [];
		if (t) {
			see(a + w * f, a + w * t);
			e.preventDefault();
		}
	};
	plot.append(...shapes);
	pic.prepend(plot);
	pic.append(...labels.map(l => l.e));
	tool(pic, Object.keys(KEYS).map(k => `<button value="${k}">${
	    KEYS[k][2]}</button>`).join("")).onclick = e => press(e, e.target.value);
	figure.onkeydown = e => press(e, e.key);
	return { plot, see, is: f => f.x < a + w - .1 && f.r > a + .1 };
};

for (const pic of all(".flame svg")) {
	const frames = all("rect > title, g > title", pic).map(title => {
		const p = title.parentNode, rect = p.querySelector("rect") || p;
		const x = num(rect, "x"), y = num(rect, "y"), name = title.textContent;
		const e = p.querySelector("text") || svg("text", { y: y + 11.5 });
		set(rect, { role: "treeitem", "aria-label": name, tabindex: -1 });
		return rect.frame = { rect, e, x, y, r: x + num(rect, "width"), name };
	}).sort((f, g) => f.y - g.y || f.x - g.x), root = frames[0];
	const { see, is } = pane(pic, all("g", pic), frames, root.x, root.r,
	    frames.at(-1).y + 16);
	let now = root;
	const go = f => {
		set(now.rect, { tabindex: -1 });
		set(f.rect, { tabindex: 0 }).focus();
		now = f;
	};
	const zoom = f => {
		if (f) {
			see(f.x, f.r);
			go(f);
		}
	};
	set(pic, { role: "tree" });
	set(root.rect, { tabindex: 0 });
	for (const f of frames)
		f.up = frames.find(g => g.y === f.y - 16 && g.x < f.x + .2 &&
		    g.r > f.r - .7);
	pic.onclick = e => zoom(e.target.frame);
	pic.onkeydown = e => {
		const row = frames.filter(g => g.y === now.y && is(g));
		const i = row.indexOf(now), to = { ArrowUp: now.up,
		    ArrowDown: frames.find(g => g.up === now && is(g)),
		    ArrowLeft: row[i - 1] || now, ArrowRight: row[i + 1] || now
		}[e.key];
		if (e.key === "Enter")
			zoom(now);
		if (to) {
			go(to);
			e.preventDefault();
			e.stopPropagation();
		}
	};
	box(pic.parentNode, "Search", words => {
		let n = 0, w = 0;
		for (const f of frames) {
			const hit = words && f.name.toLowerCase().includes(words);
			f.rect.classList.toggle("hit", !!hit);
			n += !!hit;
			w += hit && !f.up?.hit ? f.r - f.x : 0;
			f.hit = hit || f.up?.hit;
		}
		w *= 100 / (root.r - root.x);
		return words && `${n} frames, ${w.toFixed(1)} %`;
	});
}

for (const pic of all(":is(.timeline, .memory, .compare) svg")) {
	const parts = all("rect, path, circle, text", pic).map(e => {
		const [, x, y, end] = /(?:x="|d="M)(\S+?)"? (?:c?y=")?([\d.]+)(?:L(\S+) \2")?/
		    .exec(e.outerHTML).map(Number);
		return { e, x, y, end, r: x + num(e, "width"),
		    mid: e.matches("circle, [text-anchor=middle]") };
	});
	const { x: x0, y, end: x1 } = parts.filter(p => p.end).pop() || {};
	const ticks = parts.filter(p => p.y === y && !p.end);
	const words = parts.filter(p => p.y > y && p.mid).map(p => p.e);
	if (!words[1])
		continue;
	const t = i => number(words.at(i).textContent);
	const scale = (t(-1) - t(0)) / (ticks.at(-1).x - ticks[0].x);
	const zero = t(0) - ticks[0].x * scale, axis = svg("g");
	axis.append(...ticks.map(p => p.e), ...words);
	pic.append(axis);
	const inside = parts.filter(p => p.y <= y && p.x >= x0 && p.x <= x1 &&
	    !ticks.includes(p));
	const shapes = inside.filter(p => p.e.matches("rect, path"));
	const labels = inside.filter(p => p.mid);
	/* that of a band stays in the middle of what is seen of it */
	for (const l of labels)
		Object.assign(l, shapes.find(q => q.r > q.x && q.e.textContent &&
		    abs(q.x + q.r - 2 * l.x) < .5), { e: l.e });
	const { plot, see } = pane(pic, shapes.map(p => p.e), labels, x0, x1,
	    y + 1, (place, a, b) => {
		const end = zero + b * scale, least = (b - a) * scale / 9;
		const ten = 10 ** ceil(log10(least) - 1);
		const step = ten * [1, 2, 5, 10].find(f => f * ten >= least);
		const unit = ["s", "ms", "us", "ns"].find(u => end >= UNITS[u]);
		const size = UNITS[unit], digits = max(0, ceil(log10(size / step)));
		let i = ceil((zero + a * scale) / step), html = "";
		for (; i * step <= end; i++) {
			const x = place((i * step - zero) / scale);
			html += `<path stroke="currentColor" d="M${x} ${y}v4"/>
			    <text text-anchor="middle" x="${x}" y="${y + 15}">${
			    (i * step / size).toFixed(digits)} ${unit}</text>`;
		}
		axis.innerHTML = html;
	});
	const area = svg("rect", { height: y, "fill-opacity": .2 });
	const at = e => new DOMPoint(e.clientX).matrixTransform(
	    plot.getScreenCTM().inverse()).x;
	let from;
	pic.ondblclick = () => see(x0, x1);
	pic.onpointerdown = e => {
		if (e.pointerType === "touch")
			return;
		from = at(e);
		plot.append(area);
		pic.setPointerCapture(e.pointerId);
		pic.onpointermove(e);
	};
	pic.onpointermove = e => from && set(area, { x: min(from, at(e)),
	    width: abs(at(e) - from) });
	pic.onpointerup = e => {
		const p = min(from, at(e)), q = max(from, at(e));
		if (area.getBoundingClientRect().width > 4)
			see(p, q);
		area.remove();
		from = 0;
	};
}

let shut;
const turn = () => shut.forEach(d => { d.open = !d.open; });
onbeforeprint = () => {
	shut = all("details:not([open])");
	turn();
};
onafterprint = turn;
onhashchange();
}
