// SPDX-License-Identifier: Apache-2.0
/* Names of wait reasons: the same number means something else in other versions of Go. */
#include "../../lib/waitreason.h"

#include <stddef.h>

#include "tap.h"

int main(void)
{
	static const struct {
		unsigned int minor, reason;
		const char *name;
	} list[] = {
		{ 17, 14, "chan receive" },	   { 20, 21, "sync.Mutex.Lock" },
		{ 22, 36, "coroutine" },	   { 23, 37, "GC weak to strong wait" },
		{ 24, 24, "sync.WaitGroup.Wait" }, { 25, 13, "GC scavenge wait" },
		{ 26, 19, "chan receive" },	   { 27, 46, "cleanup wait" },
	};

	for (size_t i = 0; i < sizeof(list) / sizeof(list[0]); i++)
		is(waitreason_name(list[i].minor, list[i].reason), list[i].name, list[i].name);
	ok(!waitreason_name(27, 47), "a number past the last has no name");
	ok(!waitreason_name(27, 0), "nor has 0, which is none");
	ok(!waitreason_name(28, 1) && !waitreason_name(16, 1), "nor any of another version");
	return done();
}
