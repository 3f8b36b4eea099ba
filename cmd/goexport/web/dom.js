// SPDX-License-Identifier: Apache-2.0
// Making elements. Text goes in as text alone: nothing here parses markup, and what
// comes from a traced program is made visible rather than obeyed.

const SVG = "http://www.w3.org/2000/svg";

// Control characters and those that turn the direction of text or hide in it.
const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

function show(c) {
	const n = c.charCodeAt(0);
	if (n < 0x20)
		return String.fromCharCode(0x2400 + n);
	return n === 0x7f ? "\u2421" : "\u27e8" + n.toString(16) + "\u27e9";
}

/** Text of a traced program for people: nothing in it acts on the text around it. */
export function clean(text) {
	return String(text).replace(HIDDEN, show);
}

/** The same where line feeds and tabs may stay. */
export function cleanBlock(text) {
	return String(text).replace(HIDDEN, (c) => (c === "\n" || c === "\t" ? c : show(c)));
}

function fill(node, props, children) {
	for (const [key, value] of Object.entries(props || {})) {
		if (value === undefined || value === null || value === false)
			continue;
		if (key.startsWith("on"))
			node.addEventListener(key.slice(2), value);
		else
			node.setAttribute(key, value === true ? "" : value);
	}
	for (const child of children.flat())
		if (child !== null && child !== undefined && child !== false)
			node.append(child);
	return node;
}

/** An element; strings among the children become text. */
export function el(tag, props, ...children) {
	return fill(document.createElement(tag), props, children);
}

export function svg(tag, props, ...children) {
	return fill(document.createElementNS(SVG, tag), props, children);
}

/** A dotted name that may be broken behind its dots and underscores. */
export function breakable(name) {
	return clean(name).split(/(?<=[._])/).flatMap((part, i) => (i ? [el("wbr", {}), part] : [part]));
}

let toastTimer = 0;

/** Says something for a moment, also to a screen reader. */
export function toast(text) {
	const node = document.getElementById("toast");
	node.textContent = text;
	node.classList.add("shown");
	clearTimeout(toastTimer);
	toastTimer = setTimeout(() => node.classList.remove("shown"), 2500);
}

/** Puts @text on the clipboard; where the browser has none to give, by way of a selection. */
export async function copy(text, what) {
	try {
		await navigator.clipboard.writeText(text);
	} catch {
		const area = el("textarea", { class: "offscreen", "aria-hidden": "true" });
		area.value = text;
		document.body.append(area);
		area.select();
		document.execCommand("copy");
		area.remove();
	}
	toast(what + " copied");
}

export function copyButton(text, what) {
	return el("button", {
		class: "copy", type: "button", "aria-label": "Copy " + what, title: "Copy " + what,
		onclick: (e) => {
			e.stopPropagation();
			copy(text, what);
		},
	}, svg("svg", { viewBox: "0 0 14 14", "aria-hidden": "true" },
		svg("rect", { x: 1.5, y: 4.5, width: 8, height: 8, rx: 1.5 }), svg("path", { d: "M5 4.5v-1.5a1.5 1.5 0 0 1 1.5 -1.5h4.5a1.5 1.5 0 0 1 1.5 1.5v4.5a1.5 1.5 0 0 1 -1.5 1.5h-1.5" })));
}

/** Calls @fn at most once in @ms (or ms()), the last time after the last call. */
export function throttle(fn, ms) {
	const pause = typeof ms === "function" ? ms : () => ms;
	let timer = 0, last = -Infinity;
	return () => {
		if (timer)
			return;
		timer = setTimeout(() => {
			timer = 0;
			last = performance.now();
			fn();
		}, Math.max(0, last + pause() - performance.now()));
	};
}
