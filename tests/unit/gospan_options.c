// SPDX-License-Identifier: Apache-2.0
/* gospan's command line, as far as numbers and durations go. */
#include "../../cmd/gospan/options.h"

#include "tap.h"

int main(void)
{
	static const struct {
		const char *text;
		bool good;
		uint64_t ns;
	} t[] = {
		{ "0", true, 0 },
		{ "90", true, 90000000000ull },
		{ "10ms", true, 10000000ull },
		{ "10s", true, 10000000000ull },
		{ "2m", true, 120000000000ull },
		{ "1h", true, 3600000000000ull },
		{ "0h", true, 0 },
		{ "5124095h", true, 5124095ull * 3600000000000ull },
		{ "5124096h", false, 0 }, /* past 2^64 ns */
		{ "18446744073709551616", false, 0 },
		{ "", false, 0 },
		{ "s", false, 0 },
		{ "-1", false, 0 },
		{ "+1", false, 0 },
		{ " 1", false, 0 },
		{ "1 s", false, 0 },
		{ "1.5s", false, 0 },
		{ "1d", false, 0 },
		{ "1ss", false, 0 },
		{ "0x10", false, 0 },
	};

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		uint64_t ns = 0;
		bool good = duration_parse(t[i].text, &ns);

		ok(good == t[i].good && (!good || ns == t[i].ns), "duration '%s'", t[i].text);
	}
	return done();
}
