// SPDX-License-Identifier: Apache-2.0
// Requests by service and route: rates, errors, durations, a histogram.

import { clean, el, svg, throttle } from "./dom.js";
import { count, duration, hue, KINDS, rate } from "./format.js";
import * as feed from "./feed.js";
import { go, href, state } from "./state.js";

const COLUMNS = [
	["service", "Service", (r) => r.service],
	["name", "Route", (r) => r.name],
	["rate", "Req/s", (r) => r.rate],
	["spark", "Last minute", null],
	["errors", "Errors", (r, h) => (h.count ? h.errors / h.count : 0)],
	["p50", "p50", (r, h) => h.p50],
	["p95", "p95", (r, h) => h.p95],
	["p99", "p99", (r, h) => h.p99],
	["max", "Max", (r, h) => h.max],
	["count", "Count", (r, h) => h.count],
];

let data = null, failure = "";

function histogramOf(r) {
	return state().over === "recent" ? r.recent : r.all;
}

function id(r) {
	return r.service + " " + r.name + " " + KINDS[r.kind];
}

/** The last minute as bars, failures in red at the foot. */
function sparkline(r) {
	const max = Math.max(1, ...r.seconds);
	const node = svg("svg", { class: "spark", viewBox: "0 0 120 20", preserveAspectRatio: "none", "aria-hidden": "true" });
	r.seconds.forEach((n, i) => {
		if (n)
			node.append(svg("rect", { x: i * 2, y: 20 - (n / max) * 20, width: 1.6, height: (n / max) * 20 }));
		if (r.errors[i])
			node.append(svg("rect", { class: "error", x: i * 2, y: 20 - (r.errors[i] / max) * 20, width: 1.6, height: (r.errors[i] / max) * 20 }));
	});
	return node;
}

function sorted(routes, s) {
	const [key, up] = (s.by || "-rate").startsWith("-") ? [(s.by || "-rate").slice(1), false] : [s.by, true];
	const value = (COLUMNS.find((c) => c[0] === key && c[2]) || COLUMNS[2])[2];
	return [...routes].sort((a, b) => {
		const x = value(a, histogramOf(a)), y = value(b, histogramOf(b));
		const order = typeof x === "string" ? x.localeCompare(y) : x - y;
		return (up ? order : -order) || id(a).localeCompare(id(b));
	});
}

function headCell([key, title], s) {
	const by = s.by || "-rate";
	const now = by === key ? "ascending" : by === "-" + key ? "descending" : null;
	const next = by === "-" + key ? key : "-" + key;
	if (key === "spark")
		return el("th", { scope: "col", class: "c-spark" }, title);
	return el("th", { scope: "col", class: "c-" + key, "aria-sort": now },
		el("button", { type: "button", onclick: () => go({ by: next === "-rate" ? "" : next }, { replace: true }) },
			title, now ? (now === "ascending" ? " \u25b4" : " \u25be") : ""));
}

function row(r, s) {
	const h = histogramOf(r), chosen = s.pick === id(r);
	const share = h.count ? h.errors / h.count : 0;
	return el("tr", { class: (chosen ? "current" : "") + (h.errors ? " failed" : "") },
		el("td", { class: "c-service" }, el("i", { class: "dot " + hue(r.service) }), el("bdi", {}, clean(r.service))),
		el("td", { class: "c-name" }, el("button", {
			type: "button", class: "pick", "aria-expanded": String(chosen),
			onclick: () => go({ pick: chosen ? "" : id(r) }, { replace: true }),
		}, el("bdi", {}, clean(r.name)), el("small", {}, KINDS[r.kind]))),
		el("td", { class: "num c-rate" }, rate(r.rate)),
		el("td", { class: "c-spark" }, sparkline(r)),
		el("td", { class: "num c-errors" }, h.errors ? (share * 100).toFixed(share < 0.1 ? 1 : 0) + "%" : "\u2013"),
		["p50", "p95", "p99", "max"].map((q) => el("td", { class: "num c-" + q }, h.count ? duration(h[q]) : "\u2013")),
		el("td", { class: "num c-count" }, count(h.count)));
}

const FEWEST = 14, MOST = 36; // bars

/** Buckets joined so that there are some, but not too many; @each: buckets of one bar. */
function bars(h) {
	let first = h.buckets[0], last = h.buckets[h.buckets.length - 2], each = 1;
	while ((last - first) / each > MOST)
		each *= 2;
	const spare = Math.max(0, Math.ceil((FEWEST - (last - first) / each) / 2)) * each;
	first = Math.max(0, Math.floor((first - spare) / each));
	last = Math.min(Math.floor((data.bounds.length - 1) / each), Math.floor((last + spare) / each));
	const list = [];
	for (let i = first; i <= last; i++)
		list.push({ from: i ? data.bounds[i * each - 1] : 0, to: data.bounds[Math.min((i + 1) * each, data.bounds.length) - 1], n: 0 });
	for (let i = 0; i < h.buckets.length; i += 2)
		list[Math.floor(h.buckets[i] / each) - first].n += h.buckets[i + 1];
	return list;
}

/** Where a duration is among the bars: their number, and a fraction. */
function positionOf(ns, list) {
	const i = list.findIndex((b) => ns <= b.to);
	return i < 0 ? list.length : i + Math.max(0, (ns - list[i].from) / (list[i].to - list[i].from));
}

function histogram(r) {
	const h = histogramOf(r);
	if (!h.count)
		return el("p", { class: "note" }, "Nothing in the last minutes.");
	const list = bars(h), max = Math.max(...list.map((b) => b.n));
	const w = Math.max(300, Math.min(760, (node.clientWidth || 760) - 30)), step = w / list.length;
	const label = "Durations: half of " + count(h.count) + " requests under " + duration(h.p50) + ", 95 of 100 under " +
		duration(h.p95) + ", the longest " + duration(h.max);
	const every = Math.ceil(list.length / (w / 80));
	return el("figure", { class: "histogram" },
		svg("svg", { width: w, height: 190, viewBox: `0 0 ${w} 190`, role: "img", "aria-label": label },
			list.map((b, i) => svg("g", {},
				svg("title", {}, duration(b.from) + " to " + duration(b.to) + ": " + b.n),
				svg("rect", { class: "hit", x: i * step, y: 0, width: step, height: 170 }),
				svg("rect", { x: i * step + 1, y: 166 - (b.n / max) * 120, width: Math.max(1, step - 2), height: (b.n / max) * 120 + (b.n ? 1 : 0) }),
				i % every === 0 ? svg("text", { x: i * step, y: 184 }, duration(b.from)) : null)),
			svg("line", { class: "base", x1: 0, x2: w, y1: 167.5, y2: 167.5 }),
			["p50", "p95", "p99"].map((q, i) => {
				const x = positionOf(h[q], list) * step, flip = x > w - 90;
				return svg("g", { class: "quantile" },
					svg("line", { x1: x, x2: x, y1: 2 + i * 14, y2: 167 }),
					svg("text", { x: flip ? x - 4 : x + 4, y: 11 + i * 14, "text-anchor": flip ? "end" : "start" }, q + " " + duration(h[q])));
			})),
		el("figcaption", {}, label));
}

function picked(r) {
	return el("section", { class: "picked", "aria-label": "Route" },
		el("h2", {}, el("bdi", {}, clean(r.service)), " ", el("bdi", {}, clean(r.name))),
		el("p", { class: "actions" },
			r.slowest ? el("a", { href: href({ trace: r.slowest }, true) }, "Slowest of late") : null,
			r.failed ? el("a", { href: href({ trace: r.failed }, true) }, "Last that failed") : null,
			el("a", { href: href({ service: r.service, route: r.name.replace(/[*?]/g, "?") }, true) }, "Its traces")),
		histogram(r));
}

const node = el("section", { class: "routes", "aria-label": "Routes" });

function draw() {
	const s = state();
	const focus = document.activeElement?.closest?.("[data-focus]")?.dataset.focus;
	if (!data) {
		node.replaceChildren(el("p", { class: "note" }, failure || "Loading\u2026"));
		return;
	}
	const routes = sorted(data.routes, s);
	const chosen = routes.find((r) => id(r) === s.pick);
	const over = el("select", { id: "over", onchange: () => go({ over: over.value }, { replace: true }) },
		el("option", { value: "" }, "since the start"), el("option", { value: "recent" }, "the last minute or two"));
	over.value = s.over || "";
	node.replaceChildren(
		el("p", { class: "bar" }, el("label", {}, "Numbers of ", over), " ",
			el("span", { class: "note" }, "Req/s and the small bars: the last minute. ", failure)),
		el("div", { class: "tablebox" }, el("table", {},
			el("thead", {}, el("tr", {}, COLUMNS.map((c) => headCell(c, s)))),
			el("tbody", {}, routes.length ? routes.map((r) => row(r, s))
				: el("tr", {}, el("td", { colspan: "10", class: "note" }, "No requests yet."))))),
		chosen ? picked(chosen) : "");
	node.querySelectorAll("th button, .pick, select").forEach((b, i) => (b.dataset.focus = i));
	if (focus !== undefined)
		node.querySelector('[data-focus="' + focus + '"]')?.focus();
}

async function load() {
	try {
		data = await feed.get("routes");
		failure = "";
	} catch (e) {
		failure = e.message;
	}
	if ((state().view || "") === "routes")
		draw();
}
const loadSoon = throttle(load, 1500);
feed.on("status", () => state().view === "routes" && !state().trace && loadSoon());

export const view = {
	node,
	title: "Routes",
	show() {
		draw();
		loadSoon();
	},
	key() {
		return false;
	},
};
