// SPDX-License-Identifier: Apache-2.0
// Spans as a tree, in the order of their start. Whatever the spans say, this ends: a
// parent that is missing makes an orphan, parents in a ring are cut open.

function link(spans) {
	const byId = new Map();
	for (const s of spans)
		if (!byId.has(s.id))
			byId.set(s.id, s);
	for (const s of spans) {
		const parent = s.parent && byId.get(s.parent);
		s.up = parent && parent !== s ? parent : null;
		s.orphan = Boolean(s.parent) && !s.up && s.from !== "remote";
	}
	for (const s of spans)
		s.up?.down.push(s);
}

// A child that another host's clock puts outside of its parent is moved into it.
function skewOf(s, resources) {
	const up = s.up;
	const hosts = [resources[s.resource]?.host, resources[up.resource]?.host];
	if (!hosts[0] || !hosts[1] || hosts[0] === hosts[1])
		return 0;
	const start = s.at + up.shift, end = start + s.duration;
	if (start >= up.at + up.shift && end <= up.at + up.shift + up.duration)
		return 0;
	if (s.duration >= up.duration)
		return up.at + up.shift - start;
	return up.at + up.shift + (up.duration - s.duration) / 2 - start;
}

// Time of its own: without that of its children, where they run.
function selfTime(s) {
	let covered = 0, to = 0;
	for (const c of [...s.down].sort((a, b) => a.begin - b.begin)) {
		const from = Math.max(c.begin, s.begin, to), end = Math.min(c.begin + c.duration, s.begin + s.duration);
		if (end > from) {
			covered += end - from;
			to = end;
		}
	}
	return s.duration - covered;
}

function walk(root, depth, rows, resources) {
	const stack = [[root, depth]];
	while (stack.length) {
		const [s, d] = stack.pop();
		if (s.seen)
			continue;
		s.seen = true;
		s.depth = d;
		const skew = s.up ? skewOf(s, resources) : 0;
		s.skew = skew;
		s.shift = (s.up ? s.up.shift : 0) + skew;
		s.hop = Boolean(s.up && (s.g !== s.up.g || s.resource !== s.up.resource));
		s.row = rows.length;
		rows.push(s);
		for (let i = s.down.length; i--;)
			stack.push([s.down[i], d + 1]);
	}
}

/** When each span begins, after the first of all: with clocks put right. */
function measure(trace, rows) {
	let first = Infinity;
	for (const s of rows)
		first = Math.min(first, s.at + s.shift);
	first = rows.length ? first : 0;
	trace.length = 0;
	for (const s of rows) {
		s.begin = s.at + s.shift - first;
		trace.length = Math.max(trace.length, s.begin + s.duration);
	}
	trace.first = String(BigInt(trace.start) + BigInt(Math.round(first)));
}

/**
 * The answer of /api/trace as rows from top to bottom. Each span gets up, down, depth,
 * skew (nanoseconds that its clock is put right), begin (nanoseconds after the first),
 * self (time), last (row of its last descendant); the trace gets first and length, the
 * same as start and duration with clocks put right.
 */
export function build(trace) {
	const spans = trace.spans;
	for (const s of spans)
		Object.assign(s, { down: [], seen: false, depth: 0, shift: 0, cycle: false });
	link(spans);
	const byStart = (a, b) => a.at - b.at || (a.id < b.id ? -1 : 1);
	const order = [...spans].sort(byStart);
	for (const s of spans)
		s.down.sort(byStart);
	const rows = [];
	for (const s of order)
		if (!s.up)
			walk(s, 0, rows, trace.resources);
	for (const s of order)
		if (!s.seen) {
			s.cycle = true;
			walk(s, 0, rows, trace.resources);
		}
	measure(trace, rows);
	for (let i = rows.length; i--;) {
		const s = rows[i];
		s.last = Math.max(s.last || i, i);
		s.self = selfTime(s);
		if (s.up && !s.cycle && s.up.row < i)
			s.up.last = Math.max(s.up.last || 0, s.last);
	}
	return rows;
}

/** Rows without what is below those in @closed. */
export function visible(rows, closed) {
	const out = [];
	for (let i = 0; i < rows.length; i++) {
		out.push(rows[i]);
		if (closed.has(rows[i].id))
			i = rows[i].last;
	}
	return out;
}
