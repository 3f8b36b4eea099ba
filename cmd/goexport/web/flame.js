// SPDX-License-Identifier: Apache-2.0
// Where the time of a trace goes: spans of one name below the same callers are one box,
// as wide as their time together. Boxes too narrow to be seen are not drawn.

import { clean, el } from "./dom.js";
import { duration, hue, plural } from "./format.js";

const ROW = 22;
const LEAST = 0.15; // percent

function grow(trace, rows) {
	const root = { name: "", service: "", kids: new Map(), total: 0, count: 0, errors: 0, depth: -1, up: null };
	const boxes = new Map();
	for (const s of rows) { // a parent stands before its children
		const up = (s.up && !s.cycle && boxes.get(s.up)) || root;
		const service = trace.resources[s.resource]?.service || "";
		const key = service + "\0" + s.name;
		let box = up.kids.get(key);
		if (!box) {
			box = {
				name: s.name, service, kids: new Map(), total: 0, count: 0, errors: 0, first: s,
				depth: up.depth + 1, up,
			};
			up.kids.set(key, box);
		}
		box.total += s.duration;
		box.count++;
		box.errors += s.status === 2 ? 1 : 0;
		boxes.set(s, box);
	}
	for (const box of root.kids.values())
		root.total += box.total;
	return root;
}

// Children side by side; those that ran side by side may be longer than their parent together.
function place(box, left, width, out) {
	const inner = [...box.kids.values()].sort((a, b) => b.total - a.total);
	const sum = inner.reduce((n, k) => n + k.total, 0);
	const scale = width / Math.max(box.total, sum, 1);
	for (const kid of inner) {
		const w = kid.total * scale;
		if (w < LEAST)
			break;
		out.push({ box: kid, left, width: w });
		place(kid, left, w, out);
		left += w;
	}
}

export class Flame {
	constructor(pick) {
		this.pick = pick;
		this.node = el("div", { class: "flame", role: "group", "aria-label": "Flame view: time by caller" });
	}

	set(trace, rows) {
		this.root = grow(trace, rows);
		this.draw(this.root);
	}

	draw(from) {
		const out = [];
		const around = [];
		for (let b = from; b && b !== this.root; b = b.up)
			around.unshift({ box: b, left: 0, width: 100 });
		out.push(...around);
		place(from, 0, 100, out);
		const deepest = out.reduce((n, o) => Math.max(n, o.box.depth), 0);
		const area = el("div", { class: "boxes" }, out.map((o) => this.box(o, from)));
		area.style.height = (deepest + 1) * ROW + "px";
		this.node.replaceChildren(
			el("p", { class: "note" }, "Width is time, summed by name below the same callers; choose a box to widen it.",
				from === this.root ? null : el("button", { type: "button", onclick: () => this.draw(this.root) }, "All")),
			area);
	}

	box({ box, left, width }, from) {
		const label = clean(box.name) + ", " + clean(box.service) + ": " + duration(box.total) +
			(box.count > 1 ? " in " + plural(box.count, "span") : "") + (box.errors ? ", " + box.errors + " failed" : "");
		const node = el("button", {
			type: "button", class: "box " + hue(box.service) + (box.errors ? " error" : "") + (box === from ? " current" : ""),
			title: label, "aria-label": label,
			onclick: () => {
				this.draw(box === from ? this.root : box);
				this.pick(box.first);
			},
		}, width > 3 ? el("bdi", {}, clean(box.name)) : "", width > 12 ? el("small", {}, duration(box.total)) : "");
		node.style.left = left + "%";
		node.style.width = width + "%";
		node.style.top = box.depth * ROW + "px";
		return node;
	}
}
