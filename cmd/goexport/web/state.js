// SPDX-License-Identifier: Apache-2.0
// What is looked at is in the address, so that a link shows the same to somebody else.

const listeners = [];

/** The state: an object of strings. */
export function state() {
	return Object.fromEntries(new URLSearchParams(location.search));
}

/** The address of the present state with @changes; an empty value takes a key out. */
export function href(changes, fresh = false) {
	const next = new URLSearchParams(fresh ? "" : location.search);
	for (const [key, value] of Object.entries(changes)) {
		if (value)
			next.set(key, value);
		else
			next.delete(key);
	}
	const text = next.toString();
	return text ? "/?" + text : "/";
}

/** Goes there; @replace: without a step in the history (typing, moving along). */
export function go(changes, { replace = false, fresh = false } = {}) {
	const to = href(changes, fresh);
	if (to === location.pathname + location.search)
		return;
	history[replace ? "replaceState" : "pushState"](null, "", to);
	changed();
}

export function onChange(fn) {
	listeners.push(fn);
}

function changed() {
	for (const fn of listeners)
		fn(state());
}

addEventListener("popstate", changed);

/** Links within the page change the state rather than load it anew. */
document.addEventListener("click", (e) => {
	const a = e.target.closest?.("a[href]");
	if (!a || e.defaultPrevented || e.button || e.ctrlKey || e.metaKey || e.shiftKey || e.altKey)
		return;
	const url = new URL(a.href);
	if (url.origin !== location.origin || url.pathname !== "/" || url.hash)
		return;
	e.preventDefault();
	history.pushState(null, "", url.pathname + url.search);
	changed();
});
