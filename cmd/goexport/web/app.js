// SPDX-License-Identifier: Apache-2.0
// Which view is shown, the line at the top, and keys that work everywhere.

import { el } from "./dom.js";
import { count, plural } from "./format.js";
import * as feed from "./feed.js";
import { view as graph } from "./graph.js";
import { view as health } from "./health.js";
import { view as routes } from "./routes.js";
import { go, href, onChange, state } from "./state.js";
import { view as trace } from "./trace.js";
import { view as traces } from "./traces.js";

const views = { traces, routes, services: graph, health };
const names = Object.keys(views);
const main = document.getElementById("main");
let current = null;

function tabs(s) {
	const now = s.view || "traces";
	document.getElementById("tabs").replaceChildren(...names.map((name, i) =>
		el("a", {
			href: href({ view: name === "traces" ? "" : name }, true),
			"aria-current": name === now ? "page" : null, "aria-keyshortcuts": String(i + 1),
		}, views[name].title)));
}

function show(s) {
	const next = s.trace ? trace : views[s.view] || traces;
	if (next !== current) {
		current?.hide?.();
		current = next;
		main.replaceChildren(next.node);
	}
	tabs(s);
	document.title = next.title + " \u00b7 gotap";
	next.show(s);
}

let last = null;
function status(s) {
	const now = performance.now(), node = document.getElementById("status");
	let rate = "";
	if (last && !s.ended) {
		const n = ((s.received - last.received) * 1000) / Math.max(1, now - last.at);
		rate = count(Math.max(0, Math.round(n))) + " spans/s";
	}
	const speed = last?.rate || rate;
	if (!last || now - last.at > 900)
		last = { received: s.received, at: now, rate };
	node.className = "status " + (s.ended ? "ended" : "live");
	node.replaceChildren(el("i", { class: "lamp", "aria-hidden": "true" }), el("span", { class: "word" }, s.ended ? "ended" : "live"),
		el("span", { class: "more" }, (s.ended || !speed ? "" : " \u00b7 " + speed) + " \u00b7 " + plural(s.traces, "trace")),
		s.lost ? el("a", { href: href({ view: "health" }, true), class: "lost" }, count(s.lost) + " lost") : "");
}

feed.on("status", status);
feed.on("broken", () => {
	const node = document.getElementById("status");
	node.className = "status away";
	node.replaceChildren(el("i", { class: "lamp", "aria-hidden": "true" }), "goexport is away");
});

// --- keys --------------------------------------------------------------------------------

const help = el("dialog", { class: "help", "aria-label": "Keys" },
	el("h2", {}, "Keys"),
	el("dl", {}, [
		["1 to 4", "traces, routes, services, health"], ["/", "search, or find in a trace"], ["j k, arrows", "down and up"],
		["Enter", "open"], ["Esc", "back"], ["p", "pause the list"], ["h l, left right", "close and open a span's children"],
		["z", "zoom to the span, and back"], ["e E", "next and previous failed span"], ["n N", "next and previous span that was found"], ["f", "waterfall or flame"], ["?", "this"],
	].map(([k, v]) => el("div", { class: "pair" }, el("dt", {}, el("kbd", {}, k)), el("dd", {}, v)))),
	el("button", { type: "button", onclick: () => help.close() }, "Close"));
document.body.append(help);
document.querySelector("header.top").append(el("button", {
	type: "button", class: "helpbutton", "aria-label": "Keys", title: "Keys (?)", onclick: () => help.showModal(),
}, "?"));

document.addEventListener("keydown", (e) => {
	const typing = e.target.closest?.("input, select, textarea");
	if (e.ctrlKey || e.metaKey || e.altKey || help.open || e.defaultPrevented)
		return;
	if (typing) {
		if (e.key === "Escape")
			typing.blur();
		return;
	}
	if (e.target.closest?.("button, a") && (e.key === "Enter" || e.key === " "))
		return;
	if (e.key === "?")
		help.showModal();
	else if (names[Number(e.key) - 1])
		go({ view: e.key === "1" ? "" : names[Number(e.key) - 1] }, { fresh: true });
	else
		current?.key(e);
});

onChange(show);
show(state());
feed.start();
