// SPDX-License-Identifier: Apache-2.0
// The time scale of a waterfall. Long times in which no span ran are cut to a narrow
// strip, by the same rule as on the terminal (cmd/goexport/timescale.h).

import { duration } from "./format.js";

const SHARE = 4; // a shorter time of idleness than this part of the whole is drawn as it is
const MOST = 3;
const STRIP = 2.5; // percent of the width

function findGaps(rows, from, to) {
	const inside = rows.filter((s) => s.begin <= to && s.begin + s.duration >= from).sort((a, b) => a.begin - b.begin);
	const gaps = [], least = (to - from) / SHARE;
	let busy = inside.length ? Math.max(from, inside[0].begin) : to;
	for (const s of inside) {
		if (s.begin - busy > least && gaps.length < MOST)
			gaps.push({ from: busy, to: s.begin });
		busy = Math.max(busy, s.begin + s.duration);
	}
	return gaps;
}

export class Scale {
	/** From @from to @to (nanoseconds since the trace began), for these rows. */
	constructor(rows, from, to) {
		this.from = from;
		this.to = Math.max(to, from + 1);
		this.gaps = findGaps(rows, from, this.to);
		this.cut = this.gaps.reduce((n, g) => n + g.to - g.from, 0);
		this.unit = (100 - STRIP * this.gaps.length) / Math.max(this.to - this.from - this.cut, 1);
		for (const g of this.gaps) {
			g.left = this.place(g.from);
			g.width = STRIP;
		}
	}

	/** Percent from the left; less than 0 or more than 100 is outside. */
	place(t) {
		let time = t - this.from, strips = 0;
		for (const g of this.gaps)
			if (t >= g.to) {
				time -= g.to - g.from;
				strips += STRIP;
			}
		return time * this.unit + strips;
	}

	/** What to write at so many percent: behind a strip, how long after it. */
	tick(percent) {
		const t = this.at(percent), behind = this.gaps.filter((g) => t >= g.to).pop();
		return behind ? "+" + duration(t - behind.to) : duration(t);
	}

	/** The time at so many percent. */
	at(percent) {
		let left = 0, time = this.from;
		for (const g of this.gaps) {
			const until = left + (g.from - time) * this.unit;
			if (percent <= until)
				break;
			if (percent < until + STRIP)
				return g.to;
			left = until + STRIP;
			time = g.to;
		}
		return time + (percent - left) / this.unit;
	}
}
