/* What a report can do in a browser; put into its page as it is, 8192 bytes at
 * most.  It makes what it needs, so that nothing dead is shown without it. */
"use strict";
{
const { abs, ceil, floor, log10, max, min } = Math;
const all = (what, of = document) => [...of.querySelectorAll(what)];
const num = (e, k) => +e.getAttribute(k);
const set = (e, attributes) => {
	for (const k in attributes)
		e.setAttribute(k, attributes[k]);
	return e;
};
const svg = (name, attributes) => set(document.createElementNS(
    "http://www.w3.org/2000/svg", name), attributes);
/* What stands before E then; nothing of the page is ever part of HTML. */
const tool = (e, html) => {
	e.insertAdjacentHTML("beforebegin", `<div class="tool">${html}</div>`);
	return e.previousSibling;
};

/* What can be seen in more than one way: "#~PLACE=STATE" links to one. */
const views = [];
const view = (e, see) => {
	const at = views.push({ e, see }) - 1;
	return state => {
		try {
			history.replaceState(0, "", state ? `#~${at}=` +
			    encodeURIComponent(state) : "#");
		} catch { /* a frame without an address */ }
	};
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
	const m = /^([+-]?\d[\d,]*(\.\d+)?(e[+-]?\d+)?)x?(?![\w.:-])( ([a-z]+))?/i
	    .exec(text), p = m && /^([KMGT])(i?)(B|FLOP)$/.exec(m[5]);
	return m && m[1].replace(/,/g, "") * (p ? (p[2] ? 1024 : 1e3) **
	    " KMGT".indexOf(p[1]) : UNITS[m[5]] || 1);
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

/* What keys and buttons show: a part of what is seen, from and to. */
const KEYS = { "+": [.25, .75], "-": [-.5, 1.5], Escape: [-1e4, 1e4],
    ArrowLeft: [-.5, .5], ArrowRight: [.5, 1.5] };
const BUTTONS = `<button value="+">zoom in</button>
<button value="-">zoom out</button><button value="Escape">whole</button>
<button value="ArrowLeft">left</button>
<button value="ArrowRight">right</button>`;
/* A picture whose SHAPES between x0 and x1 stretch; its LABELS, each of what
 * goes from x to r, do not: those with a name are cut to it. */
const pane = (picture, shapes, labels, x0, x1, height, seen) => {
	const plot = svg("svg", { x: x0, width: x1 - x0, height,
	    preserveAspectRatio: "none" });
	let a = x0, w = x1 - x0;
	const stretch = () => set(plot, { viewBox: [a, 0, w, height] });
	const see = (from, to) => {
		w = min(x1 - x0, max(to - from, .3));
		a = min(max(from, x0), x1 - w);
		const k = (x1 - x0) / w, place = x => x0 + (x - a) * k;
		stretch();
		for (const { e, x, r, words, name } of labels) {
			const p = max(a, x), q = min(a + w, r), room = (q - p) * k - 6;
			const at = name ? place(p) + 3 : place((p + q) / 2);
			set(e, { x: at, cx: at });
			e.style.display = q < p || name && k > 1 && room < 30 ?
			    "none" : "";
			if (!name)
				continue;
			e.textContent = k > 1 ? name : words;
			const n = room / e.getComputedTextLength() * name.length;
			if (k > 1 && n < name.length)
				e.textContent = name.slice(0, n - 1) + "\u2026";
		}
		seen?.(a, w, place);
		tell(k > 1 ? `${a} ${a + w}` : "");
	};
	const figure = picture.parentNode;
	const tell = view(figure, state => see(...state.split(" ").map(Number)));
	const part = (f, t) => see(a + w * f, a + w * t);
	const press = (e, key) => {
		if (KEYS[key]) {
			part(...KEYS[key]);
			e.preventDefault();
		}
	};
	stretch();
	plot.append(...shapes);
	picture.prepend(plot);
	picture.append(...labels.map(l => l.e));
	tool(picture, BUTTONS).onclick = e => press(e, e.target.value);
	figure.onkeydown = e => press(e, e.key);
	return { see, part, is: f => f.x < a + w - .1 && f.r > a + .1 };
};

for (const picture of all(".flame svg")) {
	const frames = all("rect > title, g > title", picture).map(title => {
		const p = title.parentNode, rect = p.querySelector("rect") || p;
		const x = num(rect, "x"), y = num(rect, "y"), name = title.textContent;
		const e = p.querySelector("text") || svg("text", { y: y + 11.5 });
		set(rect, { role: "treeitem", "aria-label": name, tabindex: -1 });
		return { rect, e, x, y, r: x + num(rect, "width"), name,
		    words: e.textContent };
	}).sort((f, g) => f.y - g.y || f.x - g.x), root = frames[0];
	const { see, is } = pane(picture, all("g", picture), frames, root.x,
	    root.r, frames.at(-1).y + 16);
	const go = f => {
		frames.forEach(g => set(g.rect, { tabindex: g === f ? 0 : -1 }));
		f.rect.focus();
	};
	const of = e => frames.find(f => f.rect === e.target);
	const zoom = f => {
		see(f.x, f.r);
		go(f);
	};
	set(picture, { role: "tree" });
	set(root.rect, { tabindex: 0 });
	for (const f of frames)
		f.up = frames.find(g => g.y === f.y - 16 && g.x < f.x + .2 &&
		    g.r > f.r - .7);
	picture.onclick = e => of(e) && zoom(of(e));
	picture.onkeydown = e => {
		const f = of(e), row = frames.filter(g => g.y === f.y && is(g));
		const i = row.indexOf(f), to = { ArrowUp: f.up,
		    ArrowDown: frames.find(g => g.up === f && is(g)),
		    ArrowLeft: row[i - 1] || f, ArrowRight: row[i + 1] || f
		}[e.key];
		if (e.key === "Enter")
			zoom(f);
		if (to) {
			go(to);
			e.preventDefault();
			e.stopPropagation();
		}
	};
	box(picture.parentNode, "Search", words => {
		let n = 0, w = 0;
		for (const f of frames) {
			const hit = words && f.name.toLowerCase().includes(words);
			f.rect.classList.toggle("hit", !!hit);
			n += !!hit;
			w += hit && !f.up?.hit ? f.r - f.x : 0;
			f.hit = hit || f.up?.hit;
		}
		return words && `${n} frames, ${(100 * w / (root.r - root.x))
		    .toFixed(1)} %`;
	});
}

for (const picture of all(":is(.timeline, .memory, .compare) svg")) {
	const parts = all("rect, path, circle, text", picture).map(e => {
		const d = e.getAttribute("d") || `M${num(e, "x") + num(e, "cx")} ${
		    num(e, "y") + num(e, "cy")}`;
		const [, x, y, end] = /^M(\S+) ([\d.]+)(?:L(\S+) \2$)?/.exec(d)
		    .map(Number);
		return { e, x, y, end, r: x + num(e, "width") };
	});
	const axis = parts.filter(p => p.end).pop();
	const { x: x0, y, end: x1 } = axis || {};
	const ticks = parts.filter(p => p.y === y && !p.end);
	const words = parts.filter(p => p.y > y && p.e.matches("[text-anchor=middle]"));
	const times = words.map(p => number(p.e.textContent)), n = times.length - 1;
	if (!(n > 0))
		continue;
	const scale = (times[n] - times[0]) / (ticks[n].x - ticks[0].x);
	const inside = parts.filter(p => p.y <= y && p.x >= x0 && p.x <= x1 &&
	    !ticks.includes(p));
	const shapes = inside.filter(p => /rect|path/.test(p.e.tagName));
	const labels = inside.filter(p => p.e.matches("circle, [text-anchor=middle]"));
	for (const l of labels)
		Object.assign(l, shapes.find(q => q.r > q.x && q.e.textContent &&
		    abs(q.x + q.r - 2 * l.x) < .5), { e: l.e });
	let made = [...ticks, ...words].map(p => p.e);
	const { part } = pane(picture, shapes.map(p => p.e), labels, x0, x1, y + 1,
	    (a, w, place) => {
		const from = times[0] + (a - ticks[0].x) * scale, to = from + w * scale;
		const least = (to - from) / 9, ten = 10 ** floor(log10(least));
		const step = [1, 2, 5, 10].map(f => f * ten).find(f => f >= least);
		const unit = ["s", "ms", "us"].find(u => to >= UNITS[u]) || "ns";
		made.forEach(e => e.remove());
		made = [];
		for (let i = ceil(from / step); i * step <= to; i++) {
			const x = place(a + (i * step - from) / scale);
			const t = svg("text", { x, y: y + 15, "text-anchor": "middle" });
			t.textContent = (i * step / UNITS[unit]).toFixed(max(0,
			    ceil(log10(UNITS[unit] / step)))) + " " + unit;
			made.push(t, svg("path", { d: `M${x} ${y}v4`,
			    stroke: "currentColor" }));
		}
		picture.append(...made);
	});
	picture.ondblclick = () => part(-1e4, 1e4);
	picture.onpointerdown = e => {
		const at = f => {
			const r = picture.getBoundingClientRect();
			return min(1, max(0, ((f.clientX - r.x) / r.width *
			    num(picture, "width") - x0) / (x1 - x0)));
		};
		const p = at(e), area = svg("rect", { y: 20, height: y - 20,
		    "fill-opacity": .2 });
		if (e.pointerType === "touch")
			return;
		picture.append(area);
		picture.setPointerCapture(e.pointerId);
		picture.onpointermove = f => set(area, { width: abs(at(f) - p) *
		    (x1 - x0), x: x0 + min(p, at(f)) * (x1 - x0) });
		picture.onpointerup = f => {
			picture.onpointermove = picture.onpointerup = null;
			area.remove();
			if (abs(at(f) - p) > .005)
				part(min(p, at(f)), max(p, at(f)));
		};
	};
	picture.parentNode.tabIndex = 0;
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
