// SPDX-License-Identifier: Apache-2.0
// The service graph: who calls whom, from left to right.

import { clean, el, svg, throttle } from "./dom.js";
import { count, duration, hue, plural } from "./format.js";
import * as feed from "./feed.js";
import { go, state } from "./state.js";

const W = 150, H = 46, GAP_X = 140, GAP_Y = 24;
const narrow = matchMedia("(max-width: 700px)");

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

/** Those that neither call nor are called stand below the others, side by side. */
function placeAlone(alone, place, below, width) {
	const across = Math.max(1, Math.floor(width / (W + 20)));
	alone.forEach((i, k) => (place[i] = { x: 10 + (k % across) * (W + 20), y: below + Math.floor(k / across) * (H + GAP_Y) }));
	return alone.length ? below + Math.ceil(alone.length / across) * (H + GAP_Y) : below;
}

function layout(nodes, edges) {
	reached.clear();
	const column = columns(nodes, edges), filled = [], place = [];
	const joined = nodes.map((n, i) => edges.some((e) => e.from === i || e.to === i));
	const order = [...nodes.keys()].sort((a, b) => column[a] - column[b] || nodes[b].spans - nodes[a].spans);
	for (const i of order.filter((n) => joined[n])) {
		const c = column[i];
		filled[c] = (filled[c] || 0) + 1;
		place[i] = { x: 10 + c * (W + GAP_X), y: 10 + (filled[c] - 1) * (H + GAP_Y) };
	}
	const tallest = Math.max(0, ...filled.map((n) => n || 0));
	for (const i of order.filter((n) => joined[n])) // columns centred
		place[i].y += ((tallest - filled[column[i]]) * (H + GAP_Y)) / 2;
	const wide = filled.length ? 20 + filled.length * (W + GAP_X) - GAP_X : 0;
	const width = Math.max(wide, Math.min(10 + nodes.length * (W + 20), (node.clientWidth || 800) - 30), W + 20);
	const height = placeAlone(order.filter((n) => !joined[n]), place, 10 + tallest * (H + GAP_Y), width);
	return { place, width, height: height + 10 };
}

/** Where each call leaves its caller and arrives: one below the other, in the order of the other end. */
function ports(edges, place) {
	const of = edges.map(() => ({}));
	for (const [mine, other, key] of [["from", "to", "out"], ["to", "from", "in"]]) {
		const at = new Map();
		edges.forEach((e, i) => e.from !== e.to && (at.get(e[mine]) || at.set(e[mine], []).get(e[mine])).push(i));
		for (const [n, list] of at) {
			list.sort((a, b) => place[edges[a][other]].y - place[edges[b][other]].y);
			list.forEach((i, k) => (of[i][key] = place[n].y + (H * (k + 1)) / (list.length + 1)));
		}
	}
	return of;
}

/** Where words can stand on a curve: from its middle on to its ends. */
function spots(x1, x2, bend, port) {
	return [0.5, 0.38, 0.62, 0.28, 0.72].map((t) => {
		const u = 1 - t;
		return {
			x: u * u * u * x1 + 3 * u * u * t * (x1 + bend) + 3 * u * t * t * (x2 - bend) + t * t * t * x2,
			y: port.out + (port.in - port.out) * t * t * (3 - 2 * t),
		};
	});
}

/** The first of @spots where no other words are; the middle if there is none. */
function free(spots, taken) {
	const spot = spots.find((s) => !taken.some((o) => Math.abs(o.x - s.x) < 76 && Math.abs(o.y - s.y) < 13)) || spots[0];
	taken.push(spot);
	return spot;
}

/** The curve of a call, and where its words may stand. */
function curve(a, b, port) {
	const onward = b.x > a.x;
	const x1 = a.x + W, x2 = onward ? b.x - 6 : b.x + W + 6;
	const bend = Math.max(40, Math.abs(x2 - x1) / 2);
	return {
		path: `M${x1},${port.out} C${x1 + bend},${port.out} ${onward ? x2 - bend : x2 + bend},${port.in} ${x2},${port.in}`,
		spots: onward ? spots(x1, x2, bend, port)
			: [{ x: Math.max(x1, x2) + bend * 0.75, y: (port.out + port.in) / 2 }],
	};
}

function loop(a) {
	return {
		path: `M${a.x + W * 0.6},${a.y} C${a.x + W * 0.6},${a.y - 26} ${a.x + W * 0.9},${a.y - 26} ${a.x + W * 0.9},${a.y}`,
		spots: [{ x: a.x + W * 0.75, y: a.y - 14 }],
	};
}

function edge(e, nodes, place, port, most, taken) {
	const words = clean(nodes[e.from].name) + " calls " + clean(nodes[e.to].name) + ": " + plural(e.count, "time") +
		", " + duration(e.mean) + " each" + (e.errors ? ", " + e.errors + " failed" : "");
	const way = e.from === e.to ? loop(place[e.from]) : curve(place[e.from], place[e.to], port);
	const at = free(way.spots, taken);
	return svg("g", { class: "edge" + (e.errors ? " failed" : ""), role: "img", "aria-label": words }, svg("title", {}, words),
		svg("path", {
			d: way.path, "marker-end": "url(#arrow)", "stroke-width": (1 + 2 * Math.sqrt(e.count / most)).toFixed(1),
		}),
		svg("text", { x: at.x, y: at.y - 5, "text-anchor": "middle", class: "small" },
			count(e.count) + " \u00b7 " + duration(e.mean)));
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
	const port = ports(edges, place), most = Math.max(1, ...edges.map((e) => e.count)), taken = [];
	return svg("svg", { class: "graph", width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": "Service graph" },
		svg("defs", {}, svg("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 6, refY: 4, markerWidth: 9, markerHeight: 9, markerUnits: "userSpaceOnUse", orient: "auto" },
			svg("path", { d: "M0,0 L8,4 L0,8 z" }))),
		edges.map((e, i) => edge(e, nodes, place, port[i], most, taken)), nodes.map((n, i) => box(n, place[i])));
}

function table(data) {
	return el("details", { open: narrow.matches }, el("summary", {}, "The same as a table"),
		el("div", { class: "tablebox" }, el("table", {},
			el("thead", {}, el("tr", {}, ["From", "To", "Calls", "Failed", "Mean", "Max"].map((t, i) => el("th", { scope: "col", class: i > 1 ? "num" : null }, t)))),
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
