// SPDX-License-Identifier: Apache-2.0
/* Words and texts as a Go program printed them. */
#include "../../cmd/goattach/gotime.h"

#include <string.h>

#include "tap.h"

int main(void)
{
	static const struct {
		uint64_t wall, ext;
		const char *want;
	} list[] = {
		{ 0xc2bb8b7185d5712d, 0x6118, "2026-11-30T17:45:42.097874221Z" },
		{ 0, 0, "0001-01-01T00:00:00Z" },
		{ 0, 0xe7791f700, "1970-01-01T00:00:00Z" },
		{ 0x5, 0xe7791f6ff, "1969-12-31T23:59:59.000000005Z" },
		{ 0x3b9ac9ff, 0x497786387f, "9999-12-31T23:59:59.999999999Z" },
		{ 0, 0x4977863880, "none" },
		{ 0, UINT64_MAX, "none" },
		{ 0, 1ull << 63, "none" },
		{ 0x3fffffff, 0, "none" },
		{ UINT64_MAX, UINT64_MAX, "none" },
	};
	char buf[40];

	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
		ok(!strcmp(gotime_text(list[i].wall, list[i].ext, buf, sizeof(buf)) ? buf : "none",
			   list[i].want),
		   "0x%llx 0x%llx: %s", (unsigned long long)list[i].wall,
		   (unsigned long long)list[i].ext, list[i].want);
	ok(!gotime_text(0, 0, buf, 10), "a buffer that is too small");
	return done();
}
