// SPDX-License-Identifier: Apache-2.0
// All that is known of one span.

import { breakable, clean, cleanBlock, copyButton, el } from "./dom.js";
import { dateTime, duration } from "./format.js";
import { go, href } from "./state.js";

function text(value) {
	return typeof value === "string" ? value : JSON.stringify(value);
}

function pair(key, value) {
	const full = text(value);
	return el("div", { class: "pair" },
		el("dt", {}, el("bdi", {}, breakable(key))),
		el("dd", {}, el("span", { class: "value" }, cleanBlock(full)), copyButton(full, clean(key))));
}

function pairs(title, list, open) {
	if (!list.length)
		return null;
	return el("details", { open }, el("summary", {}, title, el("span", { class: "n" }, String(list.length))),
		el("dl", {}, list.map(([key, value]) => pair(key, value))));
}

const FOUND = {
	stack: "by the call stack", goroutine: "by the goroutine that started this one",
	context: "by its context", remote: "by the request's traceparent", none: "",
};

function facts(span, row) {
	const parent = span.parent_id
		? el("span", {}, el("a", { href: href({ span: span.parent_id }) }, span.parent_id),
			" ", FOUND[span.parent_from] ?? clean(span.parent_from))
		: "none: it began the trace";
	const took = Number(BigInt(span.end) - BigInt(span.start));
	const list = [
		["Duration", duration(took) + (row && row.down.length ? " (" + duration(row.self) + " of its own)" : "")],
		["Start", el("span", { title: dateTime(span.start).utc }, dateTime(span.start).local + (row ? " (+" + duration(row.begin) + ")" : ""))],
		["Kind", span.kind],
		["Parent", parent],
	];
	if (span.pid !== undefined)
		list.push(["Process", span.pid + (span.goid ? ", goroutine " + span.goid : "")]);
	if (span.scope)
		list.push(["Scope", clean(span.scope)]);
	if (row?.skew)
		list.push(["Clock", "drawn " + duration(Math.abs(row.skew)) + (row.skew > 0 ? " later" : " earlier") +
			" than it says: the clocks of two hosts differ"]);
	if (span.trace_state)
		list.push(["tracestate", clean(span.trace_state)]);
	if (span.incomplete)
		list.push(["Unfinished", "its end was not seen"]);
	return el("dl", { class: "facts" }, list.map(([k, v]) =>
		el("div", { class: "pair" }, el("dt", {}, k), el("dd", {}, v))));
}

function links(span) {
	if (!span.links.length)
		return null;
	return el("details", { open: true }, el("summary", {}, "Links"),
		el("ul", {}, span.links.map((l) => el("li", {},
			el("a", { href: href({ trace: l.trace_id, span: l.span_id }, true) }, l.trace_id)))));
}

/** Elements for the side of a trace. @row: the span in the tree; @zoom: shows it alone. */
export function details(span, row, zoom) {
	return [
		el("header", {},
			el("h2", {}, el("bdi", {}, clean(span.name))),
			el("button", { type: "button", class: "close", "aria-label": "Close", onclick: () => go({ span: "" }) }, "\u2715")),
		span.status === "error"
			? el("p", { class: "failure", role: "note" }, "Failed", span.status_message ? ": " + cleanBlock(span.status_message) : "")
			: null,
		facts(span, row),
		el("p", { class: "actions" },
			el("button", { type: "button", onclick: zoom, "aria-keyshortcuts": "z" }, "Zoom"),
			el("span", { class: "id" }, "span ", el("code", {}, span.span_id), copyButton(span.span_id, "span id")),
			el("span", { class: "id" }, "as JSON", copyButton(JSON.stringify(span, null, 2), "span as JSON"))),
		pairs("Attributes", span.attributes, true),
		span.dropped ? el("p", { class: "note" }, span.dropped + " attributes were not kept") : null,
		links(span),
		pairs("Resource", span.resource, false),
	].filter(Boolean);
}
