// SPDX-License-Identifier: Apache-2.0
// What goexport sends by itself. A page in the background lets go of its stream: a
// browser has only six connections to one server for all of its pages.

const handlers = { traces: [], status: [], missed: [], open: [], broken: [] };
let source = null;

export function on(name, fn) {
	handlers[name].push(fn);
}

function emit(name, value) {
	for (const fn of handlers[name])
		fn(value);
}

function listen(name) {
	source.addEventListener(name, (e) => {
		let value;
		try {
			value = JSON.parse(e.data);
		} catch {
			emit("missed"); // cut off where the page was too slow
			return;
		}
		emit(name, value);
	});
}

function open() {
	if (source)
		return;
	source = new EventSource("/api/events");
	source.onopen = () => emit("open");
	source.onerror = () => emit("broken");
	for (const name of ["traces", "status", "missed"])
		listen(name);
}

function close() {
	source?.close();
	source = null;
}

export function start() {
	open();
	document.addEventListener("visibilitychange", () => (document.hidden ? close() : open()));
}

/** GET of /api/@path as an object; throws an Error with the server's words. */
export async function get(path, signal) {
	let answer = await fetch("/api/" + path, { signal });
	for (let i = 0; answer.status === 503 && i < 5; i++) { // other pages have much to take
		await new Promise((done) => setTimeout(done, 2000));
		answer = await fetch("/api/" + path, { signal });
	}
	if (!answer.ok)
		throw new Error((await answer.text()).trim() || answer.statusText);
	return answer.json();
}
