// SPDX-License-Identifier: Apache-2.0
// A line of the waterfall: a span's place in the tree, its name, its bar.

import { clean, el } from "./dom.js";
import { count, duration, hue, KINDS } from "./format.js";

const HOPS = {
	goroutine: ["\u2197", "handed to another goroutine"],
	context: ["\u2283", "found by its context"],
	remote: ["\u21c9", "called over the network"],
};

function hop(s) {
	if (!s.parent)
		return null;
	const [sign, words] = HOPS[s.from] || (s.hop ? ["\u2192", "on another goroutine or process"] : [null]);
	if (!sign)
		return null;
	return el("span", { class: "hop", role: "img", title: "Parent: " + words, "aria-label": words }, sign);
}

/** What is odd about a span, in a few words each. */
export function oddities(s) {
	const list = [];
	if (s.orphan)
		list.push("parent missing");
	if (s.cycle)
		list.push("parents in a ring");
	if (s.skew)
		list.push("clock " + (s.skew > 0 ? "+" : "\u2212") + duration(Math.abs(s.skew)));
	if (s.incomplete)
		list.push("unfinished");
	return list;
}

function twisty(s, view) {
	if (!s.down.length)
		return el("span", { class: "twisty" });
	const closed = view.closed.has(s.id);
	return el("button", {
		class: "twisty", type: "button", tabindex: "-1",
		"aria-label": (closed ? "Expand" : "Collapse") + " " + clean(s.name),
		onclick: () => view.toggle(s),
	}, closed ? "\u25b8" : "\u25be");
}

/** Beside the bar where there is room, else on it. */
function placeText(text, left, right) {
	if (right <= 86 || (left <= 60 && right < 100 - 14)) {
		text.style.left = right + "%";
	} else if (left > 14) {
		text.style.right = 100 - left + "%";
	} else {
		text.classList.add("inside");
		text.style.right = 100 - right + "%";
	}
}

function lane(s, service, scale) {
	const bar = el("i", { class: "bar " + hue(service) + (s.status === 2 ? " error" : "") });
	const text = el("span", { class: "bartext" }, duration(s.duration));
	const from = scale.place(s.begin), to = scale.place(s.begin + s.duration);
	const left = Math.max(0, Math.min(100, from)), right = Math.max(0, Math.min(100, to));
	bar.style.left = left + "%";
	bar.style.width = right - left + "%";
	if (from > 100 || to < 0)
		bar.classList.add("out");
	placeText(text, left, right);
	const gaps = scale.gaps.map((g) => {
		const strip = el("i", { class: "gap" });
		strip.style.left = g.left + "%";
		strip.style.width = g.width + "%";
		return strip;
	});
	return el("span", { class: "lane" }, gaps, bar, text);
}

function label(s, service, view) {
	const node = el("span", { class: "label" },
		twisty(s, view), hop(s), el("i", { class: "dot " + hue(service) }),
		el("bdi", { class: "svcname" }, clean(service)),
		el("bdi", { class: "name" }, clean(s.name)),
		s.target ? el("bdi", { class: "target" }, clean(s.target)) : null,
		oddities(s).map((text) => el("span", { class: "mark" }, text)),
		view.closed.has(s.id) ? el("span", { class: "mark" }, "+" + count(s.last - s.row)) : null,
		s.status === 2 ? el("span", { class: "code error" }, s.code >= 400 ? String(s.code) : "error") : null);
	node.style.paddingLeft = Math.min(s.depth, 24) * (view.narrow ? 8 : 14) + "px";
	return node;
}

/**
 * The element of a span. @view: trace, scale, closed (ids of spans whose children are
 * hidden), narrow, found (those that a search found, or null), toggle(span).
 */
export function spanRow(s, view) {
	const service = view.trace.resources[s.resource]?.service || "";
	const out = view.found && !view.found.has(s);
	return el("div", {
		class: "row span" + (s.status === 2 ? " failed" : "") + (out ? " notfound" : ""), role: "treeitem",
		"aria-level": s.depth + 1,
		"aria-expanded": s.down.length ? String(!view.closed.has(s.id)) : null,
		"aria-label": [clean(service), clean(s.name), KINDS[s.kind] || "", duration(s.duration) + " after " + duration(s.begin),
			s.status === 2 ? "failed" : "", ...oddities(s)].filter(Boolean).join(", "),
	}, label(s, service, view), lane(s, service, view.scale));
}
