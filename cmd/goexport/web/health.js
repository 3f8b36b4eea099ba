// SPDX-License-Identifier: Apache-2.0
// How the pipeline itself is: what was lost, what waits, what it costs.

import { clean, el, throttle } from "./dom.js";
import { bytes, count, duration } from "./format.js";
import * as feed from "./feed.js";
import { state } from "./state.js";

function card(title, ...children) {
	return el("section", { class: "card" }, el("h2", {}, title), children);
}

function facts(list) {
	return el("dl", { class: "facts" }, list.filter(Boolean).map(([k, v, bad]) =>
		el("div", { class: "pair" + (bad ? " bad" : "") }, el("dt", {}, k), el("dd", {}, v))));
}

function meter(value, max, label) {
	const node = el("meter", { min: "0", max: String(max), high: String(max * 0.9), "aria-label": label });
	node.value = value;
	return node;
}

function losses(d) {
	const dropped = d.sinks.flatMap((s) => Object.entries(s.dropped).map(([why, n]) => [s.kind + " " + s.target, why, n]));
	const all = [...d.lost.map((l) => [l.where, l.reason, l.count]), ...dropped];
	if (!all.length)
		return el("p", { class: "good" }, "\u2713 Nothing was lost.");
	return el("table", {}, el("thead", {}, el("tr", {}, ["Where", "Why", "Count"].map((t, i) => el("th", { scope: "col", class: i === 2 ? "num" : null }, t)))),
		el("tbody", {}, all.map(([where, why, n]) => el("tr", { class: "failed" },
			el("td", {}, el("bdi", {}, clean(where))), el("td", {}, el("bdi", {}, clean(why))), el("td", { class: "num" }, count(n))))));
}

function sinks(d) {
	return el("table", {}, el("thead", {}, el("tr", {}, ["Sink", "Arrived", "Waiting"].map((t, i) => el("th", { scope: "col", class: i ? "num" : null }, t)))),
		el("tbody", {}, d.sinks.map((s) => el("tr", {}, el("td", {}, el("bdi", {}, clean(s.kind + " " + s.target))),
			el("td", { class: "num" }, count(s.exported)),
			el("td", { class: "num" }, count(s.held), s.limit ? meter(s.held, s.limit, "queue") : null)))));
}

function counters(d) {
	if (!d.stats.length)
		return null;
	return card("Stages before", el("table", {}, el("tbody", {}, d.stats.map((s) => el("tr", {},
		el("td", {}, el("bdi", {}, clean(s.from))), el("td", {}, el("bdi", {}, clean(s.name))), el("td", { class: "num" }, count(s.value)))))));
}

function memory(m) {
	return card("Traces in memory", facts([
		["Memory", el("span", {}, bytes(m.bytes) + " of " + bytes(m.max) + " ", meter(m.bytes, m.max, "memory"))],
		["Traces", count(m.traces) + (m.failed_traces ? ", " + count(m.failed_traces) + " with errors" : "")],
		["Spans", count(m.spans) + " of " + count(m.received) + " received"],
		m.evicted_traces ? ["Made room", count(m.evicted_traces) + " old traces, " + count(m.evicted_spans) + " spans"] : null,
		m.cut_spans ? ["Not kept", count(m.cut_spans) + " spans of traces that are too long", true] : null,
		m.failed_spans ? ["No memory", count(m.failed_spans) + " spans", true] : null,
	]));
}

let before = null; // the answer before

/** What the programs of the pipeline use of the machine, since the last look. */
function overhead(d) {
	if (!d.stages.length)
		return null;
	const seconds = before ? (d.uptime_ms - before.uptime_ms) / 1000 : 0;
	const share = (s) => {
		const was = before?.stages.find((b) => b.pid === s.pid);
		return was && seconds > 0 ? (((s.cpu_seconds - was.cpu_seconds) * 100) / seconds).toFixed(1) + "%" : "";
	};
	const cpu = d.stages.reduce((n, s) => n + s.cpu_seconds, 0);
	return card("Overhead", el("table", {},
		el("thead", {}, el("tr", {}, ["Program", "CPU now", "CPU", "Memory"].map((t, i) => el("th", { scope: "col", class: i ? "num" : null }, t)))),
		el("tbody", {}, d.stages.map((s) => el("tr", {}, el("td", {}, s.name), el("td", { class: "num" }, share(s)),
			el("td", { class: "num" }, s.cpu_seconds.toFixed(2) + " s"), el("td", { class: "num" }, bytes(s.resident)))))),
	d.memory.received ? el("p", { class: "note" }, duration((cpu * 1e9) / d.memory.received) + " of CPU for each span, all together.") : null);
}

const node = el("section", { class: "health", "aria-label": "Health" });

async function load() {
	try {
		const d = await feed.get("health");
		if (state().view !== "health")
			return;
		node.replaceChildren(card("Lost on the way", losses(d)), memory(d.memory), card("Sinks", sinks(d)),
			card("goexport", facts([
				["Input", d.ended ? "has ended" : "open"],
				["Running for", duration(d.uptime_ms * 1e6)],
				["CPU", d.cpu_seconds.toFixed(2) + " s, " + ((d.cpu_seconds * 1e5) / Math.max(1, d.uptime_ms)).toFixed(1) + "%"],
				["Peak memory", bytes(d.peak_kib * 1024)],
				["Pages open", String(d.pages)],
				d.filter ? ["Filter", clean(d.filter)] : null,
				["Version", d.version],
			])), overhead(d) || "", counters(d) || "");
		before = d;
	} catch (e) {
		node.replaceChildren(el("p", { class: "note wrong" }, e.message));
	}
}
const loadSoon = throttle(load, 1000);
feed.on("status", () => state().view === "health" && !state().trace && loadSoon());

export const view = {
	node,
	title: "Health",
	show: load,
	key() {
		return false;
	},
};
