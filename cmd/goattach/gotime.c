// SPDX-License-Identifier: Apache-2.0
#include "gotime.h"

#include <stdio.h>
#include <time.h>

/* Seconds from the years 1 and 1885 to 1970, and from there to the end of 9999. */
#define YEAR_1	  62135596800LL
#define YEAR_1885 2682288000LL
#define YEAR_9999 253402300799LL

#define HAS_MONOTONIC (1ULL << 63)
#define NSEC_BITS     30

bool gotime_text(uint64_t wall, uint64_t ext, char *buf, size_t size)
{
	unsigned int nsec = (unsigned int)(wall & ((1ULL << NSEC_BITS) - 1));
	int64_t sec = (int64_t)((wall & ~HAS_MONOTONIC) >> NSEC_BITS) - YEAR_1885;
	char date[32], fraction[16] = "";
	struct tm tm;
	time_t t;

	if (!(wall & HAS_MONOTONIC) && __builtin_sub_overflow((int64_t)ext, YEAR_1, &sec))
		return false;
	t = sec;
	if (sec < -YEAR_1 || sec > YEAR_9999 || nsec >= 1000000000 || !gmtime_r(&t, &tm))
		return false;
	if (nsec)
		snprintf(fraction, sizeof(fraction), ".%09u", nsec);
	strftime(date, sizeof(date), "%m-%dT%H:%M:%S", &tm);
	return (size_t)snprintf(buf, size, "%04d-%s%sZ", tm.tm_year + 1900, date, fraction) < size;
}
