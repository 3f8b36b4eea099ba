// SPDX-License-Identifier: Apache-2.0
// A list of which only the rows in sight are elements: ten thousand rows cost as much
// as thirty. One row is current; arrows move it, and a screen reader is told which.

import { el } from "./dom.js";

const SPARE = 6;

export class VirtualList {
	/**
	 * @param options.label    what the list is, for a screen reader
	 * @param options.height   pixels of a row, a function
	 * @param options.render   (item, index) => element
	 * @param options.key      item => string, the same for the same item
	 * @param options.open     (item) => void, on Enter or click
	 * @param options.current  (item) => void, when another row becomes current
	 * @param options.keydown  (event, item) => true if it was used
	 */
	constructor(options) {
		this.o = options;
		this.items = [];
		this.at = -1;
		this.rows = new Map(); // key of an item: its element, and what it was made of
		this.inner = el("div", { class: "rows", role: "presentation" });
		this.node = el("div", {
			class: "list", role: options.role || "listbox", tabindex: "0",
			"aria-label": options.label, onscroll: () => this.later(),
			onfocus: () => this.at < 0 && this.select(0, { quiet: true }),
			onkeydown: (e) => this.key(e), onclick: (e) => this.click(e),
		}, this.inner);
		this.id = "list" + ++VirtualList.count;
		new ResizeObserver(() => this.later()).observe(this.node);
	}

	later() {
		if (!this.frame)
			this.frame = requestAnimationFrame(() => {
				this.frame = 0;
				this.draw();
			});
	}

	/** Other items; the current one stays current by its key, what is in sight in sight. */
	set(items, { anchor = false } = {}) {
		const was = this.items[this.at];
		const height = this.o.height();
		const first = this.items[Math.floor(this.node.scrollTop / height)];
		const keep = anchor && this.node.scrollTop > height && first && this.o.key(first);
		this.items = items;
		if (was) {
			const key = this.o.key(was);
			this.at = items.findIndex((item) => this.o.key(item) === key);
		}
		if (keep) {
			const now = items.findIndex((item) => this.o.key(item) === keep);
			if (now >= 0) {
				this.inner.style.height = items.length * height + "px";
				this.node.scrollTop = now * height + (this.node.scrollTop % height);
			}
		}
		this.later();
	}

	draw() {
		const height = this.o.height();
		document.documentElement.style.setProperty("--scrollbar", this.node.offsetWidth - this.node.clientWidth + "px");
		const from = Math.max(0, Math.floor(this.node.scrollTop / height) - SPARE);
		const to = Math.min(this.items.length,
			Math.ceil((this.node.scrollTop + this.node.clientHeight) / height) + SPARE);
		const seen = new Set();
		this.inner.style.height = this.items.length * height + "px";
		for (let i = from; i < to; i++)
			seen.add(this.place(i, height));
		for (const [key, row] of this.rows)
			if (!seen.has(key)) {
				row.node.remove();
				this.rows.delete(key);
			}
		if (this.at >= from && this.at < to)
			this.node.setAttribute("aria-activedescendant", this.id + "-" + this.at);
		else
			this.node.removeAttribute("aria-activedescendant");
	}

	place(i, height) {
		const item = this.items[i], key = this.o.key(item);
		let row = this.rows.get(key);
		if (!row || row.item !== item || row.version !== this.version) {
			const node = this.o.render(item, i);
			if (row)
				row.node.replaceWith(node);
			else
				this.inner.append(node);
			row = { node, item, version: this.version };
			this.rows.set(key, row);
		}
		row.node.id = this.id + "-" + i;
		row.node.dataset.index = i;
		row.node.style.transform = "translateY(" + i * height + "px)";
		row.node.style.height = height + "px";
		row.node.setAttribute("aria-setsize", this.items.length);
		row.node.setAttribute("aria-posinset", i + 1);
		row.node.setAttribute("aria-selected", i === this.at ? "true" : "false");
		row.node.classList.toggle("current", i === this.at);
		return key;
	}

	/** All rows are made anew: something that they all show has changed. */
	refresh() {
		this.version = (this.version || 0) + 1;
		this.later();
	}

	/** Makes row @i current, and brings it into sight. */
	select(i, { quiet = false } = {}) {
		if (!this.items.length)
			return;
		this.at = Math.max(0, Math.min(this.items.length - 1, i));
		const height = this.o.height(), top = this.at * height;
		if (top < this.node.scrollTop)
			this.node.scrollTop = top;
		else if (top + height > this.node.scrollTop + this.node.clientHeight)
			this.node.scrollTop = top + height - this.node.clientHeight;
		this.later();
		if (!quiet)
			this.o.current?.(this.items[this.at], this.at);
	}

	key(e) {
		const page = Math.max(1, Math.floor(this.node.clientHeight / this.o.height()) - 1);
		const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1, PageDown: page, PageUp: -page }[e.key];
		if (e.ctrlKey || e.metaKey || e.altKey)
			return;
		if (this.at >= 0 && this.o.keydown?.(e, this.items[this.at], this.at)) {
			e.preventDefault();
		} else if (step) {
			e.preventDefault();
			this.select(this.at < 0 ? 0 : this.at + step);
		} else if (e.key === "Home" || e.key === "End") {
			e.preventDefault();
			this.select(e.key === "Home" ? 0 : this.items.length - 1);
		} else if (e.key === "Enter" && this.at >= 0) {
			e.preventDefault();
			this.o.open?.(this.items[this.at], this.at);
		}
	}

	click(e) {
		const row = e.target.closest("[data-index]");
		if (!row || e.defaultPrevented || e.target.closest("button, a"))
			return;
		const i = Number(row.dataset.index);
		this.select(i);
		this.o.open?.(this.items[i], i);
	}
}
VirtualList.count = 0;
