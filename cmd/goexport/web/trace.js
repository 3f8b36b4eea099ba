// SPDX-License-Identifier: Apache-2.0
// One trace: waterfall or flame, and the details of a span.

import { clean, copyButton, el, throttle } from "./dom.js";
import { count, dateTime, duration, hue, plural } from "./format.js";
import { details } from "./details.js";
import { Flame } from "./flame.js";
import * as feed from "./feed.js";
import { Scale } from "./scale.js";
import { spanRow } from "./spanrow.js";
import { go, href, state } from "./state.js";
import { build, visible } from "./tree.js";
import { VirtualList } from "./virtual.js";

const narrow = matchMedia("(max-width: 700px)");

let trace = null, rows = [], closed = new Set(), scale = null;
let asked = "", cost = 0; // cost: milliseconds that the last load took

// --- rows ------------------------------------------------------------------------------

function toggle(s, open) {
	if (!s.down.length || open === !closed.has(s.id))
		return;
	if (closed.has(s.id))
		closed.delete(s.id);
	else
		closed.add(s.id);
	list.refresh();
	list.set(visible(rows, closed));
}

function arrows(e, s, i) {
	if (e.key === "ArrowRight" || e.key === "l") {
		if (closed.has(s.id))
			toggle(s, true);
		else if (s.down.length)
			list.select(i + 1);
	} else if (e.key === "ArrowLeft" || e.key === "h") {
		if (s.down.length && !closed.has(s.id))
			toggle(s, false);
		else if (s.up)
			list.select(list.items.indexOf(s.up));
	} else if (e.key === "z") {
		zoom(s);
	} else if (e.key === "e" || e.key === "E") {
		nextRow((r) => r.status === 2, e.key === "E");
	} else if ((e.key === "n" || e.key === "N") && found) {
		nextFound(e.key === "N");
	} else {
		return false;
	}
	return true;
}

const list = new VirtualList({
	role: "tree",
	label: "Spans of the trace",
	height: () => (narrow.matches ? 42 : 24),
	render: (s) => spanRow(s, { trace, scale, closed, found, narrow: narrow.matches, toggle }),
	key: (s) => s.id + (s.row || 0),
	open: (s) => go({ span: s.id }),
	current: (s) => go({ span: s.id }, { replace: true }),
	keydown: arrows,
});
narrow.addEventListener("change", () => list.refresh());

// --- find ------------------------------------------------------------------------------------

let found = null; // spans with the words that are looked for; null: none are
const find = el("input", {
	type: "search", class: "find", placeholder: "Find in this trace", "aria-label": "Find in this trace", "aria-keyshortcuts": "/",
	autocomplete: "off", spellcheck: "false",
	oninput: () => {
		search();
		list.refresh();
	},
	onkeydown: (e) => {
		if (e.key !== "Enter")
			return;
		e.preventDefault();
		nextFound(e.shiftKey);
	},
});
const hits = el("span", { class: "note", role: "status" });

function search() {
	const words = find.value.trim().toLowerCase();
	const has = (s) => [s.name, s.target, s.id, trace.resources[s.resource]?.service].some((t) => t?.toLowerCase().includes(words));
	found = words ? new Set(rows.filter(has)) : null;
	hits.textContent = found ? count(found.size) + " found" : "";
}

/** The next row, or the last one before, for which @wanted is true. */
function nextRow(wanted, back) {
	const n = list.items.length, step = back ? n - 1 : 1;
	for (let k = 1, i = (Math.max(list.at, back ? 0 : -1) + step) % n; k <= n; k++, i = (i + step) % n)
		if (wanted(list.items[i]))
			return list.select(i);
	return undefined;
}

function nextFound(back) {
	if (found)
		nextRow((s) => found.has(s), back);
}

const flame = new Flame((s) => go({ span: s.id }, { replace: true }));

// --- around them -------------------------------------------------------------------------

const head = el("header", { class: "tracehead" });
const axis = el("div", { class: "axis", "aria-hidden": "true" });
const side = el("aside", { class: "side", "aria-label": "Span" });
const body = el("div", { class: "tracebody" });
const node = el("section", { class: "onetrace", "aria-label": "Trace" }, head,
	el("div", { class: "split" }, body, side));

function ticks() {
	axis.replaceChildren(el("span", { class: "label" }),
		el("span", { class: "lane" }, scale.gaps.map((g) => {
			const strip = el("i", { class: "gap", title: duration(g.to - g.from) + " in which nothing ran" });
			strip.style.left = g.left + "%";
			strip.style.width = g.width + "%";
			return strip;
		}), [0, 25, 50, 75].map((percent) => {
			const tick = el("span", { class: "tick" }, scale.tick(percent));
			tick.style.left = percent + "%";
			return tick;
		})));
}

function isZoomed() {
	return scale.from !== 0 || scale.to !== Math.max(trace.length, 1);
}

function setScale(from, to) {
	scale = new Scale(rows, from, to);
	ticks();
	list.refresh();
}

function zoom(s) {
	const same = scale.from === s.begin && scale.to === s.begin + s.duration;
	if (same || !s.duration)
		setScale(0, trace.length);
	else
		setScale(s.begin, s.begin + s.duration);
	header(state());
}

function tab(name, mode, s) {
	return el("a", {
		href: href({ mode }), class: "tab", "aria-current": (s.mode || "") === mode ? "true" : null,
		"aria-keyshortcuts": "f",
	}, name);
}

function header(s) {
	const top = rows[0], typing = document.activeElement === find;
	const service = trace.resources[top?.resource]?.service || "";
	head.replaceChildren(
		el("a", { class: "back", href: href({ trace: "", span: "", mode: "" }), "aria-keyshortcuts": "Escape" }, "\u2190 Traces"),
		el("h1", {}, el("i", { class: "dot " + hue(service) }), el("bdi", { class: "svcname" }, clean(service)),
			" ", el("bdi", {}, clean(top ? top.name : "")),
			top?.target ? el("bdi", { class: "target" }, clean(top.target)) : null),
		el("p", { class: "facts" },
			el("b", {}, duration(trace.length)), " \u00b7 ", plural(trace.spans.length + trace.more, "span"),
			trace.more ? " (" + count(trace.more) + " not kept)" : "",
			trace.errors ? el("span", { class: "code error" }, " " + trace.errors + " failed") : "",
			" \u00b7 ", el("span", { title: dateTime(trace.first).utc }, dateTime(trace.first).local),
			scale.cut ? " \u00b7 " + duration(scale.cut) + " of idle time cut out" : "",
			el("span", { class: "id" }, " \u00b7 ", el("code", {}, trace.id), copyButton(trace.id, "trace id")),
			isZoomed() ? el("button", {
				type: "button", onclick: () => {
					setScale(0, trace.length);
					header(state());
				},
			}, "Whole trace") : null),
		s.mode === "flame" ? "" : el("span", { class: "finding" }, hits, find),
		el("nav", { class: "modes", "aria-label": "Form" }, tab("Waterfall", "", s), tab("Flame", "flame", s)));
	if (typing)
		find.focus();
}

function showMode(s) {
	if (s.mode === "flame") {
		body.replaceChildren(flame.node);
		flame.set(trace, rows);
	} else if (!body.contains(list.node)) {
		body.replaceChildren(axis, list.node);
		list.later();
	}
	header(s);
}

async function showSpan(s) {
	node.classList.toggle("with-side", Boolean(s.span));
	if (!s.span)
		return side.replaceChildren();
	const row = rows.find((r) => r.id === s.span);
	if (row) {
		for (let up = row.up, n = 0; up && n < rows.length; up = up.up, n++)
			toggle(up, true);
		const i = list.items.indexOf(row);
		if (i >= 0 && i !== list.at)
			list.select(i, { quiet: true });
	}
	if (side.dataset.span === s.trace + s.span && side.firstChild)
		return undefined;
	side.dataset.span = s.trace + s.span;
	try {
		const span = await feed.get("trace/" + s.trace + "/" + s.span);
		if (state().span === s.span)
			side.replaceChildren(...details(span, row, () => row && zoom(row)));
	} catch (e) {
		side.replaceChildren(el("p", { class: "note wrong" }, e.message));
	}
	return undefined;
}

function failed(message) {
	trace = null;
	head.replaceChildren(el("a", { class: "back", href: href({ trace: "", span: "", mode: "" }) }, "\u2190 Traces"),
		el("p", { class: "note wrong" }, "This trace is " + message + "."));
	body.replaceChildren();
	side.replaceChildren();
	node.classList.remove("with-side");
}

async function load(s) {
	const fresh = asked !== s.trace, began = performance.now();
	const zoomed = !fresh && scale && trace && isZoomed() ? [scale.from, scale.to] : null;
	asked = s.trace;
	try {
		const answer = await feed.get("trace/" + s.trace);
		if (asked !== s.trace)
			return;
		trace = answer;
	} catch (e) {
		if (asked === s.trace)
			failed(e.message);
		return;
	}
	if (fresh) {
		closed = new Set();
		body.replaceChildren();
	}
	rows = build(trace);
	search();
	setScale(...(zoomed || [0, trace.length]));
	list.set(visible(rows, closed));
	showMode(state());
	showSpan(state());
	if (fresh)
		list.node.focus({ preventScroll: true });
	cost = performance.now() - began;
}

// A trace of 100,000 spans that goes on is not all that the page does.
const loadAgain = throttle(() => state().trace && load(state()), () => Math.max(1000, 5 * cost));

feed.on("traces", (message) => {
	const id = state().trace;
	if (id && trace && message.traces.some((t) => t.id === id && t.changed > trace.changed))
		loadAgain();
});

export const view = {
	node,
	title: "Trace",
	show(s) {
		if (asked !== s.trace || !trace)
			return load(s);
		showMode(s);
		return showSpan(s);
	},
	hide() {
		asked = "";
		trace = found = null;
		find.value = hits.textContent = "";
	},
	key(e) {
		if (e.key === "Escape")
			go(state().span ? { span: "" } : { trace: "", mode: "" });
		else if (e.key === "/" && !state().mode)
			find.focus();
		else if (e.key === "f")
			go({ mode: state().mode ? "" : "flame" }, { replace: true });
		else if (["j", "k", "ArrowDown", "ArrowUp", "Home", "End", "h", "l", "z", "e", "E", "n", "N"].includes(e.key) && !state().mode) {
			const fresh = list.at < 0;
			list.node.focus();
			if (!fresh || !["j", "ArrowDown"].includes(e.key))
				list.key(e);
		} else
			return false;
		e.preventDefault();
		return true;
	},
};
