// SPDX-License-Identifier: Apache-2.0
// The list of traces: live, searched, filtered.

import { clean, el, throttle } from "./dom.js";
import { clock, count, duration, hue, parseDuration } from "./format.js";
import * as feed from "./feed.js";
import { go, state } from "./state.js";
import { VirtualList } from "./virtual.js";

const MAX = 10000;
const FILTERS = ["words", "service", "route", "status", "slower-than", "match"];
const narrow = matchMedia("(max-width: 700px)");

const byId = new Map(); // newest last
let newest = []; // as an array, newest first; made when it is needed
let stale = true;
let paused = false;
let unseen = 0;
let query = null; // of the list that is shown; "": everything
let loading = null;

function remember(list) {
	for (const t of list)
		byId.set(t.id, t);
	stale = true;
	if (byId.size > MAX * 1.2) {
		let n = byId.size - MAX;
		for (const id of byId.keys()) {
			if (!n--)
				break;
			byId.delete(id);
		}
	}
}

function all() {
	if (stale)
		newest = [...byId.values()].reverse();
	stale = false;
	return newest;
}

// --- rows ----------------------------------------------------------------------

function status(t) {
	if (t.errors)
		return el("span", { class: "code error" }, t.code >= 400 ? String(t.code) : "error");
	return el("span", { class: "code" }, t.code ? String(t.code) : "");
}

function dots(t) {
	const names = t.services || [t.service];
	return el("span", { class: "dots", title: names.map(clean).join(", ") },
		names.map((name) => el("i", { class: "dot " + hue(name) })));
}

// Durations differ by powers of ten: so does the bar.
function bar(ns) {
	const node = el("i", { class: "mini" });
	const fill = el("i", {});
	fill.style.width = Math.max(2, Math.min(100, (Math.log10(Math.max(ns, 1e4)) - 4) * 16)) + "%";
	node.append(fill);
	return node;
}

function render(t) {
	const errors = t.errors ? ", " + t.errors + " failed" : "";
	return el("div", {
		class: "row trace" + (t.errors ? " failed" : ""), role: "option",
		"aria-label": clean(t.service) + ", " + clean(t.name) + ", " + duration(t.duration) + ", " +
			t.spans + " spans" + errors,
	},
	el("span", { class: "time" }, clock(t.start)),
	el("span", { class: "svc" }, dots(t), el("bdi", {}, clean(t.service))),
	el("span", { class: "what" }, el("bdi", {}, clean(t.name)),
		t.target ? el("bdi", { class: "target" }, clean(t.target)) : null),
	el("span", { class: "took" }, bar(t.duration), duration(t.duration)),
	el("span", { class: "n" }, count(t.spans)),
	status(t));
}

const list = new VirtualList({
	label: "Traces, newest first",
	height: () => (narrow.matches ? 50 : 28),
	render,
	key: (t) => t.id,
	open: (t) => go({ trace: t.id, span: "", view: "" }),
});
narrow.addEventListener("change", () => list.refresh());

// --- the bar above them ----------------------------------------------------------

function field(label, name, attributes) {
	const input = el("input", {
		id: "f-" + name, type: "search", autocomplete: "off", spellcheck: "false", ...attributes,
		oninput: () => typed(name, input.value),
	});
	return el("label", { class: "f f-" + name }, el("span", {}, label), input);
}

const words = field("Search", "words", { placeholder: "text in names and attributes", "aria-keyshortcuts": "/" });
const service = field("Service", "service", { placeholder: "any", list: "services" });
const services = el("datalist", { id: "services" });
const route = field("Route", "route", { placeholder: "any, /users/*" });
const slower = field("Slower than", "slower-than", { placeholder: "50ms" });
const match = field("Attribute", "match", { placeholder: "key=value*" });
const failed = el("select", { id: "f-status", onchange: () => go({ status: failed.value }) },
	el("option", { value: "" }, "any"), el("option", { value: "error" }, "error"),
	el("option", { value: "ok" }, "ok"));
const sort = el("select", { id: "f-sort", onchange: () => go({ sort: sort.value }, { replace: true }) },
	el("option", { value: "" }, "newest"), el("option", { value: "duration" }, "slowest"),
	el("option", { value: "spans" }, "most spans"));
const pause = el("button", { type: "button", "aria-pressed": "false", "aria-keyshortcuts": "p", onclick: togglePause }, "Pause");
const clear = el("button", {
	type: "button", onclick: () => go(Object.fromEntries([...FILTERS, "sort"].map((f) => [f, ""]))),
}, "Clear");
const note = el("p", { class: "note", role: "status" });

const node = el("section", { class: "traces", "aria-label": "Traces" },
	el("form", { class: "filters", role: "search", "aria-label": "Filter traces", onsubmit: (e) => e.preventDefault() },
		words, service, services, route,
		el("label", { class: "f f-status" }, el("span", {}, "Status"), failed),
		slower, match,
		el("label", { class: "f f-sort" }, el("span", {}, "Order"), sort),
		el("div", { class: "f buttons" }, pause, clear)),
	note,
	el("div", { class: "row head", "aria-hidden": "true" },
		el("span", { class: "time" }, "Start"), el("span", { class: "svc" }, "Service"),
		el("span", { class: "what" }, "Request"), el("span", { class: "took" }, "Duration"),
		el("span", { class: "n" }, "Spans"), el("span", { class: "code" }, "Status")),
	list.node);

let typing = 0;
function typed(name, value) {
	clearTimeout(typing);
	typing = setTimeout(() => go({ [name]: value }, { replace: true }), 200);
}

function togglePause() {
	paused = !paused;
	unseen = 0;
	pause.textContent = paused ? "Resume" : "Pause";
	pause.setAttribute("aria-pressed", String(paused));
	update();
}

// --- what is shown -----------------------------------------------------------------

function searchOf(s) {
	const p = new URLSearchParams();
	for (const f of FILTERS)
		if (s[f])
			p.set(f, s[f]);
	return p.toString();
}

function checked(s) {
	if (s["slower-than"] && Number.isNaN(parseDuration(s["slower-than"])))
		return "Slower than: a duration such as 50ms";
	if (s.match && !/^[^=]+=/.test(s.match))
		return "Attribute: key=value, where * is any text";
	return "";
}

function sorted(items, s) {
	if (s.sort === "duration")
		return [...items].sort((a, b) => b.duration - a.duration);
	if (s.sort === "spans")
		return [...items].sort((a, b) => b.spans - a.spans);
	return items;
}

let found = []; // by the server
let foundNote = "";

async function search(s) {
	const q = searchOf(s);
	loading?.abort();
	loading = new AbortController();
	try {
		const answer = await feed.get("traces?limit=" + MAX + (q ? "&" + q : ""), loading.signal);
		if (q) {
			found = answer.traces;
			foundNote = count(found.length) + " of " + count(answer.held) + " traces";
		} else {
			byId.clear();
			remember(answer.traces.reverse());
		}
	} catch (e) {
		if (e.name === "AbortError")
			return;
		found = [];
		foundNote = e.message;
	}
	query = q;
	update();
}

const searchAgain = throttle(() => {
	if (state().trace || (state().view || "traces") !== "traces" || paused)
		return;
	search(state());
}, 1000);

function known() {
	const names = new Set();
	for (const t of all().slice(0, 500))
		for (const name of t.services || [t.service])
			names.add(name);
	return [...names].sort();
}

let offered = "";
function offerServices() {
	const names = known();
	if (names.join("\n") === offered)
		return;
	offered = names.join("\n");
	services.replaceChildren(...names.map((name) => el("option", { value: name })));
}

function update() {
	const s = state();
	const wrong = checked(s);
	const items = query ? found : all();
	if (!paused)
		list.set(sorted(items, s), { anchor: !s.sort });
	offerServices();
	if (wrong)
		note.textContent = wrong;
	else if (paused)
		note.textContent = "Paused" + (unseen ? ", " + count(unseen) + " changes since" : "");
	else if (query)
		note.textContent = foundNote;
	else
		note.textContent = items.length ? "" : "Nothing yet: traces appear here as requests end.";
	note.classList.toggle("wrong", Boolean(wrong));
}
const updateSoon = throttle(update, 250);

feed.on("traces", (message) => {
	remember(message.traces);
	unseen += message.traces.length;
	if (message.cut)
		searchIfAll();
	if (query)
		searchAgain();
	else
		updateSoon();
});
function searchIfAll() {
	if (query === "")
		searchAgain();
}
feed.on("missed", searchIfAll);
feed.on("open", () => query !== null && search(state()));

function put(input, value) {
	if (document.activeElement !== input)
		input.value = value || "";
}

/** The first key goes to the first row. */
function step(e) {
	const fresh = list.at < 0;
	list.node.focus();
	if (!fresh || e.key === "Enter" || e.key === "End")
		list.key(e);
}

export const view = {
	node,
	title: "Traces",
	show(s) {
		for (const [label, name] of [[words, "words"], [service, "service"], [route, "route"],
			[slower, "slower-than"], [match, "match"]])
			put(label.querySelector("input"), s[name]);
		failed.value = s.status || "";
		sort.value = s.sort || "";
		if (checked(s) || (query === searchOf(s) && query !== null))
			update();
		else
			search(s);
	},
	key(e) {
		if (e.key === "/")
			words.querySelector("input").focus();
		else if (e.key === "p")
			togglePause();
		else if (["j", "k", "ArrowDown", "ArrowUp", "Home", "End", "PageDown", "PageUp", "Enter"].includes(e.key)) {
			step(e);
		} else
			return false;
		e.preventDefault();
		return true;
	},
};
