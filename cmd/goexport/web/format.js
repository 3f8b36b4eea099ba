// SPDX-License-Identifier: Apache-2.0
// Numbers and times as people read them.

const UNITS = [[1e9, "s"], [1e6, "ms"], [1e3, "\u00b5s"], [1, "ns"]];

/** Nanoseconds: "1.23 ms". */
export function duration(ns) {
	const days = Math.floor(ns / 86400e9);
	if (days >= 10000)
		return Math.floor(days / 365.25) + "\u202fy";
	if (days >= 100)
		return days + "\u202fd";
	if (ns >= 360000e9)
		return days + " d " + Math.floor((ns / 3600e9) % 24) + " h";
	if (ns >= 3600e9)
		return Math.floor(ns / 3600e9) + " h " + Math.floor((ns / 60e9) % 60) + " m";
	if (ns >= 100e9)
		return Math.floor(ns / 60e9) + " m " + Math.floor((ns / 1e9) % 60) + " s";
	for (const [unit, name] of UNITS) {
		if (ns < unit)
			continue;
		const n = ns / unit;
		return (name === "ns" ? String(Math.round(n)) : n.toFixed(n < 9.995 ? 2 : n < 99.95 ? 1 : 0)) +
			"\u202f" + name;
	}
	return "0";
}

/** "50ms", "1.5s" as nanoseconds; NaN if it is neither. */
export function parseDuration(text) {
	const m = /^(\d+(?:\.\d+)?)\s*(ns|us|\u00b5s|ms|s|m)?$/.exec(text.trim());
	const unit = { ns: 1, us: 1e3, "\u00b5s": 1e3, ms: 1e6, s: 1e9, m: 60e9 };
	return m ? Number(m[1]) * unit[m[2] || "ms"] : NaN;
}

/** The time of day of "nanoseconds since 1970". */
export function clock(ns) {
	const d = new Date(Number(BigInt(ns) / 1000000n));
	if (Number.isNaN(d.getTime()))
		return "?";
	const two = (n) => String(n).padStart(2, "0");
	return two(d.getHours()) + ":" + two(d.getMinutes()) + ":" + two(d.getSeconds()) + "." +
		String(d.getMilliseconds()).padStart(3, "0");
}

/** The same with the day, here and by UTC. */
export function dateTime(ns) {
	const d = new Date(Number(BigInt(ns) / 1000000n));
	if (Number.isNaN(d.getTime()))
		return { local: ns + " ns", utc: "" };
	const two = (n) => String(n).padStart(2, "0");
	return {
		local: d.getFullYear() + "-" + two(d.getMonth() + 1) + "-" + two(d.getDate()) + " " + clock(ns),
		utc: d.toISOString().slice(0, 23).replace("T", " ") + " UTC",
	};
}

export function count(n) {
	if (n < 10000)
		return String(n);
	if (n < 1e6)
		return (n / 1e3).toFixed(n < 1e5 ? 1 : 0) + "k";
	return (n / 1e6).toFixed(1) + "M";
}

export function rate(n) {
	return n === 0 ? "0" : n < 10 ? n.toFixed(2) : n < 100 ? n.toFixed(1) : count(Math.round(n));
}

export function bytes(n) {
	return n < 1 << 20 ? Math.round(n / 1024) + "\u202fKiB" : (n / (1 << 20)).toFixed(1) + "\u202fMiB";
}

export function plural(n, word) {
	return count(n) + " " + word + (n === 1 ? "" : "s");
}

/** One of twelve colours, the same for the same name each time. */
export function hue(name) {
	let h = 2166136261;
	for (let i = 0; i < name.length; i++)
		h = Math.imul(h ^ name.charCodeAt(i), 16777619);
	return "hue" + ((h >>> 0) % 12);
}

export const KINDS = ["", "internal", "server", "client", "producer", "consumer"];
