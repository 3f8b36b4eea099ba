// SPDX-License-Identifier: Apache-2.0
// One trace: waterfall or flame, and the details of a span.

import { clean, copyButton, el, throttle } from "./dom.js";
import { count, dateTime, duration, hue, KINDS, plural } from "./format.js";
import { details } from "./details.js";
import { Flame } from "./flame.js";
import * as feed from "./feed.js";
import { go, href, state } from "./state.js";
import { build, visible } from "./tree.js";
import { VirtualList } from "./virtual.js";

const narrow = matchMedia("(max-width: 700px)");
const HOPS = {
	goroutine: ["\u2197", "handed to another goroutine"],
	context: ["\u2283", "found by its context"],
	remote: ["\u21c9", "called over the network"],
};

let trace = null, rows = [], closed = new Set(), window_ = null;
let asked = "";

// --- rows ------------------------------------------------------------------------------

function hop(s) {
	if (!s.parent)
		return null;
	const [sign, words] = HOPS[s.from] || (s.hop ? ["\u2192", "on another goroutine or process"] : [null]);
	if (!sign)
		return null;
	return el("span", { class: "hop", title: "Parent: " + words, "aria-label": words }, sign);
}

function marks(s) {
	const list = [];
	if (s.orphan)
		list.push("parent missing");
	if (s.cycle)
		list.push("parents in a ring");
	if (s.skew)
		list.push("clock " + (s.skew > 0 ? "+" : "\u2212") + duration(Math.abs(s.skew)));
	if (s.incomplete)
		list.push("unfinished");
	return list.map((text) => el("span", { class: "mark" }, text));
}

function placeBar(node, s) {
	const [from, to] = window_;
	const whole = Math.max(1, to - from);
	const left = ((s.at + s.shift - from) / whole) * 100, width = (s.duration / whole) * 100;
	const a = Math.max(0, Math.min(100, left)), b = Math.max(0, Math.min(100, left + width));
	node.style.left = a + "%";
	node.style.width = Math.max(b - a, 0) + "%";
	if (left > 100 || left + width < 0)
		node.classList.add("out");
	return a > 60;
}

function renderBar(s, service) {
	const bar = el("i", { class: "bar " + hue(service) + (s.status === 2 ? " error" : "") });
	const label = el("span", { class: "bartext" }, duration(s.duration));
	if (placeBar(bar, s))
		label.style.right = Math.max(0, 100 - parseFloat(bar.style.left)) + "%";
	else
		label.style.left = Math.min(100, parseFloat(bar.style.left) + parseFloat(bar.style.width)) + "%";
	return el("span", { class: "lane" }, bar, label);
}

function twisty(s) {
	if (!s.down.length)
		return el("span", { class: "twisty" });
	return el("button", {
		class: "twisty", type: "button", tabindex: "-1",
		"aria-label": (closed.has(s.id) ? "Expand" : "Collapse") + " " + clean(s.name),
		onclick: () => toggle(s),
	}, closed.has(s.id) ? "\u25b8" : "\u25be");
}

function render(s) {
	const service = trace.resources[s.resource]?.service || "";
	const name = el("span", { class: "label" },
		twisty(s), hop(s), el("i", { class: "dot " + hue(service) }),
		el("bdi", { class: "svcname" }, clean(service)),
		el("bdi", { class: "name" }, clean(s.name)),
		s.target ? el("bdi", { class: "target" }, clean(s.target)) : null,
		marks(s),
		closed.has(s.id) ? el("span", { class: "mark" }, "+" + count(s.last - s.row)) : null,
		s.status === 2 ? el("span", { class: "code error" }, s.code >= 400 ? String(s.code) : "error") : null);
	name.style.paddingLeft = Math.min(s.depth, 24) * (narrow.matches ? 8 : 14) + "px";
	return el("div", {
		class: "row span" + (s.status === 2 ? " failed" : ""), role: "treeitem",
		"aria-level": s.depth + 1,
		"aria-expanded": s.down.length ? String(!closed.has(s.id)) : null,
		"aria-label": clean(service) + ", " + clean(s.name) + ", " + (KINDS[s.kind] || "") + ", " +
			duration(s.duration) + " after " + duration(s.at) + (s.status === 2 ? ", failed" : ""),
	}, name, renderBar(s, service));
}

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
		nextError(e.key === "E");
	} else {
		return false;
	}
	return true;
}

function nextError(back) {
	const n = list.items.length, step = back ? n - 1 : 1;
	for (let k = 1, i = (Math.max(list.at, 0) + step) % n; k <= n; k++, i = (i + step) % n)
		if (list.items[i].status === 2)
			return list.select(i);
	return undefined;
}

const list = new VirtualList({
	role: "tree",
	label: "Spans of the trace",
	height: () => (narrow.matches ? 42 : 24),
	render,
	key: (s) => s.id + (s.row || 0),
	open: (s) => go({ span: s.id }),
	current: (s) => go({ span: s.id }, { replace: true }),
	keydown: arrows,
});
narrow.addEventListener("change", () => list.refresh());

const flame = new Flame((s) => go({ span: s.id }, { replace: true }));

// --- around them -------------------------------------------------------------------------

const head = el("header", { class: "tracehead" });
const axis = el("div", { class: "axis", "aria-hidden": "true" });
const side = el("aside", { class: "side", "aria-label": "Span" });
const body = el("div", { class: "tracebody" });
const node = el("section", { class: "onetrace", "aria-label": "Trace" }, head,
	el("div", { class: "split" }, body, side));

function ticks() {
	const [from, to] = window_;
	axis.replaceChildren(el("span", { class: "label" }),
		el("span", { class: "lane" }, [0, 0.25, 0.5, 0.75].map((f) => {
			const tick = el("span", { class: "tick" }, duration(from + (to - from) * f));
			tick.style.left = f * 100 + "%";
			return tick;
		})));
}

function whole() {
	return [0, Math.max(trace.duration, 1)];
}

function zoom(s) {
	const same = window_[0] === s.at + s.shift && window_[1] === window_[0] + s.duration;
	window_ = same || !s.duration ? whole() : [s.at + s.shift, s.at + s.shift + s.duration];
	ticks();
	list.refresh();
	header(state());
}

function tab(name, mode, s) {
	return el("a", {
		href: href({ mode }), class: "tab", "aria-current": (s.mode || "") === mode ? "true" : null,
		"aria-keyshortcuts": "f",
	}, name);
}

function header(s) {
	const top = rows[0];
	const service = trace.resources[top?.resource]?.service || "";
	const zoomed = window_[0] !== 0 || window_[1] !== whole()[1];
	head.replaceChildren(
		el("a", { class: "back", href: href({ trace: "", span: "", mode: "" }), "aria-keyshortcuts": "Escape" }, "\u2190 Traces"),
		el("h1", {}, el("i", { class: "dot " + hue(service) }), el("bdi", { class: "svcname" }, clean(service)),
			" ", el("bdi", {}, clean(top ? top.name : "")),
			top?.target ? el("bdi", { class: "target" }, clean(top.target)) : null),
		el("p", { class: "facts" },
			el("b", {}, duration(trace.duration)), " \u00b7 ", plural(trace.spans.length + trace.more, "span"),
			trace.more ? " (" + count(trace.more) + " not kept)" : "",
			trace.errors ? el("span", { class: "code error" }, " " + trace.errors + " failed") : "",
			" \u00b7 ", dateTime(trace.start), " \u00b7 ",
			el("code", {}, trace.id), copyButton(trace.id, "trace id"),
			zoomed ? el("button", {
				type: "button", onclick: () => {
					window_ = whole();
					ticks();
					list.refresh();
					header(state());
				},
			}, "Whole trace") : null),
		el("nav", { class: "modes", "aria-label": "Form" }, tab("Waterfall", "", s), tab("Flame", "flame", s)));
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
	const fresh = asked !== s.trace;
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
		window_ = whole();
		body.replaceChildren();
	} else if (window_[0] === 0) {
		window_ = whole();
	}
	rows = build(trace);
	ticks();
	list.refresh();
	list.set(visible(rows, closed));
	showMode(state());
	showSpan(state());
	if (fresh)
		list.node.focus({ preventScroll: true });
}

const loadAgain = throttle(() => state().trace && load(state()), 1000);

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
		trace = null;
	},
	key(e) {
		if (e.key === "Escape")
			go(state().span ? { span: "" } : { trace: "", mode: "" });
		else if (e.key === "f")
			go({ mode: state().mode ? "" : "flame" }, { replace: true });
		else if (["j", "k", "ArrowDown", "ArrowUp", "Home", "End", "h", "l", "z", "e", "E"].includes(e.key) && !state().mode) {
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
