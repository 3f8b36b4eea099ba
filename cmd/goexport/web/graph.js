// SPDX-License-Identifier: Apache-2.0
// The service graph: who calls whom, from left to right.

import { clean, el, svg, throttle } from "./dom.js";
import { count, duration, hue, plural } from "./format.js";
import * as feed from "./feed.js";
import { go, state } from "./state.js";

const W = 150, H = 44, GAP_X = 90, GAP_Y = 22;

/** The column of each node: one more than its callers', where calls do not go round. */
function columns(nodes, edges) {
	const column = nodes.map(() => 0);
	for (let round = 0; round < nodes.length; round++) {
		let moved = false;
		for (const e of edges)
			if (e.from !== e.to && column[e.to] < column[e.from] + 1 && column[e.from] + 1 < nodes.length &&
			    !reaches(edges, e.to, e.from)) {
				column[e.to] = column[e.from] + 1;
				moved = true;
			}
		if (!moved)
			break;
	}
	return column;
}

const reached = new Map();
function reaches(edges, from, to) {
	const key = from + ">" + to;
	if (reached.has(key))
		return reached.get(key);
	const seen = new Set([from]), todo = [from];
	while (todo.length) {
		const n = todo.pop();
		for (const e of edges)
			if (e.from === n && !seen.has(e.to)) {
				seen.add(e.to);
				todo.push(e.to);
			}
	}
	reached.set(key, seen.has(to));
	return seen.has(to);
}

function layout(nodes, edges) {
	reached.clear();
	const column = columns(nodes, edges), filled = [];
	const order = nodes.map((n, i) => i).sort((a, b) => column[a] - column[b] || nodes[b].spans - nodes[a].spans);
	const place = [];
	for (const i of order) {
		const c = column[i];
		filled[c] = (filled[c] || 0) + 1;
		place[i] = { x: 10 + c * (W + GAP_X), y: 10 + (filled[c] - 1) * (H + GAP_Y) };
	}
	const tallest = Math.max(1, ...filled.map((n) => n || 0));
	for (const i of nodes.keys()) // columns centred
		place[i].y += ((tallest - filled[column[i]]) * (H + GAP_Y)) / 2;
	return {
		place, width: 20 + filled.length * (W + GAP_X) - GAP_X,
		height: 30 + tallest * (H + GAP_Y) - GAP_Y,
	};
}

function path(a, b, self) {
	if (self)
		return `M${a.x + W * 0.6},${a.y} C${a.x + W * 0.6},${a.y - 26} ${a.x + W * 0.9},${a.y - 26} ${a.x + W * 0.9},${a.y}`;
	const [x1, y1] = [a.x + W, a.y + H / 2], [x2, y2] = b.x > a.x ? [b.x - 5, b.y + H / 2] : [b.x + W + 5, b.y + H / 2];
	const bend = Math.max(30, Math.abs(x2 - x1) / 2);
	return `M${x1},${y1} C${x1 + bend},${y1} ${b.x > a.x ? x2 - bend : x2 + bend},${y2} ${x2},${y2}`;
}

function edge(e, nodes, place, most) {
	const [a, b] = [place[e.from], place[e.to]];
	const words = clean(nodes[e.from].name) + " calls " + clean(nodes[e.to].name) + ": " + plural(e.count, "time") +
		", " + duration(e.mean) + " each" + (e.errors ? ", " + e.errors + " failed" : "");
	const mid = { x: (a.x + W + b.x) / 2, y: (a.y + b.y + H) / 2 };
	return svg("g", { class: "edge" + (e.errors ? " failed" : "") }, svg("title", {}, words),
		svg("path", {
			d: path(a, b, e.from === e.to), "marker-end": "url(#arrow)",
			"stroke-width": (1 + 3 * Math.sqrt(e.count / most)).toFixed(1),
		}),
		e.from === e.to ? null : svg("text", { x: mid.x, y: mid.y - 5, "text-anchor": "middle" }, count(e.count)),
		e.from === e.to ? null : svg("text", { x: mid.x, y: mid.y + 9, "text-anchor": "middle", class: "small" }, duration(e.mean)));
}

function box(n, at) {
	const text = clean(n.name), short = text.length > 20 ? text.slice(0, 19) + "\u2026" : text;
	const facts = n.type === "service" ? plural(n.spans, "span") + (n.errors ? ", " + count(n.errors) + " failed" : "") : n.type;
	const open = () => n.type === "service" && go({ service: n.name }, { fresh: true });
	return svg("g", {
		class: "node " + n.type + (n.errors ? " failed" : ""), transform: `translate(${at.x},${at.y})`,
		tabindex: n.type === "service" ? "0" : null, role: n.type === "service" ? "link" : "img",
		"aria-label": text + ", " + facts, onclick: open, onkeydown: (e) => e.key === "Enter" && open(),
	},
	svg("title", {}, text + ", " + facts),
	svg("rect", { width: W, height: H, rx: 6 }),
	svg("rect", { class: "stripe " + (n.type === "service" ? hue(n.name) : ""), width: 5, height: H, rx: 2 }),
	svg("text", { x: 13, y: 18 }, short),
	svg("text", { x: 13, y: 34, class: "small" }, facts));
}

function picture(data) {
	const { nodes, edges } = data, { place, width, height } = layout(nodes, edges);
	const most = Math.max(1, ...edges.map((e) => e.count));
	return svg("svg", { class: "graph", width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": "Service graph" },
		svg("defs", {}, svg("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 6, refY: 4, markerWidth: 7, markerHeight: 7, markerUnits: "userSpaceOnUse", orient: "auto" },
			svg("path", { d: "M0,0 L8,4 L0,8 z" }))),
		edges.map((e) => edge(e, nodes, place, most)), nodes.map((n, i) => box(n, place[i])));
}

function table(data) {
	return el("details", {}, el("summary", {}, "The same as a table"),
		el("div", { class: "tablebox" }, el("table", {},
			el("thead", {}, el("tr", {}, ["From", "To", "Calls", "Failed", "Mean", "Max"].map((t) => el("th", { scope: "col" }, t)))),
			el("tbody", {}, data.edges.map((e) => el("tr", {},
				el("td", {}, el("bdi", {}, clean(data.nodes[e.from].name))), el("td", {}, el("bdi", {}, clean(data.nodes[e.to].name))),
				el("td", { class: "num" }, count(e.count)), el("td", { class: "num" }, count(e.errors)),
				el("td", { class: "num" }, duration(e.mean)), el("td", { class: "num" }, duration(e.max))))))));
}

const node = el("section", { class: "services", "aria-label": "Services" });
let shown = "";

async function load() {
	try {
		const data = await feed.get("graph"), now = JSON.stringify([data.nodes, data.edges]);
		if (now === shown || state().view !== "services" || node.contains(document.activeElement))
			return;
		shown = now;
		node.replaceChildren(
			el("p", { class: "note" }, data.nodes.length
				? "Of the newest " + plural(data.spans, "span") + " in " + plural(data.traces, "trace") + "; choose a service for its traces." +
					(data.left_out ? " " + count(data.left_out) + " calls are past what is drawn." : "")
				: "Nothing yet."),
			el("div", { class: "graphbox", tabindex: "0", role: "region", "aria-label": "Service graph" }, picture(data)), table(data));
	} catch (e) {
		node.replaceChildren(el("p", { class: "note wrong" }, e.message));
	}
}
const loadSoon = throttle(load, 2000);
feed.on("status", () => state().view === "services" && !state().trace && loadSoon());

export const view = {
	node,
	title: "Services",
	show: loadSoon,
	key() {
		return false;
	},
};
